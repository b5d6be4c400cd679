//! The trajectory of a node: legs of uniform motion, and rest before, between and after them.
//!
//! All models and formats produce it, and the medium reads positions and velocities from it; ns-2.35 `MobileNode` stores the
//! current leg alone.

use crate::kernel::{Span, Time};

/// A position, in meters.
pub type Point = (f64, f64);

/// Straight motion at constant speed. A leg of no length in time is a jump: the node is at its end from `t0` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Start time.
    pub t0: Time,
    /// Start, in metres.
    pub x0: f64,
    /// Start, in metres.
    pub y0: f64,
    /// End time.
    pub t1: Time,
    /// End, in metres.
    pub x1: f64,
    /// End, in metres.
    pub y1: f64,
}

/// Where a node is at each time of a run.
///
/// Before the first leg the node is at its start; after each leg it is at the end of that leg. Legs are in order of time and do
/// not overlap. A leg that does not begin at the position of the node begins with a jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    start: Point,
    legs: Vec<Leg>,
    low: Point,
    high: Point,
    max_speed: f64,
}

/// Position of a reader in a [`Trajectory`], for cheap reading forward in time. Starts as its default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// Legs that had begun at the last reading.
    begun: usize,
}

/// Position and velocity at a time, and until when the velocity is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Position in metres.
    pub position: Point,
    /// Metres per second along each axis.
    pub velocity: Point,
    /// When velocity changes next, or the node jumps; [`Time::NEVER`] if it is stationary from now on.
    pub until: Time,
}

impl Trajectory {
    /// Stationary at a position.
    pub fn still(x: f64, y: f64) -> Trajectory {
        Path::at(x, y).finish()
    }

    /// Position at `t`.
    pub fn position(&self, t: Time) -> Point {
        self.place(self.begun(t), t)
    }

    /// Motion from `t` on, for a reader that advances in time: constant amortized cost. Going back is allowed.
    pub fn course_from(&self, cursor: &mut Cursor, t: Time) -> Course {
        self.advance(cursor, t);
        let position = self.place(cursor.begun, t);
        match self.current(cursor.begun) {
            Some(leg) if t < leg.t1 => Course { position, velocity: leg.velocity(), until: leg.t1 },
            _ => Course { position, velocity: (0.0, 0.0), until: self.next_start(cursor.begun) },
        }
    }

    /// The first time after `t` at which velocity changes or the node jumps; [`Time::NEVER`] if none is left.
    pub fn next_change(&self, t: Time) -> Time {
        let begun = self.begun(t);
        match self.current(begun) {
            Some(leg) if t < leg.t1 => leg.t1,
            _ => self.next_start(begun),
        }
    }

    /// Position at the start of the run.
    pub fn start(&self) -> Point {
        self.position(Time::ZERO)
    }

    /// All legs, in order of time.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Whether it is stationary for the whole run.
    pub fn is_still(&self) -> bool {
        self.legs.is_empty()
    }

    /// Lower left and upper right corner of its bounding rectangle.
    pub fn bounding_box(&self) -> (Point, Point) {
        (self.low, self.high)
    }

    /// Maximum speed in metres per second; jumps do not count.
    pub fn max_speed(&self) -> f64 {
        self.max_speed
    }

    /// Whether it has a jump.
    pub fn has_jumps(&self) -> bool {
        let mut here = self.start;
        self.legs.iter().any(|leg| {
            let is_apart = (leg.x0, leg.y0) != here;
            here = (leg.x1, leg.y1);
            is_apart
        })
    }

    /// The trajectory from `skip` on, which becomes the start.
    #[must_use]
    pub fn after(&self, skip: Span) -> Trajectory {
        let from = Time::ZERO + skip;
        let begun = self.begun(from);
        let start = self.place(begun, from);
        let rest = self.current(begun).filter(|leg| from < leg.t1).map(|leg| Leg {
            t0: from,
            x0: start.0,
            y0: start.1,
            ..*leg
        });
        let earlier = |t: Time| Time(t.0.saturating_sub(skip.0));
        let legs = rest.into_iter().chain(self.legs[begun..].iter().copied());
        let legs = legs.map(|leg| Leg { t0: earlier(leg.t0), t1: earlier(leg.t1), ..leg });
        Path { start, legs: legs.collect() }.finish()
    }

    /// Number of legs that have begun by `t`.
    fn begun(&self, t: Time) -> usize {
        self.legs.partition_point(|leg| leg.t0 <= t)
    }

    fn advance(&self, cursor: &mut Cursor, t: Time) {
        if self.current(cursor.begun).is_some_and(|leg| leg.t0 > t) {
            cursor.begun = self.begun(t);
        }
        while self.legs.get(cursor.begun).is_some_and(|leg| leg.t0 <= t) {
            cursor.begun += 1;
        }
    }

    fn current(&self, begun: usize) -> Option<&Leg> {
        begun.checked_sub(1).and_then(|last| self.legs.get(last))
    }

    fn place(&self, begun: usize, t: Time) -> Point {
        self.current(begun).map_or(self.start, |leg| leg.position(t))
    }

    fn next_start(&self, begun: usize) -> Time {
        self.legs.get(begun).map_or(Time::NEVER, |leg| leg.t0)
    }
}

