//! Positions of mobile nodes: the current linear motion of each, in one array for sequential access.

use super::receiver::distance;
use crate::kernel::Time;
use crate::mobility::{Cursor, Point, Trajectory};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The current motion of all nodes.
#[derive(Debug)]
pub(in crate::phy) struct Motions {
    trajectories: Vec<Trajectory>,
    cursors: Vec<Cursor>,
    present: Vec<Motion>,
    /// Times at which motions change.
    changes: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Linear motion: position extrapolated to time zero, in metres, and velocity in metres per nanosecond.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Motion {
    origin: Point,
    velocity: Point,
}

impl Motion {
    /// Position at a time in nanoseconds.
    #[inline]
    fn at(self, now: f64) -> Point {
        (self.origin.0 + self.velocity.0 * now, self.origin.1 + self.velocity.1 * now)
    }
}

/// Positions at one time.
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

    /// Positions at `now`, after [`Motions::advance`] to that time.
    #[inline]
    pub(in crate::phy) fn view(&self, now: Time) -> View<'_> {
        // A conversion from i64 is faster; it is exact up to 292 years.
        View { present: &self.present, now: now.0 as i64 as f64 }
    }

    /// Applies changes of motion up to `now`. Calls are in order of time.
    #[inline]
    pub(in crate::phy) fn advance(&mut self, now: Time) {
        while let Some(&Reverse((at, node))) = self.changes.peek()
            && at <= now
        {
            self.changes.pop();
            self.update_motion(node as usize, now);
        }
    }

    /// Area of the bounding rectangle of all trajectories, in square metres.
    pub(in crate::phy) fn area(&self) -> f64 {
        let boxes = || self.trajectories.iter().map(Trajectory::bounding_box);
        let side = |of: fn(Point) -> f64| {
            let low = boxes().map(|(low, _)| of(low)).fold(f64::INFINITY, f64::min);
            boxes().map(|(_, high)| of(high)).fold(f64::NEG_INFINITY, f64::max) - low
        };
        side(|point| point.0).max(0.0) * side(|point| point.1).max(0.0)
    }

    /// Updates the motion of a node.
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

    /// Position of a node.
    #[inline]
    pub(in crate::phy) fn position(&self, node: usize) -> Point {
        self.present[node].at(self.now)
    }
}
