//! What a queue above release by overhearing knows: which next hops are withheld, and which packets pass.
//!
//! # Model
//! Short packets (acknowledgments of transports) enter at the head, as routing messages do, and are served while data is parked. The
//! MAC takes the first packet whose next hop is not withheld. If all are, it takes the first, which is parked; it returns to the head
//! when a packet arrives that may go.
//!
//! # Source
//! Ours: `docs/protocols/hop_release.md`, rules 1 and 5.

use crate::kernel::RadioId;
use crate::packet::Packet;

/// What the MAC of a radio withholds.
#[derive(Debug)]
pub struct HopQueue {
    /// Length in bytes from which on a packet is long.
    pub long_from: u32,
    pub(super) withheld: Vec<RadioId>,
    /// Whether a packet that may go replaces a parked one.
    pub(super) swaps: bool,
}

impl HopQueue {
    /// Nothing withheld.
    pub fn new(long_from: u32) -> HopQueue {
        HopQueue { long_from, withheld: Vec::new(), swaps: false }
    }

    /// The next hops whose packets would be parked now; `swaps`: a parked packet makes way for others.
    pub fn withhold(&mut self, update: impl FnOnce(&mut Vec<RadioId>) -> bool) {
        self.withheld.clear();
        self.swaps = update(&mut self.withheld);
    }

    /// Whether a packet is served as control packets are.
    pub fn passes(&self, packet: &Packet) -> bool {
        packet.is_control() || packet.bytes < self.long_from
    }
}
