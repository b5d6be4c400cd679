//! Receivers of each node's frames: computed once for stationary nodes, at each frame for mobile nodes ([`MobileIndex`]).

use super::grid::Grid;
use super::mobile_index::{Finder, Link, Links, MobileIndex};
use super::receiver::{Receiver, distance, share_channel, with_heights};
use crate::kernel::{Channel, Metres, RadioId, Span, Time, Watts};
use crate::mobility::{Point, Trajectory};
use crate::phy::config::RadioConfig;
use crate::phy::links::{LinkTable, ListedReceiver};
use crate::phy::propagation::{Fading, LIGHT, Multipath, PathLoss};
use std::sync::Arc;

/// The receivers of all nodes.
#[derive(Debug)]
pub struct ReceiverIndex {
    loss: PathLoss,
    tx_powers: Vec<f64>,
    /// The shadowing of each link, if it is constant.
    links: Option<Fading>,
    /// Minimum mean power of a receiver, in watts: below `cs_threshold` if each frame has a random part.
    threshold: f64,
    /// Maximum sensing range, in metres.
    range: f64,
    lists: Lists,
    /// Given links that change with time.
    changing: Option<Arc<LinkTable>>,
    heights: Option<Arc<[f64]>>,
    channels: Option<Arc<[Channel]>>,
}

#[derive(Debug)]
enum Lists {
    Stationary(Vec<Vec<Receiver>>),
    Mobile(Box<MobileIndex>),
}

/// Distance beyond which no node senses a frame of this power, on any link.
pub fn sensing_range(config: &RadioConfig, tx_power: Watts) -> Metres {
    PathLoss::new(config)
        .range(tx_power, Watts(config.cs_threshold.0 / (Fading::margin(config) * Multipath::margin(config))))
}

impl ReceiverIndex {
    /// Nodes with these trajectories and transmit powers; `seed` is the root of random streams.
    pub fn new(trajectories: Vec<Trajectory>, config: &RadioConfig, tx_powers: &[Watts], seed: u64) -> ReceiverIndex {
        let loss = PathLoss::new(config);
        let links = Fading::of_links(config, seed);
        let least_mean = config.cs_threshold.0 / (Fading::margin(config) * Multipath::margin(config));
        let strongest = tx_powers.iter().fold(0.0, |most: f64, power| most.max(power.0));
        let range = sensing_range(config, Watts(strongest)).0 + 1e-3;
        let usual = loss.range(Watts(strongest), config.cs_threshold).0;
        let mut index = ReceiverIndex {
            loss,
            tx_powers: tx_powers.iter().map(|power| power.0).collect(),
            threshold: if links.is_some() { config.cs_threshold.0 } else { least_mean },
            links,
            range,
            lists: Lists::Stationary(Vec::new()),
            changing: config.links.clone().filter(|table| !table.since().is_empty()),
            heights: config.heights.clone(),
            channels: config.channels.clone(),
        };
        if let Some(table) = &config.links {
            index.lists = Lists::Stationary(index.listed(table));
            return index;
        }
        index.lists = if trajectories.iter().all(Trajectory::is_still) {
            let positions: Vec<Point> = trajectories.iter().map(Trajectory::start).collect();
            Lists::Stationary(index.all_receivers(&positions))
        } else {
            Lists::Mobile(Box::new(MobileIndex::new(trajectories, range, usual, index.channels.clone())))
        };
        index
    }

    /// Whether receivers are those at the start throughout.
    pub fn are_stationary(&self) -> bool {
        matches!(self.lists, Lists::Stationary(_)) && self.changing.is_none()
    }

    /// The receivers on the list of this number, in order of delay.
    #[inline]
    pub fn receivers(&self, list: u32) -> &[Receiver] {
        match &self.lists {
            Lists::Stationary(receivers) => &receivers[list as usize],
            Lists::Mobile(mobile) => mobile.lists().receivers(list),
        }
    }

    /// Retains a list for a frame on the air.
    #[inline]
    pub fn begin(&mut self, list: u32) {
        if let Lists::Mobile(mobile) = &mut self.lists {
            mobile.lists_mut().begin(list);
        }
    }

    /// Releases the list of a frame.
    #[inline]
    pub fn end(&mut self, list: u32) {
        if let Lists::Mobile(mobile) = &mut self.lists {
            mobile.lists_mut().end(list);
        }
    }

