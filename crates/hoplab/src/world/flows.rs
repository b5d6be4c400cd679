//! Dispatch between the network layer and the ends of flows: delivered packets, deadlines, scheduled actions, and packets to
//! send.

use super::run::World;
use crate::kernel::{AnyRun, FlowId, NodeId, RadioId, RunKind, Span};
use crate::packet::{ChannelView, Ecn, NewPacket, PacketId, Payload, TcpSegment, Unreachable};
use crate::sim::{AppTimer, Event, Report};
use crate::trace::What;
use crate::transport::End;

/// Window of the link estimate that a source reads.
const LINK_WINDOW: Span = Span::from_millis(1000);

impl World {
    pub(super) fn deliver<R: RunKind>(&mut self, node: NodeId, packet: PacketId) {
        let packet = self.ctx.deliver(node, packet);
        let flow = packet.flow;
        if flow == FlowId::NONE {
            if let Some(live) = &mut self.ctx.live {
                live.on_delivered(self.ctx.now, node, &packet);
            }
            return;
        }
        let (end, what) = match &packet.payload {
            Payload::Segment(segment) => (End::Sink, What::SegmentReceived { flow, seq: segment.seq }),
            Payload::Datagram(datagram) => (End::Sink, What::SegmentReceived { flow, seq: datagram.seq.cast_signed() }),
            Payload::Ack(ack) => (End::Source, What::AckReceived { flow, cumulative: ack.cumulative }),
            Payload::Report(report) => (End::Source, What::AckReceived { flow, cumulative: report.cumulative }),
            Payload::SplitSegment(split) => (End::Sink, What::SegmentReceived { flow, seq: split.segment.seq }),
            Payload::Tcp(segment) => {
                let end = if segment.is_forward() { End::Sink } else { End::Source };
                let what = if segment.occupies() {
                    What::SegmentReceived { flow, seq: segment.seq.cast_signed() }
                } else {
                    What::AckReceived { flow, cumulative: segment.ack.cast_signed() }
                };
                (end, what)
            }
            Payload::Stack(packet) => {
                let end = if packet.is_forward { End::Sink } else { End::Source };
                let what = match packet.len {
                    // What it acknowledges is known to its stack alone.
                    0 => What::AckReceived { flow, cumulative: -1 },
                    _ => What::SegmentReceived { flow, seq: packet.seq.cast_signed() },
                };
                (end, what)
            }
            Payload::Lack(lack) if lack.resp == node && self.flows[flow.index()].src == node => {
                (End::Source, What::LackReceived { flow, seq: lack.seq })
            }
            Payload::Lack(lack) => {
                if lack.resp == node {
                    self.on_lack(node, flow, lack);
                }
                return;
            }
            &Payload::Unreachable(Unreachable { end, dst, is_over }) => {
                self.on_report(&Report { node, flow, end, src: node, dst, is_over }, packet.hop.prev);
                return;
            }
            Payload::Control(_) | Payload::Arp(_) | Payload::Live(_) => return,
        };
        self.ctx.note(node, what);
        let now = self.ctx.now;
        self.update_link(flow);
        let connection = &mut self.flows[flow.index()].connection;
        connection.on_path(end, packet.hop.count);
        if packet.ecn == Ecn::Ce {
            connection.on_mark();
        }
        connection.on_packet(end, now, &packet.payload, &mut self.outbox.emits);
        self.carry_down::<R>(flow);
        if !R::IS_PLAIN && self.sessions.is_some() {
            self.on_session_arrival(flow, end);
        }
        if !R::IS_PLAIN && end == End::Sink {
            self.offer_to_sink(flow);
        }
    }

    pub(super) fn on_deadline<R: RunKind>(&mut self, flow: FlowId, end: End) {
        let now = self.ctx.now;
        self.update_link(flow);
        let ends = &mut self.flows[flow.index()];
        self.flow_timers[flow.index()][end as usize].on_fired();
        if ends.connection.deadline(end).is_some_and(|at| at <= now) {
            let timeouts = ends.connection.timeouts();
            ends.connection.on_deadline(end, now, &mut self.outbox.emits);
            if ends.connection.timeouts() > timeouts {
                let src = ends.src;
                self.ctx.note(src, What::Timeout { flow });
                if self.flows[flow.index()].connection.is_pulled() {
                    self.offer(src, true);
                }
            }
        }
        self.carry_down::<R>(flow);
        if !R::IS_PLAIN && end == End::Sink {
            self.offer_to_sink(flow);
        }
    }

    pub(super) fn on_agenda(&mut self, flow: FlowId, timer: AppTimer) {
        if timer == AppTimer::Session {
            return self.on_session_timer(flow);
        }
        let now = self.ctx.now;
        self.update_link(flow);
        let ends = &mut self.flows[flow.index()];
        if timer != AppTimer::Measure {
            self.ctx.flow_switched(flow, (ends.src, ends.dst), timer == AppTimer::Start);
        }
        let connection = &mut ends.connection;
        match timer {
            AppTimer::Start => connection.on_start(now, &mut self.outbox.emits),
            AppTimer::Stop => connection.on_stop(now, &mut self.outbox.emits),
            AppTimer::Session => {}
            AppTimer::Measure => {
                connection.begin_measurement(now);
                self.begin_flow_measures(flow);
            }
        }
        if matches!(timer, AppTimer::Start | AppTimer::Stop) {
            self.on_relay_switched(flow, timer == AppTimer::Start);
        }
        self.carry_down::<AnyRun>(flow);
    }

