//! DCF, transmission: the station's RTS, CTS, data and ACK, and what follows a response or its absence.
//!
//! IEEE 802.11-1999 sections 9.2.5.3 (retries), 9.2.5.7 (CTS) and 9.2.8 (ACK); ns-2.35 `Mac802_11::send_timer`,
//! `RetransmitRTS`, `RetransmitDATA`.

use super::state::{NextFrame, Retries, SentFrame, Service};
use super::station::Mac;
use crate::kernel::{RunKind, Span, Time};
use crate::mac::aggregation::Originator;
use crate::mac::handshake::{HandshakePolicy, RtsResponse};
use crate::mac::observer::Role;
use crate::mac::timing::{CTS_BYTES, RTS_BYTES};
use crate::mac::{MacCtx, MacOut, TimeoutRule};
use crate::packet::{Frame, FrameKind, Urgency};
use crate::phy::Medium;
use crate::trace::Step;

impl Mac {
    /// Sends the frame that is next for the packet in service, whatever the policy decides.
    pub(super) fn send_next<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if !R::IS_PLAIN && self.rates.is_some() && !self.has_window() {
            self.choose_rate(cx.ctx.now);
        }
        match &self.outgoing.service {
            Some(Service { frame, next: NextFrame::Rts { is_retry }, .. }) => {
                let rts = self.rts_for(frame, *is_retry);
                self.send_rts(cx, rts);
            }
            Some(Service { frame, next: NextFrame::SelfCts, .. }) if !R::IS_PLAIN => {
                let cts = self.self_cts_for(frame);
                self.transmit(cx, SentFrame::SelfCts, cts, cts.airtime);
            }
            Some(Service { frame, probes, .. }) if R::IS_PLAIN || *probes == 0 => {
                let data = *frame;
                self.send_data(cx, data);
            }
            Some(_) => self.send_probe(cx),
            None => self.resume(cx),
        }
    }

    fn send_rts<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, mut rts: Frame) {
        if !R::IS_PLAIN && !self.handshake.is_plain() {
            let local = self.local_state();
            let bits = self.handshake.rts_bits(&local);
            (rts.order, rts.urgency) = (bits.order, bits.urgency);
            if rts.order {
                cx.ctx.step(self.radio, Step::Rtsc, rts.ra);
            } else if rts.urgency != Urgency::None {
                cx.ctx.step(self.radio, Step::UrgentRts, rts.ra);
            }
        }
        let response = if R::IS_PLAIN { self.timing.cts } else { self.handshake.response_airtime(&self.timing) };
        let timeout = self.timing.rts_timeout(response);
        self.transmit(cx, SentFrame::Rts, rts, timeout);
    }

    #[inline(never)]
    fn send_probe<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if let Some(probe) = self.next_probe() {
            self.send_data(cx, probe);
        }
    }

    #[expect(clippy::inline_always, reason = "frames are large, and data are frequent")]
    #[inline(always)]
    fn send_data<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, mut data: Frame) {
        let signals = |service: &Service| !service.uses_rts && !service.is_control;
        let is_asked = !R::IS_PLAIN && !self.handshake.is_plain() && !data.is_broadcast();
        if is_asked && self.outgoing.service.as_ref().is_some_and(signals) {
            let local = self.local_state();
            data.order = self.handshake.data_order(&local);
        }
        if is_asked {
            self.count_sent(cx.medium);
        }
        let (sent, timeout) = if data.is_broadcast() {
            (SentFrame::Broadcast, data.airtime)
        } else {
            let is_aggregate = !R::IS_PLAIN && data.kind == FrameKind::Aggregate;
            let sent = if is_aggregate { SentFrame::Aggregate } else { SentFrame::Data };
            (sent, self.timing.data_timeout(data.airtime, data.modulation))
        };
        self.transmit(cx, sent, data, timeout);
    }

    /// Counts data that are sent now towards the turn. A frame outside of windows is marked as such for its receiver.
    #[cold]
    fn count_sent(&mut self, medium: &mut Medium) {
        let is_windowed = self.has_window();
        self.outgoing.sent_in_turn += if is_windowed { self.originator().packets_laid_out() } else { 1 };
        if self.aggregation.is_some() && !is_windowed {
            medium.aggregate_mut(self.radio).clear();
        }
    }

    /// Sends an ACK. Its Order bit is set if it may carry the congestion of this station.
    pub(super) fn send_ack<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, mut ack: Frame) {
        ack.order = !R::IS_PLAIN && ack.order && self.handshake.ack_order(&self.local_state());
        self.transmit(cx, SentFrame::Ack { to: ack.ra }, ack, ack.airtime);
    }

    pub(super) fn transmit<R: RunKind>(
        &mut self,
        cx: &mut MacCtx<'_, R>,
        sent: SentFrame,
        mut frame: Frame,
        timeout: Span,
    ) {
        if let Some(mut cx) = cx.any() {
            if let Some(until) = self.txop.until() {
                frame.duration = self.burst_duration(cx.ctx.now, until, &frame);
            }
            if self.functions.is_some() {
                self.freeze_others(&mut cx);
            }
            self.show_frame(&cx, Role::Sent, &frame);
        }
        self.access.backoff.freeze(cx.ctx, self.timing.slot);
        self.exchange.send(cx.ctx, self.radio, sent, timeout);
        cx.medium.send::<R>(cx.ctx, frame);
    }

    fn rts_for(&self, data: &Frame, is_retry: bool) -> Frame {
        Frame {
            kind: FrameKind::Rts,
            bytes: RTS_BYTES,
            airtime: self.timing.rts,
            modulation: self.timing.basic,
            duration: self.timing.rts_duration(self.timing.data_beyond_ack(data), data.modulation),
            retry: data.retry || is_retry,
            packet: None,
            ..*data
        }
    }

    /// The CTS to itself that protects a data frame.
    #[inline(never)]
    fn self_cts_for(&self, data: &Frame) -> Frame {
        Frame {
            bytes: CTS_BYTES,
            airtime: self.timing.self_cts(),
            modulation: self.timing.basic,
            duration: self.timing.self_cts_duration(self.timing.data_beyond_ack(data), data.modulation),
            ..Frame::blank(FrameKind::Cts, self.radio, self.radio)
        }
    }

    /// SIFS after an RTS for this node: responds if NAV and carrier sense allow it, as the policy decides.
    pub(super) fn respond_to_rts<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, rts: &Frame) {
        // The NAV forbids a CTS (IEEE 802.11-1999 section 9.2.5.7). In ns-2 carrier sense does, too.
        let is_clear = !self.timing.rules.cts_needs_idle_cca || !cx.medium.radio(self.radio).is_receiving();
        if cx.ctx.now < self.nav(cx) || !is_clear {
            self.resume(cx);
            return;
        }
        let Some(mut any) = cx.any() else { return self.grant(cx, rts, false) };
        if !self.handshake.is_plain() {
            self.select_own();
        }
        let local = self.local_state();
        let cx = &mut any;
        match self.handshake.respond(cx.ctx.now, rts, &local) {
            RtsResponse::Cts { order } => {
                self.handshake.on_granting(cx.ctx.now, rts.ta, order);
                if order {
                    cx.ctx.step(self.radio, Step::Ctsc, rts.ta);
                }
                self.grant(cx, rts, order);
            }
            // In either profile an own RTS needs an idle medium, where a CTS need not.
            RtsResponse::OwnFrame if !cx.medium.radio(self.radio).is_receiving() && self.can_refuse() => {
                self.refuse_by_own(cx, rts.ta);
            }
            RtsResponse::OwnFrame | RtsResponse::Silence => {
                cx.ctx.step(self.radio, Step::Silent, rts.ta);
                self.resume(cx);
            }
        }
    }

    fn grant<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, rts: &Frame, order: bool) {
        let cts = self.cts_for(rts, order);
        let timeout = self.timing.cts_timeout(cts.airtime, cts.duration);
        self.transmit(cx, SentFrame::Cts { to: rts.ta, order }, cts, timeout);
    }

    fn cts_for(&self, rts: &Frame, order: bool) -> Frame {
        let airtime = self.timing.cts_to(rts.modulation);
        Frame {
            bytes: self.timing.cts_bytes,
            airtime,
            modulation: self.timing.response_mode(rts.modulation),
            duration: self.timing.cts_duration(rts.duration, airtime),
            order,
            ..Frame::blank(FrameKind::Cts, self.radio, rts.ta)
        }
    }

    /// The CTS that was awaited has arrived: data follow after SIFS.
    pub(super) fn on_granted<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, cts: &Frame) {
        if let Some(service) = &mut self.outgoing.service {
            service.next = NextFrame::GrantedData;
            if !R::IS_PLAIN {
                self.handshake.on_granted(cx.ctx.now, service.frame.ra, cts.order);
                (self.outgoing.granted_by, self.outgoing.sent_in_turn) = (Some(service.frame.ra), 0);
            }
        }
        self.outgoing.retries.succeed(true);
        self.exchange.stop(cx.ctx);
        self.resume(cx);
    }

    /// The ACK that was awaited has arrived.
    pub(super) fn on_acknowledged<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, ack: &Frame) {
        if let Some(mut cx) = cx.any() {
            if self.probed().is_some() {
                return self.on_probe_acknowledged(&mut cx);
            }
            if self.has_window() {
                return self.on_single_acknowledged(&mut cx, ack);
            }
        }
        let service = self.outgoing.service.take().expect("data that await an ACK");
        if let Some(cx) = cx.any() {
            if self.rates.is_some() {
                self.report_success(&cx, &service);
            }
            self.note_service(cx.ctx.now, false);
        }
        self.exchange.stop(cx.ctx);
        self.outgoing.retries.succeed(service.is_short);
        cx.out.push(MacOut::Sent { packet: service.packet });
        if !R::IS_PLAIN && !service.is_control {
            self.handshake.on_acknowledged(cx.ctx.now, service.frame.ra, ack.order);
        }
        self.access.reset_cw();
        self.go_on(cx);
        self.resume(cx);
    }

    /// No response has arrived in time, or a frame that needs none is over.
    pub(super) fn on_response_timeout<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if let Some(end) = self.reported_until(cx) {
            self.exchange.extend(cx.ctx, self.radio, end);
            return;
        }
        match self.exchange.on_timeout() {
            SentFrame::Rts => self.on_rts_failed(cx),
            SentFrame::Data => self.on_data_failed(cx),
            SentFrame::Broadcast => self.on_broadcast_over(cx),
            sent => {
                if let Some(mut cx) = cx.any() {
                    self.on_further_timeout(&mut cx, sent);
                }
            }
        }
        self.resume(cx);
    }

    /// See [`Mac::on_response_timeout`]: what follows frames after which plain stations only resume, or that they do not send.
    fn on_further_timeout(&mut self, cx: &mut MacCtx<'_>, sent: SentFrame) {
        match sent {
            SentFrame::Cts { to, .. } => self.on_grant_over(cx, to, false),
            SentFrame::Ack { to } => self.on_grant_over(cx, to, true),
            SentFrame::Aggregate => self.on_block_ack_missing(cx, false),
            SentFrame::BlockAckRequest => self.on_block_ack_missing(cx, true),
            SentFrame::SelfCts => self.on_protected(),
            SentFrame::CfEnd => self.draw_if_off(cx),
            SentFrame::Rts | SentFrame::Data | SentFrame::Broadcast => {}
        }
    }

    /// In the standard, the end of a frame that the PHY has reported while a response is awaited: it may be the response.
    fn reported_until<R: RunKind>(&self, cx: &MacCtx<'_, R>) -> Option<Time> {
        let is_awaited = self.exchange.sent().is_some_and(SentFrame::is_answered);
        if !is_awaited || self.timing.rules.timeout == TimeoutRule::ResponseEnd {
            return None;
        }
        let (start, end, mode) = cx.medium.frame_at(self.radio, cx.ctx.now)?;
        let is_reported = start + self.timing.header(mode) <= cx.ctx.now;
        (is_reported && end > cx.ctx.now).then_some(end)
    }

    fn on_rts_failed<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if self.outgoing.retries.fail(true, self.timing.config.ssrl) {
            match cx.any() {
                Some(mut cx) if self.has_window() => {
                    if self.repeats(&mut cx) {
                        return;
                    }
                    self.give_up_window(&mut cx, FrameKind::Rts, Originator::give_up_all);
                }
                _ => self.give_up(cx, FrameKind::Rts),
            }
            return;
        }
        if let Some(service) = &mut self.outgoing.service {
            service.next = NextFrame::Rts { is_retry: true };
        }
        self.double_cw(cx);
    }

    /// The CTS to itself is over: data follow after SIFS.
    fn on_protected(&mut self) {
        if let Some(service) = &mut self.outgoing.service {
            service.next = NextFrame::GrantedData;
        }
    }

    fn on_broadcast_over<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        let service = self.outgoing.service.take().expect("a broadcast on the air");
        cx.out.push(MacOut::Sent { packet: service.packet });
        if !R::IS_PLAIN {
            self.note_service(cx.ctx.now, false);
        }
        self.access.reset_cw();
        self.go_on(cx);
    }

    fn on_data_failed<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if let Some(mut cx) = cx.any() {
            if self.probed().is_some() {
                return self.on_probe_failed(&mut cx);
            }
            if self.has_window() {
                return self.on_single_failed(&mut cx);
            }
        }
        let has_rates = !R::IS_PLAIN && self.rates.is_some();
        let own_limit = if has_rates { self.report_failure(cx.ctx.now) } else { None };
        let service = self.outgoing.service.as_mut().expect("data on the air");
        service.frame.retry = true;
        let config = &self.timing.config;
        let limit = if service.is_short { config.ssrl } else { config.slrl };
        if self.outgoing.retries.fail(service.is_short, own_limit.unwrap_or(limit)) {
            self.give_up(cx, FrameKind::Data);
        } else {
            self.outgoing.revoke_grant();
            self.double_cw(cx);
        }
    }

    /// Whether the data in service are tried again at their retry limit, as the policy decides: with the first window.
    #[cold]
    fn repeats(&mut self, cx: &mut MacCtx<'_>) -> bool {
        let Some(category) = self.outgoing.data().map(|service| service.frame.category) else { return false };
        if !self.handshake.repeats(category) {
            return false;
        }
        if let Some(service) = &mut self.outgoing.service {
            service.next = service.first();
        }
        self.outgoing.retries = Retries::default();
        self.access.reset_cw();
        self.draw_if_off(cx);
        true
    }

    /// Gives the packet in service up; frames of type `unanswered` have reached their limit.
    pub(super) fn give_up<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, unanswered: FrameKind) {
        if let Some(mut cx) = cx.any()
            && self.repeats(&mut cx)
        {
            return;
        }
        let service = self.outgoing.service.take().expect("a packet to give up");
        cx.ctx.retry_limit(unanswered, &service.frame, service.packet);
        if !R::IS_PLAIN {
            if unanswered == FrameKind::Data {
                self.report_given_up(cx.ctx.now, &service);
            }
            self.note_service(cx.ctx.now, false);
            self.handshake.on_failed(service.frame.ra);
        }
        cx.out.push(MacOut::Failed {
            packet: service.packet,
            next_hop: service.frame.ra,
            reached_next_hop: service.reached_next_hop,
        });
        self.access.reset_cw();
        if self.timing.rules.backs_off_after_drop {
            self.draw_if_off(cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{RadioId, Time};
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{OTHER, Station};
    use crate::packet::PacketId;
    use crate::trace::{EVENTS, What};

    /// A packet without any response: times of the station's frames, and its indications.
    fn alone(config: &MacConfig, next_hop: RadioId) -> (Vec<Time>, Vec<MacOut>) {
        let mut station = Station::plain(config);
        station.ctx.trace.keep_records();
        station.send(next_hop, 1500);
        station.run_until(Time::from_secs(10.0));
        let records = station.ctx.trace.take_records();
        let frames = records.iter().filter(|record| matches!(record.what, What::FrameSent { .. }));
        (frames.map(|record| record.time).collect(), station.out)
    }

    #[test]
    fn rts_without_cts_is_sent_ssrl_times() {
        for ssrl in [1, 2, 7, 20] {
            let (frames, out) = alone(&MacConfig { ssrl, ..MacConfig::default() }, OTHER);
            assert_eq!(frames.len(), ssrl as usize);
            let failed = MacOut::Failed { packet: PacketId(0), next_hop: OTHER, reached_next_hop: false };
            assert_eq!(out, [failed, MacOut::Ready]);
            for (attempt, pair) in frames.windows(2).enumerate() {
                // 670 us of waiting, DIFS, and slots of a window that doubles: 63, 127, 255, 511, 1023, 1023.
                let slots = (pair[1].since(pair[0]).0 - 670_000 - 50_000) as f64 / 20_000.0;
                let window = f64::from((32u32 << (attempt + 1).min(5)) - 1);
                assert!(slots.fract() == 0.0 && slots < window, "attempt {attempt}: {slots} slots");
            }
        }
    }

    #[test]
    fn short_data_without_ack_count_against_ssrl() {
        let basic = MacConfig { rts_threshold: crate::kernel::Bytes(3000), ..MacConfig::default() };
        let (frames, _) = alone(&basic, OTHER);
        assert_eq!(frames.len(), 7);
        assert!(frames[1].since(frames[0]) >= Span::from_micros(6646 + 50));
    }

    #[test]
    fn log_has_a_row_for_the_packet_that_is_given_up() {
        // docs/use/reference/trace.md: `retry_limit`.
        for (rts_threshold, kind, duration) in [(0, FrameKind::Rts, 314.0), (3000, FrameKind::Data, 314.0)] {
            let config = MacConfig { rts_threshold: crate::kernel::Bytes(rts_threshold), ..MacConfig::default() };
            let mut station = Station::plain(&config);
            station.ctx.trace.keep_log();
            station.send(OTHER, 1500);
            station.run_until(Time::from_secs(10.0));
            let rows = station.ctx.trace.log_mut().expect("a log").rows();
            let given_up: Vec<_> = rows.iter().filter(|row| EVENTS[usize::from(row.event)] == "retry_limit").collect();
            let [row] = given_up[..] else { panic!("{given_up:?}") };
            assert_eq!((row.frame, row.node, row.peer, row.uid, row.value), (kind as u8, 1, 2, 0, duration));
        }
    }

    #[test]
    fn broadcast_is_sent_once() {
        let (frames, out) = alone(&MacConfig::default(), RadioId::BROADCAST);
        assert_eq!(frames.len(), 1);
        assert_eq!(out, [MacOut::Sent { packet: PacketId(0) }, MacOut::Ready]);
    }
}
