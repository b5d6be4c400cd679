//! Receivers of frames in mobile networks: Verlet neighbor lists (Verlet 1967) over a uniform grid.
//!
//! Each node has a list of candidates: the nodes that may come within range during the current epoch, which is short enough
//! that distances change by at most [`SKIN`] of the range. A frame computes exact distances to candidates only. Lists are
//! filled when needed, from a grid of positions at the start of the epoch, and stay in the order of the last frame, which
//! is nearly that of the next. In a dense network all nodes are candidates of each other until a trajectory jumps.
//!
//! # Deviations
//! Frames of a node in close succession, as RTS and data, have equal receivers: distances are updated once they may have
//! changed by [`TOLERANCE`], half a nanosecond of light. ns-2 updates them at each frame.

use super::grid::Grid;
use super::motion::Motions;
use super::receiver::{Receiver, distance, share_channel};
use super::receiver_lists::ReceiverLists;
use crate::kernel::{Channel, RadioId, Span, Time};
use crate::mobility::{Point, Trajectory};
use crate::phy::propagation::delay_nanos;
use std::f64::consts::PI;
use std::sync::Arc;

/// Candidate lists of all nodes.
#[derive(Debug)]
pub(in crate::phy) struct MobileIndex {
    motions: Motions,
    /// End of the current epoch.
    until: Time,
    epoch_length: Span,
    /// Positions at the start of the epoch.
    positions: Vec<Point>,
    /// Times of jumps, in order: epochs end there.
    jumps: Vec<Time>,
    /// Number of the epoch, from 1.
    epoch: u32,
    grid: Grid,
    /// Maximum decrease of a distance within an epoch, in metres.
    max_approach: f64,
    /// Distance beyond which no node comes into range within an epoch.
    candidate_range: f64,
    candidates: Vec<Candidates>,
    /// Receivers of recent frames, valid while distances change by at most [`TOLERANCE`].
    lists: ReceiverLists,
    /// Scratch space: distances of candidates, by node, in metres.
    metres: Vec<f64>,
    /// By radio, its channel; `None` if all are on one.
    channels: Option<Arc<[Channel]>>,
}

/// Candidates of one node.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Epoch of the list; 0 for none.
    epoch: u32,
    /// Time of the last update of distances.
    updated_at: Time,
    /// Delay of the last frame in nanoseconds, or [`NOT_SENSED`], then the node: the order of arrival.
    order: Vec<u64>,
    /// Number of the list of receivers of the last frame.
    list: u32,
    /// Links to the candidates, by node, if links differ.
    links: Vec<(u32, Link)>,
}

/// Effect of a link on power and range.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) struct Link {
    /// Factor of the power.
    pub(in crate::phy) factor: f64,
    /// Sensing range, in metres.
    pub(in crate::phy) limit: f64,
}

/// The links from a node.
pub(in crate::phy) enum Links<L> {
    /// Equal: the sensing range in metres.
    Alike(f64),
    /// By node.
    Each(L),
}

/// Parameters of the search for the receivers of a frame.
pub(in crate::phy) struct Finder<L, P> {
    /// Links from its sender.
    pub(in crate::phy) links: Links<L>,
    /// Power at a distance in metres.
    pub(in crate::phy) power: P,
    /// Carrier-sense threshold.
    pub(in crate::phy) threshold: f64,
}

/// Delay of candidates that are no receivers: sorts after all others.
const NOT_SENSED: u32 = u32::MAX;

/// Accuracy of distances, in metres: delays are whole nanoseconds, 0.3 m of light.
pub(in crate::phy) const TOLERANCE: f64 = 0.15;

/// Maximum decrease of a distance within an epoch, as a share of the range: longer epochs have longer lists.
const SKIN: f64 = 0.1;

/// Maximum epoch, for slow nodes.
const MAX_EPOCH: Span = Span::from_millis(10_000);

/// Moves per key above which insertion sort gives way to a general sort.
const MAX_MOVES: usize = 8;

/// Share of the area within range above which all nodes are candidates.
const DENSE_SHARE: f64 = 0.5;

/// Maximum of nodes that are all candidates of each other; bounds the memory of lists.
const MAX_CANDIDATES: usize = 1024;

