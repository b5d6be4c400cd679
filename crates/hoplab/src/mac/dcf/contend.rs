//! DCF, access to the medium: counting slots down, and what goes out when the count is over.

use super::station::{Mac, TxState};
use crate::kernel::{Span, Time};
use crate::mac::MacCtx;
use crate::mac::handshake::HandshakePolicy;
use crate::packet::FrameKind;
use crate::phy::{AccessWait, CcaReporting, Radio};
use crate::sim::MacTimer;

impl Mac {
    /// Whether nothing is on the air here, reserved or awaited.
    #[inline]
    pub(super) fn is_idle(&self, cx: &MacCtx<'_>) -> bool {
        self.may_count(cx.ctx.now, cx.medium.radio(self.node))
    }

    #[inline]
    fn may_count(&self, now: Time, radio: &Radio) -> bool {
        self.state == TxState::Idle && now >= radio.nav_until && !radio.is_receiving()
    }

    /// Between two events: whether a backoff waits although its slots may be counted. At the very moment at which a
    /// reservation ends the event that says so may be yet to come.
    pub fn waits_for_nothing(&self, now: Time, radio: &Radio) -> bool {
        let is_counting = self.backoff.is_running() && radio.watch != CcaReporting::Paused;
        let is_waiting = self.backoff.is_on() && !is_counting;
        is_waiting && now > radio.nav_until && self.may_count(now, radio)
    }

    /// Lets the backoff count or pause, as the medium allows.
    #[inline]
    pub(super) fn check_access(&mut self, cx: &mut MacCtx<'_>) {
        if self.backoff.is_on() {
            self.resume_or_freeze(cx);
            self.watch(cx);
        }
    }

    fn resume_or_freeze(&mut self, cx: &mut MacCtx<'_>) {
        if self.is_idle(cx) {
            let space = self.space(cx.ctx.now);
            self.backoff.resume(cx.ctx, space, self.timing.slot, self.event(MacTimer::Backoff));
            return;
        }
        self.backoff.pause(cx.ctx, self.timing.slot);
        let radio = cx.medium.radio(self.node);
        let only_reserved = self.state == TxState::Idle && !radio.is_receiving();
        if only_reserved && radio.nav_check_at <= cx.ctx.now && !cx.medium.tells_release(cx.ctx, self.node) {
            let nav = self.nav(cx);
            cx.ctx.events.schedule(nav, self.event(MacTimer::Nav));
            cx.medium.radio_mut(self.node).nav_check_at = nav;
        }
    }

    pub(super) fn draw_if_off(&mut self, cx: &mut MacCtx<'_>) {
        if !self.backoff.is_on() {
            self.draw(cx);
        }
    }

    pub(super) fn double_cw(&mut self, cx: &mut MacCtx<'_>) {
        self.cw = (2 * self.cw + 1).min(self.timing.config.cw_max);
        self.draw(cx);
    }

    /// Draws slots from the current window: 0 to cw - 1 in ns-2, 0 to cw in the standard.
    pub(super) fn draw(&mut self, cx: &mut MacCtx<'_>) {
        let cw = self.handshake.window(cx.ctx.now, self.cw, self.timing.config.cw_min);
        let values = if self.timing.rules.draws_cw { cw + 1 } else { cw };
        let slots = self.slots.below(values);
        self.backoff.draw(slots);
        self.check_access(cx);
    }

    /// Idle time before counting on a medium idle since then: DIFS, or what was left of EIFS if that is more.
    pub(super) fn space(&self, since: Time) -> Span {
        self.timing.difs.max(self.eifs_until.since(since))
    }

    pub(super) fn on_backoff(&mut self, cx: &mut MacCtx<'_>) {
        // A response goes first; resume() comes back to the rest.
        if self.response.is_none() {
            self.contend_now(cx);
        }
        self.watch(cx);
    }

    pub(super) fn start_sifs(&mut self, cx: &mut MacCtx<'_>) {
        let at = cx.ctx.now + self.timing.sifs;
        self.sifs_timer = Some(cx.ctx.events.schedule(at, self.event(MacTimer::Sifs)));
    }