    /// Number of the list of receivers of a frame that `radio` sends at `now`.
    pub fn find(&mut self, radio: RadioId, now: Time) -> u32 {
        let Lists::Mobile(mobile) = &mut self.lists else {
            return self.changing.as_ref().map_or(radio.0, |table| table.row_at(radio, now));
        };
        let tx_power = self.tx_powers[radio.index()];
        let links = match &self.links {
            None => Links::Alike(self.range),
            Some(links) => Links::Each(|other| {
                let factor = links.link_factor(radio, RadioId(other));
                Link { factor, limit: self.loss.limit(tx_power * factor, self.threshold).min(self.range) }
            }),
        };
        let power = |metres: f64| self.loss.rx_power(tx_power, metres);
        mobile.find(radio, now, &Finder { links, power, threshold: self.threshold })
    }

    /// Maximum propagation delay of frames of `radio`.
    pub fn farthest_delay(&self, radio: RadioId) -> Span {
        if let Some(table) = &self.changing {
            return table.longest_delay(radio);
        }
        match &self.lists {
            Lists::Stationary(receivers) => receivers[radio.index()].last().map_or(Span::ZERO, Receiver::delay),
            Lists::Mobile(_) => Span::from_secs(self.range / LIGHT) + Span(1),
        }
    }

    /// The rows of a table, without receivers below the threshold. Given powers include all parts of a link but those of a frame.
    fn listed(&self, table: &LinkTable) -> Vec<Vec<Receiver>> {
        let row = |(row, sender): (&Vec<ListedReceiver>, RadioId)| {
            let channels = self.channels.as_deref();
            let is_sensed = |receiver: &&ListedReceiver| {
                receiver.power >= self.threshold && share_channel(channels, sender.0, receiver.radio.0)
            };
            let sensed = row.iter().filter(is_sensed);
            sensed.map(|&ListedReceiver { radio, delay, power }| Receiver { radio, delay, power }).collect()
        };
        table.rows().iter().zip(table.senders()).map(row).collect()
    }