impl MobileIndex {
    /// `usual` is the range without the margin for shadowing.
    pub(in crate::phy) fn new(
        trajectories: Vec<Trajectory>,
        range: f64,
        usual: f64,
        channels: Option<Arc<[Channel]>>,
    ) -> MobileIndex {
        let fastest = trajectories.iter().map(Trajectory::max_speed).fold(0.0, f64::max);
        let approach = SKIN * usual;
        // Two nodes may approach each other, both at maximum speed.
        let time_for = |metres: f64| {
            if fastest > 0.0 { Span::from_secs(metres / (2.0 * fastest)).min(MAX_EPOCH) } else { MAX_EPOCH }
        };
        let count = trajectories.len();
        let mut index = MobileIndex {
            positions: Vec::new(),
            until: Time::ZERO,
            jumps: jumps(&trajectories),
            epoch_length: time_for(approach).max(Span(1)),
            epoch: 0,
            grid: Grid::new(&[], 1.0),
            max_approach: approach,
            candidate_range: range + approach,
            candidates: vec![Candidates::default(); count],
            lists: ReceiverLists::new(time_for(TOLERANCE)),
            metres: vec![0.0; count],
            channels,
            motions: Motions::new(trajectories),
        };
        if count <= MAX_CANDIDATES && PI * range * range >= DENSE_SHARE * index.motions.area() {
            (index.max_approach, index.candidate_range) = (f64::INFINITY, f64::INFINITY);
        }
        index
    }

    /// Number of the list of receivers of a frame that `radio` sends at `now`, in order of delay. Calls are in order of time.
    pub(in crate::phy) fn find<L: Fn(u32) -> Link, P: Fn(f64) -> f64>(
        &mut self,
        radio: RadioId,
        now: Time,
        finder: &Finder<L, P>,
    ) -> u32 {
        self.motions.advance(now);
        if self.epoch == 0 || now >= self.until {
            self.begin_epoch(now);
        }
        if self.candidates[radio.index()].epoch != self.epoch {
            self.list_candidates(radio.index(), finder);
        }
        let updated_at = self.candidates[radio.index()].updated_at;
        if updated_at == Time::NEVER || !self.lists.is_valid(updated_at, now) {
            self.update_receivers(radio.index(), now, finder);
        }
        self.candidates[radio.index()].list
    }

    /// The lists of receivers.
    #[inline]
    pub(in crate::phy) fn lists(&self) -> &ReceiverLists {
        &self.lists
    }

    /// The lists of receivers, mutable.
    #[inline]
    pub(in crate::phy) fn lists_mut(&mut self) -> &mut ReceiverLists {
        &mut self.lists
    }

    /// Whether all nodes are candidates of each other.
    fn is_dense(&self) -> bool {
        self.candidate_range.is_infinite()
    }

    /// Fills the list of receivers of a frame that a node sends now.
    fn update_receivers<L, P: Fn(f64) -> f64>(&mut self, node: usize, now: Time, finder: &Finder<L, P>) {
        let is_dense = self.is_dense();
        let Candidates { updated_at, order, list: number, links, .. } = &mut self.candidates[node];
        let (filled, receivers) = self.lists.fill(now);
        (*updated_at, *number) = (now, filled);
        let view = self.motions.view(now);
        let distances = &mut self.metres[..];
        if is_dense {
            view.distances(node, distances);
        } else {
            let here = view.position(node);
            for &key in &*order {
                let other = key as u32 as usize;
                distances[other] = distance(here, view.position(other));
            }
        }
        let limit = if let Links::Alike(limit) = finder.links { limit } else { f64::INFINITY };
        for key in &mut *order {
            let other = *key as u32;
            let metres = distances[other as usize];
            let delay = if metres <= limit { delay_nanos(metres) } else { NOT_SENSED };
            *key = key_of(delay, other);
        }
        if let Links::Each(_) = finder.links {
            for key in &mut *order {
                let other = *key as u32;
                if distances[other as usize] > link_to(links, other).limit {
                    *key = key_of(NOT_SENSED, other);
                }
            }
        }
        insertion_sort(order);
        let in_range = order.partition_point(|&key| delay_of(key) != NOT_SENSED);
        receivers.extend(order[..in_range].iter().map(|&key| {
            let other = key as u32;
            Receiver { radio: RadioId(other), delay: delay_of(key), power: (finder.power)(distances[other as usize]) }
        }));
        if let Links::Each(_) = finder.links {
            for receiver in receivers.iter_mut() {
                receiver.power *= link_to(links, receiver.radio.0).factor;
            }
        }
        // Limits are approximate, and may be those of stronger senders. With equal links power decreases with distance: only
        // the farthest receivers can be too weak.
        let is_too_weak = |receiver: &Receiver| receiver.power < finder.threshold;
        let are_some_too_weak = match finder.links {
            Links::Alike(_) => {
                let last = receivers.last().map(|receiver| receiver.delay);
                receivers.iter().rev().take_while(|receiver| Some(receiver.delay) == last).any(is_too_weak)
            }
            Links::Each(_) => receivers.iter().any(is_too_weak),
        };
        if are_some_too_weak {
            receivers.retain(|receiver| !is_too_weak(receiver));
        }
    }

