//! Who senses whom among nodes that move.
//!
//! Every node keeps a list of candidates: those that may come within range during the next stretch of time, which is
//! short enough that nobody gets farther than a part of the range. At a frame only they are looked at, each at its exact
//! place. Lists are made when needed, from a grid of everybody's places at the start of the stretch, and stay in the
//! order of the last frame, which is nearly that of the next. Where most nodes are in range of most others, everybody is
//! a candidate until somebody jumps.
//!
//! # Deviations
//! A node's frames that follow each other closely, as RTS and data do, are heard alike: distances are found anew once
//! they may have changed by [`TOLERANCE`], half a nanosecond of light. ns-2 finds them at each frame.

use super::grid::Grid;
use super::motion::Motions;
use super::receiver::{Receiver, distance};
use super::receiver_lists::Heard;
use crate::kernel::{NodeId, Span, Time};
use crate::mobility::{Point, Trajectory};
use crate::phy::propagation::delay_nanos;
use std::f64::consts::PI;

/// Ways of nodes, and who may be within whose range for a while.
#[derive(Debug)]
pub(in crate::phy) struct Moving {
    motions: Motions,
    /// The present stretch: lists hold for these times.
    until: Time,
    stretch: Span,
    /// Where everybody is when it begins.
    places: Vec<Point>,
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
    /// Who senses frames of the last moment: they hold as long as distances do, but for [`TOLERANCE`].
    heard: Heard,
    /// Distances of candidates of the frame at hand, by node, in metres.
    metres: Vec<f64>,
}

/// Nodes that may sense frames of another one.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Stretch that they were found for; 0 for none.
    stretch: u32,
    /// When they were last looked at.
    seen_at: Time,
    /// Delay of the last frame in nanoseconds, or [`OUT`], then the node: the order of visits.
    order: Vec<u64>,
    /// Number of the list of those who sensed the last frame.
    heard: u32,
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
const OUT: u32 = u32::MAX;

/// Distances are known to this, in metres: delays are whole nanoseconds, 0.3 m of light.
pub(in crate::phy) const TOLERANCE: f64 = 0.15;

/// Part of the usual range that two nodes may come nearer to each other within a stretch: short lists against few of them.
const SLACK: f64 = 0.1;

/// Longest stretch, for nodes that crawl.
const LONGEST: Span = Span::from_millis(10_000);

/// Moves per key after which putting keys in order by insertion is given up.
const MOST_MOVES: usize = 8;

/// Part of the area from which on, if it is within range, everybody is a candidate.
const MOST_OF_AREA: f64 = 0.5;

/// So many nodes may all be candidates of each other; lists of more would take too much memory.
const MOST_CANDIDATES: usize = 1024;

impl Moving {
    /// `usual` is the range without the luck that shadowing may bring.
    pub(in crate::phy) fn new(trajectories: Vec<Trajectory>, range: f64, usual: f64) -> Moving {
        let fastest = trajectories.iter().map(Trajectory::max_speed).fold(0.0, f64::max);
        let approach = SLACK * usual;
        // Two nodes that run towards each other share the distance.
        let time_for = |metres: f64| {
            if fastest > 0.0 { Span::from_secs(metres / (2.0 * fastest)).min(LONGEST) } else { LONGEST }
        };
        let count = trajectories.len();
        let mut moving = Moving {
            places: Vec::new(),
            until: Time::ZERO,
            jumps: jumps(&trajectories),
            stretch: time_for(approach).max(Span(1)),
            number: 0,
            grid: Grid::new(&[], 1.0),
            approach,
            reach: range + approach,
            candidates: vec![Candidates::default(); count],
            heard: Heard::new(time_for(TOLERANCE)),
            metres: vec![0.0; count],
            motions: Motions::new(trajectories),
        };
        if count <= MOST_CANDIDATES && PI * range * range >= MOST_OF_AREA * moving.motions.area() {
            (moving.approach, moving.reach) = (f64::INFINITY, f64::INFINITY);
        }
        moving
    }

    /// Number of the list of those who get at least the threshold of a frame that `node` sends at `now`, the nearest first;
    /// time does not go back.
    pub(in crate::phy) fn find<L: Fn(u32) -> Link, P: Fn(f64) -> f64>(
        &mut self,
        node: NodeId,
        now: Time,
        finder: &Finder<L, P>,
    ) -> u32 {
        self.motions.go_on(now);
        if self.number == 0 || now >= self.until {
            self.begin_stretch(now);
        }
        if self.candidates[node.index()].stretch != self.number {
            self.list_candidates(node.index(), finder);
        }
        let seen_at = self.candidates[node.index()].seen_at;
        if seen_at == Time::NEVER || !self.heard.holds(seen_at, now) {
            self.look(node.index(), now, finder);
        }
        self.candidates[node.index()].heard
    }

