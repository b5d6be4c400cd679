//! Packets of the network layer, frames of the MAC, and what two layers must both name.

mod backlog;
mod channel_view;
mod control;
mod explicit;
mod feedback;
mod frame;
mod ip_packet;
mod muzha;
mod segment;
mod split;
pub mod wire;

pub use backlog::Backlog;
pub use channel_view::{ChannelView, LinkEstimate, Unobserved};
pub use control::{Arp, Control, ControlMessage};
pub use explicit::{
    ExplicitConfig, Form, RcpConfig, RcpWinfConfig, RefClock, SpareRule, TrafficRule, XcpBConfig, XcpConfig,
    XcpWinfConfig,
};
pub use feedback::{Echo, EchoRule, Feedback, RcpHeader, RcpKind, XcpHeader, XcpKind};
pub use frame::{Frame, FrameKind, Modulation, Urgency};
pub use ip_packet::{Hop, NewPacket, Packet, PacketId, Packets, Payload, QueueTimes};
pub use muzha::{
    Aggregate, DraiConfig, DraiMode, DraiTable, DropOverride, EchoChoice, MAX_LEVEL, MIN_LEVEL, MarkRule, MuzhaConfig,
    RoundRule, StampAt,
};
pub use segment::{Ack, Datagram, MAX_BLOCKS, SegNo, Segment};
pub use split::{Lack, SplitSegment, SplitTag};
