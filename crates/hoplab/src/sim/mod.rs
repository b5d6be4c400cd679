//! The context of a run: clock, event queue, random streams, packets and trace.
//!
//! Every layer above receives a [`Ctx`] by reference. A packet's life (created, copied, dropped, delivered) is counted
//! here and nowhere else, so that the packets of a run always add up.

mod event;

pub use event::{
    AppTimer, Event, FeedbackTimer, LinkTimer, MacTimer, MeasureTimer, PhyTimer, ProxyTimer, RoutingTimer,
};

use crate::kernel::{EventQueue, FlowId, NodeId, Streams, Time};
use crate::packet::{Frame, Packet, PacketId, Packets};
use crate::trace::{DropReason, Step, Trace, What};

/// What every part of a run may use: the clock, pending events, chance, packets and the trace.
#[derive(Debug)]
pub struct Ctx {
    /// The present.
    pub now: Time,
    /// What will happen.
    pub events: EventQueue<Event>,
    /// Where chance comes from.
    pub streams: Streams,
    /// Packets somewhere in the network.
    pub packets: Packets,
    /// What has happened.
    pub trace: Trace,
    /// Ways found since somebody asked, by node and destination, if anybody wants to know.
    pub news: Option<Vec<(NodeId, NodeId)>>,
    next_uid: u64,
}

impl Ctx {
    /// The start of a run with this root seed and these numbers of flows and nodes.
    pub fn new(seed: u64, flows: usize, nodes: usize) -> Ctx {
        Ctx {
            now: Time::ZERO,
            events: EventQueue::default(),
            streams: Streams::new(seed),
            packets: Packets::default(),
            trace: Trace::new(flows, nodes),
            news: None,
            next_uid: 0,
        }
    }

    /// Brings a packet into being at its source and counts it as originated.
    pub fn originate(&mut self, packet: Packet) -> PacketId {
        self.originate_at(packet.src, packet)
    }

    /// Brings a packet into being at `node`, which need not be its source, and counts it as originated.
    pub fn originate_at(&mut self, node: NodeId, mut packet: Packet) -> PacketId {
        packet.uid = self.next_uid;
        packet.made_at = self.now;
        self.next_uid += 1;
        self.trace.counters.life(&packet).originated += 1;
        let what = What::Originated { uid: packet.uid, bytes: packet.bytes };
        self.trace.note_about(self.now, node, what, &packet);
        PacketId(self.packets.insert(packet))
    }

    /// Ends a packet's life without its having arrived.
    pub fn drop(&mut self, node: NodeId, packet: PacketId, reason: DropReason) {
        let packet = self.packets.remove(packet.0);
        self.trace.counters.life(&packet).dropped[reason as usize] += 1;
        let here = self.trace.counters.node(node);
        here.dropped += 1;
        here.queue_full += u64::from(reason == DropReason::QueueFull);
        let what = What::Dropped { uid: packet.uid, flow: packet.flow, reason };
        self.trace.note_about(self.now, node, what, &packet);
        if let Some(tap) = &mut self.trace.tap {
            tap.on_drop(self.now, node, &packet, reason);
        }
    }

    /// Ends a packet's life because it has done what it was for (see [`PacketCounters::consumed`]).
    pub fn consume(&mut self, packet: PacketId) {
        let packet = self.packets.remove(packet.0);
        self.trace.counters.life(&packet).consumed += 1;
    }

    /// The same of a packet that a neighbor has sent, where no copy of it need be kept.
    pub fn consume_unkept(&mut self, packet: PacketId) {
        self.trace.counters.life(self.packets.get(packet.0)).consumed += 1;
    }

    /// A copy of a packet that a neighbor has sent, to be kept here.
    pub fn copy(&mut self, packet: PacketId, from: NodeId) -> PacketId {
        let mut copy = self.packet(packet).clone();
        copy.forwards += 1;
        copy.prev_hop = from;
        PacketId(self.packets.insert(copy))
    }

    /// Ends a packet's life at its destination and hands its content over.
    pub fn deliver(&mut self, node: NodeId, packet: PacketId) -> Packet {
        let packet = self.packets.remove(packet.0);
        let transit = self.now.since(packet.made_at).0;
        let life = self.trace.counters.life(&packet);
        life.delivered += 1;
        life.transit += transit;
        life.since_queue += self.now.since(packet.entered_at.min(self.now)).0;
        life.hops += u64::from(packet.forwards) + u64::from(packet.travelled());
        self.trace.note_about(self.now, node, What::Delivered { uid: packet.uid }, &packet);
        packet
    }

    /// Counts and records that a node has found a way, or one through another neighbor than before.
    pub fn route_changed(&mut self, node: NodeId, dst: NodeId, next_hop: NodeId) {
        self.trace.counters.routes_changed += 1;
        if let Some(news) = &mut self.news {
            news.push((node, dst));
        }
        self.note(node, What::RouteChanged { dst, next_hop });
    }

    /// Counts and records that a node has lost a way.
    pub fn route_lost(&mut self, node: NodeId, dst: NodeId) {
        self.trace.counters.routes_lost += 1;
        self.note(node, What::RouteLost { dst });
    }

    /// Counts and records a step of a handshake that carries congestion.
    pub fn step(&mut self, node: NodeId, step: Step, peer: NodeId) {
        self.trace.counters.node(node).steps[step as usize] += 1;
        self.note(node, What::Handshake { step, peer });
    }

    /// The packet of this name.
    pub fn packet(&self, packet: PacketId) -> &Packet {
        self.packets.get(packet.0)
    }

    /// The packet of this name, to be changed.
    pub fn packet_mut(&mut self, packet: PacketId) -> &mut Packet {
        self.packets.get_mut(packet.0)
    }

    /// Records that something happened now.
    #[inline]
    pub fn note(&mut self, node: NodeId, what: What) {
        self.trace.note(self.now, node, what);
    }

    /// The same of something that happened to this packet.
    #[inline]
    pub fn note_about(&mut self, node: NodeId, what: What, packet: PacketId) {
        self.trace.note_about(self.now, node, what, self.packets.get(packet.0));
    }

    /// Records and counts a frame put on the air.
    #[inline]
    pub fn frame_sent(&mut self, frame: &Frame) {
        self.trace.frame_sent(self.now, frame, &self.packets);
    }

    /// A frame has reached its addressee, who can read it. Only the log hears of it.
    #[inline]
    pub fn frame_received(&mut self, frame: &Frame) {
        if let Some(log) = &mut self.trace.log {
            log.frame_received(self.now, frame);
        }
    }

    /// A packet has entered the interface queue of a node (or, if not `is_in`, left it), which holds `len` packets now.
    /// Only the log hears of it.
    #[inline]
    pub fn queue_changed(&mut self, node: NodeId, packet: PacketId, is_in: bool, len: usize) {
        if let Some(log) = &mut self.trace.log {
            log.queue(self.now, node, self.packets.get(packet.0), is_in, len);
        }
    }

    /// A flow's application has begun, or ended. Only the log hears of it.
    pub fn flow_switched(&mut self, flow: FlowId, (src, dst): (NodeId, NodeId), has_begun: bool) {
        if let Some(log) = &mut self.trace.log {
            log.flow(self.now, src, dst, flow, has_begun);
        }
    }
}
