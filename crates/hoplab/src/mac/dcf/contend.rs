//! DCF, contention: when the station counts its backoff, and what it sends at the end of the count.
//!
//! IEEE 802.11-1999 sections 9.2.5.1 and 9.2.5.2; ns-2.35 `Mac802_11::backoffHandler`, `deferHandler`.

use super::state::{Access, NextFrame, Response, Txop};
use super::station::Mac;
use crate::kernel::{RunKind, Time};
use crate::mac::MacCtx;
use crate::mac::handshake::HandshakePolicy;
use crate::phy::{AccessWait, CcaReporting, Radio};

impl Mac {
    /// Whether the medium is idle by carrier sense and NAV, and the station takes part in no exchange.
    #[inline]
    pub(super) fn is_idle<R: RunKind>(&self, cx: &MacCtx<'_, R>) -> bool {
        self.may_count(cx.ctx.now, cx.medium.radio(self.radio))
    }

    #[inline]
    fn may_count(&self, now: Time, radio: &Radio) -> bool {
        Access::is_idle(now, radio, self.exchange.is_free())
    }

    /// Between two events: whether a backoff is frozen although its slots may be counted. When the NAV expires at this very
    /// time, the event that resumes the backoff may still follow.
    pub fn is_stalled(&self, now: Time, radio: &Radio) -> bool {
        let is_counting = self.access.backoff.is_running() && radio.cca_reporting != CcaReporting::Frozen;
        let is_frozen = self.access.backoff.is_pending() && !is_counting;
        (is_frozen || self.is_other_stalled(radio)) && now > radio.nav_until && self.may_count(now, radio)
    }

