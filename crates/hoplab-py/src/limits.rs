//! How much a run may take before it is ended: events, and time by the clock on the wall.
//!
//! Both are looked at between slices of work. A run that stays within them is the same as one without.

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
    /// As Python knows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Limit::Events(_) => "events",
            Limit::Wall(_) => "wall",
        }
    }
}

/// A limit that was met, and how far the run was.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) limit: Limit,
    /// Simulated time reached, and that of the whole run.
    pub(crate) at: Time,
    pub(crate) end: Time,
    pub(crate) events: u64,
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, end) = (self.at.secs(), self.end.secs());
        write!(f, "ended at t = {at:.6} s of {end} s, after {} events: ", self.events)?;
        match self.limit {
            Limit::Events(most) => write!(f, "the limit is {most} events (max_events)"),
            Limit::Wall(most) => write!(f, "the limit is {most} s of real time (max_wall)"),
        }
    }
}

/// The limits of a run that has begun.
pub(crate) struct Limits {
    wall: Option<(f64, Instant)>,
    end: Time,
}

impl Limits {
    /// Begins to count. The clock has run since `started`.
    pub(crate) fn begin(job: &Job, started: Instant, end: Time, world: &mut World) -> Limits {
        if let Some(most) = job.max_events {
            world.limit_events(most);
        }
        // What is too long to be added is no limit.
        let over = |most: f64| Duration::try_from_secs_f64(most).ok().and_then(|most| started.checked_add(most));
        Limits { wall: job.max_wall_s.and_then(|most| Some((most, over(most)?))), end }
    }

    /// What has been met by now, if real time is over.
    pub(crate) fn met(&self, world: &World) -> Option<Met> {
        let (most, over) = self.wall?;
        (Instant::now() >= over).then(|| self.told(Limit::Wall(most), world))
    }

    /// The limit that an error of the engine speaks of, if it does.
    pub(crate) fn of(&self, error: &EngineError, world: &World) -> Option<Met> {
        let EngineError::TooManyEvents { limit, .. } = error else { return None };
        Some(self.told(Limit::Events(*limit), world))
    }

    fn told(&self, limit: Limit, world: &World) -> Met {
        Met { limit, at: world.now(), end: self.end, events: world.events() }
    }
}

/// The time by the clock on the wall.
pub(crate) fn now() -> Instant {
    Instant::now()
}
