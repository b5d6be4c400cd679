//! Who can sense whom: known once for nodes that stand still, found at each frame for nodes that move.
//!
//! For moving nodes, every node keeps a list of candidates: those that may come within range during the next stretch of
//! time, which is short enough that nobody gets farther than a part of the range. At a frame only they are looked at,
//! each at its exact place. Lists are made when needed, from a grid of everybody's places at the start of the stretch.

use super::config::RadioConfig;
use super::grid::Grid;
use super::medium::Hearer;
use super::propagation::{Fading, LIGHT, PathLoss, Propagation};
use crate::kernel::{NodeId, Span, Time, Watts};
use crate::mobility::{Cursor, Point, Trajectory};

/// Places of all nodes, and who senses whom.
#[derive(Debug)]
pub struct Places {
    loss: PathLoss,
    tx_powers: Vec<f64>,
    /// The random factor of each link, where links keep theirs.
    links: Option<Fading>,
    /// Least power that is worth a visit, in watts: a mean, where chance takes part in each frame.
    threshold: f64,
    /// Distance beyond which nobody can be sensed, in metres.
    range: f64,
    ways: Ways,
}

#[derive(Debug)]
enum Ways {
    Still(Vec<Vec<Hearer>>),
    Moving(Box<Moving>),
}

#[derive(Debug)]
struct Moving {
    trajectories: Vec<Trajectory>,
    cursors: Vec<Cursor>,
    /// The present stretch: lists hold for these times.
    begun: Time,
    until: Time,
    stretch: Span,
    /// When somebody jumps: stretches end there. In order.
    jumps: Vec<Time>,
    /// Counts stretches, from 1.
    number: u32,
    grid: Grid,
    /// How much nearer two nodes may come to each other within a stretch, in metres.
    approach: f64,
    /// Distance beyond which nobody comes into range within a stretch.
    reach: f64,
    candidates: Vec<Candidates>,
}

#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Stretch that they were found for; 0 for none.
    stretch: u32,
    nodes: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: u32,
    /// Factor of the link to it.
    factor: f64,
    /// Distance beyond which it senses nothing, in metres.
    limit: f64,
}

/// Part of the usual range that two nodes may come nearer to each other within a stretch: short lists against few of them.
const SLACK: f64 = 0.1;

/// Longest stretch, for nodes that crawl.
const LONGEST: Span = Span::from_millis(10_000);

impl Places {
    /// Nodes on these ways; `tx_powers` are those of the nodes, chance comes from `seed`.
    pub fn new(ways: Vec<Trajectory>, config: &RadioConfig, tx_powers: &[Watts], seed: u64) -> Places {
        let loss = PathLoss::new(config);
        let links = Fading::of_links(config, seed);
        let least_mean = config.cs_threshold.0 / Fading::margin(config);
        let strongest = tx_powers.iter().fold(0.0, |most: f64, power| most.max(power.0));
        let range = loss.range(Watts(strongest), Watts(least_mean)).0 + 1e-3;
        let usual = loss.range(Watts(strongest), config.cs_threshold).0;
        let mut places = Places {
            loss,
            tx_powers: tx_powers.iter().map(|power| power.0).collect(),
            threshold: if links.is_some() { config.cs_threshold.0 } else { least_mean },
            links,
            range,
            ways: Ways::Still(Vec::new()),
        };
        places.ways = if ways.iter().all(Trajectory::is_still) {
            let positions: Vec<Point> = ways.iter().map(Trajectory::start).collect();
            Ways::Still(places.all_hearers(&positions))
        } else {
            Ways::Moving(Box::new(Moving::new(ways, range, usual)))
        };
        places
    }

    /// Whether every node stands still.
    pub fn are_still(&self) -> bool {
        matches!(self.ways, Ways::Still(_))
    }

    /// Who senses a node's frames, the nearest first. For nodes that stand still.
    #[inline]
    pub fn still(&self, node: NodeId) -> &[Hearer] {
        match &self.ways {
            Ways::Still(hearers) => &hearers[node.index()],
            Ways::Moving(_) => &[],
        }
    }

    /// Takes a list of [`Places::still`] out for a walk, or puts it back.
    #[inline]
    pub fn swap_still(&mut self, node: NodeId, list: &mut Vec<Hearer>) {
        if let Ways::Still(hearers) = &mut self.ways {
            std::mem::swap(&mut hearers[node.index()], list);
        }
    }

