//! Expiry of the NAV at stations that wait for it: one event per frame instead of one per station.
//!
//! A frame for other stations sets the NAV, and so do, as EIFS, frames that are undecodable or ignored. In a dense network
//! many receivers of a frame wait for its NAV, each expiring a little later than the one before; a timer for each would be
//! most of the events. One event visits all that are listed ([`NavLists`]), in order of delay.
//!
//! A radio stores when the expiry is checked ([`Radio::nav_check_at`]): a visit at any other time is outdated and skipped.
//! Where a frame has few receivers, or the NAV has another cause, the station sets its own timer.

use super::air::Air;
use super::nav_lists::NavLists;
use crate::kernel::{RadioId, Span, Time};
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{AccessWait, NavCause, Radio};
use crate::sim::{Ctx, PhyTimer};

impl NavCause {
    /// Causes at a signal end.
    const AT_END: [NavCause; 2] = [NavCause::Decoded, NavCause::Undecodable];

    fn timer(self) -> PhyTimer {
        match self {
            NavCause::Decoded => PhyTimer::NavExpiryDecoded,
            NavCause::Undecodable => PhyTimer::NavExpiryUndecodable,
            NavCause::Suppressed => PhyTimer::NavExpirySuppressed,
        }
    }

    fn of_timer(timer: PhyTimer) -> NavCause {
        match timer {
            PhyTimer::NavExpiryDecoded => NavCause::Decoded,
            PhyTimer::NavExpiryUndecodable => NavCause::Undecodable,
            _ => NavCause::Suppressed,
        }
    }
}

impl Air {
    /// Lists a station, to which a signal end is being indicated, if it waits for the NAV that this frame has set. If not,
    /// the station has to set a timer.
    pub(super) fn lists_nav_expiry(&mut self, ctx: &mut Ctx, radio: RadioId) -> bool {
        let Some((id, index)) = self.indicated else { return false };
        let receivers = self.receivers(id);
        if !NavLists::are_listed(receivers) {
            return false;
        }
        let receiver = receivers[index as usize];
        debug_assert_eq!(receiver.radio, radio, "only the MAC to which a signal end is indicated waits for its NAV");
        NavCause::AT_END.into_iter().any(|cause| self.list_if_set(ctx, id, cause, &receiver))
    }

    #[inline(never)]
    fn list_if_set(&mut self, ctx: &mut Ctx, id: u32, cause: NavCause, receiver: &Receiver) -> bool {
        let radio = &mut self.radios[receiver.radio.index()];
        if radio.nav_until != ctx.now + self.nav_lists.span(self.transmissions.get(id), cause) {
            return false;
        }
        if self.nav_lists.join(id, cause, radio, receiver) {
            self.schedule_nav_expiry(ctx, id, cause);
        }
        true
    }

    /// Schedules the visit of a list to which its first station was added.
    #[inline(never)]
    pub(super) fn schedule_nav_expiry(&mut self, ctx: &mut Ctx, id: u32, cause: NavCause) {
        let sent = self.transmissions.get_mut(id);
        let timer = cause.timer();
        sent.next[usize::from(timer)] = 0;
        sent.passages += 1;
        let first = self.nav_lists.get(id, cause)[0].delay;
        let at = sent.end() + self.nav_lists.span(sent, cause) + Span(u64::from(first));
        // That of stations that ignore the frame was reserved when it was sent.
        if cause != NavCause::Suppressed {
            sent.keys[usize::from(timer)] = ctx.events.reserve_key(at);
        }
        ctx.events.schedule_reserved(sent.keys[usize::from(timer)], at, sent.event(timer, id));
    }

    /// The next station whose NAV expires before `until` and before all other events, if any; to be called until there is
    /// none.
    #[inline(never)]
    pub(super) fn expire_nav(&mut self, ctx: &mut Ctx, id: u32, timer: PhyTimer, until: Time) -> Option<RadioId> {
        let bound = ctx.events.bound(until);
        let cause = NavCause::of_timer(timer);
        let sent = self.transmissions.get_mut(id);
        let base = sent.end() + self.nav_lists.span(sent, cause);
        let key = sent.keys[usize::from(timer)];
        let from = sent.next[usize::from(timer)];
        for (index, waiting) in (from..).zip(&self.nav_lists.get(id, cause)[from as usize..]) {
            let at = base + Span(u64::from(waiting.delay));
            let radio = &mut self.radios[waiting.radio.index()];
            if radio.nav_check_at != at {
                continue;
            }
            if key.moved(at) >= bound {
                sent.next[usize::from(timer)] = index;
                let event = sent.event(timer, id);
                self.note_pause(ctx, key.moved(at), until);
                ctx.events.schedule_reserved(key, at, event);
                return None;
            }
            ctx.now = at;
            if expires(radio, at) {
                sent.next[usize::from(timer)] = index + 1;
                return Some(waiting.radio);
            }
        }
        self.nav_lists.clear(id, cause);
        self.end_passage(id);
        None
    }
}

/// The expiry of the NAV is checked at a radio. Whether its station, which waits for it, is to be called.
#[inline]
pub(super) fn expires(radio: &mut Radio, now: Time) -> bool {
    if radio.awaits != AccessWait::NavExpiry || now != radio.nav_check_at {
        return false;
    }
    if radio.is_receiving() {
        // It now waits for the end of that frame.
        radio.awaits = AccessWait::Idle;
        return false;
    }
    true
}
