//! Who senses whom among nodes that move.
//!
//! Every node keeps a list of candidates: those that may come within range during the next stretch of time, which is
//! short enough that nobody gets farther than a part of the range. At a frame only they are looked at, each at its exact
//! place. Lists are made when needed, from a grid of everybody's places at the start of the stretch, and stay in the
//! order of the last frame, which is nearly that of the next.
//!
//! # Deviations
//! A node's frames that follow each other closely, as RTS and data do, are heard alike: distances are found anew once
//! they may have changed by [`TOLERANCE`], which light needs half a nanosecond for. ns-2 finds them at each frame.

use super::grid::Grid;
use super::medium::Hearer;
use super::places::distance;
use crate::kernel::{NodeId, Span, Time};
use crate::mobility::{Cursor, Point, Trajectory};

/// Ways of nodes, and who may be within whose range for a while.
#[derive(Debug)]
pub(super) struct Moving {
    trajectories: Vec<Trajectory>,
    cursors: Vec<Cursor>,
    /// How each node moves at present: all that a frame needs of its place, close together.
    motions: Vec<Motion>,
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
    /// How long distances hold, but for [`TOLERANCE`].
    lasting: Span,
    /// Distance beyond which nobody comes into range within a stretch.
    reach: f64,
    candidates: Vec<Candidates>,
}

/// Straight motion of a node from `since` to before `until`, in metres and metres per nanosecond.
#[derive(Clone, Copy, Debug)]
struct Motion {
    place: Point,
    velocity: Point,
    since: Time,
    until: Time,
}

#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Stretch that they were found for; 0 for none.
    stretch: u32,
    /// When they were last looked at.
    seen_at: Time,
    /// In the order of their numbers.
    list: Vec<Candidate>,
    /// Delay of the last frame in nanoseconds, or [`OUT`], then the place in the list: the order of visits.
    order: Vec<u64>,
    /// How many sensed the last frame.
    heard: usize,
}

/// A node that may sense frames of another one.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: NodeId,
    /// Power of the last frame.
    power: f64,
    /// Factor of the link to it.
    factor: f64,
    /// Distance beyond which it senses nothing, in metres.
    limit: f64,
}

/// In place of the delay of those who sense nothing: after all others.
const OUT: u32 = u32::MAX;

/// Distances are known to this, in metres: delays are whole nanoseconds, 0.3 m of light.
pub(super) const TOLERANCE: f64 = 0.15;

/// Part of the usual range that two nodes may come nearer to each other within a stretch: short lists against few of them.
const SLACK: f64 = 0.1;

/// Longest stretch, for nodes that crawl.
const LONGEST: Span = Span::from_millis(10_000);

/// Moves per key after which putting keys in order by insertion is given up.
const MOST_MOVES: usize = 8;

impl Moving {
    /// `usual` is the range without the luck that shadowing may bring.
    pub(super) fn new(trajectories: Vec<Trajectory>, range: f64, usual: f64) -> Moving {
        let fastest = trajectories.iter().map(Trajectory::max_speed).fold(0.0, f64::max);
        let approach = SLACK * usual;
        // Two nodes that run towards each other share the distance.
        let time_for = |metres: f64| {
            if fastest > 0.0 { Span::from_secs(metres / (2.0 * fastest)).min(LONGEST) } else { LONGEST }
        };
        let count = trajectories.len();
        Moving {
            cursors: vec![Cursor::default(); count],
            motions: vec![Motion::UNKNOWN; count],
            places: Vec::new(),
            until: Time::ZERO,
            jumps: jumps(&trajectories),
            stretch: time_for(approach).max(Span(1)),
            lasting: time_for(TOLERANCE),
            number: 0,
            grid: Grid::new(&[], 1.0),
            approach,
            reach: range + approach,
            candidates: vec![Candidates::default(); count],
            trajectories,
        }
    }

