//! The interface between the MAC and the layer above: indications of the MAC, and its context while it handles an event.
//!
//! If the MAC called the network layer, that could call the MAC meanwhile. So indications wait in an outbox, which `world`
//! empties in order (MA-UNITDATA of IEEE 802.11-1999 section 6.2.1; ns-2.35 `uptarget_`, `callback_`).

use crate::kernel::{AnyRun, RadioId, RunKind};
use crate::packet::aggregate::Sequence;
use crate::packet::{Category, PacketId};
use crate::phy::Medium;
use crate::sim::Ctx;
use std::marker::PhantomData;

/// Indications of the MAC to the layer above, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacOut {
    /// A packet has arrived for this node, or as a broadcast. The layer above copies it at once, or discards it.
    Received {
        /// The sender's copy.
        packet: PacketId,
        /// Radio of the neighbor that sent it.
        from: RadioId,
    },
    /// A packet for another station was decoded, and this station listens to such packets.
    Overheard {
        /// The sender's copy.
        packet: PacketId,
        /// Radio of the neighbor that sent it.
        from: RadioId,
    },
    /// A packet has arrived that is held until those before it have arrived. The layer above copies it at once.
    Held {
        /// The sender's copy.
        packet: PacketId,
        /// Radio of the neighbor that sent it.
        from: RadioId,
        /// Access category of its MPDU.
        category: Category,
        /// Number of its MPDU.
        seq: Sequence,
    },
    /// Copies of a category from a neighbor may be held no longer.
    Released {
        /// Radio of the neighbor that sent them.
        from: RadioId,
        /// Access category of their MPDUs.
        category: Category,
    },
    /// The station lays out an A-MPDU: packets for its next hop may join.
    Turn,
    /// The packet has been acknowledged, or broadcast: the MAC does not need it any longer.
    Sent {
        /// Which.
        packet: PacketId,
    },
    /// The retry limit is reached. Precedes the [`MacOut::Ready`] that follows.
    Failed {
        /// Which.
        packet: PacketId,
        /// The radio of its next hop.
        next_hop: RadioId,
        /// The next hop has received the packet all the same: only its ACKs were lost.
        reached_next_hop: bool,
    },
    /// The MAC can take the next packet.
    Ready,
    /// The MAC can take the next packet of a category.
    ReadyFor {
        /// The category.
        category: Category,
    },
    /// The packet in service is parked: the MAC can take a control packet, and no other.
    Parked,
    /// The packet in service of a category is parked: the MAC can take a control packet of it, and no other.
    ParkedFor {
        /// The category.
        category: Category,
    },
    /// The parked packet has made way for another one: it returns to the head of the queue.
    Returned {
        /// Which.
        packet: PacketId,
    },
    /// The parked packet contends again: the MAC takes no packet.
    Unparked,
    /// The parked packet of a category contends again: the MAC takes no packet of it.
    UnparkedFor {
        /// The category.
        category: Category,
    },
}

/// What the MAC uses while it handles an event.
#[derive(Debug)]
pub struct MacCtx<'a, R: RunKind = AnyRun> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// The medium.
    pub medium: &'a mut Medium,
    /// Its indications to the layer above.
    pub out: &'a mut Vec<MacOut>,
    /// What stations of the run may have.
    pub kind: PhantomData<R>,
}

impl<R: RunKind> MacCtx<'_, R> {
    /// The context of what plain stations do not have; `None` in a plain run.
    #[inline]
    pub fn any(&mut self) -> Option<MacCtx<'_>> {
        let MacCtx { ctx, medium, out, .. } = self;
        (!R::IS_PLAIN).then_some(MacCtx { ctx, medium, out, kind: PhantomData })
    }
}
