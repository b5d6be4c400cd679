//! Where nodes that move are: their present straight motions, close together.

use super::receiver::distance;
use crate::kernel::Time;
use crate::mobility::{Cursor, Point, Trajectory};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How everybody moves at present.
#[derive(Debug)]
pub(in crate::phy) struct Motions {
    trajectories: Vec<Trajectory>,
    cursors: Vec<Cursor>,
    present: Vec<Motion>,
    /// When each node moves otherwise.
    changes: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Straight motion: where the node would have been at time zero, in metres, and metres per nanosecond.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Motion {
    origin: Point,
    velocity: Point,
}

impl Motion {
    /// Where the node is at a time in nanoseconds.
    #[inline]
    fn at(self, now: f64) -> Point {
        (self.origin.0 + self.velocity.0 * now, self.origin.1 + self.velocity.1 * now)
    }
}

/// Everybody at one moment.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) struct View<'a> {
    present: &'a [Motion],
    /// Nanoseconds.
    now: f64,
}

impl Motions {
    pub(in crate::phy) fn new(trajectories: Vec<Trajectory>) -> Motions {
        let count = trajectories.len();
        let mut motions = Motions {
            cursors: vec![Cursor::default(); count],
            present: vec![Motion::default(); count],
            changes: BinaryHeap::with_capacity(count),
            trajectories,
        };
        (0..count).for_each(|node| motions.update_motion(node, Time::ZERO));
        motions
    }

    /// Everybody at `now`, which [`Motions::advance`] has reached.
    #[inline]
    pub(in crate::phy) fn view(&self, now: Time) -> View<'_> {
        // A signed number of less than 292 years is quicker to convert.
        View { present: &self.present, now: now.0 as i64 as f64 }
    }

    /// Lets time go on to `now`; it does not go back.
    #[inline]
    pub(in crate::phy) fn advance(&mut self, now: Time) {
        while let Some(&Reverse((at, node))) = self.changes.peek()
            && at <= now
        {
            self.changes.pop();
            self.update_motion(node as usize, now);
        }
    }

    /// Area of the smallest rectangle that nobody ever leaves, in square metres.
    pub(in crate::phy) fn area(&self) -> f64 {
        let boxes = || self.trajectories.iter().map(Trajectory::bounding_box);
        let side = |of: fn(Point) -> f64| {
            let low = boxes().map(|(low, _)| of(low)).fold(f64::INFINITY, f64::min);
            boxes().map(|(_, high)| of(high)).fold(f64::NEG_INFINITY, f64::max) - low
        };
        side(|point| point.0).max(0.0) * side(|point| point.1).max(0.0)
    }

    /// Learns how a node moves from now on.
    #[inline(never)]
    fn update_motion(&mut self, node: usize, now: Time) {
        let course = self.trajectories[node].course_from(&mut self.cursors[node], now);
        let velocity = (course.velocity.0 * 1e-9, course.velocity.1 * 1e-9);
        let passed = now.0 as f64;
        let origin = (course.position.0 - velocity.0 * passed, course.position.1 - velocity.1 * passed);
        self.present[node] = Motion { origin, velocity };
        if course.until != Time::NEVER {
            self.changes.push(Reverse((course.until, node as u32)));
        }
    }
}

impl View<'_> {
    /// Distances of all nodes from one, in metres.
    pub(in crate::phy) fn distances(&self, from: usize, metres: &mut [f64]) {
        let (here, now) = (self.position(from), self.now);
        for (metres, motion) in metres.iter_mut().zip(self.present) {
            *metres = distance(here, motion.at(now));
        }
    }

    /// Where a node is.
    #[inline]
    pub(in crate::phy) fn position(&self, node: usize) -> Point {
        self.present[node].at(self.now)
    }
}
