//! Medium access: contention window, interframe space, and the backoff that counts after it.
//!
//! A backoff counts while the medium is idle by carrier sense and NAV and the station is not in an exchange of its own
//! (IEEE 802.11-1999 sections 9.2.3, 9.2.4 and 9.2.5.2; ns-2.35 `Mac802_11::cw_`, `mhBackoff_`).
//!
//! Timers: [`MacTimer::Nav`] at the end of the NAV where nothing but the NAV freezes the backoff and the medium does not
//! report that end; its time is `Radio::nav_check_at`. The backoff sets its own.

use super::backoff::Backoff;
use crate::kernel::{RadioId, RandomStream, RunKind, Span, Time};
use crate::mac::MacCtx;
use crate::mac::timing::Timing;
use crate::phy::Radio;
use crate::sim::{Event, MacTimer};

/// A station's access to the medium.
#[derive(Debug)]
pub(in crate::mac::dcf) struct Access {
    /// Slots that are left.
    pub(in crate::mac::dcf) backoff: Backoff,
    cw: u32,
    /// Between what the window varies, and how long the medium must be idle.
    pub(in crate::mac::dcf) limits: AccessLimits,
    slots: RandomStream,
    /// Since when the medium could be idle, apart from the NAV (profile `std`).
    pub(in crate::mac::dcf) idle_since: Time,
    /// Until when EIFS runs: from the end of a frame that could not be decoded, unless a decoded one ends it (profile
    /// `std`; IEEE 802.11-1999 section 9.2.3.4).
    pub(in crate::mac::dcf) eifs_until: Time,
}

/// Parameters of access to the medium.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac::dcf) struct AccessLimits {
    /// First contention window, in slots.
    pub(in crate::mac::dcf) cw_min: u32,
    /// Last contention window, in slots.
    pub(in crate::mac::dcf) cw_max: u32,
    /// Idle time before slots are counted, as in [`Timing::difs`].
    pub(in crate::mac::dcf) difs: Span,
    /// TXOP limit; zero: one exchange.
    pub(in crate::mac::dcf) txop: Span,
}

impl AccessLimits {
    /// Those of a station whose packets are all of one category.
    pub(in crate::mac::dcf) fn of(timing: &Timing) -> AccessLimits {
        let config = &timing.config;
        let txop = config.txop_limit.unwrap_or(Span::ZERO);
        AccessLimits { cw_min: config.cw_min, cw_max: config.cw_max, difs: timing.difs, txop }
    }
}

impl Access {
    /// No backoff pending, and the first contention window.
    pub(in crate::mac::dcf) fn new(limits: AccessLimits, slots: RandomStream) -> Access {
        let (idle_since, eifs_until) = (Time::ZERO, Time::ZERO);
        Access { backoff: Backoff::default(), cw: limits.cw_min, limits, slots, idle_since, eifs_until }
    }

    /// Sets the parameters of an idle station.
    pub(in crate::mac::dcf) fn set_limits(&mut self, limits: AccessLimits) {
        (self.limits, self.cw) = (limits, limits.cw_min);
    }

    /// Exchanges what belongs to one category.
    pub(in crate::mac::dcf) fn exchange(&mut self, backoff: &mut Backoff, cw: &mut u32, limits: &mut AccessLimits) {
        std::mem::swap(&mut self.backoff, backoff);
        std::mem::swap(&mut self.cw, cw);
        std::mem::swap(&mut self.limits, limits);
    }

    /// Slots of a backoff of 0 to `values` - 1.
    pub(in crate::mac::dcf) fn slots(&mut self, values: u32) -> u32 {
        self.slots.below(values)
    }

    /// Contention window, in slots.
    pub(in crate::mac::dcf) fn cw(&self) -> u32 {
        self.cw
    }

    /// Doubles CW, up to its limit.
    pub(in crate::mac::dcf) fn double_cw(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.limits.cw_max);
    }

    /// Resets CW to its first value.
    pub(in crate::mac::dcf) fn reset_cw(&mut self) {
        self.cw = self.limits.cw_min;
    }

    /// Draws a backoff of 0 to `values` - 1 slots and `more`, frozen at first.
    pub(in crate::mac::dcf) fn draw(&mut self, values: u32, more: u32) {
        let slots = self.slots(values);
        self.backoff.draw(slots + more);
    }

    /// Idle time before slots are counted on a medium that is idle since then: DIFS, or the rest of EIFS if that is longer.
    pub(in crate::mac::dcf) fn ifs(&self, since: Time) -> Span {
        self.limits.difs.max(self.eifs_until.since(since))
    }

    /// Whether slots may be counted: the station `is_free` of its own exchange, and carrier sense and NAV are idle.
    #[inline]
    pub(in crate::mac::dcf) fn is_idle(now: Time, radio: &Radio, is_free: bool) -> bool {
        is_free && now >= radio.nav_until && !radio.is_receiving()
    }

    /// Resumes the pending backoff on an idle medium, or freezes it. `is_free`: the station takes part in no exchange.
    // Separate, so that the frequent check for a pending backoff before it is small enough to be inlined.
    #[inline(never)]
    pub(in crate::mac::dcf) fn resume_or_freeze<R: RunKind>(
        &mut self,
        cx: &mut MacCtx<'_, R>,
        radio: RadioId,
        timing: &Timing,
        is_free: bool,
    ) {
        let sensed = cx.medium.radio(radio);
        if Access::is_idle(cx.ctx.now, sensed, is_free) {
            let ifs = self.ifs(cx.ctx.now);
            self.backoff.resume(cx.ctx, radio, ifs, timing.slot);
            return;
        }
        let only_nav = is_free && !sensed.is_receiving();
        let (nav, nav_check_at) = (sensed.nav_until, sensed.nav_check_at);
        self.backoff.freeze(cx.ctx, timing.slot);
        if only_nav && nav_check_at <= cx.ctx.now && !cx.medium.reports_nav_expiry(cx.ctx, radio) {
            cx.ctx.events.schedule(nav, Event::Mac { radio, timer: MacTimer::Nav });
            cx.medium.radio_mut(radio).nav_check_at = nav;
        }
    }
}
