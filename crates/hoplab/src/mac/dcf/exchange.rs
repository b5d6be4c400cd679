//! DCF, an exchange: what a station that has its turn sends, what it answers, and what follows from an answer or none.

use super::station::{Mac, TxState};
use crate::kernel::Span;
use crate::mac::handshake::{Answer, HandshakePolicy};
use crate::mac::observer::Role;
use crate::mac::timing::RTS_BYTES;
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Frame, FrameKind, Urgency};
use crate::sim::MacTimer;
use crate::trace::Step;

impl Mac {
    /// Sends the RTS or the broadcast that is next, on a medium that is idle, without asking anybody.
    pub(super) fn request_or_send(&mut self, cx: &mut MacCtx<'_>) {
        match (self.rts, self.service) {
            (Some(rts), _) => self.request(cx, rts),
            (None, Some(service)) => self.send_data(cx, &service.frame),
            (None, None) => self.resume(cx),
        }
    }

    pub(super) fn request(&mut self, cx: &mut MacCtx<'_>, mut rts: Frame) {
        if !self.handshake.is_plain() {
            let own = self.own();
            let marks = self.handshake.marks(&own);
            (rts.order, rts.urgency) = (marks.order, marks.urgency);
            if rts.order {
                cx.ctx.step(self.node, Step::Rtsc, rts.ra);
            } else if rts.urgency != Urgency::None {
                cx.ctx.step(self.node, Step::UrgentRts, rts.ra);
            }
        }
        let timeout = self.timing.rts_timeout(self.handshake.answer_airtime(&self.timing));
        self.transmit(cx, TxState::Rts, rts, timeout);
    }

    pub(super) fn send_data(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let timeout = if frame.is_broadcast() { frame.airtime } else { self.timing.data_timeout(frame.airtime) };
        self.transmit(cx, TxState::Data, *frame, timeout);
    }

    pub(super) fn transmit(&mut self, cx: &mut MacCtx<'_>, state: TxState, frame: Frame, timeout: Span) {
        self.state = state;
        self.backoff.pause(cx.ctx, self.timing.slot);
        self.observers.on_frame(cx.ctx.now, Role::Sent, &frame);
        let at = cx.ctx.now + timeout;
        self.response_timer = Some(cx.ctx.events.schedule(at, self.event(MacTimer::Response)));
        cx.medium.send(cx.ctx, frame);
    }

    pub(super) fn new_rts(&self) -> Frame {
        let data = &self.service.as_ref().expect("a packet to reserve the medium for").frame;
        Frame {
            kind: FrameKind::Rts,
            bytes: RTS_BYTES,
            airtime: self.timing.rts,
            modulation: self.timing.basic,
            duration: self.timing.rts_duration(data.airtime),
            packet: None,
            ..*data
        }
    }

    /// Answers the RTS that was asked for, as the policy says. `grant` is what is sent if it grants.
    pub(super) fn answer(&mut self, cx: &mut MacCtx<'_>, mut grant: Frame) {
        let Some(asked) = self.asked.take() else { return };
        let own = self.own();
        match self.handshake.answer(cx.ctx.now, &asked, &own) {
            Answer::Grant { order } => {
                grant.order = order;
                self.response = Some(grant);
                self.handshake.on_granting(cx.ctx.now, asked.ta, order);
                if order {
                    cx.ctx.step(self.node, Step::Ctsc, asked.ta);
                }
                let timeout = self.timing.cts_timeout(grant.duration);
                self.transmit(cx, TxState::Cts, grant, timeout);
            }
            // In either profile a request wants a quiet medium, where a CTS need not.
            Answer::Reuse if !cx.medium.radio(self.node).is_receiving() => self.reuse(cx, asked.ta),
            Answer::Reuse | Answer::Silence => {
                cx.ctx.step(self.node, Step::Silent, asked.ta);
                self.response = None;
                self.resume(cx);
            }
        }
    }

    /// The grant of an RTS for this node.
    pub(super) fn grant_for(&self, rts: &Frame, order: bool) -> Frame {
        Frame {
            bytes: self.timing.cts_bytes,
            airtime: self.timing.cts,
            modulation: self.timing.basic,
            duration: self.timing.cts_duration(rts.duration),
            order,
            ..Frame::blank(FrameKind::Cts, self.node, rts.ta)
        }
    }

    /// A CTS for the RTS on the air has arrived: data follows.
    pub(super) fn on_granted(&mut self, cx: &mut MacCtx<'_>, cts: &Frame) {
        if let Some(rts) = self.rts.take() {
            self.handshake.on_granted(cx.ctx.now, rts.ra, cts.order);
        }
        self.ssrc = 0;
        self.stop_timers(cx);
        self.resume(cx);
    }

