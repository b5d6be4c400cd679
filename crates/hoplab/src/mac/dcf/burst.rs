//! DCF, bursts: the frames that a station sends within one TXOP, and how it ends.
//!
//! IEEE 802.11-2016 sections 10.22.2.7 (several frames), 10.22.2.8 (TXOP limits), 10.22.2.9 (CF-End) and 9.2.5.2 (Duration:
//! single protection for RTS and CTS, multiple protection for the frames after them); ns-3.37 `QosFrameExchangeManager`.

use super::state::{NextFrame, SentFrame, Txop, TxopStep};
use super::station::Mac;
use crate::kernel::{RadioId, RunKind, Span, Time};
use crate::mac::MacCtx;
use crate::mac::timing::CF_END_BYTES;
use crate::packet::{Category, Frame, FrameKind, Modulation};

impl Mac {
    /// The station has gained the medium.
    #[inline]
    pub(super) fn begin_txop(&mut self, now: Time) {
        let limit = self.access.limits.txop;
        if limit > Span::ZERO {
            self.txop = Txop::Held { until: now + limit, step: TxopStep::First };
            (self.outgoing.granted_by, self.outgoing.sent_in_turn) = (None, 0);
        }
    }

    /// An exchange has succeeded: the burst goes on, or a backoff follows.
    #[inline]
    pub(super) fn go_on<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if R::IS_PLAIN || !self.enters(cx, TxopStep::Next, self.timing.sifs) {
            self.draw_if_off(cx);
        }
    }

    /// An exchange has failed. Whether the burst goes on.
    #[inline]
    pub(super) fn recovers<R: RunKind>(&mut self, cx: &MacCtx<'_, R>) -> bool {
        !R::IS_PLAIN && !self.txop.is_in_first() && self.enters(cx, TxopStep::Recovery, self.timing.pifs())
    }

    /// Enters a step of the TXOP that begins after `gap`, if there is one, and time is left: no exchange is shorter than CF-End.
    fn enters<R: RunKind>(&mut self, cx: &MacCtx<'_, R>, step: TxopStep, gap: Span) -> bool {
        let Some(until) = self.txop.until() else { return false };
        let has_time = cx.ctx.now + gap + self.timing.cf_end().1 <= until;
        if has_time {
            self.txop.enter(step);
        }
        has_time
    }

    /// The time between the exchanges of a burst begins.
    #[inline(never)]
    pub(super) fn start_gap<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        let gap = if self.txop.recovers() { self.timing.pifs() } else { self.timing.sifs };
        self.exchange.start_sifs(cx.ctx, self.radio, gap);
    }

    /// The time between two exchanges of a burst is over: sends what is next, or ends the burst.
    #[inline(never)]
    pub(super) fn continue_burst(&mut self, cx: &mut MacCtx<'_>) {
        if self.txop.recovers() && !self.is_idle(cx) {
            self.txop = Txop::Off;
            self.resume(cx);
            return;
        }
        let now = cx.ctx.now;
        if self.outgoing.service.is_none() || (!self.handshake.is_plain() && !self.is_granted(cx)) {
            self.end_burst(cx);
        } else if self.has_window() {
            self.take_turn(cx);
        } else {
            self.choose_rate(now);
            let data = *self.service_frame();
            if self.has_time_for(now, &data) {
                self.enter_exchange();
                self.send_next(cx);
            } else {
                self.end_burst(cx);
            }
        }
    }

    /// Whether the grant that began the burst lets the next packet through: one for the neighbor that has granted, within the
    /// turn, unless the policy parks it. Control packets and data without RTS need no grant.
    fn is_granted(&mut self, cx: &mut MacCtx<'_>) -> bool {
        let Some(data) = self.outgoing.data() else { return true };
        let (to, needs_grant) = (data.frame.ra, data.uses_rts);
        let is_open = self.outgoing.granted_by == Some(to) && self.outgoing.sent_in_turn < self.turn.packets();
        (is_open || !needs_grant) && !self.parks(cx, false)
    }

    /// The next frame of the burst needs neither contention nor RTS and CTS: the Duration of those before it protects it.
    pub(super) fn enter_exchange(&mut self) {
        self.txop.enter(TxopStep::Later);
        if let Some(service) = &mut self.outgoing.service {
            service.next = NextFrame::GrantedData;
        }
    }

    /// Whether a frame and its answer end within the TXOP. One outside of a TXOP does, and the first one of a TXOP.
    pub(super) fn has_time_for(&self, now: Time, frame: &Frame) -> bool {
        let Some(until) = self.txop.until().filter(|_| !self.txop.is_in_first()) else { return true };
        let answer = if frame.is_broadcast() { Span::ZERO } else { self.timing.sifs + self.timing.answer_to(frame) };
        now + frame.airtime + answer <= until
    }

    /// Longest PSDU of several MPDUs that, with its answer, ends within the TXOP.
    pub(super) fn longest_psdu(&self, now: Time, mode: Modulation) -> u32 {
        let longest = self.timing.longest_psdu(mode);
        let Some(until) = self.txop.until() else { return longest };
        let uses_rts = self.txop.is_in_first() && self.timing.uses_rts_for(longest);
        longest.min(self.timing.longest_psdu_within(until.since(now), mode, uses_rts))
    }

    /// Whether the station keeps the medium for several exchanges.
    pub fn has_txops(&self) -> bool {
        self.access.limits.txop > Span::ZERO || self.functions.as_ref().is_some_and(|functions| functions.has_txops())
    }

    /// The packets that wait above, by category.
    pub fn set_pending(&mut self, pending: [u32; Category::COUNT]) {
        self.pending = pending;
    }

    /// The Duration field of an own frame of a burst: its own exchange and those of the packets that wait, up to the end of the
    /// TXOP (IEEE 802.11-2016 section 9.2.5.2, `T_PENDING`: without it, a neighbor that does not receive the CF-End defers for
    /// the whole TXOP after a lone frame, and answers no RTS). Before a request, MPDUs wait that are not counted.
    pub(super) fn burst_duration(&self, now: Time, until: Time, frame: &Frame) -> u16 {
        let rest = until.since(now + frame.airtime);
        let covered = match frame.kind {
            FrameKind::Data | FrameKind::Aggregate => rest.min(self.pending_time(frame)),
            FrameKind::BlockAckRequest => rest,
            _ => return frame.duration,
        };
        let micros = u16::try_from(covered.ceil_micros()).unwrap_or(MAX_DURATION).min(MAX_DURATION);
        frame.duration.max(micros)
    }

    /// Time from the end of a frame to the end of the exchanges of all packets that wait: the estimate is that each PPDU is as
    /// this one.
    fn pending_time(&self, frame: &Frame) -> Span {
        let waiting = match self.selected() {
            Some(category) => self.pending[category as usize],
            None => self.pending.iter().sum(),
        };
        let in_ppdu = match frame.kind {
            FrameKind::Aggregate => self.aggregation.as_ref().map_or(1, |all| all.originator.packets_laid_out().max(1)),
            _ => 1,
        };
        let answer = self.timing.sifs + self.timing.answer_to(frame);
        let exchange = self.timing.sifs + frame.airtime + answer;
        answer + exchange * u64::from(waiting.div_ceil(in_ppdu))
    }

    /// Ends the burst: neighbors learn of the time that is left, if it is enough for a CF-End.
    pub(super) fn end_burst(&mut self, cx: &mut MacCtx<'_>) {
        let (modulation, airtime) = self.timing.cf_end();
        let has_time = self.txop.until().is_some_and(|until| cx.ctx.now + airtime <= until);
        self.txop = Txop::Off;
        if has_time {
            let end = Frame {
                bytes: CF_END_BYTES,
                airtime,
                modulation,
                ..Frame::blank(FrameKind::CfEnd, self.radio, RadioId::BROADCAST)
            };
            self.transmit(cx, SentFrame::CfEnd, end, airtime);
        } else {
            self.draw_if_off(cx);
            self.resume(cx);
        }
    }

    /// A neighbor has ended its TXOP: the NAV that it has set is over.
    pub(super) fn on_cf_end(&mut self, cx: &mut MacCtx<'_>) {
        cx.medium.radio_mut(self.radio).reset_nav(cx.ctx.now);
        self.observers.on_nav(cx.ctx.now, cx.ctx.now);
    }
}

/// Longest Duration field in microseconds (IEEE 802.11-2016 section 9.2.4.2).
const MAX_DURATION: u16 = 32_767;