    pub(super) fn on_sifs_over(&mut self, cx: &mut MacCtx<'_>) {
        let Some(response) = self.response else {
            self.contend_now(cx);
            self.watch(cx);
            return;
        };
        if response.kind == FrameKind::Cts {
            // It is the NAV that forbids a CTS (IEEE 802.11-1999 section 9.2.5.7). ns-2 asks for a quiet medium, too.
            let is_clear = !self.timing.rules.cts_needs_idle_cca || !cx.medium.radio(self.node).is_receiving();
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
                self.double_cw(cx);
                return;
            }
            if self.parks(cx, false) {
                self.offer(cx);
                return;
            }
            self.request(cx, rts);
        } else if let Some(service) = self.service {
            if !(self.is_idle(cx) || service.uses_rts && !self.timing.rules.granted_data_needs_idle) {
                if service.uses_rts {
                    self.rts = Some(self.new_rts());
                }
                self.double_cw(cx);
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
            CcaReporting::Immediate
        } else if self.backoff.is_running() {
            CcaReporting::Counting
        } else {
            CcaReporting::Nothing
        };
        if self.backoff.is_on() {
            radio.await_quiet(cx.ctx.now);
        } else {
            radio.awaits = AccessWait::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NodeId;
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::packet::Frame;
    use crate::phy::Reception;
    use crate::trace::What;

    const EIFS: u64 = 364;
    const DIFS: u64 = 50;
    const SLOT: u64 = 20;

    /// A station of profile `std`, and what happens to it, in microseconds. IEEE 802.11-1999 section 9.2.3.4.
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

        /// A frame that cannot be read ends.
        fn garbled(self, micros: u64) -> Script {
            self.at(micros, |station| station.hear(&Frame::blank(FrameKind::Cts, OTHER, ME), Reception::Collided))
        }

        /// A frame for somebody else ends, which reserves the medium.
        fn reserved(self, micros: u64, duration: u16) -> Script {
            let frame = Frame { duration, ..Frame::blank(FrameKind::Cts, OTHER, NodeId(3)) };
            self.at(micros, |station| station.hear(&frame, Reception::Clean))
        }

        /// There is energy on the air that is no frame.
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

        /// When its frames go out.
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

    /// What the slots take that the station draws first.
    fn slots() -> u64 {
        let slots = Script::new().energy(900, 1000).packet(1000).first() - 1000 - DIFS;
        assert!(slots > 2 * SLOT, "the cases below need some slots");
        slots
    }

    #[test]
    fn eifs_runs_from_the_end_of_the_frame_that_could_not_be_read() {
        assert_eq!(Script::new().garbled(1000).packet(1000).first(), 1000 + EIFS + slots());
    }

    #[test]
    fn a_frame_that_is_read_ends_eifs() {
        assert_eq!(Script::new().garbled(1000).reserved(1100, 0).packet(1100).first(), 1100 + DIFS + slots());
    }

    #[test]
    fn after_a_reservation_only_what_is_left_of_eifs_is_waited_for() {
        let counts_from =
            |ends: u16| Script::new().reserved(500, ends - 500).garbled(1000).packet(1000).first() - slots();
        assert_eq!(counts_from(1100), 1000 + EIFS);
        assert_eq!(counts_from(1340), 1340 + DIFS);
        assert_eq!(counts_from(2500), 2500 + DIFS);
    }

    #[test]
    fn energy_within_eifs_leaves_the_rest_of_it_and_all_slots() {
        let counts_from = |until| Script::new().garbled(1000).packet(1000).energy(1100, until).first() - slots();
        assert_eq!(counts_from(1200), 1000 + EIFS);
        assert_eq!(counts_from(1340), 1340 + DIFS);
    }

    #[test]
    fn energy_after_eifs_is_followed_by_difs() {
        // docs/protocols/radio.md: EIFS follows locked frames only.
        let busy = 1000 + EIFS + 2 * SLOT + 7;
        let sent = Script::new().garbled(1000).packet(1000).energy(busy, 3000).first();
        assert_eq!(sent, 3000 + DIFS + slots() - 2 * SLOT);
    }

    #[test]
    fn after_the_timeout_of_an_own_request_the_wait_is_difs() {
        let sent = Script::new().garbled(1000).packet(1000).sent();
        assert_eq!(sent.len(), 7);
        for pair in sent.windows(2) {
            let counted = pair[1] - pair[0] - 670 - DIFS;
            assert!(counted.is_multiple_of(SLOT), "{counted} us after timeout and DIFS");
        }
    }

    #[test]
    fn a_packet_goes_at_once_where_nothing_is_left_of_difs_and_eifs() {
        let over = 1000 + EIFS;
        assert_eq!(Script::new().garbled(1000).packet(over).first(), over);
        assert_eq!(Script::new().garbled(1000).packet(over - 1).first(), over - 1 + DIFS + slots());
        assert_eq!(Script::new().reserved(500, 2000).garbled(1000).packet(2500 + DIFS).first(), 2500 + DIFS);
        assert_eq!(Script::new().garbled(1000).energy(3000, 3100).packet(3100 + DIFS).first(), 3100 + DIFS);
    }

    #[test]
    fn a_backoff_waits_for_nothing_where_its_slots_could_be_counted() {
        let mut station = Station::plain(&MacConfig::default());
        let mut reserved = Radio::default();
        reserved.reserve(Time::ZERO, 1);
        assert!(!station.mac.waits_for_nothing(Time(2000), &reserved), "there is no backoff");
        station.mac.backoff.draw(3);
        let waits = |mac: &Mac| [999, 1000, 1001].map(|at| mac.waits_for_nothing(Time(at), &reserved));
        assert_eq!(waits(&station.mac), [false, false, true]);
        station.mac.state = TxState::Rts;
        assert_eq!(waits(&station.mac), [false; 3]);
        station.mac.state = TxState::Idle;
        station.act(Mac::check_access);
        let radio = station.medium.radio_mut(ME);
        assert!(!station.mac.waits_for_nothing(Time(2000), radio), "it counts");
        radio.watch = CcaReporting::Paused;
        assert!(station.mac.waits_for_nothing(Time(2000), radio), "it was to pause, and the medium is idle again");
    }
}