    /// Who gets at least `threshold` of a frame that `node` sends at `now`, the nearest first. `limit` tells the factor of
    /// the link to a node, and the distance beyond which that node senses nothing; `power` the power at a distance.
    pub(super) fn find(
        &mut self,
        node: NodeId,
        now: Time,
        limit: impl Fn(u32) -> (f64, f64),
        power: impl Fn(f64) -> f64,
        threshold: f64,
        found: &mut Vec<Hearer>,
    ) {
        let mut candidates = self.take_candidates(node.index(), now, limit);
        if candidates.seen_at == Time::NEVER || now.since(candidates.seen_at) > self.lasting {
            candidates.seen_at = now;
            candidates.heard = 0;
            let here = self.place(node.index(), now);
            let Candidates { list, order, heard, .. } = &mut candidates;
            for key in &mut *order {
                let place = *key as u32;
                let candidate = &mut list[place as usize];
                let metres = distance(here, self.place(candidate.node.index(), now));
                let mut delay = OUT;
                if metres <= candidate.limit {
                    candidate.power = power(metres) * candidate.factor;
                    if candidate.power >= threshold {
                        delay = Hearer::delay_at(metres);
                        *heard += 1;
                    }
                }
                *key = key_of(delay, place);
            }
            put_in_order(order);
        }
        let Candidates { list, order, heard, .. } = &candidates;
        found.extend(order[..*heard].iter().map(|&key| {
            let Candidate { node, power, .. } = list[key as u32 as usize];
            Hearer { node, delay: (key >> 32) as u32, power }
        }));
        self.candidates[node.index()] = candidates;
    }

    /// Where a node is; time does not go back.
    #[inline]
    fn place(&mut self, node: usize, now: Time) -> Point {
        if now >= self.motions[node].until {
            self.turn(node, now);
        }
        let motion = &self.motions[node];
        // A signed number of less than 292 years is quicker to convert.
        let passed = now.since(motion.since).0 as i64 as f64;
        (motion.place.0 + motion.velocity.0 * passed, motion.place.1 + motion.velocity.1 * passed)
    }

    /// Learns how a node moves from now on.
    #[inline(never)]
    fn turn(&mut self, node: usize, now: Time) {
        let course = self.trajectories[node].course_from(&mut self.cursors[node], now);
        let velocity = (course.velocity.0 * 1e-9, course.velocity.1 * 1e-9);
        self.motions[node] = Motion { place: course.position, velocity, since: now, until: course.until };
    }

    /// The candidates of a node, to be given back.
    fn take_candidates(&mut self, node: usize, now: Time, limit: impl Fn(u32) -> (f64, f64)) -> Candidates {
        if self.number == 0 || now >= self.until {
            self.begin_stretch(now);
        }
        let mut candidates = std::mem::take(&mut self.candidates[node]);
        if candidates.stretch != self.number {
            candidates.stretch = self.number;
            candidates.seen_at = Time::NEVER;
            candidates.list.clear();
            let (places, approach) = (&self.places, self.approach);
            let place = places[node];
            self.grid.near(place, |other| {
                let metres = distance(place, places[other as usize]);
                let (factor, limit) = limit(other);
                if other as usize != node && metres <= limit + approach {
                    candidates.list.push(Candidate { node: NodeId(other), power: 0.0, factor, limit });
                }
            });
            candidates.list.sort_unstable_by_key(|candidate| candidate.node);
            candidates.order.clear();
            candidates.order.extend((0..candidates.list.len() as u32).map(|place| key_of(OUT, place)));
        }
        candidates
    }

    fn begin_stretch(&mut self, now: Time) {
        self.places = (0..self.trajectories.len()).map(|node| self.place(node, now)).collect();
        self.grid = Grid::new(&self.places, self.reach);
        self.number += 1;
        let next_jump = self.jumps.partition_point(|&jump| jump <= now);
        self.until = (now + self.stretch).min(self.jumps.get(next_jump).copied().unwrap_or(Time::NEVER));
    }
}

impl Motion {
    /// To be learned before it is used.
    const UNKNOWN: Motion = Motion { place: (0.0, 0.0), velocity: (0.0, 0.0), since: Time::ZERO, until: Time::ZERO };
}

fn key_of(delay: u32, place: u32) -> u64 {
    u64::from(delay) << 32 | u64::from(place)
}

/// Sorts by insertion, which is quick where little has changed.
fn put_in_order(keys: &mut [u64]) {
    let mut moves = MOST_MOVES * keys.len();
    for next in 1..keys.len() {
        let moved = keys[next];
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
