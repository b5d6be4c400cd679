//! Frames of IEEE 802.11.

use super::PacketId;
use crate::kernel::{NodeId, Span};

/// Types of frame that the distributed coordination function uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Data, unicast or broadcast.
    Data,
    /// Acknowledgment of data.
    Ack,
}

/// A frame, as one station puts it on the air.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Type.
    pub kind: FrameKind,
    /// Station that sends it. CTS and ACK do not carry it: only the medium and statistics read it there.
    pub ta: NodeId,
    /// Station it is for.
    pub ra: NodeId,
    /// Length with MAC header and FCS, in bytes.
    pub bytes: u32,
    /// Time on the air, preamble included.
    pub airtime: Span,
    /// Duration field, in microseconds: how long the medium stays reserved after it.
    pub duration: u16,
    /// Sequence number (data frames).
    pub seq: u16,
    /// Retry bit.
    pub retry: bool,
    /// Order bit, free for a handshake policy (RTS and CTS).
    pub order: bool,
    /// What a data frame carries, as held by its sender.
    pub packet: Option<PacketId>,
}

impl Frame {
    /// Whether everybody in reach is meant.
    pub fn is_broadcast(&self) -> bool {
        self.ra.is_broadcast()
    }
}
