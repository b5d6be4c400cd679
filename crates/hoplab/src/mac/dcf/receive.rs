//! DCF, the receiving side: reservations, responses, duplicates.

use super::station::{Mac, TxState};
use crate::kernel::{NodeId, Time};
use crate::mac::EifsRule;
use crate::mac::observer::Role;
use crate::mac::timing::ACK_BYTES;
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Frame, FrameKind, PacketId};
use crate::phy::{CcaReporting, Reception};
use crate::trace::{Loss, Step, What};

impl Mac {
    /// A later frame was too weak to disturb the one being received. ns-2 reserves the medium until its end.
    pub fn on_ignored(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        if self.timing.rules.captured_frame_sets_nav {
            self.reserve(cx, (self.timing.eifs + frame.airtime).round_micros());
        }
    }

    /// The frame that the radio followed is over. The radio lets go of it here.
    pub fn on_frame_end(&mut self, cx: &mut MacCtx<'_>, frame: &Frame, reception: Reception) {
        match reception {
            Reception::Clean => {
                self.eifs_until = Time::ZERO;
                self.keep_nav(cx);
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
                    EifsRule::Interval => self.eifs_until = cx.ctx.now + self.timing.eifs,
                    EifsRule::Nav => self.reserve(cx, self.timing.eifs.round_micros()),
                }
            }
        }
        cx.medium.radio_mut(self.node).release();
        // Where interference adds up, others may still be on the air.
        if !cx.medium.radio(self.node).is_receiving() {
            self.observers.on_idle(cx.ctx.now);
        }
        self.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    /// Energy that made the medium busy is gone, which was no frame for this station.
    pub fn on_idle(&mut self, cx: &mut MacCtx<'_>) {
        self.observers.on_idle(cx.ctx.now);
        self.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    fn on_clean(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        if !self.handshake.is_plain() {
            self.overhear(cx, frame);
        }
        self.observers.on_frame(cx.ctx.now, Role::Received, frame);
        // Of data, what becomes of its packet tells the same.
        if frame.ra == self.node && frame.kind != FrameKind::Data {
            cx.ctx.frame_received(frame);
        }
        if frame.ra != self.node {
            let nav = self.nav(cx);
            self.reserve(cx, u64::from(frame.duration));
            if self.timing.config.nav_reset_after_rts
                && frame.kind == FrameKind::Rts
                && self.nav(cx) > nav
                && nav <= cx.ctx.now
            {
                self.schedule_nav_reset(cx);
                cx.medium.radio_mut(self.node).watch = CcaReporting::Immediate;
            }
            if !frame.is_broadcast() {
                return;
            }
        }
        match frame.kind {
            FrameKind::Rts => self.on_rts(cx, frame),
            FrameKind::Cts if self.state == TxState::Rts => self.on_granted(cx, frame),
            FrameKind::Ack if self.state == TxState::Data => self.on_acknowledged(cx),
            FrameKind::Cts | FrameKind::Ack => self.note_loss(cx, frame, Loss::Busy),
            FrameKind::Data => self.on_data(cx, frame),
        }
    }

    fn on_rts(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        if self.state != TxState::Idle || self.response.is_some() {
            self.note_loss(cx, frame, Loss::Busy);
            return;
        }
        // What the answer says is decided when it goes on the air.
        self.response = Some(self.grant_for(frame, false));
        self.asked = Some(*frame);
        self.stop_sifs(cx);
        self.resume(cx);
    }

    fn on_data(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let packet = frame.packet.expect("a data frame carries a packet");
        if frame.is_broadcast() {
            self.take_over(cx, packet, frame.ta);
            return;
        }
        if self.state == TxState::Cts && !self.is_beside_the_grant(cx, frame, packet) {
            self.stop_timers(cx);
            if self.response.is_some_and(|grant| grant.order) {
                cx.ctx.step(self.node, Step::Resolved, frame.ta);
            }
            self.response = Some(self.ack_for(cx, frame));
            self.resume(cx);
        } else if self.response.is_some() {
            self.note_loss(cx, frame, Loss::Busy);
            return;
        } else {
            self.response = Some(self.ack_for(cx, frame));
            // While an answer is awaited the ACK leaves once that wait is over.
            if self.response_timer.is_none() {
                self.stop_sifs(cx);
                self.resume(cx);
            }
        }
        if self.is_duplicate(frame) {
            self.note_loss(cx, frame, Loss::Duplicate);
        } else {
            self.take_over(cx, packet, frame.ta);
        }
    }

    /// Whether data that comes while granted data is awaited is not that one, by ns-2's rule: it is short enough to need no
    /// CTS. What the granted station sends is taken whatever its length: its threshold may be another.
    fn is_beside_the_grant(&self, cx: &MacCtx<'_>, frame: &Frame, packet: PacketId) -> bool {
        let is_granted = self.response.is_some_and(|grant| grant.ra == frame.ta);
        !is_granted
            && self.timing.rules.ignores_short_data_after_cts
            && !self.timing.uses_rts(cx.ctx.packet(packet).bytes)
    }

    fn take_over(&mut self, cx: &mut MacCtx<'_>, packet: PacketId, from: NodeId) {
        let taken = cx.ctx.packets.get(packet.0);
        if taken.hop.next.is_broadcast() {
            cx.ctx.trace.counters.life(taken).copied += 1;
        }
        let uid = taken.uid;
        cx.ctx.trace.counters.node(from).passed += u64::from(taken.user_bytes());
        cx.ctx.note_about(self.node, What::FrameAccepted { from, uid }, packet);
        cx.out.push(MacOut::Received { packet, from });
    }

    /// Whether this is the frame last taken over from its sender. The standard also asks for the Retry bit.
    fn is_duplicate(&mut self, frame: &Frame) -> bool {
        let needs_retry = self.timing.rules.duplicate_has_retry_bit;
        if let Some((_, seq)) = self.duplicate_cache.iter_mut().find(|(from, _)| *from == frame.ta) {
            let same = *seq == frame.seq && (frame.retry || !needs_retry);
            *seq = frame.seq;
            return same;
        }
        self.duplicate_cache.push((frame.ta, frame.seq));
        false
    }

    fn ack_for(&self, cx: &MacCtx<'_>, data: &Frame) -> Frame {
        Frame {
            bytes: ACK_BYTES + self.timing.ack_extra,
            airtime: self.timing.ack,
            modulation: self.timing.basic,
            note: self.observers.note(cx.ctx.now),
            ..Frame::blank(FrameKind::Ack, self.node, data.ta)
        }
    }

    fn note_loss(&self, cx: &mut MacCtx<'_>, frame: &Frame, loss: Loss) {
        if frame.ra == self.node {
            cx.ctx.trace.frame_lost(cx.ctx.now, self.node, frame.kind, frame.ta, loss);
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

    const A: NodeId = NodeId(0);
    const C: NodeId = NodeId(2);

    #[test]
    fn an_answer_that_nobody_awaits_is_lost() {
        for kind in [FrameKind::Cts, FrameKind::Ack] {
            let mut station = Station::plain(&MacConfig::default());
            station.hear(&Frame::blank(kind, A, ME), Reception::Clean);
            assert_eq!((station.ctx.trace.counters.lost(Loss::Busy), station.out), (1, vec![]), "{kind:?}");
        }
    }

    #[test]
    fn while_granted_data_is_awaited_ns2_takes_no_short_data_of_others() {
        // mac-80211.md section 5: below the threshold, data is ignored while a response is pending.
        for (config, is_taken) in [(MacConfig::default(), false), (MacConfig::std(), true)] {
            let mut station = Station::plain(&MacConfig { rts_threshold: Bytes(700), ..config });
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
                assert_eq!(out, [MacOut::Received { packet, from: A }], "it is still awaited");
            }
        }
    }

    #[test]
    fn the_standard_tells_repetitions_by_the_retry_bit_and_ns2_by_the_number_alone() {
        // IEEE 802.11-1999 section 9.2.9.
        for (config, without_retry) in [(MacConfig::default(), true), (MacConfig::std(), false)] {
            let mut mac = Station::plain(&config).mac;
            let mut is_duplicate =
                |ta, seq, retry| mac.is_duplicate(&Frame { seq, retry, ..Frame::blank(FrameKind::Data, ta, ME) });
            assert!(!is_duplicate(A, 5, false) && !is_duplicate(C, 5, true), "{config:?}");
            assert!(is_duplicate(A, 5, true), "{config:?}");
            assert_eq!(is_duplicate(A, 5, false), without_retry, "{config:?}");
            assert!(!is_duplicate(A, 6, true), "{config:?}");
        }
    }

    #[test]
    fn the_log_has_a_row_for_each_control_frame_that_its_addressee_reads() {
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
