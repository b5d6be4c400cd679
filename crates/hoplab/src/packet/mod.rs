//! What travels: packets of the network layer, frames of the MAC, and messages that layers exchange through them.

mod backlog;
mod channel_view;
mod control;
mod explicit;
mod feedback;
mod frame;
mod muzha;
mod split;
pub mod wire;

pub use backlog::Backlog;
pub use channel_view::{ChannelView, LinkEstimate, Unobserved};
pub use control::{Advert, Arp, Control, Unreachable};
pub use explicit::{
    ExplicitConfig, Form, RcpConfig, RcpWinfConfig, RefClock, SpareRule, TrafficRule, XcpBConfig, XcpConfig,
    XcpWinfConfig,
};
pub use feedback::{Echo, EchoRule, Feedback, RcpHeader, RcpKind, XcpHeader, XcpKind};
pub use frame::{Frame, FrameKind, Modulation, Urgency};
pub use muzha::{
    Aggregate, DraiConfig, DraiMode, DraiTable, DropOverride, EchoChoice, MAX_LEVEL, MIN_LEVEL, MarkRule, MuzhaConfig,
    RoundRule, StampAt,
};
pub use split::{Lack, SplitSegment, SplitTag};

use crate::kernel::{Arena, FlowId, NodeId, Time};

/// Number of a segment within its flow. The first (0) opens the connection and carries no data.
pub type SegNo = i64;

/// Name of a packet while it is somewhere in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// All packets that exist at a moment.
pub type Packets = Arena<Packet>;

/// One packet of the network layer, in one place. A reception makes a copy.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Flow it belongs to, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Node that created it.
    pub src: NodeId,
    /// Node it is for, or everybody.
    pub dst: NodeId,
    /// Neighbor it is being sent to; set by routing.
    pub next_hop: NodeId,
    /// Neighbor it came from; set on reception.
    pub prev_hop: NodeId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// Hops it may still travel.
    pub ttl: u8,
    /// Hops it has travelled.
    pub forwards: u16,
    /// Order of creation in this run; copies keep it.
    pub uid: u64,
    /// When it came into being; copies keep it.
    pub made_at: Time,
    /// When it entered the interface queue of the node where it is.
    pub queued_at: Time,
    /// When it first entered an interface queue, its maker's; [`Time::NEVER`] before. Copies keep it.
    pub entered_at: Time,
    /// What it carries.
    pub payload: Payload,
}

/// Content of a packet.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Data of a connection.
    Segment(Segment),
    /// Acknowledgment of a connection.
    Ack(Ack),
    /// Data without a connection.
    Datagram(Datagram),
    /// Data of a connection that proxies may take over.
    SplitSegment(SplitSegment),
    /// Acknowledgment between proxies.
    Lack(Lack),
    /// Routing protocols' messages.
    Control(Control),
    /// Address resolution.
    Arp(Arp),
}

/// Data of a connection, as sent at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Which segment.
    pub seq: SegNo,
    /// Payload in bytes.
    pub payload: u32,
    /// When this copy was sent.
    pub sent_at: Time,
    /// When the segment was sent for the first time.
    pub first_sent: Time,
    /// Whether it had been sent before.
    pub is_retransmission: bool,
    /// What routers may write.
    pub feedback: Feedback,
}

/// Acknowledgment of everything up to and including `cumulative`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Highest segment received in order; -1 before the first.
    pub cumulative: SegNo,
    /// Blocks received above it, `[first, last)`, the most recent first.
    pub blocks: [(SegNo, SegNo); MAX_BLOCKS],
    /// How many blocks are used.
    pub block_count: u8,
    /// Sending time of the segment that caused this acknowledgment.
    pub echo: Time,
    /// Whether that segment was a retransmission.
    pub echo_is_retransmission: bool,
    /// What routers have written into the segments since the last acknowledgment.
    pub feedback: Echo,
}

/// SACK blocks that fit beside a timestamp (RFC 2018 section 3).
pub const MAX_BLOCKS: usize = 3;

/// Data without a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// Position in the flow, from 0.
    pub seq: u64,
    /// Payload in bytes.
    pub payload: u32,
    /// When it was sent.
    pub sent_at: Time,
}

impl Ack {
    /// A plain cumulative acknowledgment.
    pub fn plain(cumulative: SegNo, echo: Time) -> Ack {
        Ack {
            cumulative,
            blocks: [(0, 0); MAX_BLOCKS],
            block_count: 0,
            echo,
            echo_is_retransmission: false,
            feedback: Echo::None,
        }
    }

    /// The SACK blocks, the most recent first.
    pub fn blocks(&self) -> &[(SegNo, SegNo)] {
        &self.blocks[..self.block_count as usize]
    }
}

impl Packet {
    /// The header that routers may change. An acknowledgment's level is one too: whoever has a say in it may lower it
    /// on its way back.
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

    /// Node that put it into the network here: the last proxy that took it over, or else its source.
    #[inline]
    pub fn origin(&self) -> NodeId {
        match &self.payload {
            Payload::SplitSegment(split) => split.tag.resp,
            _ => self.src,
        }
    }

    /// Hops it had travelled before its origin sent it.
    pub fn travelled(&self) -> u16 {
        match &self.payload {
            Payload::SplitSegment(split) => split.tag.travelled,
            _ => 0,
        }
    }

    /// Relay `node` has got it: notes that in its option. Whether a proxy there is to look at it.
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

    /// Bytes of users' data that it carries; none in acknowledgments and control packets.
    pub fn user_bytes(&self) -> u32 {
        match &self.payload {
            Payload::Segment(segment) => segment.payload,
            Payload::SplitSegment(split) => split.segment.payload,
            Payload::Datagram(datagram) => datagram.payload,
            Payload::Ack(_) | Payload::Lack(_) | Payload::Control(_) | Payload::Arp(_) => 0,
        }
    }

    /// Whether it is a routing message or address resolution rather than users' traffic.
    pub fn is_control(&self) -> bool {
        matches!(self.payload, Payload::Control(_) | Payload::Arp(_))
    }

    /// Whether every interface queue puts it before the others: routing messages, but neither ARP nor acknowledgments.
    pub fn is_urgent(&self) -> bool {
        matches!(self.payload, Payload::Control(_))
    }
}