    /// The data on the air has been acknowledged.
    pub(super) fn on_acknowledged(&mut self, cx: &mut MacCtx<'_>) {
        let service = self.service.take().expect("data that awaits an ACK");
        self.observers.on_contending(cx.ctx.now, false);
        if let Some(timer) = self.response_timer.take() {
            cx.ctx.events.cancel(timer);
        }
        if service.is_short {
            self.ssrc = 0;
        } else {
            self.slrc = 0;
        }
        cx.out.push(MacOut::Sent { packet: service.packet });
        if !service.is_control {
            self.handshake.on_acknowledged(service.frame.ra);
        }
        self.cw = self.timing.config.cw_min;
        self.draw_if_off(cx);
        self.resume(cx);
    }

    pub(super) fn on_response_timeout(&mut self, cx: &mut MacCtx<'_>) {
        match self.state {
            TxState::Rts => self.on_rts_failed(cx),
            TxState::Data => self.on_data_over(cx),
            TxState::Cts | TxState::Ack => {
                let has_come = self.state == TxState::Ack;
                if let Some(response) = self.response.take() {
                    self.on_grant_over(cx, response.ra, has_come);
                }
            }
            TxState::Idle => {}
        }
        self.resume(cx);
    }

    fn on_rts_failed(&mut self, cx: &mut MacCtx<'_>) {
        self.ssrc += 1;
        if self.ssrc >= self.timing.config.ssrl {
            self.rts = None;
            self.ssrc = 0;
            self.give_up(cx);
        } else {
            if let Some(rts) = &mut self.rts {
                rts.retry = true;
            }
            self.double_cw(cx);
        }
    }

    /// No ACK came, or a broadcast is over.
    fn on_data_over(&mut self, cx: &mut MacCtx<'_>) {
        let service = self.service.as_mut().expect("data on the air");
        if service.frame.is_broadcast() {
            cx.out.push(MacOut::Sent { packet: service.packet });
            self.service = None;
            self.observers.on_contending(cx.ctx.now, false);
            self.cw = self.timing.config.cw_min;
            self.draw_if_off(cx);
            return;
        }
        service.frame.retry = true;
        let uses_rts = service.uses_rts;
        let (count, limit) = if service.is_short {
            (&mut self.ssrc, self.timing.config.ssrl)
        } else {
            (&mut self.slrc, self.timing.config.slrl)
        };
        *count += 1;
        if *count >= limit {
            *count = 0;
            self.give_up(cx);
        } else {
            if uses_rts {
                self.rts = Some(self.new_rts());
            }
            self.double_cw(cx);
        }
    }

    fn give_up(&mut self, cx: &mut MacCtx<'_>) {
        let service = self.service.take().expect("a packet to give up");
        self.observers.on_contending(cx.ctx.now, false);
        cx.out.push(MacOut::Failed {
            packet: service.packet,
            next_hop: service.frame.ra,
            reached_next_hop: service.reached_next_hop,
        });
        self.handshake.on_failed(service.frame.ra);
        self.cw = self.timing.config.cw_min;
        if self.timing.rules.backs_off_after_drop {
            self.draw_if_off(cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{NodeId, Time};
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{OTHER, Station};
    use crate::packet::PacketId;
    use crate::trace::What;

    /// What nobody ever answers: times of the station's frames and what it says in the end.
    fn alone(config: &MacConfig, next_hop: NodeId) -> (Vec<Time>, Vec<MacOut>) {
        let mut station = Station::plain(config);
        station.ctx.trace.keep_records();
        station.send(next_hop, 1500);
        station.run_until(Time::from_secs(10.0));
        let records = station.ctx.trace.take_records();
        let frames = records.iter().filter(|record| matches!(record.what, What::FrameSent { .. }));
        (frames.map(|record| record.time).collect(), station.out)
    }

    #[test]
    fn an_rts_that_nobody_answers_is_sent_ssrl_times() {
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
    fn data_without_an_ack_counts_against_the_short_limit_below_the_threshold() {
        let basic = MacConfig { rts_threshold: crate::kernel::Bytes(3000), ..MacConfig::default() };
        let (frames, _) = alone(&basic, OTHER);
        assert_eq!(frames.len(), 7);
        assert!(frames[1].since(frames[0]) >= Span::from_micros(6646 + 50));
    }

    #[test]
    fn a_broadcast_is_sent_once() {
        let (frames, out) = alone(&MacConfig::default(), NodeId::BROADCAST);
        assert_eq!(frames.len(), 1);
        assert_eq!(out, [MacOut::Sent { packet: PacketId(0) }, MacOut::Ready]);
    }
}