impl Leg {
    /// Position at `t`, which is not before the leg begins.
    fn position(&self, t: Time) -> Point {
        if t >= self.t1 {
            return (self.x1, self.y1);
        }
        let share = t.since(self.t0).0 as f64 / self.t1.since(self.t0).0 as f64;
        (between(self.x0, self.x1, share), between(self.y0, self.y1, share))
    }

    /// Metres per second along each axis.
    fn velocity(&self) -> Point {
        let secs = self.t1.since(self.t0).secs();
        ((self.x1 - self.x0) / secs, (self.y1 - self.y0) / secs)
    }

    /// Distance from its start to its end, in metres.
    pub fn length(&self) -> f64 {
        libm::hypot(self.x1 - self.x0, self.y1 - self.y0)
    }

    /// Metres per second; zero for a jump.
    pub fn speed(&self) -> f64 {
        if self.t0 == self.t1 { 0.0 } else { self.length() / self.t1.since(self.t0).secs() }
    }
}

/// A point between `a` and `b`: within both in spite of rounding.
fn between(a: f64, b: f64, share: f64) -> f64 {
    (a + (b - a) * share).clamp(a.min(b), a.max(b))
}

/// Builds a [`Trajectory`]. Each call gives the motion from a time on that is not before that of the last call.
#[derive(Clone, Debug)]
pub struct Path {
    start: Point,
    legs: Vec<Leg>,
}

/// Longer legs are cut off: no run lasts as long.
const LONGEST_LEG_S: f64 = 1e9;

impl Path {
    /// Starts at a position.
    pub fn at(x: f64, y: f64) -> Path {
        Path { start: (x, y), legs: Vec::new() }
    }

    /// Stops at `t`. Returns the position then.
    pub fn stop(&mut self, t: Time) -> Point {
        let here = self.position(t);
        while self.legs.last().is_some_and(|leg| leg.t0 >= t) {
            self.legs.pop();
        }
        if let Some(leg) = self.legs.last_mut().filter(|leg| leg.t1 > t) {
            (leg.t1, leg.x1, leg.y1) = (t, here.0, here.1);
        }
        self.stand(t, here);
        here
    }

    /// Is at `to` from `t` on.
    pub fn jump(&mut self, t: Time, to: Point) {
        self.stop(t);
        self.drop_jump(t);
        self.stand(t, to);
    }

    /// Moves from `t` on to `to` at `speed` (m/s). Returns the time of arrival. At speed zero it stops.
    pub fn go(&mut self, t: Time, to: Point, speed: f64) -> Time {
        let from = self.stop(t);
        let length = libm::hypot(to.0 - from.0, to.1 - from.1);
        if speed <= 0.0 || length == 0.0 {
            return t;
        }
        let secs = length / speed;
        let share = (LONGEST_LEG_S / secs).min(1.0);
        let end = (between(from.0, to.0, share), between(from.1, to.1, share));
        let arrival = t + Span::from_secs(secs.min(LONGEST_LEG_S));
        self.move_to(t, from, arrival, end);
        arrival
    }

    /// Moves uniformly from its position at `t` to `to` at `arrival`; jumps if both times are equal.
    pub fn reach(&mut self, t: Time, arrival: Time, to: Point) {
        let from = self.stop(t);
        if from != to {
            self.move_to(t, from, arrival, to);
        }
    }

    /// The trajectory.
    pub fn finish(self) -> Trajectory {
        let Path { start, legs } = self;
        debug_assert!(legs.iter().all(|leg| leg.t0 <= leg.t1) && legs.windows(2).all(|pair| pair[0].t1 <= pair[1].t0));
        let (mut low, mut high) = (start, start);
        let mut max_speed: f64 = 0.0;
        for leg in &legs {
            low = (low.0.min(leg.x0).min(leg.x1), low.1.min(leg.y0).min(leg.y1));
            high = (high.0.max(leg.x0).max(leg.x1), high.1.max(leg.y0).max(leg.y1));
            max_speed = max_speed.max(leg.speed());
        }
        Trajectory { start, legs, low, high, max_speed }
    }

    fn move_to(&mut self, t: Time, from: Point, arrival: Time, to: Point) {
        if arrival <= t {
            return self.jump(t, to);
        }
        self.drop_jump(t);
        self.legs.push(Leg { t0: t, x0: from.0, y0: from.1, t1: arrival, x1: to.0, y1: to.1 });
    }

    fn position(&self, t: Time) -> Point {
        self.legs.iter().rev().find(|leg| leg.t0 <= t).map_or(self.start, |leg| leg.position(t))
    }

    /// Rests at `here` from `t` on, after all calls so far.
    fn stand(&mut self, t: Time, here: Point) {
        let end = self.legs.last().map_or(self.start, |leg| (leg.x1, leg.y1));
        if end == here {
            return;
        }
        if t == Time::ZERO {
            self.start = here;
        } else {
            self.legs.push(Leg { t0: t, x0: here.0, y0: here.1, t1: t, x1: here.0, y1: here.1 });
        }
    }

    /// Removes a jump at `t`, as the next leg begins at its end.
    fn drop_jump(&mut self, t: Time) {
        if self.legs.last().is_some_and(|leg| leg.t0 == t) {
            self.legs.pop();
        }
    }
}

#[cfg(test)]
mod tests;