    /// Lists of who senses frames.
    #[inline]
    pub(in crate::phy) fn heard(&self) -> &Heard {
        &self.heard
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::phy) fn heard_mut(&mut self) -> &mut Heard {
        &mut self.heard
    }

    /// Whether most nodes are in range of most others, so that everybody is looked at.
    fn all_are_candidates(&self) -> bool {
        self.reach.is_infinite()
    }

    /// Finds out who senses what a node sends now.
    fn look<L, P: Fn(f64) -> f64>(&mut self, node: usize, now: Time, finder: &Finder<L, P>) {
        let all_are_candidates = self.all_are_candidates();
        let Candidates { seen_at, order, heard: number, links, .. } = &mut self.candidates[node];
        let (filled, heard) = self.heard.fill(now);
        (*seen_at, *number) = (now, filled);
        let view = self.motions.view(now);
        let distances = &mut self.metres[..];
        if all_are_candidates {
            view.distances(node, distances);
        } else {
            let here = view.place(node);
            for &key in &*order {
                let other = key as u32 as usize;
                distances[other] = distance(here, view.place(other));
            }
        }
        let reach = if let Links::Alike(limit) = finder.links { limit } else { f64::INFINITY };
        for key in &mut *order {
            let other = *key as u32;
            let metres = distances[other as usize];
            let delay = if metres <= reach { delay_nanos(metres) } else { OUT };
            *key = key_of(delay, other);
        }
        if let Links::Each(_) = finder.links {
            for key in &mut *order {
                let other = *key as u32;
                if distances[other as usize] > link_to(links, other).limit {
                    *key = key_of(OUT, other);
                }
            }
        }
        put_in_order(order);
        let in_reach = order.partition_point(|&key| delay_of(key) != OUT);
        heard.extend(order[..in_reach].iter().map(|&key| {
            let other = key as u32;
            Receiver { node: NodeId(other), delay: delay_of(key), power: (finder.power)(distances[other as usize]) }
        }));
        if let Links::Each(_) = finder.links {
            for receiver in heard.iter_mut() {
                receiver.power *= link_to(links, receiver.node.0).factor;
            }
        }
        // Limits are near the truth, and may be those of stronger senders. Where links are alike, power falls with distance: if
        // somebody is lost, then one of the farthest.
        let is_lost = |receiver: &Receiver| receiver.power < finder.threshold;
        let are_lost = match finder.links {
            Links::Alike(_) => {
                let last = heard.last().map(|receiver| receiver.delay);
                heard.iter().rev().take_while(|receiver| Some(receiver.delay) == last).any(is_lost)
            }
            Links::Each(_) => heard.iter().any(is_lost),
        };
        if are_lost {
            heard.retain(|receiver| !is_lost(receiver));
        }
    }

    /// Lists who may sense frames of a node during this stretch.
    fn list_candidates<L: Fn(u32) -> Link, P>(&mut self, node: usize, finder: &Finder<L, P>) {
        let Candidates { stretch, seen_at, order, links, .. } = &mut self.candidates[node];
        (*stretch, *seen_at) = (self.number, Time::NEVER);
        order.clear();
        links.clear();
        let (places, approach) = (&self.places, self.approach);
        let place = places[node];
        self.grid.near(place, |other| {
            let metres = distance(place, places[other as usize]);
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

    fn begin_stretch(&mut self, now: Time) {
        let view = self.motions.view(now);
        self.places = (0..self.candidates.len()).map(|node| view.place(node)).collect();
        self.grid = Grid::new(&self.places, self.reach);
        self.number += 1;
        let next_jump = self.jumps.partition_point(|&jump| jump <= now);
        let end = if self.all_are_candidates() { Time::NEVER } else { now + self.stretch };
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
    let place = links.binary_search_by_key(&node, |&(other, _)| other).expect("a link to each candidate");
    links[place].1
}

/// Sorts by insertion, which is quick where little has changed.
fn put_in_order(keys: &mut [u64]) {
    let mut moves = MOST_MOVES * keys.len();
    let mut greatest = 0;
    for next in 0..keys.len() {
        let moved = keys[next];
        if moved >= greatest {
            greatest = moved;
            continue;
        }
        let mut place = next;
        while place > 0 && keys[place - 1] > moved {
            keys[place] = keys[place - 1];
            place -= 1;
        }
        keys[place] = moved;
        if next - place > moves {
            keys.sort_unstable();
            return;
        }
        moves -= next - place;
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
