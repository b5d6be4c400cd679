//! Times and timers of one destination: its settling time, its triggered update, and the timeout of a neighbor (Perkins and
//! Bhagwat 1994; ns-2.35 `wst`, `trigger_event`, `timeout_event`).

use super::config::DsdvConfig;
use crate::kernel::{Span, Time, TimerId};

/// Times of one destination, which change with its route only. One cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Clocks {
    /// Weighted mean time from the first arrival of a sequence number to that of its shortest route (wst).
    pub(super) settling: Span,
    /// First arrival of the sequence number.
    first_heard: Time,
    /// Last change of the route.
    pub(super) changed_at: Time,
    /// The triggered update that the entry has requested.
    pub(super) trigger: Option<Trigger>,
    /// Timer of the neighbor timeout. It may fire early: updates since it was set do not move it.
    pub(super) watch: Option<TimerId>,
}

/// A triggered update that is requested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trigger {
    /// Its time.
    pub(super) at: Time,
    /// Its timer.
    pub(super) timer: TimerId,
}

impl Clocks {
    /// Those of a destination that is new at `now`.
    pub(super) fn new(now: Time, config: &DsdvConfig) -> Clocks {
        let settling = config.settling_time;
        Clocks { settling, first_heard: now, changed_at: now, trigger: None, watch: None }
    }

    /// A newer number has arrived: the time in which the old one settled updates the mean.
    pub(super) fn restart(&mut self, now: Time, weight: f64) {
        let settled_in = self.changed_at.since(self.first_heard).secs();
        self.settling = Span::from_secs(weight * self.settling.secs() + (1.0 - weight) * settled_in);
        self.first_heard = now;
    }
}