    fn all_receivers(&self, positions: &[Point]) -> Vec<Vec<Receiver>> {
        let grid = Grid::new(positions, self.range);
        let mut found = Vec::new();
        let mut list = |(src, &position): (usize, &Point)| {
            found.clear();
            grid.near(position, |other| {
                let metres = distance(position, positions[other as usize]);
                let metres = with_heights(metres, self.heights.as_deref(), src, other as usize);
                let mut power = self.loss.rx_power(self.tx_powers[src], metres);
                if let Some(links) = &self.links {
                    power *= links.link_factor(RadioId(src as u32), RadioId(other));
                }
                let is_shared = share_channel(self.channels.as_deref(), src as u32, other);
                if other as usize != src && power >= self.threshold && is_shared {
                    found.push(Receiver::new(RadioId(other), metres, power));
                }
            });
            found.sort_unstable_by_key(|receiver: &Receiver| (receiver.delay(), receiver.radio));
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

    /// Receivers of `src` at `now`, with all distances decreased by `nearer` metres.
    fn brute_force(trajectories: &[Trajectory], config: &RadioConfig, src: usize, now: Time, nearer: f64) -> Vec<u32> {
        let loss = PathLoss::new(config);
        let at = |node: usize| trajectories[node].position(now);
        let is_receiver = |node: &usize| {
            let metres = (distance(at(src), at(*node)) - nearer).max(0.0);
            let mut power = loss.rx_power(config.tx_power.0, metres);
            if let Some(links) = Fading::of_links(config, 5) {
                power *= links.link_factor(RadioId(src as u32), RadioId(*node as u32));
            }
            *node != src && power >= config.cs_threshold.0
        };
        (0..trajectories.len()).filter(is_receiver).map(|node| node as u32).collect()
    }

    fn trajectory(steps: &[(u32, f64, f64, f64)]) -> Trajectory {
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
    fn jump_of_receiver_takes_effect_at_once() {
        // Distances are constant between jumps, in a dense and in a sparse network.
        for apart in [100.0, 5000.0] {
            let mut jumper = Path::at(apart, 0.0);
            jumper.jump(Time(1_000), (300.0, 0.0));
            jumper.jump(Time(2_000), (apart + 700.0, 0.0));
            let trajectories = vec![Path::at(0.0, 0.0).finish(), jumper.finish()];
            let config = RadioConfig::default();
            let mut index = ReceiverIndex::new(trajectories, &config, &[config.tx_power; 2], 1);
            let mut delay_at_time = |at: u64| {
                let list = index.find(RadioId(0), Time(at));
                index.receivers(list).first().map(|receiver| receiver.delay)
            };
            let first = (apart < 550.0).then_some(334);
            assert_eq!([delay_at_time(0), delay_at_time(999), delay_at_time(1_000)], [first, first, Some(1000)]);
            assert_eq!([delay_at_time(1_999), delay_at_time(2_000)], [Some(1000), None]);
        }
    }

    #[test]
    fn weaker_sender_has_shorter_sensing_range() {
        for apart in [300.0, 5000.0] {
            let mut mobile = Path::at(apart, 0.0);
            mobile.go(Time::ZERO, (0.0, 0.0), 10.0);
            let trajectories = vec![Path::at(0.0, 0.0).finish(), mobile.finish()];
            let config = RadioConfig::default();
            // Two-ray loss, fourth power of distance: half of 550 m.
            let powers = [Watts(config.tx_power.0 / 16.0), config.tx_power];
            let mut index = ReceiverIndex::new(trajectories, &config, &powers, 1);
            let mut is_received = |node: u32, metres: f64| {
                let list = index.find(RadioId(node), Time::from_secs((apart - metres) / 10.0));
                !index.receivers(list).is_empty()
            };
            assert_eq!((is_received(0, 276.0), is_received(1, 276.0)), (false, true));
            assert_eq!((is_received(0, 274.0), is_received(1, 274.0)), (true, true));
        }
    }

    proptest! {
        #[test]
        fn receivers_of_mobile_nodes_match_brute_force(
            steps in proptest::collection::vec(
                proptest::collection::vec((0u32..5000, 0.0..3000.0f64, 0.0..3000.0f64, 0.0..60.0f64), 1..5),
                2..25,
            ),
            mut queries in proptest::collection::vec((0u64..120_000, 0usize..25), 1..40),
            repeat_after in 0u64..3_000_000,
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
            let trajectories: Vec<Trajectory> = steps.map(|steps| trajectory(&steps)).collect();
            let mut index = ReceiverIndex::new(trajectories.clone(), &config, &vec![config.tx_power; trajectories.len()], 5);
            queries.sort_unstable();
            let mut last = Time::ZERO;
            for (millis, node) in queries.into_iter().flat_map(|(millis, node)| [(millis, node), (millis, node)]) {
                let (at, src) = (Time(millis * 1_000_000), node % trajectories.len());
                let now = last.max(if last == at { at + Span(repeat_after) } else { at });
                last = now;
                let list = index.find(RadioId(src as u32), now);
                let found = index.receivers(list);
                let mut nodes: Vec<u32> = found.iter().map(|receiver| receiver.radio.0).collect();
                prop_assert!(found.is_sorted_by_key(Receiver::delay));
                nodes.sort_unstable();
                let by_force = |nearer| brute_force(&trajectories, &config, src, now, nearer);
                let (surely, perhaps) = (by_force(-TOLERANCE), by_force(TOLERANCE));
                prop_assert!(surely.iter().all(|node| nodes.contains(node)), "{nodes:?} {surely:?}");
                prop_assert!(nodes.iter().all(|node| perhaps.contains(node)), "{nodes:?} {perhaps:?}");
                let mut fresh = ReceiverIndex::new(trajectories.clone(), &config, &vec![config.tx_power; trajectories.len()], 5);
                let list = fresh.find(RadioId(src as u32), now);
                let mut exactly: Vec<u32> = fresh.receivers(list).iter().map(|receiver| receiver.radio.0).collect();
                exactly.sort_unstable();
                if !index.are_stationary() {
                    prop_assert_eq!(exactly, by_force(0.0));
                }
                for receiver in found {
                    let metres = distance(trajectories[src].position(now), trajectories[receiver.radio.index()].position(now));
                    // Half a nanosecond of TOLERANCE, and less than one of rounding up.
                    let error = f64::from(receiver.delay) - metres * (1e9 / LIGHT);
                    prop_assert!((-0.51..1.51).contains(&error), "{receiver:?} at {metres} m");
                }
            }
        }
    }
}
