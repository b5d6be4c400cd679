//! The boundary between the MAC and the layer above: what the MAC reports, and what it may use meanwhile.

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::phy::Medium;
use crate::sim::Ctx;

/// What the MAC tells the layer above, in order.
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
        reached_next_hop: bool,
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
    /// What it tells the layer above.
    pub out: &'a mut Vec<MacOut>,
}