    /// Who senses a frame that `node` sends at `now`, the nearest first. For nodes that move.
    pub fn find(&mut self, node: NodeId, now: Time, found: &mut Vec<Hearer>) {
        found.clear();
        let Ways::Moving(moving) = &mut self.ways else { return };
        let place = moving.position(node.index(), now);
        let tx_power = self.tx_powers[node.index()];
        let limit = |other: u32| match &self.links {
            None => (1.0, self.range),
            Some(links) => {
                let factor = links.link_factor(node, NodeId(other));
                (factor, self.loss.limit(tx_power * factor, self.threshold).min(self.range))
            }
        };
        let list = moving.take_candidates(node.index(), now, limit);
        for candidate in &list.nodes {
            let there = moving.position(candidate.node as usize, now);
            let metres = distance(place, there);
            if metres > candidate.limit {
                continue;
            }
            let power = self.loss.rx_power(tx_power, metres) * candidate.factor;
            if power >= self.threshold {
                found.push(Hearer::new(NodeId(candidate.node), metres, power));
            }
        }
        moving.candidates[node.index()] = list;
        found.sort_unstable_by_key(|hearer| (hearer.delay(), hearer.node));
    }

    /// Time after which a frame of `node` has passed everybody.
    pub fn farthest_delay(&self, node: NodeId) -> Span {
        match &self.ways {
            Ways::Still(hearers) => hearers[node.index()].last().map_or(Span::ZERO, Hearer::delay),
            Ways::Moving(_) => Span::from_secs(self.range / LIGHT) + Span(1),
        }
    }

    fn all_hearers(&self, positions: &[Point]) -> Vec<Vec<Hearer>> {
        let grid = Grid::new(positions, self.range);
        let mut found = Vec::new();
        let mut list = |(src, &place): (usize, &Point)| {
            found.clear();
            grid.near(place, |other| {
                let metres = distance(place, positions[other as usize]);
                let mut power = self.loss.rx_power(self.tx_powers[src], metres);
                if let Some(links) = &self.links {
                    power *= links.link_factor(NodeId(src as u32), NodeId(other));
                }
                if other as usize != src && power >= self.threshold {
                    found.push(Hearer::new(NodeId(other), metres, power));
                }
            });
            found.sort_unstable_by_key(|hearer: &Hearer| (hearer.delay(), hearer.node));
            found.clone()
        };
        positions.iter().enumerate().map(&mut list).collect()
    }
}

impl Moving {
    /// `usual` is the range without the luck that shadowing may bring.
    fn new(trajectories: Vec<Trajectory>, range: f64, usual: f64) -> Moving {
        let fastest = trajectories.iter().map(Trajectory::max_speed).fold(0.0, f64::max);
        // Two nodes that run towards each other share the slack.
        let approach = SLACK * usual;
        let stretch = if fastest > 0.0 { Span::from_secs(approach / (2.0 * fastest)).min(LONGEST) } else { LONGEST };
        let count = trajectories.len();
        Moving {
            cursors: vec![Cursor::default(); count],
            begun: Time::ZERO,
            until: Time::ZERO,
            jumps: jumps(&trajectories),
            stretch: stretch.max(Span(1)),
            number: 0,
            grid: Grid::new(&[], 1.0),
            approach,
            reach: range + approach,
            candidates: vec![Candidates::default(); count],
            trajectories,
        }
    }

    #[inline]
    fn position(&mut self, node: usize, now: Time) -> Point {
        self.trajectories[node].position_from(&mut self.cursors[node], now)
    }

    /// The candidates of a node, to be given back. `limit` tells the factor of the link to a node, and the distance
    /// beyond which that node senses nothing.
    fn take_candidates(&mut self, node: usize, now: Time, limit: impl Fn(u32) -> (f64, f64)) -> Candidates {
        if self.number == 0 || now >= self.until {
            self.begin_stretch(now);
        }
        let mut list = std::mem::take(&mut self.candidates[node]);
        if list.stretch != self.number {
            list.stretch = self.number;
            list.nodes.clear();
            let (trajectories, begun, approach) = (&self.trajectories, self.begun, self.approach);
            let place = trajectories[node].position(begun);
            self.grid.near(place, |other| {
                let metres = distance(place, trajectories[other as usize].position(begun));
                let (factor, limit) = limit(other);
                if other as usize != node && metres <= limit + approach {
                    list.nodes.push(Candidate { node: other, factor, limit });
                }
            });
            list.nodes.sort_unstable_by_key(|candidate| candidate.node);
        }
        list
    }

