//! DCF, access to the medium: counting slots down, and what goes out when the count is over.

use super::MacCtx;
use super::dcf::{BACKOFF, GAP, Mac, NAV, TxState};
use super::handshake::HandshakePolicy;
use crate::kernel::{Span, Time};
use crate::packet::FrameKind;
use crate::phy::{Awaits, Radio, Watch};

impl Mac {
    /// Whether nothing is on the air here, reserved or awaited.
    #[inline]
    pub(super) fn is_idle(&self, cx: &MacCtx<'_>) -> bool {
        self.may_count(cx.ctx.now, cx.medium.radio(self.node))
    }

    #[inline]
    fn may_count(&self, now: Time, radio: &Radio) -> bool {
        self.state == TxState::Idle && now >= radio.reserved_until && !radio.is_receiving()
    }

    /// Between two events: whether a backoff waits although its slots may be counted. At the very moment at which a
    /// reservation ends the event that says so may be yet to come.
    pub fn waits_for_nothing(&self, now: Time, radio: &Radio) -> bool {
        let is_counting = self.backoff.is_running() && radio.watch != Watch::Paused;
        let is_waiting = self.backoff.is_on() && !is_counting;
        is_waiting && now > radio.reserved_until && self.may_count(now, radio)
    }

    /// Lets the backoff count or pause, as the medium allows.
    #[inline]
    pub(super) fn check_access(&mut self, cx: &mut MacCtx<'_>) {
        if self.backoff.is_on() {
            self.count_or_pause(cx);
            self.watch(cx);
        }
    }

    fn count_or_pause(&mut self, cx: &mut MacCtx<'_>) {
        if self.is_idle(cx) {
            let space = self.space();
            self.backoff.resume(cx.ctx, space, self.timing.slot, self.event(BACKOFF));
            return;
        }
        self.backoff.pause(cx.ctx, self.timing.slot);
        let radio = cx.medium.radio(self.node);
        let only_reserved = self.state == TxState::Idle && !radio.is_receiving();
        if only_reserved && radio.visit_at <= cx.ctx.now && !cx.medium.tells_release(cx.ctx, self.node) {
            let nav = self.nav(cx);
            cx.ctx.events.schedule(nav, self.event(NAV));
            cx.medium.radio_mut(self.node).visit_at = nav;
        }
    }

    pub(super) fn draw_if_off(&mut self, cx: &mut MacCtx<'_>) {
        if !self.backoff.is_on() {
            self.draw(cx);
        }
    }

    pub(super) fn back_off_more(&mut self, cx: &mut MacCtx<'_>) {
        self.cw = (2 * self.cw + 1).min(self.timing.config.cw_max);
        self.draw(cx);
    }

    /// Draws slots from the current window: 0 to cw - 1 in ns-2, 0 to cw in the standard.
    pub(super) fn draw(&mut self, cx: &mut MacCtx<'_>) {
        let cw = self.handshake.window(cx.ctx.now, self.cw, self.timing.config.cw_min);
        let values = if self.timing.is_std() { cw + 1 } else { cw };
        let slots = self.slots.below(values);
        self.backoff.draw(slots);
        self.check_access(cx);
    }

    /// Idle time before counting: EIFS after a frame that could not be read (profile `std`), else DIFS.
    pub(super) fn space(&self) -> Span {
        if self.after_error { self.timing.eifs } else { self.timing.difs }
    }

    pub(super) fn on_backoff(&mut self, cx: &mut MacCtx<'_>) {
        // A response goes first; resume() comes back to the rest.
        if self.response.is_none() {
            self.contend_now(cx);
        }
        self.watch(cx);
    }

    pub(super) fn start_gap(&mut self, cx: &mut MacCtx<'_>) {
        let at = cx.ctx.now + self.timing.sifs;
        self.gap_timer = Some(cx.ctx.events.schedule(at, self.event(GAP)));
    }

    pub(super) fn on_gap(&mut self, cx: &mut MacCtx<'_>) {
        let Some(response) = self.response else {
            self.contend_now(cx);
            self.watch(cx);
            return;
        };
        if response.kind == FrameKind::Cts {
            // It is the NAV that forbids a CTS (IEEE 802.11-1999 section 9.2.5.7). ns-2 asks for a quiet medium, too.
            let is_clear = self.timing.is_std() || !cx.medium.radio(self.node).is_receiving();
            if self.state == TxState::Idle && cx.ctx.now >= self.nav(cx) && is_clear {
                self.answer(cx, response);
            } else {
                self.response = None;
                self.resume(cx);
            }
        } else {
            self.transmit(cx, TxState::Ack, response, self.timing.ack);
        }
    }

    /// Sends the RTS or the data that is next, if the medium is idle; otherwise backs off once more.
    pub(super) fn contend_now(&mut self, cx: &mut MacCtx<'_>) {
        if let Some(rts) = self.rts {
            if !self.is_idle(cx) {
                self.back_off_more(cx);
                return;
            }
            if self.parks(cx, false) {
                self.offer(cx);
                return;
            }
            self.request(cx, rts);
        } else if let Some(service) = self.service {
            if !(self.is_idle(cx) || self.timing.is_std() && service.uses_rts) {
                if service.uses_rts {
                    self.rts = Some(self.new_rts());
                }
                self.back_off_more(cx);
                return;
            }
            self.send_data(cx, &service.frame);
        }
    }

    /// Asks the radio to tell of what matters, and of little else.
    #[inline]
    pub(super) fn watch(&self, cx: &mut MacCtx<'_>) {
        let radio = cx.medium.radio_mut(self.node);
        radio.watch = if self.nav_reset.is_some() || !self.observers.is_empty() {
            Watch::Told
        } else if self.backoff.is_running() {
            Watch::Counting
        } else {
            Watch::Nothing
        };
        if self.backoff.is_on() {
            radio.await_quiet(cx.ctx.now);
        } else {
            radio.awaits = Awaits::Nothing;
        }
    }
}
