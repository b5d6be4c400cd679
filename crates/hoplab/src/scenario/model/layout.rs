//! Where the nodes are: families of static networks, as the papers draw them.
//!
//! # Model
//! A family turns a few numbers into positions, numbers its nodes, and offers natural pairs for flows. All coordinates
//! are at least zero. Links are not listed: who reaches whom follows from positions and radio. At the default spacing
//! (200 m) and reach (250 m) exactly the links of the drawing exist.
//!
//! - chain: nodes 0 to h on a line.
//! - grid: row by row.
//! - parallel: two chains above each other, 0 to h and h+1 to 2h+1.
//! - spindle: flow 0's path is 0 to h. Flow 1's own nodes follow, from its source on. The paths share `shared` links
//!   in the middle; the h - shared others come half before, half after (one more before, if odd). Where paths meet,
//!   links leave at 120 degrees: any two neighbors of such a node are 1.73 spacings apart, and no other angle keeps
//!   the nearest two farther apart. Nothing shared: two parallel rows.
//! - random: `nodes` uniform places in `area`, drawn for each run (`placement.rs`).
//! - cross: line 0 to h, and a second line of h links at a right angle through node h/2 (rounded down), which is
//!   shared; the other nodes of that line are h+1 to 2h in its order.
//!
//! `docs/use/reference/topologies.md` draws them.
//!
//! # Source
//! Cai 2013, Figure 6; Lien, Figure 8; the readings of both where text and drawing leave them open.

use crate::scenario::model::placement::Random;
use crate::scenario::schema::topology::TopologyKind;

/// A member of a family. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the module's first lines say what each number is")]
pub enum Layout {
    Chain { hops: u32, spacing: f64 },
    Grid { rows: u32, columns: u32, spacing: f64 },
    Parallel { hops: u32, spacing: f64, row_spacing: f64 },
    Spindle { hops: u32, shared: u32, spacing: f64 },
    Cross { hops: u32, spacing: f64 },
    Positions(Vec<(f64, f64)>),
    Random(Random),
}

/// Sine of 60 degrees, a hair short, so that rounding never makes a link longer than the spacing.
const SIN_60: f64 = 0.866_025_4;

impl Layout {
    /// Its family.
    pub fn kind(&self) -> TopologyKind {
        match self {
            Layout::Chain { .. } => TopologyKind::Chain,
            Layout::Grid { .. } => TopologyKind::Grid,
            Layout::Parallel { .. } => TopologyKind::Parallel,
            Layout::Spindle { .. } => TopologyKind::Spindle,
            Layout::Cross { .. } => TopologyKind::Cross,
            Layout::Positions(_) => TopologyKind::Positions,
            Layout::Random(_) => TopologyKind::Random,
        }
    }