    fn begin_stretch(&mut self, now: Time) {
        let positions: Vec<Point> = (0..self.trajectories.len()).map(|node| self.position(node, now)).collect();
        self.grid = Grid::new(&positions, self.reach);
        self.number += 1;
        self.begun = now;
        let next_jump = self.jumps.partition_point(|&jump| jump <= now);
        self.until = (now + self.stretch).min(self.jumps.get(next_jump).copied().unwrap_or(Time::NEVER));
    }
}

/// When anybody jumps, in order.
fn jumps(trajectories: &[Trajectory]) -> Vec<Time> {
    let mut times = Vec::new();
    for way in trajectories.iter().filter(|way| way.has_jumps()) {
        let mut here = way.start();
        for leg in way.legs() {
            if (leg.x0, leg.y0) != here || leg.t0 == leg.t1 {
                times.push(leg.t0);
            }
            here = (leg.x1, leg.y1);
        }
    }
    times.sort_unstable();
    times.dedup();
    times
}

fn distance(a: Point, b: Point) -> f64 {
    libm::sqrt((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::Path;
    use crate::phy::PropagationKind;
    use crate::phy::config::Coherence;
    use proptest::prelude::*;

    fn brute_force(ways: &[Trajectory], config: &RadioConfig, src: usize, now: Time) -> Vec<u32> {
        let loss = PathLoss::new(config);
        let at = |node: usize| ways[node].position(now);
        let hears = |node: &usize| {
            let mut power = loss.rx_power(config.tx_power.0, distance(at(src), at(*node)));
            if let Some(links) = Fading::of_links(config, 5) {
                power *= links.link_factor(NodeId(src as u32), NodeId(*node as u32));
            }
            *node != src && power >= config.cs_threshold.0
        };
        (0..ways.len()).filter(hears).map(|node| node as u32).collect()
    }

    fn way(steps: &[(u32, f64, f64, f64)]) -> Trajectory {
        let mut path = Path::at(steps[0].1, steps[0].2);
        let mut t = Time::ZERO;
        for &(wait, x, y, speed) in &steps[1..] {
            t = (t + Span::from_millis(u64::from(wait))).max(t);
            if speed > 55.0 {
                path.jump(t, (x, y));
            } else {
                t = path.go(t, (x, y), speed);
            }
        }
        path.finish()
    }

    proptest! {
        #[test]
        fn moving_nodes_are_heard_as_by_brute_force(
            steps in proptest::collection::vec(
                proptest::collection::vec((0u32..5000, 0.0..3000.0f64, 0.0..3000.0f64, 0.0..60.0f64), 1..5),
                2..25,
            ),
            mut asked in proptest::collection::vec((0u64..120_000, 0usize..25), 1..40),
            is_shadowed: bool,
        ) {
            let mut config = RadioConfig::default();
            if is_shadowed {
                config.propagation = PropagationKind::Shadowing;
                config.path_loss_exponent = 2.7;
                config.shadowing_coherence = Coherence::Link;
            }
            let ways: Vec<Trajectory> = steps.iter().map(Vec::as_slice).map(way).collect();
            let mut places = Places::new(ways.clone(), &config, &vec![config.tx_power; ways.len()], 5);
            asked.sort_unstable();
            let mut found = Vec::new();
            for (millis, node) in asked {
                let (now, src) = (Time(millis * 1_000_000), node % ways.len());
                if places.are_still() {
                    found = places.still(NodeId(src as u32)).to_vec();
                } else {
                    places.find(NodeId(src as u32), now, &mut found);
                }
                let mut nodes: Vec<u32> = found.iter().map(|hearer| hearer.node.0).collect();
                prop_assert!(found.is_sorted_by_key(Hearer::delay));
                nodes.sort_unstable();
                prop_assert_eq!(nodes, brute_force(&ways, &config, src, now));
            }
        }
    }
}
