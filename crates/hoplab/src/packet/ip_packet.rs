//! A packet of the network layer (RFC 791): the fields that its creator sets, and those that each layer adds on its route.

mod source_route;

pub use source_route::{DSR_PROTOCOL, SourceRoute};

use super::category::Category;
use super::control::{Arp, Control};
use super::live::{Live, StackPacket};
use super::segment::{Ack, Datagram, Segment};
use super::split::{Lack, SplitSegment};
use super::tcp::TcpSegment;
use crate::kernel::{Arena, End, FlowId, NodeId, RadioId, Time};
use crate::packet::explicit::{AtpReport, Echo, Feedback};
use std::sync::Arc;

/// Index of a packet while it is in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// All packets in the network.
pub type Packets = Arena<Packet>;

/// A packet to be created: what transport, routing or a proxy states of it.
#[derive(Clone, Debug)]
pub struct NewPacket {
    /// Flow of the packet, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Source address.
    pub src: NodeId,
    /// Destination address; may be the broadcast address.
    pub dst: NodeId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// Content.
    pub payload: Payload,
}

/// A packet at one node. Each reception makes a copy.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Order of creation in this run; copies keep it.
    pub uid: u64,
    /// Time of creation; copies keep it.
    pub created_at: Time,
    /// Flow of the packet, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Source address.
    pub src: NodeId,
    /// Destination address; may be the broadcast address.
    pub dst: NodeId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// Time to live: hops that it may still travel.
    pub ttl: u8,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its access category, on all hops.
    pub category: Category,
    /// Its current hop; routing sets the next, each reception the previous.
    pub hop: Hop,
    /// When it was in interface queues; the link layer sets it.
    pub queued: QueueTimes,
    /// The route that it carries, in a header; [`Packet::set_route`] changes it.
    pub route: Option<Arc<SourceRoute>>,
    /// Content.
    pub payload: Payload,
}

/// The ECN field of a packet (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Its transport does not understand marks.
    #[default]
    NotEct,
    /// Queues may mark it.
    Ect,
    /// A queue has marked it.
    Ce,
}

/// The hop that a packet is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Radio that it is sent to; [`RadioId::NONE`] until routing has chosen one, and over a wire.
    pub next: RadioId,
    /// Neighbor that it came from, over any radio or a wire; its source before the first hop.
    pub prev: NodeId,
    /// Number of hops that it has travelled since it was created.
    pub count: u16,
}

/// When a packet entered interface queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueTimes {
    /// The queue of the node where it is; the time of creation before any.
    pub here: Time,
    /// The queue of the node that created it; [`Time::NEVER`] before. Copies keep it.
    pub first: Time,
}

impl QueueTimes {
    /// The packet enters a queue.
    #[inline]
    pub fn enter(&mut self, now: Time) {
        self.here = now;
        self.first = self.first.min(now);
    }
}

/// Content of a packet.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Data of a connection.
    Segment(Segment),
    /// Acknowledgment of a connection.
    Ack(Ack),
    /// Segment of a real TCP connection, in either direction.
    Tcp(TcpSegment),
    /// Report of a node without a route to the sender of a segment.
    Unreachable(Unreachable),
    /// Data without a connection.
    Datagram(Datagram),
    /// Data of a connection that proxies may accept.
    SplitSegment(SplitSegment),
    /// Local acknowledgment of a proxy.
    Lack(Lack),
    /// Report of ATP's receiver.
    Report(Box<AtpReport>),
    /// Routing message.
    Control(Control),
    /// ARP message.
    Arp(Arp),
    /// Packet of a real program.
    Live(Live),
    /// Packet of a stack, in either direction.
    Stack(StackPacket),
}

/// A node had no route for a segment (ICMP destination unreachable, RFC 792), or has one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// End of the flow that sent the segment.
    pub end: End,
    /// Destination of the segment.
    pub dst: NodeId,
    /// Whether the node has a route again.
    pub is_over: bool,
}

impl Unreachable {
    /// Bytes above the MAC: IP and ICMP headers, and the first 28 bytes of the segment.
    pub const BYTES: u32 = 56;
}

impl Payload {
    /// Whether it is an Ethernet frame of a host, which no routing carries.
    #[inline]
    pub fn is_frame(&self) -> bool {
        matches!(self, Payload::Live(live) if live.is_frame)
    }
}

