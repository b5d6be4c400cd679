//! A spindle: two paths that share the links of their middle.
//!
//! Flow 0's path is 0 to h. Flow 1's own nodes follow, from its source on. The paths share `shared` links in the middle; of
//! the h - shared others half are before and half after (one more before, if odd). At a branch, links leave at 120 degrees:
//! any two neighbors of such a node are 1.73 spacings apart, the maximum of the minimum distance. Without shared links, the
//! spindle is two parallel rows.
//!
//! Source: Lien, Figure 8; hoplab's reading where text and drawing leave it open.

use super::family::{Family, Invalid, clipped, invalid_lengths};
use super::parallel::{row_ends, two_rows};
use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// Two paths of `hops` links, of which they share `shared`.
#[derive(Clone, Debug, PartialEq)]
pub struct Spindle {
    hops: u32,
    shared: u32,
    spacing: f64,
}

/// Sine of 60 degrees, slightly less, so that no link is longer than the spacing by rounding.
const SIN_60: f64 = 0.866_025_4;

impl Family for Spindle {
    const SUMMARY: &'static str = "two paths that share the links of their middle";
    const KEYS: &'static [&'static str] = &["hops", "spacing", "shared"];

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        let mut invalid = invalid_lengths(&[("spacing", keys.spacing)]);
        if let (Some(shared), Some(hops)) = (keys.shared, keys.hops)
            && shared >= hops
        {
            let what = format!("must be less than hops ({hops})").into();
            invalid.push(Invalid { key: "shared".to_owned(), what, expected: "shared less than hops".to_owned() });
        }
        invalid
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Spindle> {
        let hops = clipped(keys.hops?);
        let shared = keys.shared.map_or(hops.saturating_sub(2), clipped);
        Some(Spindle { hops, shared, spacing: keys.spacing_or_default() })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.hops = Some(u64::from(self.hops));
        keys.shared = Some(u64::from(self.shared));
        keys.spacing = Some(Metres(self.spacing));
    }

    fn nodes(&self) -> u64 {
        let (hops, shared) = (u64::from(self.hops), u64::from(self.shared));
        if shared == 0 { 2 * (hops + 1) } else { 2 * hops + 1 - shared }
    }

    fn positions(&self) -> Vec<Point> {
        let Spindle { hops, shared, spacing } = *self;
        if shared == 0 {
            return two_rows(hops, spacing, spacing);
        }
        let own = hops - shared;
        let before = own.div_ceil(2);
        let after = own - before;
        let step = (spacing / 2.0, spacing * SIN_60);
        // Flow 0's branches point up and flow 1's down, from an axis high enough for both.
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

    fn natural_pairs(&self) -> usize {
        2
    }

    fn natural_pair(&self, i: usize) -> (u32, u32) {
        let last = (self.nodes() - 1) as u32;
        match (i, self.shared) {
            (0, _) | (_, 0) => row_ends(self.hops, i),
            // The shared links are last: both flows end at their last node.
            (_, shared) if self.hops - shared == 1 => (self.hops + 1, self.hops),
            _ => (self.hops + 1, last),
        }
    }

    fn center(&self) -> u32 {
        self.hops / 2
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::tests::{links, links_of, pairs};
    use super::super::parallel::two_rows;
    use super::*;

    const S: f64 = 200.0;

    #[test]
    fn paths_share_exactly_their_middle() {
        for hops in 2..=14u32 {
            for (shared, spacing) in (1..hops).flat_map(|shared| [145.0, S, 250.0].map(|spacing| (shared, spacing))) {
                let spindle = Spindle { hops, shared, spacing };
                let (h, k) = (hops as usize, shared as usize);
                let before = (h - k).div_ceil(2);
                let one: Vec<usize> = (0..=h).collect();
                let other: Vec<usize> =
                    (h + 1..h + 1 + before).chain(before..=before + k).chain(h + 1 + before..2 * h + 1 - k).collect();
                assert_eq!(other.len(), h + 1);
                assert_eq!(links(&spindle), links_of(&[&one, &other]), "{hops} hops, {shared} shared");
                assert_eq!(pairs(&spindle), [(0, hops), (other[0] as u32, other[h] as u32)]);
            }
        }
    }

    #[test]
    fn neighbors_of_a_branching_node_are_equally_far_apart() {
        let places = Spindle { hops: 4, shared: 2, spacing: S }.positions();
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
    fn spindle_without_shared_links_is_two_rows() {
        let spindle = Spindle { hops: 2, shared: 0, spacing: S };
        assert_eq!(spindle.positions(), two_rows(2, S, S));
        assert_eq!((pairs(&spindle), spindle.nodes()), (vec![(0, 2), (3, 5)], 6));
    }
}
