//! Who senses whom among nodes that move.
//!
//! Every node keeps a list of candidates: those that may come within range during the next stretch of time, which is
//! short enough that nobody gets farther than a part of the range. At a frame only they are looked at, each at its exact
//! place. Lists are made when needed, from a grid of everybody's places at the start of the stretch, and stay in the
//! order of the last frame, which is nearly that of the next.

use super::grid::Grid;
use super::medium::Hearer;
use super::places::distance;
use crate::kernel::{NodeId, Span, Time};
use crate::mobility::{Course, Cursor, Point, Trajectory};

/// Ways of nodes, and who may be within whose range for a while.
#[derive(Debug)]
pub(super) struct Moving {
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
    pairs: Vec<Pair>,
    /// Places in `pairs`, in the order of the last frame's visits.
    order: Vec<Visit>,
}

/// A candidate as its sender sees it.
#[derive(Clone, Copy, Debug)]
struct Pair {
    node: NodeId,
    /// Propagation of the last frame.
    delay: u32,
    power: f64,
    /// Factor of the link to it.
    factor: f64,
    /// Distance beyond which it senses nothing, in metres.
    limit: f64,
    /// Where it is, seen from the sender, from `since` to before `until`: in metres and metres per nanosecond.
    apart: Point,
    drift: Point,
    since: Time,
    until: Time,
}

#[derive(Clone, Copy, Debug)]
struct Visit {
    /// Delay, then number of the node: the order of visits; [`OUT`] for who senses nothing.
    key: u64,
    pair: u32,
}

/// Key of those who sense nothing, after all others.
const OUT: u64 = u64::MAX;

/// Part of the usual range that two nodes may come nearer to each other within a stretch: short lists against few of them.
const SLACK: f64 = 0.1;

/// Longest stretch, for nodes that crawl.
const LONGEST: Span = Span::from_millis(10_000);

/// Moves per candidate after which putting a list in order by insertion is given up.
const MOST_MOVES: usize = 8;

impl Moving {
    /// `usual` is the range without the luck that shadowing may bring.
    pub(super) fn new(trajectories: Vec<Trajectory>, range: f64, usual: f64) -> Moving {
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
        let mut list = self.take_candidates(node.index(), now, limit);
        for visit in &mut list.order {
            let pair = &mut list.pairs[visit.pair as usize];
            if now >= pair.until {
                self.join_courses(node.index(), now, pair);
            }
            let metres = pair.metres(now);
            visit.key = OUT;
            if metres <= pair.limit {
                pair.power = power(metres) * pair.factor;
                if pair.power >= threshold {
                    pair.delay = Hearer::delay_at(metres);
                    visit.key = u64::from(pair.delay) << 32 | u64::from(pair.node.0);
                }
            }
        }
        put_in_order(&mut list.order);
        let heard =
            list.order.iter().take_while(|visit| visit.key != OUT).map(|visit| &list.pairs[visit.pair as usize]);
        found.extend(heard.map(|pair| Hearer { node: pair.node, delay: pair.delay, power: pair.power }));
        self.candidates[node.index()] = list;
    }

    /// Learns how a candidate moves from now on, seen from its sender.
    #[inline(never)]
    fn join_courses(&mut self, from: usize, now: Time, pair: &mut Pair) {
        let (here, there) = (self.course(from, now), self.course(pair.node.index(), now));
        pair.apart = (there.position.0 - here.position.0, there.position.1 - here.position.1);
        pair.drift = ((there.velocity.0 - here.velocity.0) * 1e-9, (there.velocity.1 - here.velocity.1) * 1e-9);
        pair.since = now;
        pair.until = here.until.min(there.until);
    }

    fn course(&mut self, node: usize, now: Time) -> Course {
        self.trajectories[node].course_from(&mut self.cursors[node], now)
    }

    /// The candidates of a node, to be given back.
    fn take_candidates(&mut self, node: usize, now: Time, limit: impl Fn(u32) -> (f64, f64)) -> Candidates {
        if self.number == 0 || now >= self.until {
            self.begin_stretch(now);
        }
        let mut list = std::mem::take(&mut self.candidates[node]);
        if list.stretch != self.number {
            list.stretch = self.number;
            list.pairs.clear();
            list.order.clear();
            let (trajectories, begun, approach) = (&self.trajectories, self.begun, self.approach);
            let place = trajectories[node].position(begun);
            self.grid.near(place, |other| {
                let metres = distance(place, trajectories[other as usize].position(begun));
                let (factor, limit) = limit(other);
                if other as usize != node && metres <= limit + approach {
                    list.order.push(Visit { key: OUT, pair: list.pairs.len() as u32 });
                    list.pairs.push(Pair::new(NodeId(other), factor, limit));
                }
            });
        }
        list
    }

    fn begin_stretch(&mut self, now: Time) {
        let positions: Vec<Point> = self.trajectories.iter().map(|way| way.position(now)).collect();
        self.grid = Grid::new(&positions, self.reach);
        self.number += 1;
        self.begun = now;
        let next_jump = self.jumps.partition_point(|&jump| jump <= now);
        self.until = (now + self.stretch).min(self.jumps.get(next_jump).copied().unwrap_or(Time::NEVER));
    }
}

impl Pair {
    fn new(node: NodeId, factor: f64, limit: f64) -> Pair {
        let (apart, drift) = ((0.0, 0.0), (0.0, 0.0));
        Pair { node, delay: 0, power: 0.0, factor, limit, apart, drift, since: Time::ZERO, until: Time::ZERO }
    }

    /// Distance at `now`, a moment before `until`.
    #[inline]
    fn metres(&self, now: Time) -> f64 {
        // A signed number of less than 292 years is quicker to convert.
        let passed = now.since(self.since).0 as i64 as f64;
        let (x, y) = (self.apart.0 + self.drift.0 * passed, self.apart.1 + self.drift.1 * passed);
        libm::sqrt(x * x + y * y)
    }
}

/// Sorts by key: by insertion, which is quick where little has changed.
fn put_in_order(list: &mut [Visit]) {
    let mut moves = MOST_MOVES * list.len();
    for next in 1..list.len() {
        let moved = list[next];
        let mut place = next;
        while place > 0 && list[place - 1].key > moved.key {
            list[place] = list[place - 1];
            place -= 1;
        }
        list[place] = moved;
        if next - place > moves {
            list.sort_unstable_by_key(|visit| visit.key);
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
