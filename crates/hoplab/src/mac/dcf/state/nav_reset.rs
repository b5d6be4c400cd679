//! Whether the NAV that an RTS has set is reset because no frame follows (`mac.nav_reset_after_rts`).
//!
//! IEEE 802.11-1999 section 9.2.5.4 lets a station reset the NAV if no frame has begun within 2 SIFS, a CTS and 2 slots
//! of the RTS; 802.11-2012 section 9.3.2.4. ns-2.35 does not. The NAV itself is `Radio::nav_until`: the medium reads it at
//! every signal.
//!
//! Timers: [`MacTimer::NavReset`], from the end of such an RTS until a frame begins.

use crate::kernel::{RadioId, Span, TimerId};
use crate::sim::{Ctx, Event, MacTimer};

/// What becomes of the NAV before it expires.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac::dcf) enum NavReset {
    /// Not pending.
    Standing,
    /// It is reset unless a frame begins before.
    Pending { timer: TimerId },
}

impl NavReset {
    /// Whether a frame that begins now matters to the NAV.
    #[inline]
    pub(in crate::mac::dcf) fn is_pending(self) -> bool {
        matches!(self, NavReset::Pending { .. })
    }

    /// An RTS has set the NAV, which is reset after `wait`.
    pub(in crate::mac::dcf) fn start(&mut self, ctx: &mut Ctx, radio: RadioId, wait: Span) {
        let timer = ctx.events.schedule(ctx.now + wait, Event::Mac { radio, timer: MacTimer::NavReset });
        self.stop(ctx);
        *self = NavReset::Pending { timer };
    }

    /// A frame has followed: the NAV remains set.
    #[inline]
    pub(in crate::mac::dcf) fn stop(&mut self, ctx: &mut Ctx) {
        if let NavReset::Pending { timer } = *self {
            ctx.events.cancel(timer);
            *self = NavReset::Standing;
        }
    }

    /// The timer has fired.
    pub(in crate::mac::dcf) fn on_timer(&mut self) {
        *self = NavReset::Standing;
    }
}
