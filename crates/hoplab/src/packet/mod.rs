//! Packets of the network layer, frames of the MAC, and types that two layers share: below all layers, so that none depends
//! on another for them. `wire` encodes them by the standards.

pub mod aggregate;
mod backlog;
mod category;
mod channel_view;
mod control;
pub mod explicit;
mod frame;
mod ip_packet;
pub mod live;
mod modulation;
mod segment;
mod split;
mod tcp;
pub mod wire;

pub use backlog::{Backlog, Transit};
pub use category::Category;
pub use channel_view::{ChannelView, LinkCost, LinkEstimate, Unobserved};
pub use control::{Arp, Control, ControlMessage};
pub use frame::{Frame, FrameKind, Urgency};
pub use ip_packet::{
    DSR_PROTOCOL, Ecn, Hop, NewPacket, Packet, PacketId, Packets, Payload, QueueTimes, SourceRoute, Unreachable,
};
pub use live::{
    Live, LiveDevice, LiveHeader, Ports, RECORDED_BYTES, Recorded, Refusal, StackPacket, check_target, with_ttl,
};
pub use modulation::{
    CodeRate, Coding, Constellation, DSSS, Dsss, Field, Format, Mode, Modulation, OfdmMode, Radiotap, Waveform, Width,
};
pub use segment::{Ack, Datagram, MAX_BLOCKS, SegNo, Segment};
pub use split::{Lack, SplitSegment, SplitTag};
pub use tcp::{TcpFlags, TcpSegment};