    /// Resumes or freezes the backoff, as the medium allows.
    #[expect(
        clippy::inline_always,
        reason = "called at each change of the medium: without a backoff there is nothing to do"
    )]
    #[inline(always)]
    pub(super) fn check_access<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if self.backoffs::<R>().0 {
            self.access.resume_or_freeze(cx, self.radio, &self.timing, self.exchange.is_free());
            if let Some(mut cx) = cx.any()
                && self.functions.is_some()
            {
                self.resume_or_freeze_others(&mut cx);
            }
            self.update_cca_reporting(cx);
        }
    }

    /// Draws a backoff unless one is pending.
    pub(super) fn draw_if_off<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if !self.access.backoff.is_pending() {
            self.draw(cx);
        }
    }

    /// Doubles CW after a failure, and draws a backoff.
    pub(super) fn double_cw<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        self.access.double_cw();
        if !self.recovers(cx) {
            self.draw(cx);
        }
    }

    /// Draws a backoff from the current window: 0 to CW - 1 in ns-2, 0 to CW in the standard.
    #[inline]
    pub(super) fn draw<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        let (mut cw, mut extra) = (self.access.cw(), self.timing.extra_slots);
        if !R::IS_PLAIN {
            self.txop = Txop::Off;
            cw = self.handshake.window(cx.ctx.now, cw, self.access.limits.cw_min);
            extra += if self.observers.is_empty() { 0 } else { self.pause_slots() };
        }
        self.access.draw(if self.timing.rules.draws_cw { cw + 1 } else { cw }, extra);
        self.check_access(cx);
    }

    /// Slots by which observers lengthen this backoff.
    #[inline(never)]
    fn pause_slots(&mut self) -> u32 {
        self.observers.take_pause().0.div_ceil(self.timing.slot.0) as u32
    }

    /// The slots have been counted.
    pub(super) fn on_backoff_over<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        // A response is sent first; resume() returns to the packet in service.
        if !self.exchange.owes_response() {
            self.contend_now(cx);
        }
        self.update_cca_reporting(cx);
    }

    /// SIFS is over: sends the response, or data after a CTS.
    pub(super) fn on_sifs_over<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        self.exchange.on_sifs_over();
        match self.exchange.take_response() {
            Response::None => {
                match cx.any() {
                    Some(mut cx) if self.txop.goes_on() => self.continue_burst(&mut cx),
                    _ => self.contend_now(cx),
                }
                self.update_cca_reporting(cx);
            }
            Response::Cts { rts } => self.respond_to_rts(cx, &rts),
            Response::Ack(ack) => self.send_ack(cx, ack),
        }
    }

    /// Sends the RTS or the data that is next, if the medium is idle; otherwise doubles CW and draws again.
    pub(super) fn contend_now<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        let Some(next) = self.outgoing.service.as_ref().map(|service| service.next) else { return };
        let needs_idle = next != NextFrame::GrantedData || self.timing.rules.granted_data_needs_idle;
        if needs_idle && !self.is_idle(cx) {
            self.outgoing.revoke_grant();
            self.double_cw(cx);
            return;
        }
        if let Some(mut cx) = cx.any() {
            if self.is_asked(next) && self.parks(&mut cx, false) {
                return self.offer(&mut cx);
            }
            if next != NextFrame::GrantedData {
                self.begin_txop(cx.ctx.now);
                if self.has_window() {
                    return self.take_turn(&mut cx);
                }
            }
        }
        self.send_next(cx);
    }

    /// Whether the policy decides on a packet before this frame of it.
    pub(super) fn is_asked(&mut self, next: NextFrame) -> bool {
        if self.handshake.is_plain() {
            return false;
        }
        if next != NextFrame::GrantedData && self.has_window() {
            return self.is_asked_before_turn(next);
        }
        match next {
            NextFrame::Rts { .. } => true,
            NextFrame::GrantedData => false,
            NextFrame::Data | NextFrame::SelfCts => self.handshake.decides_without_rts() && !self.is_broadcasting(),
        }
    }

    /// Whether the policy decides on a window before an A-MPDU of it is laid out, which may be so long that it needs an RTS. A
    /// request for a Block Ack is no data.
    fn is_asked_before_turn(&mut self, next: NextFrame) -> bool {
        let uses_rts = matches!(next, NextFrame::Rts { .. }) || self.timing.uses_rts_for(self.turn.bytes());
        (uses_rts || self.handshake.decides_without_rts()) && !self.originator().owes_request()
    }

    fn is_broadcasting(&self) -> bool {
        self.outgoing.service.as_ref().is_some_and(|service| service.frame.is_broadcast())
    }

    /// Sets what the radio reports to this station.
    #[expect(clippy::inline_always, reason = "called at each change of the medium, with few instructions")]
    #[inline(always)]
    pub(super) fn update_cca_reporting<R: RunKind>(&self, cx: &mut MacCtx<'_, R>) {
        let (is_pending, is_running) = self.backoffs::<R>();
        let radio = cx.medium.radio_mut(self.radio);
        radio.cca_reporting = if !R::IS_PLAIN && (self.nav_reset.is_pending() || !self.observers.is_empty()) {
            CcaReporting::Immediate
        } else if is_running {
            CcaReporting::Counting
        } else {
            CcaReporting::Nothing
        };
        if is_pending {
            radio.await_idle(cx.ctx.now);
        } else {
            radio.awaits = AccessWait::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{RadioId, Span};
    use crate::mac::MacConfig;
    use crate::mac::dcf::state::SentFrame;
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::packet::{Frame, FrameKind};
    use crate::phy::Reception;
    use crate::trace::What;

    const EIFS: u64 = 364;
    const DIFS: u64 = 50;
    const SLOT: u64 = 20;

    /// A station of profile `std`, and its events, in microseconds. IEEE 802.11-1999 section 9.2.3.4.
    struct Script(Station);

    impl Script {
        fn new() -> Script {
            let mut station = Station::plain(&MacConfig::std());
            station.ctx.trace.keep_records();
            Script(station)
        }

        fn at(mut self, micros: u64, act: impl FnOnce(&mut Station)) -> Script {
            self.0.run_until(Time::ZERO + Span::from_micros(micros));
            act(&mut self.0);
            self
        }

        /// An undecodable frame ends.
        fn undecodable(self, micros: u64) -> Script {
            self.at(micros, |station| station.hear(&Frame::blank(FrameKind::Cts, OTHER, ME), Reception::Collided))
        }

        /// An overheard frame ends, which sets the NAV.
        fn sets_nav(self, micros: u64, duration: u16) -> Script {
            let frame = Frame { duration, ..Frame::blank(FrameKind::Cts, OTHER, RadioId(3)) };
            self.at(micros, |station| station.hear(&frame, Reception::Clean))
        }

        /// Energy arrives and ends that is no frame.
        fn energy(self, from: u64, until: u64) -> Script {
            let busy = self.at(from, |station| {
                station.medium.radio_mut(ME).has_carrier = true;
                station.act(Mac::on_busy);
            });
            busy.at(until, |station| {
                station.medium.radio_mut(ME).has_carrier = false;
                station.act(Mac::on_idle);
            })
        }

        fn packet(self, micros: u64) -> Script {
            self.at(micros, |station| station.send(OTHER, 500))
        }

        /// When its frames begin.
        fn sent(mut self) -> Vec<u64> {
            self.0.run_until(Time::from_secs(0.1));
            let records = self.0.ctx.trace.take_records();
            let frames = records.iter().filter(|record| matches!(record.what, What::FrameSent { .. }));
            frames.map(|record| record.time.0 / 1000).collect()
        }

        fn first(self) -> u64 {
            self.sent()[0]
        }
    }

    /// Length of the first backoff.
    fn slots() -> u64 {
        let slots = Script::new().energy(900, 1000).packet(1000).first() - 1000 - DIFS;
        assert!(slots > 2 * SLOT, "the cases below need some slots");
        slots
    }

    #[test]
    fn eifs_runs_from_the_end_of_an_undecodable_frame() {
        assert_eq!(Script::new().undecodable(1000).packet(1000).first(), 1000 + EIFS + slots());
    }

    #[test]
    fn decoded_frame_ends_eifs() {
        assert_eq!(Script::new().undecodable(1000).sets_nav(1100, 0).packet(1100).first(), 1100 + DIFS + slots());
    }

    #[test]
    fn after_nav_only_the_rest_of_eifs_is_waited_for() {
        let counts_from =
            |ends: u16| Script::new().sets_nav(500, ends - 500).undecodable(1000).packet(1000).first() - slots();
        assert_eq!(counts_from(1100), 1000 + EIFS);
        assert_eq!(counts_from(1340), 1340 + DIFS);
        assert_eq!(counts_from(2500), 2500 + DIFS);
    }

    #[test]
    fn energy_within_eifs_leaves_its_rest_and_all_slots() {
        let counts_from = |until| Script::new().undecodable(1000).packet(1000).energy(1100, until).first() - slots();
        assert_eq!(counts_from(1200), 1000 + EIFS);
        assert_eq!(counts_from(1340), 1340 + DIFS);
    }

    #[test]
    fn difs_follows_energy_after_eifs() {
        // docs/protocols/radio.md: EIFS follows locked frames only.
        let busy = 1000 + EIFS + 2 * SLOT + 7;
        let sent = Script::new().undecodable(1000).packet(1000).energy(busy, 3000).first();
        assert_eq!(sent, 3000 + DIFS + slots() - 2 * SLOT);
    }

    #[test]
    fn difs_follows_the_timeout_of_an_own_rts() {
        let sent = Script::new().undecodable(1000).packet(1000).sent();
        assert_eq!(sent.len(), 7);
        for pair in sent.windows(2) {
            let counted = pair[1] - pair[0] - (352 + 10 + SLOT + 192) - DIFS;
            assert!(counted.is_multiple_of(SLOT), "{counted} us after timeout and DIFS");
        }
    }

    #[test]
    fn packet_is_sent_at_once_after_difs_and_eifs() {
        let over = 1000 + EIFS;
        assert_eq!(Script::new().undecodable(1000).packet(over).first(), over);
        assert_eq!(Script::new().undecodable(1000).packet(over - 1).first(), over - 1 + DIFS + slots());
        assert_eq!(Script::new().sets_nav(500, 2000).undecodable(1000).packet(2500 + DIFS).first(), 2500 + DIFS);
        assert_eq!(Script::new().undecodable(1000).energy(3000, 3100).packet(3100 + DIFS).first(), 3100 + DIFS);
    }

    #[test]
    fn frozen_backoff_on_idle_medium_is_stalled() {
        let mut station = Station::plain(&MacConfig::default());
        let mut reserved = Radio::default();
        reserved.set_nav(Time::ZERO, 1);
        assert!(!station.mac.is_stalled(Time(2000), &reserved), "no backoff is pending");
        station.mac.access.backoff.draw(3);
        let stalled = |mac: &Mac| [999, 1000, 1001].map(|at| mac.is_stalled(Time(at), &reserved));
        assert_eq!(stalled(&station.mac), [false, false, true]);
        station.mac.exchange.send(&mut station.ctx, ME, SentFrame::Rts, Span(1));
        assert_eq!(stalled(&station.mac), [false; 3]);
        station.mac.exchange.stop(&mut station.ctx);
        station.mac.exchange.settle();
        station.act(Mac::check_access);
        let radio = station.medium.radio_mut(ME);
        assert!(!station.mac.is_stalled(Time(2000), radio), "it counts");
        radio.cca_reporting = CcaReporting::Frozen;
        assert!(station.mac.is_stalled(Time(2000), radio), "it was to freeze, and the medium is idle again");
    }
}
