//! DCF, reception: what a frame does to NAV and EIFS, which response it needs, and which data are duplicates.
//!
//! IEEE 802.11-1999 sections 9.2.3.4 (EIFS), 9.2.5.4 (NAV) and 9.2.9 (duplicates); ns-2.35 `Mac802_11::recv_timer`,
//! `recvRTS`, `recvDATA`, `capture`.

use super::state::{Response, SentFrame};
use super::station::Mac;
use crate::kernel::{RadioId, RunKind, Time};
use crate::mac::EifsRule;
use crate::mac::handshake::HandshakePolicy;
use crate::mac::observer::Role;
use crate::mac::timing::ACK_BYTES;
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Frame, FrameKind, PacketId};
use crate::phy::{CcaReporting, Reception};
use crate::trace::{Loss, Step};

impl Mac {
    /// A later frame was too weak to collide with the one being received. In ns-2 it sets the NAV for its airtime and EIFS.
    pub fn on_capture<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, frame: &Frame) {
        if self.timing.rules.captured_frame_sets_nav {
            self.set_nav(cx, (self.timing.eifs + frame.airtime).round_micros());
        }
    }

    /// The frame that the radio was locked on is over. Releases the radio.
    pub fn on_frame_end<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, frame: &Frame, reception: Reception) {
        match reception {
            Reception::Clean => {
                self.access.eifs_until = Time::ZERO;
                if !R::IS_PLAIN {
                    self.nav_reset.stop(cx.ctx);
                }
                self.on_clean(cx, frame);
            }
            Reception::Transmitting => self.note_loss(cx, frame, Loss::Errored),
            Reception::Errored | Reception::Collided | Reception::Noise => {
                let loss = match reception {
                    Reception::Collided => Loss::Collision,
                    Reception::Noise => Loss::Noise,
                    _ => Loss::Errored,
                };
                self.note_loss(cx, frame, loss);
                match self.timing.rules.eifs {
                    EifsRule::Interval => self.access.eifs_until = cx.ctx.now + self.timing.eifs,
                    EifsRule::Nav => self.set_nav(cx, self.timing.eifs.round_micros()),
                }
            }
        }
        cx.medium.radio_mut(self.radio).release();
        // With cumulative interference, other frames may still keep the medium busy.
        if !R::IS_PLAIN && !cx.medium.radio(self.radio).is_receiving() {
            self.observers.on_idle(cx.ctx.now);
        }
        self.access.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    /// The medium is idle again: energy has ended that was no frame for this station.
    pub fn on_idle<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if !R::IS_PLAIN {
            self.observers.on_idle(cx.ctx.now);
        }
        self.access.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    /// The timer of [`NavReset`](super::state::NavReset) has fired: no frame has followed the RTS that has set the NAV.
    pub(super) fn on_nav_reset<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        self.nav_reset.on_timer();
        if cx.medium.radio(self.radio).has_frame() {
            return;
        }
        cx.medium.radio_mut(self.radio).reset_nav(cx.ctx.now);
        self.observers.on_nav(cx.ctx.now, cx.ctx.now);
        self.check_access(cx);
    }

    /// Until when the NAV defers this station.
    pub(super) fn nav<R: RunKind>(&self, cx: &MacCtx<'_, R>) -> Time {
        cx.medium.radio(self.radio).nav_until
    }

    /// Sets the NAV for `micros` from now, unless it is set for longer.
    fn set_nav<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, micros: u64) {
        cx.medium.radio_mut(self.radio).set_nav(cx.ctx.now, micros);
        if !R::IS_PLAIN && !self.observers.is_empty() {
            let until = self.nav(cx);
            self.observers.on_nav(cx.ctx.now, until);
        }
    }

    fn on_clean<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, frame: &Frame) {
        if let Some(mut cx) = cx.any() {
            if !self.handshake.is_plain() {
                self.free_refused_nav(&mut cx, frame);
                self.on_decoded(&mut cx, frame);
            }
            self.show_frame(&cx, Role::Received, frame);
        }
        // Of data, the records of their packet show it.
        if frame.ra == self.radio && !frame.kind.is_data() {
            cx.ctx.frame_received(frame);
        }
        if frame.ra != self.radio {
            let nav = self.nav(cx);
            self.set_nav(cx, u64::from(frame.duration));
            let is_alone = self.nav(cx) > nav && nav <= cx.ctx.now;
            if !R::IS_PLAIN && frame.kind == FrameKind::Rts && is_alone && !self.handshake.is_plain() {
                self.refusable = Some((frame.ra, cx.ctx.now));
            }
            if !R::IS_PLAIN && self.timing.config.nav_reset_after_rts && frame.kind == FrameKind::Rts && is_alone {
                self.nav_reset.start(cx.ctx, self.radio, self.timing.nav_reset());
                cx.medium.radio_mut(self.radio).cca_reporting = CcaReporting::Immediate;
            }
            if !frame.is_broadcast() {
                self.overhear(cx, frame);
                return;
            }
        }
        match frame.kind {
            FrameKind::Rts => self.on_rts(cx, frame),
            FrameKind::Cts if self.exchange.sent() == Some(SentFrame::Rts) => self.on_granted(cx, frame),
            FrameKind::Ack if self.exchange.sent() == Some(SentFrame::Data) => self.on_acknowledged(cx, frame),
            FrameKind::Data => self.on_data(cx, frame),
            FrameKind::Cts | FrameKind::Ack => self.note_loss(cx, frame, Loss::Busy),
            FrameKind::Aggregate | FrameKind::BlockAckRequest | FrameKind::BlockAck | FrameKind::CfEnd => {
                if let Some(mut cx) = cx.any() {
                    self.on_further_kind(&mut cx, frame);
                }
            }
        }
    }

    /// A frame has arrived of a kind that plain stations do not send.
    fn on_further_kind(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        match frame.kind {
            FrameKind::Aggregate => self.on_aggregate(cx, frame),
            FrameKind::BlockAckRequest => self.on_block_ack_request(cx, frame),
            FrameKind::CfEnd => self.on_cf_end(cx),
            _ if matches!(self.exchange.sent(), Some(SentFrame::Aggregate | SentFrame::BlockAckRequest)) => {
                self.on_block_ack(cx, frame);
            }
            _ => self.note_loss(cx, frame, Loss::Busy),
        }
    }

    /// Indicates a packet for another station, if this station listens. A-MPDUs are not indicated.
    #[inline]
    fn overhear<R: RunKind>(&self, cx: &mut MacCtx<'_, R>, frame: &Frame) {
        if !R::IS_PLAIN
            && self.listens
            && frame.kind == FrameKind::Data
            && let Some(packet) = frame.packet
        {
            cx.out.push(MacOut::Overheard { packet, from: frame.ta });
        }
    }

    fn on_rts<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, frame: &Frame) {
        if !self.exchange.is_open() {
            self.note_loss(cx, frame, Loss::Busy);
            return;
        }
        self.exchange.response = Response::Cts { rts: *frame };
        self.exchange.stop(cx.ctx);
        self.resume(cx);
    }

    fn on_data<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, frame: &Frame) {
        if let Some(packet) = frame.packet.filter(|_| frame.is_broadcast()) {
            self.accept(cx, packet, frame.ta);
            return;
        }
        match self.exchange.sent() {
            Some(SentFrame::Cts { to, order }) if frame.ta == to || !self.ignores_beside_grant(cx, frame.packet) => {
                self.exchange.stop(cx.ctx);
                if order {
                    cx.ctx.step(self.radio, Step::Resolved, frame.ta);
                }
                let is_granted = frame.ta == to;
                self.exchange.response = Response::Ack(self.ack_for(cx, frame, is_granted));
                self.resume(cx);
            }
            _ if self.exchange.is_responding() => {
                self.note_loss(cx, frame, Loss::Busy);
                return;
            }
            sent => {
                self.exchange.response = Response::Ack(self.ack_for(cx, frame, false));
                // While a response is awaited, the ACK follows that wait.
                if sent.is_none() {
                    self.exchange.stop(cx.ctx);
                    self.resume(cx);
                }
            }
        }
        let Some(packet) = frame.packet else { return };
        if let Some(mut cx) = cx.any()
            && self.aggregation.is_some()
        {
            if cx.medium.aggregate(frame.ta).mpdus().is_empty() {
                self.on_outside_windows(&mut cx, frame, packet);
            } else {
                self.on_single(&mut cx, frame);
            }
            return;
        }
        if self.duplicates.is_duplicate(frame, self.timing.rules.duplicate_has_retry_bit) {
            self.note_loss(cx, frame, Loss::Duplicate);
        } else {
            self.accept(cx, packet, frame.ta);
        }
    }

    /// The RTS that has set the NAV is refused, if its RA has sent an RTS SIFS after it: its exchange does not take place.
    fn free_refused_nav(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let Some((ra, at)) = self.refusable.take() else { return };
        let within = self.timing.sifs + frame.airtime + self.timing.round_trip;
        let is_refusal = frame.kind == FrameKind::Rts && frame.ta == ra && cx.ctx.now <= at + within;
        if is_refusal && self.handshake.refusal_frees_nav() {
            cx.medium.radio_mut(self.radio).reset_nav(cx.ctx.now);
            self.observers.on_nav(cx.ctx.now, cx.ctx.now);
        }
    }

    /// A packet has arrived that belongs to no window of its sender.
    #[cold]
    fn on_outside_windows(&mut self, cx: &mut MacCtx<'_>, frame: &Frame, packet: PacketId) {
        if self.single_duplicates.is_duplicate(frame, self.timing.rules.duplicate_has_retry_bit) {
            self.note_loss(cx, frame, Loss::Duplicate);
        } else {
            self.accept(cx, packet, frame.ta);
        }
    }

    /// Whether data of a station without a CTS are ignored while those for the CTS are awaited: in ns-2, if they are too short
    /// for RTS and CTS. Data of the station that has the CTS count whatever their length: its threshold may differ.
    /// Probes carry no packet and are long.
    fn ignores_beside_grant<R: RunKind>(&self, cx: &MacCtx<'_, R>, packet: Option<PacketId>) -> bool {
        let is_short = |packet| !self.timing.uses_rts(cx.ctx.packet(packet).bytes);
        self.timing.rules.ignores_short_data_after_cts && packet.is_some_and(is_short)
    }

    pub(super) fn accept<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, packet: PacketId, from: RadioId) {
        self.note_accepted(cx, packet, from);
        cx.out.push(MacOut::Received { packet, from });
    }

    /// Counts and records a packet that has arrived from a neighbor.
    #[inline]
    pub(super) fn note_accepted<R: RunKind>(&self, cx: &mut MacCtx<'_, R>, packet: PacketId, from: RadioId) {
        let taken = cx.ctx.packets.get(packet.0);
        if taken.hop.next.is_broadcast() {
            cx.ctx.trace.counters.life(taken).copied += 1;
        }
        cx.ctx.trace.frame_accepted::<R>(cx.ctx.now, self.radio, from, cx.ctx.packets.get(packet.0));
    }

    /// The ACK of data, which came after a CTS of this station (`is_granted`) or without. Only without may it carry the
    /// congestion of this station.
    #[inline]
    fn ack_for<R: RunKind>(&self, cx: &MacCtx<'_, R>, data: &Frame, is_granted: bool) -> Frame {
        let airtime = self.timing.ack_to(data.modulation);
        Frame {
            bytes: ACK_BYTES + self.timing.ack_extra,
            airtime,
            duration: self.timing.ack_duration(data.duration, airtime),
            modulation: self.timing.response_mode(data.modulation),
            order: !is_granted,
            note: if R::IS_PLAIN { 0 } else { self.observers.note(cx.ctx.now) },
            ..Frame::blank(FrameKind::Ack, self.radio, data.ta)
        }
    }

    pub(super) fn note_loss<R: RunKind>(&self, cx: &mut MacCtx<'_, R>, frame: &Frame, loss: Loss) {
        if frame.ra == self.radio {
            cx.ctx.trace.frame_lost::<R>(cx.ctx.now, self.radio, frame.kind, frame.ta, loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Bytes, Span};
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, Station};
    use crate::trace::EVENTS;

    const A: RadioId = RadioId(0);
    const C: RadioId = RadioId(2);

    #[test]
    fn response_that_is_not_awaited_is_lost() {
        for kind in [FrameKind::Cts, FrameKind::Ack] {
            let mut station = Station::plain(&MacConfig::default());
            station.hear(&Frame::blank(kind, A, ME), Reception::Clean);
            assert_eq!((station.ctx.trace.counters.lost(Loss::Busy), station.out), (1, vec![]), "{kind:?}");
        }
    }

    #[test]
    fn ns2_ignores_short_data_of_others_after_its_cts() {
        // docs/specs/mac-80211.md section 5: below the threshold, data is ignored while a response is pending.
        for (config, is_taken) in [(MacConfig::default(), false), (MacConfig::std(), true)] {
            let mut station = Station::plain(&MacConfig { rts_threshold: Bytes(700), ..config.clone() });
            station.hear(&Frame { duration: 6000, ..Frame::blank(FrameKind::Rts, A, ME) }, Reception::Clean);
            station.run_until(Time::ZERO + Span::from_micros(10 + 304));
            let mut hear = |from, bytes| {
                let packet = station.packet(from, ME, bytes);
                let data = Frame { packet: Some(packet), ..Frame::blank(FrameKind::Data, from, ME) };
                station.hear(&data, Reception::Clean);
                let is_lost = station.ctx.trace.counters.lost(Loss::Busy) == 1;
                (is_lost, std::mem::take(&mut station.out), packet)
            };
            let (is_lost, out, packet) = hear(C, 100);
            let taken = vec![MacOut::Received { packet, from: C }];
            assert_eq!((is_lost, out), (!is_taken, if is_taken { taken } else { vec![] }), "{config:?}");
            if !is_taken {
                let (_, out, packet) = hear(A, 1000);
                assert_eq!(out, [MacOut::Received { packet, from: A }], "the granted data are still awaited");
            }
        }
    }

    #[test]
    fn listening_station_indicates_packets_for_others() {
        for listens in [false, true] {
            let mut station = Station::plain(&MacConfig::default());
            if listens {
                station.mac.listen();
            }
            assert_eq!(station.mac.nav_rule().is_none(), listens, "the radio indicates all frames");
            let packet = station.packet(A, C, 500);
            let data = Frame { packet: Some(packet), ..Frame::blank(FrameKind::Data, A, C) };
            station.hear(&data, Reception::Clean);
            let overheard = vec![MacOut::Overheard { packet, from: A }];
            assert_eq!(std::mem::take(&mut station.out), if listens { overheard } else { vec![] });
            station.hear(&data, Reception::Collided);
            station.hear(&Frame::blank(FrameKind::Rts, A, C), Reception::Clean);
            assert_eq!(station.out, []);
        }
    }

    #[test]
    fn log_has_a_row_for_each_control_frame_at_its_ra() {
        // docs/use/reference/trace.md: `frame_received`.
        let mut station = Station::plain(&MacConfig::default());
        station.ctx.trace.keep_log();
        for (kind, to) in [(FrameKind::Rts, C), (FrameKind::Cts, ME), (FrameKind::Ack, C), (FrameKind::Rts, ME)] {
            station.hear(&Frame::blank(kind, A, to), Reception::Clean);
        }
        let rows = station.ctx.trace.log_mut().expect("a log").rows();
        let received = rows.iter().filter(|row| EVENTS[usize::from(row.event)] == "frame_received");
        let read: Vec<_> = received.map(|row| (row.frame, row.node, row.peer)).collect();
        assert_eq!(read, [(FrameKind::Cts as u8, 1, 0), (FrameKind::Rts as u8, 1, 0)]);
    }
}
