//! The trait of feedback routers: a router's part of a transport protocol with explicit feedback (RFC 3168 is the standard's
//! case of one bit).
//!
//! A node has one for each radio and for each port of a wire. It sees every packet that passes the interface queue there, and can
//! change only the [`Feedback`] header: it does not decide on a packet's fate.

use super::context::FeedbackCtx;
use crate::kernel::{FlowId, NodeId, RadioId, Time};
use crate::packet::explicit::{ExplicitConfig, Feedback};
use crate::packet::{Category, Packet, Payload};
use std::fmt::Debug;

/// Where a packet passes the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// It arrives at the interface queue, which may drop it.
    Arrival,
    /// The MAC, or the wire, dequeues it. Retries of the MAC do not pass again.
    Departure,
}

/// The fields of a passing packet that a feedback router reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// Flow it belongs to, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// What it carries.
    pub kind: PacketKind,
    /// Its access category.
    pub category: Category,
    /// Whether this node has created it.
    pub is_own: bool,
    /// Radio of the neighbor it is being sent to: valid at the queue of a radio.
    pub next_hop: RadioId,
    /// Neighbor it came from.
    pub prev_hop: NodeId,
    /// When it entered the queue that it leaves: valid at departure.
    pub queued_at: Time,
}

/// Kinds of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Data of a connection: the only kind that can carry a [`Feedback`] header.
    Segment,
    /// Acknowledgment of a connection.
    Ack,
    /// Data without a connection.
    Datagram,
    /// Routing message or address resolution.
    Control,
}

/// Causes of a packet loss at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The interface queue was full.
    QueueFull,
    /// The MAC exceeded its retry limit.
    MacRetry,
}

/// A router's part of a transport protocol, at one radio of a node.
pub trait FeedbackRouter: Debug {
    /// The run begins: timers may be set.
    fn start(&mut self, _cx: &mut FeedbackCtx<'_>) {}

    /// A packet passes the queue. `feedback` is the header it carries; it may be changed.
    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback);

    /// A packet for this node arrives over the radio. `feedback` is what the receiver will read; it may be changed.
    fn on_delivery(&mut self, _cx: &mut FeedbackCtx<'_>, _packet: &PacketView, _feedback: &mut Feedback) {}

    /// A timer set with [`FeedbackCtx::set_timer`] fires.
    fn on_timer(&mut self, _cx: &mut FeedbackCtx<'_>, _timer: u8) {}

    /// A packet was lost at this radio.
    fn on_lost(&mut self, _cx: &mut FeedbackCtx<'_>, _lost: Lost) {}

    /// Reports its state by name and value, for samples over time.
    fn read(&self, _now: Time, _put: &mut dyn FnMut(&'static str, f64)) {}
}

/// A feedback router of any kind, of the list or of the calling program.
pub type AnyRouter = Box<dyn FeedbackRouter + Send>;

/// What a feedback router is built from.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackSetup<'a> {
    /// Data rate of the node's MAC, or rate of a wire, in bytes per second.
    pub data_rate: f64,
    /// Size of the interface queue, in packets.
    pub queue_limit: u32,
    /// Whether the interface is a port of a wire: its rate is its capacity.
    pub is_wire: bool,
    /// Parameters.
    pub explicit: &'a ExplicitConfig,
}

impl PacketView {
    pub(in crate::net) fn of(packet: &Packet, node: NodeId) -> PacketView {
        let kind = match packet.payload {
            Payload::Segment(_) | Payload::SplitSegment(_) => PacketKind::Segment,
            Payload::Tcp(ref segment) if segment.len > 0 => PacketKind::Segment,
            Payload::Stack(ref packet) if packet.len > 0 => PacketKind::Segment,
            Payload::Ack(_) | Payload::Tcp(_) | Payload::Lack(_) | Payload::Report(_) | Payload::Stack(_) => {
                PacketKind::Ack
            }
            Payload::Datagram(_) => PacketKind::Datagram,
            Payload::Unreachable(_) | Payload::Control(_) | Payload::Arp(_) | Payload::Live(_) => PacketKind::Control,
        };
        PacketView {
            flow: packet.flow,
            bytes: packet.bytes,
            kind,
            category: packet.category,
            is_own: packet.src == node,
            next_hop: packet.hop.next,
            prev_hop: packet.hop.prev,
            queued_at: packet.queued.here,
        }
    }
}
