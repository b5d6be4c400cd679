//! The event of a part that returns its next deadline instead of setting timers, as transports do.

use crate::kernel::{Time, TimerId};
use crate::sim::{Ctx, Event};

/// One pending event, no later than the deadline of its part.
///
/// If the deadline is postponed, the event remains and has no effect when it fires: restarting a retransmission timer at
/// every acknowledgment costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeadlineTimer(Option<(Time, TimerId)>);

impl DeadlineTimer {
    /// Ensures that `event` fires no later than `deadline`, if there is one.
    #[inline]
    pub(super) fn arm(&mut self, ctx: &mut Ctx, deadline: Option<Time>, event: Event) {
        let Some(deadline) = deadline else { return };
        let deadline = deadline.max(ctx.now);
        match self.0 {
            Some((at, _)) if at <= deadline => return,
            Some((_, timer)) => ctx.events.cancel(timer),
            None => {}
        }
        self.0 = Some((deadline, ctx.events.schedule(deadline, event)));
    }

    /// The event has fired.
    #[inline]
    pub(super) fn on_fired(&mut self) {
        self.0 = None;
    }

    /// Removes the event.
    pub(super) fn cancel(&mut self, ctx: &mut Ctx) {
        if let Some((_, timer)) = self.0.take() {
            ctx.events.cancel(timer);
        }
    }
}
