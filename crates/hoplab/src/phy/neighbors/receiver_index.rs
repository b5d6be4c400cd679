//! Who can sense whom: known once for nodes that stand still, found at each frame for nodes that move.
//!
//! See [`Moving`] for the latter.

use super::grid::Grid;
use super::mobile_index::{Finder, Link, Links, Moving};
use super::receiver::{Receiver, distance};
use crate::kernel::{NodeId, Span, Time, Watts};
use crate::mobility::{Point, Trajectory};
use crate::phy::config::RadioConfig;
use crate::phy::propagation::{Fading, LIGHT, PathLoss};

/// ReceiverIndex of all nodes, and who senses whom.
#[derive(Debug)]
pub struct ReceiverIndex {
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
    Still(Vec<Vec<Receiver>>),
    Moving(Box<Moving>),
}

impl ReceiverIndex {
    /// Nodes on these ways; `tx_powers` are those of the nodes, chance comes from `seed`.
    pub fn new(ways: Vec<Trajectory>, config: &RadioConfig, tx_powers: &[Watts], seed: u64) -> ReceiverIndex {
        let loss = PathLoss::new(config);
        let links = Fading::of_links(config, seed);
        let least_mean = config.cs_threshold.0 / Fading::margin(config);
        let strongest = tx_powers.iter().fold(0.0, |most: f64, power| most.max(power.0));
        let range = loss.range(Watts(strongest), Watts(least_mean)).0 + 1e-3;
        let usual = loss.range(Watts(strongest), config.cs_threshold).0;
        let mut places = ReceiverIndex {
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

    /// The receivers on the list of this number, the nearest first.
    #[inline]
    pub fn receivers(&self, list: u32) -> &[Receiver] {
        match &self.ways {
            Ways::Still(receivers) => &receivers[list as usize],
            Ways::Moving(moving) => moving.heard().receivers(list),
        }
    }

    /// A frame begins to pass the receivers on a list: it stays as it is until that is over.
    #[inline]
    pub fn begin(&mut self, list: u32) {
        if let Ways::Moving(moving) = &mut self.ways {
            moving.heard_mut().begin(list);
        }
    }

    /// The frame has passed them.
    #[inline]
    pub fn end(&mut self, list: u32) {
        if let Ways::Moving(moving) = &mut self.ways {
            moving.heard_mut().end(list);
        }
    }

    /// Number of the list of those who sense a frame that `node` sends at `now`.
    pub fn find(&mut self, node: NodeId, now: Time) -> u32 {
        let Ways::Moving(moving) = &mut self.ways else { return node.0 };
        let tx_power = self.tx_powers[node.index()];
        let links = match &self.links {
            None => Links::Alike(self.range),
            Some(links) => Links::Each(|other| {
                let factor = links.link_factor(node, NodeId(other));
                Link { factor, limit: self.loss.limit(tx_power * factor, self.threshold).min(self.range) }
            }),
        };
        let power = |metres: f64| self.loss.rx_power(tx_power, metres);
        moving.find(node, now, &Finder { links, power, threshold: self.threshold })
    }

    /// Time after which a frame of `node` has passed everybody.
    pub fn farthest_delay(&self, node: NodeId) -> Span {
        match &self.ways {
            Ways::Still(receivers) => receivers[node.index()].last().map_or(Span::ZERO, Receiver::delay),
            Ways::Moving(_) => Span::from_secs(self.range / LIGHT) + Span(1),
        }
    }

    fn all_hearers(&self, positions: &[Point]) -> Vec<Vec<Receiver>> {
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
                    found.push(Receiver::new(NodeId(other), metres, power));
                }
            });
            found.sort_unstable_by_key(|receiver: &Receiver| (receiver.delay(), receiver.node));
            found.clone()
        };
        positions.iter().enumerate().map(&mut list).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::Path;
    use crate::phy::PropagationKind;
    use crate::phy::config::Coherence;
    use crate::phy::neighbors::mobile_index::TOLERANCE;
    use crate::phy::propagation::LIGHT;
    use proptest::prelude::*;

    /// Who hears `src` at `now`, were everybody `nearer` metres nearer to it.
    fn brute_force(ways: &[Trajectory], config: &RadioConfig, src: usize, now: Time, nearer: f64) -> Vec<u32> {
        let loss = PathLoss::new(config);
        let at = |node: usize| ways[node].position(now);
        let hears = |node: &usize| {
            let metres = (distance(at(src), at(*node)) - nearer).max(0.0);
            let mut power = loss.rx_power(config.tx_power.0, metres);
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

    #[test]
    fn who_jumps_is_heard_from_the_new_place_at_once() {
        // Nobody moves between the jumps, so that distances hold; all are within range of each other, or few.
        for apart in [100.0, 5000.0] {
            let mut jumper = Path::at(apart, 0.0);
            jumper.jump(Time(1_000), (300.0, 0.0));
            jumper.jump(Time(2_000), (apart + 700.0, 0.0));
            let ways = vec![Path::at(0.0, 0.0).finish(), jumper.finish()];
            let config = RadioConfig::default();
            let mut places = ReceiverIndex::new(ways, &config, &[config.tx_power; 2], 1);
            let mut heard_at = |at: u64| {
                let list = places.find(NodeId(0), Time(at));
                places.receivers(list).first().map(|receiver| receiver.delay)
            };
            let first = (apart < 550.0).then_some(334);
            assert_eq!([heard_at(0), heard_at(999), heard_at(1_000)], [first, first, Some(1000)]);
            assert_eq!([heard_at(1_999), heard_at(2_000)], [Some(1000), None]);
        }
    }

    #[test]
    fn a_weak_sender_is_not_heard_as_far_as_a_strong_one() {
        for apart in [300.0, 5000.0] {
            let mut walker = Path::at(apart, 0.0);
            walker.go(Time::ZERO, (0.0, 0.0), 10.0);
            let ways = vec![Path::at(0.0, 0.0).finish(), walker.finish()];
            let config = RadioConfig::default();
            // By the fourth power of distance: half as far as the other's 550 m.
            let powers = [Watts(config.tx_power.0 / 16.0), config.tx_power];
            let mut places = ReceiverIndex::new(ways, &config, &powers, 1);
            let mut is_heard = |node: u32, metres: f64| {
                let list = places.find(NodeId(node), Time::from_secs((apart - metres) / 10.0));
                !places.receivers(list).is_empty()
            };
            assert_eq!((is_heard(0, 276.0), is_heard(1, 276.0)), (false, true));
            assert_eq!((is_heard(0, 274.0), is_heard(1, 274.0)), (true, true));
        }
    }

    proptest! {
        #[test]
        fn moving_nodes_are_heard_as_by_brute_force(
            steps in proptest::collection::vec(
                proptest::collection::vec((0u32..5000, 0.0..3000.0f64, 0.0..3000.0f64, 0.0..60.0f64), 1..5),
                2..25,
            ),
            mut asked in proptest::collection::vec((0u64..120_000, 0usize..25), 1..40),
            again_after in 0u64..3_000_000,
            is_shadowed: bool,
            side in proptest::sample::select(vec![1.0, 0.3]),
        ) {
            let mut config = RadioConfig::default();
            if is_shadowed {
                config.propagation = PropagationKind::Shadowing;
                config.path_loss_exponent = 2.7;
                config.shadowing_coherence = Coherence::Link;
            }
            let steps = steps.iter().map(|steps| {
                steps.iter().map(|&(wait, x, y, speed)| (wait, side * x, side * y, speed)).collect::<Vec<_>>()
            });
            let ways: Vec<Trajectory> = steps.map(|steps| way(&steps)).collect();
            let mut places = ReceiverIndex::new(ways.clone(), &config, &vec![config.tx_power; ways.len()], 5);
            asked.sort_unstable();
            let mut last = Time::ZERO;
            for (millis, node) in asked.into_iter().flat_map(|(millis, node)| [(millis, node), (millis, node)]) {
                let (at, src) = (Time(millis * 1_000_000), node % ways.len());
                let now = last.max(if last == at { at + Span(again_after) } else { at });
                last = now;
                let list = places.find(NodeId(src as u32), now);
                let found = places.receivers(list);
                let mut nodes: Vec<u32> = found.iter().map(|receiver| receiver.node.0).collect();
                prop_assert!(found.is_sorted_by_key(Receiver::delay));
                nodes.sort_unstable();
                let by_force = |nearer| brute_force(&ways, &config, src, now, nearer);
                let (surely, perhaps) = (by_force(-TOLERANCE), by_force(TOLERANCE));
                prop_assert!(surely.iter().all(|node| nodes.contains(node)), "{nodes:?} {surely:?}");
                prop_assert!(nodes.iter().all(|node| perhaps.contains(node)), "{nodes:?} {perhaps:?}");
                let mut afresh = ReceiverIndex::new(ways.clone(), &config, &vec![config.tx_power; ways.len()], 5);
                let list = afresh.find(NodeId(src as u32), now);
                let mut exactly: Vec<u32> = afresh.receivers(list).iter().map(|receiver| receiver.node.0).collect();
                exactly.sort_unstable();
                if !places.are_still() {
                    prop_assert_eq!(exactly, by_force(0.0));
                }
                for receiver in found {
                    let metres = distance(ways[src].position(now), ways[receiver.node.index()].position(now));
                    // Half a nanosecond of TOLERANCE, and less than one of rounding up.
                    let error = f64::from(receiver.delay) - metres * (1e9 / LIGHT);
                    prop_assert!((-0.51..1.51).contains(&error), "{receiver:?} at {metres} m");
                }
            }
        }
    }
}
