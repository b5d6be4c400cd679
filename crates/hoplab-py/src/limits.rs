//! Limits of a run: events, wall-clock time, and memory.
//!
//! Both are checked between slices of work. A run within its limits equals one without limits.

#![expect(clippy::disallowed_types, reason = "the limit is one of real time; no result depends on it")]

pub(crate) mod interrupt;
pub(crate) mod memory;
pub(crate) mod watch;

use crate::controller::Failed;
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
    /// Simulated time reached.
    pub(crate) at: Time,
    /// Simulated time of the whole run, and events, where they are known.
    pub(crate) end: Option<Time>,
    pub(crate) events: Option<u64>,
    /// The controller's call during which the limit was reached.
    pub(crate) call: Option<String>,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ended at t = {:.6} s", self.at.secs())?;
        if let (Some(end), Some(events)) = (self.end, self.events) {
            write!(f, " of {} s, after {events} events", end.secs())?;
        }
        match self.limit {
            Limit::Events(most) => write!(f, ": the limit is {most} events (max_events)"),
            Limit::Wall(most) => write!(f, ": the limit is {most} s of real time (max_wall)"),
        }?;
        self.call.as_ref().map_or(Ok(()), |call| write!(f, "; {call}"))
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
        let (end, events) = (Some(self.end), Some(world.events()));
        LimitReached { limit, at: world.now(), end, events, call: None }
    }

    /// The limit of wall-clock time that has ended a controller's call, at the time of the call.
    pub(crate) fn of_call(&self, failed: &Failed, world: &World) -> LimitReached {
        let most = self.wall.map_or(0.0, |(most, _)| most);
        let at = failed.time.map_or(world.now(), Time::from_secs);
        LimitReached { at, events: None, call: Some(failed.describe()), ..self.reached(Limit::Wall(most), world) }
    }
}

/// Wall-clock time.
pub(crate) fn now() -> Instant {
    Instant::now()
}