impl Packet {
    /// The packet at its creation.
    pub fn new(new: NewPacket, ttl: u8, uid: u64, now: Time) -> Packet {
        let is_ect = match &new.payload {
            Payload::Segment(segment) => segment.is_ect,
            Payload::Tcp(segment) => segment.is_ect,
            _ => false,
        };
        let NewPacket { flow, src, dst, bytes, payload } = new;
        let hop = Hop { next: RadioId::NONE, prev: src, count: 0 };
        let queued = QueueTimes { here: now, first: Time::NEVER };
        let ecn = if is_ect { Ecn::Ect } else { Ecn::NotEct };
        Packet {
            uid,
            created_at: now,
            flow,
            src,
            dst,
            bytes,
            ttl,
            ecn,
            category: Category::default(),
            hop,
            queued,
            route: None,
            payload,
        }
    }

    /// The header that routers may change. The level in an acknowledgment counts as one: routers on its route may lower it.
    pub fn feedback(&self) -> Feedback {
        match &self.payload {
            Payload::Segment(segment) => segment.feedback,
            Payload::Ack(Ack { feedback: Echo::Mrai(level), .. }) => Feedback::Mrai(*level),
            _ => Feedback::None,
        }
    }

    /// Changes the header that routers may change, if the packet has one.
    pub fn set_feedback(&mut self, feedback: Feedback) {
        match (&mut self.payload, feedback) {
            (Payload::Segment(segment), _) => segment.feedback = feedback,
            (Payload::Ack(ack), Feedback::Mrai(level)) => ack.feedback = Echo::Mrai(level),
            _ => {}
        }
    }

    /// Puts a route into the packet in place of the one that it has, and changes its length by that of their headers. A route to a
    /// neighbor takes no header.
    pub fn set_route(&mut self, route: Arc<SourceRoute>) {
        self.remove_route();
        if route.is_carried(self.dst) {
            self.bytes += route.header_bytes(self.dst);
            self.route = Some(route);
        }
    }

    /// Removes the route and its header.
    #[inline]
    pub fn remove_route(&mut self) {
        if let Some(route) = self.route.take() {
            self.bytes -= route.header_bytes(self.dst);
        }
    }

    /// What its sender shares with all neighbors that decode the frame; 0 for nothing.
    #[inline]
    pub fn record(&self) -> u32 {
        match &self.payload {
            Payload::Segment(Segment { feedback: Feedback::Wcp(header), .. }) => header.record,
            _ => 0,
        }
    }

    /// Node that created it: the last proxy that has accepted it, or else its source.
    #[inline]
    pub fn origin(&self) -> NodeId {
        match &self.payload {
            Payload::SplitSegment(split) => split.tag.resp,
            _ => self.src,
        }
    }

    /// Hops that its content had travelled before it was created.
    pub fn travelled(&self) -> u16 {
        match &self.payload {
            Payload::SplitSegment(split) => split.tag.travelled,
            _ => 0,
        }
    }

    /// Records in the packet's option that relay `node` has received it. Returns whether a proxy there reads it.
    #[inline]
    pub fn pass_relay(&mut self, node: NodeId) -> bool {
        match &mut self.payload {
            Payload::SplitSegment(split) => {
                split.tag.hops = split.tag.hops.saturating_add(1);
                !split.tag.is_bypass
            }
            Payload::Lack(lack) => lack.resp == node,
            _ => false,
        }
    }

    /// Bytes of user data that it carries; 0 for acknowledgments and control packets.
    pub fn user_bytes(&self) -> u32 {
        match &self.payload {
            Payload::Segment(segment) => segment.payload,
            Payload::SplitSegment(split) => split.segment.payload,
            Payload::Tcp(segment) => segment.len,
            Payload::Datagram(datagram) => datagram.payload,
            Payload::Stack(packet) => packet.len,
            Payload::Ack(_)
            | Payload::Lack(_)
            | Payload::Report(_)
            | Payload::Unreachable(_)
            | Payload::Control(_)
            | Payload::Arp(_)
            | Payload::Live(_) => 0,
        }
    }

    /// Whether it is a control packet: a routing or ARP message.
    pub fn is_control(&self) -> bool {
        matches!(self.payload, Payload::Control(_) | Payload::Arp(_))
    }

    /// Whether every interface queue enqueues it at the head: routing messages, but neither ARP nor acknowledgments.
    pub fn is_urgent(&self) -> bool {
        matches!(self.payload, Payload::Control(_))
    }
}
