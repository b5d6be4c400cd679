//! Who senses whom among nodes that move.
//!
//! Every node keeps a list of candidates: those that may come within range during the next epoch of time, which is
//! short enough that nobody gets farther than a part of the range. At a frame only they are looked at, each at its exact
//! place. Lists are made when needed, from a grid of everybody's positions at the start of the epoch, and stay in the
//! order of the last frame, which is nearly that of the next. Where most nodes are in range of most others, everybody is
//! a candidate until somebody jumps.
//!
//! # Deviations
//! A node's frames that follow each other closely, as RTS and data do, are heard alike: distances are found anew once
//! they may have changed by [`TOLERANCE`], half a nanosecond of light. ns-2 finds them at each frame.

use super::grid::Grid;
use super::motion::Motions;
use super::receiver::{Receiver, distance};
use super::receiver_lists::ReceiverLists;
use crate::kernel::{NodeId, Span, Time};
use crate::mobility::{Point, Trajectory};
use crate::phy::propagation::delay_nanos;
use std::f64::consts::PI;

/// Lists of nodes, and who may be within whose range for a while.
#[derive(Debug)]
pub(in crate::phy) struct MobileIndex {
    motions: Motions,
    /// The present epoch: lists hold for these times.
    until: Time,
    epoch_length: Span,
    /// Where everybody is when it begins.
    positions: Vec<Point>,
    /// When somebody jumps: stretches end there. In order.
    jumps: Vec<Time>,
    /// Counts stretches, from 1.
    epoch: u32,
    grid: Grid,
    /// How much nearer two nodes may come to each other within a epoch, in metres.
    max_approach: f64,
    /// Distance beyond which nobody comes into range within a epoch.
    candidate_range: f64,
    candidates: Vec<Candidates>,
    /// Who senses frames of the last moment: they hold as long as distances do, but for [`TOLERANCE`].
    lists: ReceiverLists,
    /// Distances of candidates of the frame at hand, by node, in metres.
    metres: Vec<f64>,
}

/// Nodes that may sense frames of another one.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Stretch that they were found for; 0 for none.
    epoch: u32,
    /// When they were last looked at.
    updated_at: Time,
    /// Delay of the last frame in nanoseconds, or [`NOT_SENSED`], then the node: the order of visits.
    order: Vec<u64>,
    /// Number of the list of those who sensed the last frame.
    list: u32,
    /// Where links differ: those to the candidates, by node.
    links: Vec<(u32, Link)>,
}

/// What a link does to a frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) struct Link {
    /// Factor of its power.
    pub(in crate::phy) factor: f64,
    /// Distance beyond which it is not sensed, in metres.
    pub(in crate::phy) limit: f64,
}

/// The links from a node.
pub(in crate::phy) enum Links<L> {
    /// All alike: the distance in metres beyond which nothing is sensed.
    Alike(f64),
    /// That to each node by a rule.
    Each(L),
}

/// What a frame needs to find its receivers.
pub(in crate::phy) struct Finder<L, P> {
    /// Links from its sender.
    pub(in crate::phy) links: Links<L>,
    /// Power at a distance in metres.
    pub(in crate::phy) power: P,
    /// Least power that is sensed.
    pub(in crate::phy) threshold: f64,
}

/// In place of the delay of those who sense nothing: after all others.
const NOT_SENSED: u32 = u32::MAX;

/// Distances are known to this, in metres: delays are whole nanoseconds, 0.3 m of light.
pub(in crate::phy) const TOLERANCE: f64 = 0.15;

/// Part of the usual range that two nodes may come nearer to each other within a epoch: short lists against few of them.
const SKIN: f64 = 0.1;

/// Longest epoch, for nodes that crawl.
const MAX_EPOCH: Span = Span::from_millis(10_000);

/// Moves per key after which putting keys in order by insertion is given up.
const MAX_MOVES: usize = 8;

/// Part of the area from which on, if it is within range, everybody is a candidate.
const DENSE_SHARE: f64 = 0.5;

/// So many nodes may all be candidates of each other; lists of more would take too much memory.
const MAX_CANDIDATES: usize = 1024;

impl MobileIndex {
    /// `usual` is the range without the luck that shadowing may bring.
    pub(in crate::phy) fn new(trajectories: Vec<Trajectory>, range: f64, usual: f64) -> MobileIndex {
        let fastest = trajectories.iter().map(Trajectory::max_speed).fold(0.0, f64::max);
        let approach = SKIN * usual;
        // Two nodes that run towards each other share the distance.
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
            motions: Motions::new(trajectories),
        };
        if count <= MAX_CANDIDATES && PI * range * range >= DENSE_SHARE * index.motions.area() {
            (index.max_approach, index.candidate_range) = (f64::INFINITY, f64::INFINITY);
        }
        index
    }

    /// Number of the list of those who get at least the threshold of a frame that `node` sends at `now`, the nearest first;
    /// time does not go back.
    pub(in crate::phy) fn find<L: Fn(u32) -> Link, P: Fn(f64) -> f64>(
        &mut self,
        node: NodeId,
        now: Time,
        finder: &Finder<L, P>,
    ) -> u32 {
        self.motions.advance(now);
        if self.epoch == 0 || now >= self.until {
            self.begin_epoch(now);
        }
        if self.candidates[node.index()].epoch != self.epoch {
            self.list_candidates(node.index(), finder);
        }
        let updated_at = self.candidates[node.index()].updated_at;
        if updated_at == Time::NEVER || !self.lists.is_valid(updated_at, now) {
            self.update_receivers(node.index(), now, finder);
        }
        self.candidates[node.index()].list
    }

    /// Lists of who senses frames.
    #[inline]
    pub(in crate::phy) fn lists(&self) -> &ReceiverLists {
        &self.lists
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::phy) fn lists_mut(&mut self) -> &mut ReceiverLists {
        &mut self.lists
    }

    /// Whether most nodes are in range of most others, so that everybody is looked at.
    fn is_dense(&self) -> bool {
        self.candidate_range.is_infinite()
    }

    /// Finds out who senses what a node sends now.
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
            Receiver { node: NodeId(other), delay: delay_of(key), power: (finder.power)(distances[other as usize]) }
        }));
        if let Links::Each(_) = finder.links {
            for receiver in receivers.iter_mut() {
                receiver.power *= link_to(links, receiver.node.0).factor;
            }
        }
        // Limits are near the truth, and may be those of stronger senders. Where links are alike, power falls with distance: if
        // somebody is lost, then one of the farthest.
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

    /// Lists who may sense frames of a node during this epoch.
    fn list_candidates<L: Fn(u32) -> Link, P>(&mut self, node: usize, finder: &Finder<L, P>) {
        let Candidates { epoch, updated_at, order, links, .. } = &mut self.candidates[node];
        (*epoch, *updated_at) = (self.epoch, Time::NEVER);
        order.clear();
        links.clear();
        let (positions, approach) = (&self.positions, self.max_approach);
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
            if other as usize != node && metres <= limit + approach {
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

/// Sorts by insertion, which is quick where little has changed.
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

/// When anybody jumps, in order.
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