    /// What a random layout is drawn from.
    pub fn random(&self) -> Option<&Random> {
        if let Layout::Random(random) = self { Some(random) } else { None }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u64 {
        match *self {
            Layout::Chain { hops, .. } => u64::from(hops) + 1,
            Layout::Grid { rows, columns, .. } => u64::from(rows) * u64::from(columns),
            Layout::Parallel { hops, .. } | Layout::Spindle { hops, shared: 0, .. } => 2 * (u64::from(hops) + 1),
            Layout::Spindle { hops, shared, .. } => 2 * u64::from(hops) + 1 - u64::from(shared),
            Layout::Cross { hops, .. } => 2 * u64::from(hops) + 1,
            Layout::Positions(ref places) => places.len() as u64,
            Layout::Random(ref random) => u64::from(random.nodes),
        }
    }

    /// Places of its nodes, in metres; none of a random layout, which each run draws ([`Random::draw`]).
    pub fn positions(&self) -> Vec<(f64, f64)> {
        let at = |steps: u32, spacing: f64| f64::from(steps) * spacing;
        match *self {
            Layout::Chain { hops, spacing } => (0..=hops).map(|i| (at(i, spacing), 0.0)).collect(),
            Layout::Grid { rows, columns, spacing } => (0..rows)
                .flat_map(|row| (0..columns).map(move |column| (at(column, spacing), at(row, spacing))))
                .collect(),
            Layout::Parallel { hops, spacing, row_spacing } => rows(hops, spacing, row_spacing),
            Layout::Spindle { hops, shared: 0, spacing } => rows(hops, spacing, spacing),
            Layout::Spindle { hops, shared, spacing } => spindle(hops, shared, spacing),
            Layout::Cross { hops, spacing } => {
                let middle = hops / 2;
                let line = (0..=hops).map(|i| (at(i, spacing), at(middle, spacing)));
                let other = (0..=hops).filter(|&i| i != middle).map(|i| (at(middle, spacing), at(i, spacing)));
                line.chain(other).collect()
            }
            Layout::Positions(ref places) => places.clone(),
            Layout::Random(_) => Vec::new(),
        }
    }

    /// How many pairs [`Layout::natural_pair`] offers.
    pub fn natural_pairs(&self) -> usize {
        match *self {
            Layout::Chain { .. } => 1,
            Layout::Grid { rows, columns, .. } => {
                (if columns > 1 { rows as usize } else { 0 }) + (if rows > 1 { columns as usize } else { 0 })
            }
            Layout::Parallel { .. } | Layout::Spindle { .. } | Layout::Cross { .. } => 2,
            Layout::Positions(ref places) => usize::from(places.len() > 1),
            Layout::Random(ref random) => usize::from(random.nodes > 1),
        }
    }

    /// Ends of the `i`-th flow that the family is made for: along each chain; in a grid along each row, then each column.
    pub fn natural_pair(&self, i: usize) -> Option<(u32, u32)> {
        if i >= self.natural_pairs() {
            return None;
        }
        let last = (self.nodes() - 1) as u32;
        Some(match *self {
            Layout::Chain { .. } | Layout::Positions(_) | Layout::Random(_) => (0, last),
            Layout::Grid { rows, columns, .. } => {
                let lines = if columns > 1 { rows } else { 0 };
                let i = i as u32;
                if i < lines {
                    (i * columns, i * columns + columns - 1)
                } else {
                    (i - lines, (rows - 1) * columns + i - lines)
                }
            }
            Layout::Parallel { hops, .. } | Layout::Spindle { hops, .. } if i == 0 => (0, hops),
            Layout::Parallel { hops, .. } | Layout::Spindle { hops, shared: 0, .. } => (hops + 1, last),
            // Nothing is left after the shared stretch: both flows end at its last node.
            Layout::Spindle { hops, shared, .. } if hops - shared == 1 => (hops + 1, hops),
            Layout::Spindle { hops, .. } => (hops + 1, last),
            Layout::Cross { hops, .. } if i == 0 => (0, hops),
            // Of a single link, the shared node is the first.
            Layout::Cross { hops, .. } => (if hops == 1 { 0 } else { hops + 1 }, last),
        })
    }

    /// The node in the middle; of a random layout, which has none, node 0.
    pub fn center(&self) -> u32 {
        match *self {
            Layout::Chain { hops, .. }
            | Layout::Parallel { hops, .. }
            | Layout::Spindle { hops, .. }
            | Layout::Cross { hops, .. } => hops / 2,
            Layout::Grid { rows, columns, .. } => rows / 2 * columns + columns / 2,
            Layout::Positions(ref places) => nearest_to_middle(places),
            Layout::Random(_) => 0,
        }
    }
}

fn rows(hops: u32, spacing: f64, row_spacing: f64) -> Vec<(f64, f64)> {
    [0.0, row_spacing].into_iter().flat_map(|y| (0..=hops).map(move |i| (f64::from(i) * spacing, y))).collect()
}

fn spindle(hops: u32, shared: u32, spacing: f64) -> Vec<(f64, f64)> {
    let own = hops - shared;
    let before = own.div_ceil(2);
    let after = own - before;
    let step = (spacing / 2.0, spacing * SIN_60);
    // Flow 0's branches point up, those of flow 1 down, from an axis high enough for both.
    let axis = f64::from(before) * step.1;
    let merge = f64::from(before) * step.0;
    let split = merge + f64::from(shared) * spacing;
    let incoming = |side: f64| {
        (0..before).map(move |i| {
            let left = f64::from(before - i);
            (merge - left * step.0, axis + side * left * step.1)
        })
    };
    let outgoing =
        |side: f64| (1..=after).map(move |i| (split + f64::from(i) * step.0, axis + side * f64::from(i) * step.1));
    let middle = (0..=shared).map(|i| (merge + f64::from(i) * spacing, axis));
    incoming(1.0).chain(middle).chain(outgoing(1.0)).chain(incoming(-1.0)).chain(outgoing(-1.0)).collect()
}

fn nearest_to_middle(places: &[(f64, f64)]) -> u32 {
    let count = places.len() as f64;
    let (x, y) = places.iter().fold((0.0, 0.0), |(x, y), place| (x + place.0 / count, y + place.1 / count));
    let squared = |place: &(f64, f64)| (place.0 - x) * (place.0 - x) + (place.1 - y) * (place.1 - y);
    let nearest = places.iter().enumerate().min_by(|(_, a), (_, b)| squared(a).total_cmp(&squared(b)));
    nearest.map_or(0, |(node, _)| node as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: f64 = 200.0;

    /// Links of at most 250 m, each once.
    fn links(layout: &Layout) -> Vec<(usize, usize)> {
        let places = layout.positions();
        assert_eq!(places.len() as u64, layout.nodes());
        assert!(places.iter().all(|place| place.0 >= 0.0 && place.1 >= 0.0));
        let far = |a: (f64, f64), b: (f64, f64)| libm::hypot(a.0 - b.0, a.1 - b.1);
        let pairs = (0..places.len()).flat_map(|i| (i + 1..places.len()).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| far(places[i], places[j]) <= 250.0).collect()
    }

    fn sorted(paths: &[&[usize]]) -> Vec<(usize, usize)> {
        let mut links: Vec<(usize, usize)> = paths
            .iter()
            .flat_map(|path| path.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))))
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    #[test]
    fn chain_and_grid() {
        let chain = Layout::Chain { hops: 3, spacing: S };
        assert_eq!(links(&chain), sorted(&[&[0, 1, 2, 3]]));
        assert_eq!((chain.natural_pair(0), chain.natural_pair(1), chain.center()), (Some((0, 3)), None, 1));
        let grid = Layout::Grid { rows: 2, columns: 3, spacing: S };
        assert_eq!(links(&grid), sorted(&[&[0, 1, 2], &[3, 4, 5], &[0, 3], &[1, 4], &[2, 5]]));
        let pairs: Vec<_> = (0..grid.natural_pairs()).filter_map(|i| grid.natural_pair(i)).collect();
        assert_eq!(pairs, [(0, 2), (3, 5), (0, 3), (1, 4), (2, 5)]);
        assert_eq!(grid.center(), 4);
        assert_eq!(Layout::Grid { rows: 1, columns: 1, spacing: S }.natural_pairs(), 0);
        assert_eq!(Layout::Grid { rows: 3, columns: 1, spacing: S }.natural_pair(0), Some((0, 2)));
    }

