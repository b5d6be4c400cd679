//! Limits of a run: events, and wall-clock time.
//!
//! Both are checked between slices of work. A run within its limits equals one without limits.

#![expect(clippy::disallowed_types, reason = "the limit is one of real time; no result depends on it")]

use crate::job::Job;
use hoplab::kernel::Time;
use hoplab::world::{EngineError, World};
use std::fmt;
use std::time::{Duration, Instant};

/// A limit that a caller can set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Events(u64),
    Wall(f64),
}

impl Limit {
    /// Its name in Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Limit::Events(_) => "events",
            Limit::Wall(_) => "wall",
        }
    }
}

/// A limit that was reached, and the progress of the run.
#[derive(Debug)]
pub(crate) struct LimitReached {
    pub(crate) limit: Limit,
    /// Simulated time reached, and that of the whole run.
    pub(crate) at: Time,
    pub(crate) end: Time,
    pub(crate) events: u64,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, end) = (self.at.secs(), self.end.secs());
        write!(f, "ended at t = {at:.6} s of {end} s, after {} events: ", self.events)?;
        match self.limit {
            Limit::Events(most) => write!(f, "the limit is {most} events (max_events)"),
            Limit::Wall(most) => write!(f, "the limit is {most} s of real time (max_wall)"),
        }
    }
}

/// The limits of a run in progress.
pub(crate) struct Limits {
    wall: Option<(f64, Instant)>,
    end: Time,
}

impl Limits {
    /// Starts to count. The clock runs since `started`.
    pub(crate) fn begin(job: &Job, started: Instant, end: Time, world: &mut World) -> Limits {
        if let Some(most) = job.max_events {
            world.limit_events(most);
        }
        // A time too long to be added is no limit.
        let over = |most: f64| Duration::try_from_secs_f64(most).ok().and_then(|most| started.checked_add(most));
        Limits { wall: job.max_wall_s.and_then(|most| Some((most, over(most)?))), end }
    }

    /// The limit of wall-clock time, if it is reached.
    pub(crate) fn wall_limit(&self, world: &World) -> Option<LimitReached> {
        let (most, over) = self.wall?;
        (Instant::now() >= over).then(|| self.reached(Limit::Wall(most), world))
    }

    /// The limit that an error of the engine is about.
    pub(crate) fn of(&self, error: &EngineError, world: &World) -> Option<LimitReached> {
        let EngineError::TooManyEvents { limit, .. } = error else { return None };
        Some(self.reached(Limit::Events(*limit), world))
    }

    fn reached(&self, limit: Limit, world: &World) -> LimitReached {
        LimitReached { limit, at: world.now(), end: self.end, events: world.events() }
    }
}

/// Wall-clock time.
pub(crate) fn now() -> Instant {
    Instant::now()
}
