//! Medium access by the distributed coordination function of IEEE 802.11, one packet at a time.

mod access;
mod backoff;
mod config;
mod dcf;
mod duty;
mod exchange;
pub mod handshake;
pub mod observer;
mod parking;
mod receive;
mod timing;

pub use config::{MacConfig, MacProfile, Preamble};
pub use dcf::Mac;
pub use duty::{Duty, Sent};
pub use timing::{ACK_BYTES, CTS_BYTES, RTS_BYTES, Timing};

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::phy::Medium;
use crate::trace::Ctx;

/// What the MAC tells the floor above, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacOut {
    /// A packet has arrived for this node (or everybody). Whoever keeps it takes a copy, at once.
    Received {
        /// The sender's.
        packet: PacketId,
        /// Neighbor that sent it.
        from: NodeId,
    },
    /// The packet has been acknowledged, or broadcast: the MAC needs it no longer.
    Sent {
        /// Which.
        packet: PacketId,
    },
    /// All attempts have failed. Comes before the [`MacOut::Ready`] that follows.
    Failed {
        /// Which.
        packet: PacketId,
        /// Neighbor it was for.
        next_hop: NodeId,
        /// The neighbor had taken a copy over all the same: only its acknowledgments were lost.
        was_received: bool,
    },
    /// The MAC can take the next packet.
    Ready,
    /// The packet in service is parked: the MAC can take a control packet, and no other.
    Parked,
    /// It contends again: the MAC takes nothing.
    Unparked,
}

/// What the MAC may use while it handles an event.
#[derive(Debug)]
pub struct MacCtx<'a> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// The air.
    pub medium: &'a mut Medium,
    /// What it tells the floor above.
    pub out: &'a mut Vec<MacOut>,
}