    #[test]
    fn parallel() {
        let far = Layout::Parallel { hops: 2, spacing: S, row_spacing: 400.0 };
        assert_eq!(links(&far), sorted(&[&[0, 1, 2], &[3, 4, 5]]));
        assert_eq!((far.natural_pair(0), far.natural_pair(1)), (Some((0, 2)), Some((3, 5))));
        let near = Layout::Parallel { hops: 1, spacing: S, row_spacing: S };
        assert_eq!(links(&near), sorted(&[&[0, 1], &[2, 3], &[0, 2], &[1, 3]]));
    }

    #[test]
    fn cross() {
        for (hops, spacing) in (1..=12u32).flat_map(|hops| [177.0, S, 250.0].map(|spacing| (hops, spacing))) {
            let cross = Layout::Cross { hops, spacing };
            let (h, middle) = (hops as usize, hops as usize / 2);
            let one: Vec<usize> = (0..=h).collect();
            let other: Vec<usize> = (h + 1..=h + middle).chain([middle]).chain(h + 1 + middle..=2 * h).collect();
            assert_eq!(links(&cross), sorted(&[&one, &other]), "{hops} hops");
            let ends = (other[0] as u32, other[h] as u32);
            assert_eq!((cross.natural_pair(0), cross.natural_pair(1)), (Some((0, hops)), Some(ends)));
            assert_eq!(cross.center() as usize, middle);
        }
    }

    #[test]
    fn spindle() {
        for hops in 2..=14u32 {
            for (shared, spacing) in (1..hops).flat_map(|shared| [145.0, S, 250.0].map(|spacing| (shared, spacing))) {
                let spindle = Layout::Spindle { hops, shared, spacing };
                let (h, k) = (hops as usize, shared as usize);
                let before = (h - k).div_ceil(2);
                let one: Vec<usize> = (0..=h).collect();
                let other: Vec<usize> =
                    (h + 1..h + 1 + before).chain(before..=before + k).chain(h + 1 + before..2 * h + 1 - k).collect();
                assert_eq!(other.len(), h + 1);
                assert_eq!(links(&spindle), sorted(&[&one, &other]), "{hops} hops, {shared} shared");
                let ends = (other[0] as u32, other[h] as u32);
                assert_eq!((spindle.natural_pair(0), spindle.natural_pair(1)), (Some((0, hops)), Some(ends)));
            }
        }
    }

    #[test]
    fn neighbors_of_a_branching_node_keep_the_same_distance() {
        let places = Layout::Spindle { hops: 4, shared: 2, spacing: S }.positions();
        let far = |i: usize, j: usize| libm::hypot(places[i].0 - places[j].0, places[i].1 - places[j].1);
        // Node 1 merges 0 and 5; 2 follows.
        for (i, j) in [(0, 5), (0, 2), (5, 2)] {
            assert!((far(i, j) - 346.41).abs() < 0.01, "{i} and {j}: {}", far(i, j));
        }
        for i in [0, 2, 5] {
            assert!(far(1, i) <= S && far(1, i) > S - 1e-5);
        }
    }

    #[test]
    fn a_spindle_that_shares_nothing_is_two_rows() {
        let spindle = Layout::Spindle { hops: 2, shared: 0, spacing: S };
        let rows = Layout::Parallel { hops: 2, spacing: S, row_spacing: S };
        assert_eq!(spindle.positions(), rows.positions());
        assert_eq!((spindle.natural_pair(1), spindle.nodes()), (rows.natural_pair(1), rows.nodes()));
    }

    #[test]
    fn middle_of_free_positions() {
        let places = vec![(0.0, 0.0), (900.0, 0.0), (400.0, 10.0)];
        assert_eq!(Layout::Positions(places).center(), 2);
    }
}