    /// Fills the candidates of a node for this epoch.
    fn list_candidates<L: Fn(u32) -> Link, P>(&mut self, node: usize, finder: &Finder<L, P>) {
        let Candidates { epoch, updated_at, order, links, .. } = &mut self.candidates[node];
        (*epoch, *updated_at) = (self.epoch, Time::NEVER);
        order.clear();
        links.clear();
        let (positions, approach, channels) = (&self.positions, self.max_approach, self.channels.as_deref());
        let position = positions[node];
        self.grid.near(position, |other| {
            let metres = distance(position, positions[other as usize]);
            let (limit, own) = match &finder.links {
                Links::Alike(limit) => (*limit, None),
                Links::Each(link_to) => {
                    let link = link_to(other);
                    (link.limit, Some(link))
                }
            };
            let is_candidate = other as usize != node && share_channel(channels, node as u32, other);
            if is_candidate && metres <= limit + approach {
                order.push(key_of(delay_nanos(metres), other));
                links.extend(own.map(|link| (other, link)));
            }
        });
        order.sort_unstable();
        links.sort_unstable_by_key(|&(other, _)| other);
    }

    fn begin_epoch(&mut self, now: Time) {
        let view = self.motions.view(now);
        self.positions = (0..self.candidates.len()).map(|node| view.position(node)).collect();
        self.grid = Grid::new(&self.positions, self.candidate_range);
        self.epoch += 1;
        let next_jump = self.jumps.partition_point(|&jump| jump <= now);
        let end = if self.is_dense() { Time::NEVER } else { now + self.epoch_length };
        self.until = self.jumps.get(next_jump).map_or(end, |&jump| jump.min(end));
    }
}

#[inline]
fn key_of(delay: u32, node: u32) -> u64 {
    u64::from(delay) << 32 | u64::from(node)
}

#[inline]
fn delay_of(key: u64) -> u32 {
    (key >> 32) as u32
}

/// The link to a candidate.
fn link_to(links: &[(u32, Link)], node: u32) -> Link {
    let index = links.binary_search_by_key(&node, |&(other, _)| other).expect("a link to each candidate");
    links[index].1
}

/// Insertion sort: fast for nearly sorted keys.
fn insertion_sort(keys: &mut [u64]) {
    let mut moves = MAX_MOVES * keys.len();
    let mut greatest = 0;
    for next in 0..keys.len() {
        let moved = keys[next];
        if moved >= greatest {
            greatest = moved;
            continue;
        }
        let mut slot = next;
        while slot > 0 && keys[slot - 1] > moved {
            keys[slot] = keys[slot - 1];
            slot -= 1;
        }
        keys[slot] = moved;
        if next - slot > moves {
            keys.sort_unstable();
            return;
        }
        moves -= next - slot;
    }
}

/// Times of all jumps, in order.
fn jumps(trajectories: &[Trajectory]) -> Vec<Time> {
    let mut times = Vec::new();
    for trajectory in trajectories.iter().filter(|trajectory| trajectory.has_jumps()) {
        let mut here = trajectory.start();
        for leg in trajectory.legs() {
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
