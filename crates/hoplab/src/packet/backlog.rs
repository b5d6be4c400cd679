//! What waits above a MAC, as the network layer tells it.

use crate::kernel::NodeId;

/// Packets of one node that the MAC does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Routing messages and address resolution in the interface queue.
    pub control: u32,
    /// Other packets in the interface queue.
    pub data: u32,
    /// Packets that wait for a route.
    pub waiting: u32,
    /// Packets that wait for a neighbor's address.
    pub unresolved: u32,
    /// Data packets on their way to the queue.
    pub coming: u32,
    /// Neighbor that the first data packet of the queue is for.
    pub head: Option<NodeId>,
}

impl Backlog {
    /// Packets in the interface queue.
    pub fn queued(&self) -> u32 {
        self.control + self.data
    }
}
