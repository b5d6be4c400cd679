//! The context that all layers of a run share: clock, events, streams, packets, and the operations that record events.

use super::event::Event;
use super::live::LiveTraffic;
use super::unreachable::Reports;
use crate::kernel::{EventQueue, FlowId, NodeId, RadioId, Radios, RandomStreams, RunKind, Time};
use crate::packet::aggregate::Aggregate;
use crate::packet::{Category, Frame, FrameKind, Packet, PacketId, Packets};
use crate::trace::{Step, Trace, What};
use std::sync::Arc;

/// Clock, pending events, random streams, packets and trace of one run.
#[derive(Debug)]
pub struct Ctx {
    /// The current time.
    pub now: Time,
    /// Pending events.
    pub events: EventQueue<Event>,
    /// Random streams, by purpose and node or flow.
    pub streams: RandomStreams,
    /// The radios of nodes.
    pub radios: Arc<Radios>,
    /// Packets in the network.
    pub packets: Packets,
    /// Counters, fingerprints and records.
    pub trace: Trace,
    /// Routes found since the last event, by node and destination; `None` if no proxy or flow reacts to them.
    pub new_routes: Option<Vec<(NodeId, NodeId)>>,
    /// Reports on segments without a route; `None` if there are none.
    pub unreachable: Option<Box<Reports>>,
    /// Access categories by flow; empty without categories.
    pub categories: Vec<Category>,
    /// Packets of real programs; `None` without a table `[live]`.
    pub live: Option<Box<LiveTraffic>>,
    pub(super) next_uid: u64,
}

impl Ctx {
    /// The start of a run with this root seed, these numbers of flows and nodes, and these radios.
    pub fn with_radios(seed: u64, flows: usize, nodes: usize, radios: Radios) -> Ctx {
        let radios = Arc::new(radios);
        let mut ctx = Ctx::new(seed, flows, nodes);
        ctx.trace.set_radios(Arc::clone(&radios));
        Ctx { radios, ..ctx }
    }

    /// The start of a run with this root seed and these numbers of flows and nodes, each with one radio at most.
    pub fn new(seed: u64, flows: usize, nodes: usize) -> Ctx {
        Ctx {
            now: Time::ZERO,
            events: EventQueue::default(),
            streams: RandomStreams::new(seed),
            radios: Arc::default(),
            packets: Packets::default(),
            trace: Trace::new(flows, nodes),
            new_routes: None,
            unreachable: None,
            categories: Vec::new(),
            live: None,
            next_uid: 0,
        }
    }

    /// A packet in the network.
    pub fn packet(&self, packet: PacketId) -> &Packet {
        self.packets.get(packet.0)
    }

    /// A packet in the network, to be changed.
    pub fn packet_mut(&mut self, packet: PacketId) -> &mut Packet {
        self.packets.get_mut(packet.0)
    }

    /// Records something at the current time.
    #[expect(clippy::inline_always, reason = "as `Trace::mix`")]
    #[inline(always)]
    pub fn note(&mut self, node: NodeId, what: What) {
        self.trace.note(self.now, node, what);
    }

    /// Records something about a packet at the current time.
    #[expect(clippy::inline_always, reason = "as `Trace::mix`")]
    #[inline(always)]
    pub fn note_about(&mut self, node: NodeId, what: What, packet: PacketId) {
        self.trace.note_about(self.now, node, what, self.packets.get(packet.0));
    }

    /// Counts and records a new route of a node, or one whose next hop has changed.
    pub fn route_changed(&mut self, node: NodeId, dst: NodeId, next_hop: NodeId) {
        self.trace.counters.routes_changed += 1;
        if let Some(routes) = &mut self.new_routes {
            routes.push((node, dst));
        }
        self.note(node, What::RouteChanged { dst, next_hop });
    }

    /// Counts and records a route that a node has lost.
    pub fn route_lost(&mut self, node: NodeId, dst: NodeId) {
        self.trace.counters.routes_lost += 1;
        self.note(node, What::RouteLost { dst });
    }

    /// Counts and records a step of a handshake that carries congestion, of a radio with a radio of a neighbor.
    pub fn step(&mut self, radio: RadioId, step: Step, peer: RadioId) {
        let (node, peer) = (self.radios.owner(radio), self.radios.owner(peer));
        self.trace.counters.node(node).steps[step as usize] += 1;
        self.note(node, What::Handshake { step, peer });
    }

    /// Counts and records a transmitted frame.
    #[inline]
    pub fn frame_sent<R: RunKind>(&mut self, frame: &Frame) {
        self.trace.frame_sent::<R>(self.now, frame, &self.packets);
    }

    /// Shows the capture the MPDUs of an A-MPDU, or the bitmap of a Block Ack.
    #[inline]
    pub fn parts_sent(&mut self, frame: &Frame, parts: &Aggregate) {
        if self.trace.capture.is_some() {
            self.trace.parts_sent(self.now, frame, parts, &self.packets);
        }
    }

    /// Logs a frame that its addressee has decoded.
    #[inline]
    pub fn frame_received(&mut self, frame: &Frame) {
        if let Some(log) = &mut self.trace.log {
            log.frame_received(self.now, frame);
        }
    }

    /// Logs a packet that the MAC gives up, as frames of type `kind` have reached their retry limit.
    pub fn retry_limit(&mut self, kind: FrameKind, data: &Frame, packet: PacketId) {
        if let Some(log) = &mut self.trace.log {
            log.retry_limit(self.now, kind, data, self.packets.get(packet.0));
        }
    }

    /// Logs a packet that has entered the interface queue of a node (or, if not `is_in`, has left it); `len` is the queue
    /// length afterwards.
    #[inline]
    pub fn queue_changed(&mut self, node: NodeId, packet: PacketId, is_in: bool, len: usize) {
        if let Some(log) = &mut self.trace.log {
            log.queue(self.now, node, self.packets.get(packet.0), is_in, len);
        }
    }

    /// Shows the capture a packet that enters the wire of a port, or (if not `is_sent`) arrives at its other end.
    pub fn wire_passed(&mut self, port: u32, packet: PacketId, is_sent: bool) {
        if let Some(capture) = &mut self.trace.capture {
            capture.on_wire(self.now, port, is_sent, self.packets.get(packet.0));
        }
    }

    /// Logs the start or the stop of a flow's application.
    pub fn flow_switched(&mut self, flow: FlowId, (src, dst): (NodeId, NodeId), has_begun: bool) {
        if let Some(log) = &mut self.trace.log {
            log.flow(self.now, src, dst, flow, has_begun);
        }
    }
}