    /// A packet goes down to a radio of a node: that of its flow's link, if the flow begins there.
    #[inline]
    pub(super) fn note_radio(&mut self, (node, radio): (NodeId, RadioId), packet: PacketId) {
        if self.ctx.radios.has_several()
            && let Some(ends) = self.flows.get_mut(self.ctx.packet(packet).flow.index())
            && ends.src == node
        {
            ends.left_by = Some(radio);
        }
    }

    /// Updates the link estimate of a source that reads it.
    #[inline]
    fn update_link(&mut self, flow: FlowId) {
        let ends = &mut self.flows[flow.index()];
        if ends.wants_link {
            let radio = ends.left_by.unwrap_or(self.ctx.radios.first(ends.src));
            let mac = self.macs.get(radio.index());
            let link = mac.and_then(|mac| mac.observers().link(self.ctx.now, LINK_WINDOW));
            ends.connection.on_link(link);
        }
    }

    /// Carries what a connection has sent down to the network layers of its ends, and arms its timers.
    pub(super) fn carry_down<R: RunKind>(&mut self, flow: FlowId) {
        let mut emits = std::mem::take(&mut self.outbox.emits);
        if !R::IS_PLAIN && self.relays.is_some() {
            self.note_departures(flow, &emits);
        }
        for emit in emits.drain(..) {
            let ends = &self.flows[flow.index()];
            let (src, dst) = match emit.end {
                End::Source => (ends.src, ends.dst),
                End::Sink => (ends.dst, ends.src),
            };
            match &emit.payload {
                Payload::Segment(segment) => {
                    let what = What::SegmentSent { flow, seq: segment.seq, again: segment.is_retransmission };
                    self.ctx.note(src, what);
                }
                Payload::Datagram(datagram) => {
                    let what = What::SegmentSent { flow, seq: datagram.seq.cast_signed(), again: false };
                    self.ctx.note(src, what);
                }
                Payload::SplitSegment(split) => {
                    let what =
                        What::SegmentSent { flow, seq: split.segment.seq, again: split.segment.is_retransmission };
                    self.ctx.note(src, what);
                }
                Payload::Tcp(segment) => self.note_tcp_sent(src, flow, segment),
                Payload::Stack(packet) if packet.len > 0 => {
                    let (seq, again) = (packet.seq.cast_signed(), packet.is_retransmission);
                    self.ctx.note(src, What::SegmentSent { flow, seq, again });
                }
                Payload::Lack(lack) => {
                    let what = What::LackSent { flow, seq: lack.seq, to: lack.resp };
                    self.ctx.note(src, what);
                }
                Payload::Ack(_)
                | Payload::Report(_)
                | Payload::Unreachable(_)
                | Payload::Control(_)
                | Payload::Arp(_)
                | Payload::Live(_)
                | Payload::Stack(_) => {}
            }
            let dst = match &emit.payload {
                Payload::Lack(lack) if self.proxy_control.is_direct => lack.resp,
                _ => dst,
            };
            let packet = NewPacket { flow, src, dst, bytes: emit.bytes, payload: emit.payload };
            let (net, mut cx) = self.net_in::<R>(src);
            net.send(&mut cx, packet);
        }
        self.outbox.emits = emits;
        for end in [End::Source, End::Sink] {
            self.arm(flow, end);
        }
        if !R::IS_PLAIN && self.relays.is_some() {
            self.pass_on(flow);
        }
    }

    /// Reports segments without a route to their senders: by a message, or at once to a sender at the same node.
    #[inline(never)]
    pub(super) fn report_unreachable(&mut self) {
        while let Some(report) = self.ctx.unreachable.as_mut().and_then(|reports| reports.take_next()) {
            let Report { node, flow, end, src, dst, is_over } = report;
            if node == src {
                self.on_unreachable(flow, end);
                self.settle_ends::<AnyRun>(flow);
            } else {
                let payload = Payload::Unreachable(Unreachable { end, dst, is_over });
                let packet = NewPacket { flow, src: node, dst: src, bytes: Unreachable::BYTES, payload };
                let (net, mut cx) = self.net(node);
                net.send(&mut cx, packet);
                self.settle::<AnyRun>(node);
            }
        }
    }

    /// A report on a segment of a flow, which is at its source, has arrived from a neighbor.
    #[inline(never)]
    fn on_report(&mut self, report: &Report, from: NodeId) {
        if report.is_over {
            let now = self.ctx.now;
            self.flows[report.flow.index()].connection.on_route(now, &mut self.outbox.emits);
            self.carry_down::<AnyRun>(report.flow);
            return;
        }
        if self.ctx.unreachable.as_ref().is_some_and(|reports| reports.follows(report.flow)) {
            let (net, mut cx) = self.net(report.node);
            if net.forget_route(&mut cx, report.dst, from) {
                return;
            }
        }
        self.on_unreachable(report.flow, report.end);
    }

    /// An end learns that its segments have no route.
    #[inline(never)]
    fn on_unreachable(&mut self, flow: FlowId, end: End) {
        let now = self.ctx.now;
        self.flows[flow.index()].connection.on_unreachable(end, now, &mut self.outbox.emits);
        self.carry_down::<AnyRun>(flow);
    }

    #[inline(never)]
    fn note_tcp_sent(&mut self, src: NodeId, flow: FlowId, segment: &TcpSegment) {
        if segment.occupies() {
            let (seq, again) = (segment.seq.cast_signed(), segment.is_retransmission);
            self.ctx.note(src, What::SegmentSent { flow, seq, again });
        }
    }

    /// Ensures an event no later than the deadline of an end.
    fn arm(&mut self, flow: FlowId, end: End) {
        let deadline = self.flows[flow.index()].connection.deadline(end);
        self.flow_timers[flow.index()][end as usize].arm(&mut self.ctx, deadline, Event::Transport { flow, end });
    }
}
