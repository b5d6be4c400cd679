//! Queue lengths above a MAC, as the network layer reports them to handshakes and admission.

use crate::kernel::RadioId;

/// Packets of one node above the MAC of one of its radios; queues are those of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Control packets in the interface queues.
    pub control: u32,
    /// Other packets in the interface queues.
    pub data: u32,
    /// Packets waiting for a route.
    pub waiting: u32,
    /// Packets waiting for ARP resolution.
    pub unresolved: u32,
    /// Data packets in the delay before the queue.
    pub coming: u32,
    /// Data packets in the MACs of the node's other radios, and those that wait at a relay to another connection.
    pub elsewhere: u32,
    /// Next hop of the first data packet in the queue of this radio.
    pub head: Option<RadioId>,
}

impl Backlog {
    /// Packets in the interface queues.
    pub fn queued(&self) -> u32 {
        self.control + self.data
    }
}
