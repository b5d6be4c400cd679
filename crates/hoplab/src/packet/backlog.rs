//! Queue lengths above a MAC, as the network layer reports them to handshakes and admission.

use crate::kernel::RadioId;

/// Packets of one node above its MAC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Control packets in the interface queue.
    pub control: u32,
    /// Other packets in the interface queue.
    pub data: u32,
    /// Packets waiting for a route.
    pub waiting: u32,
    /// Packets waiting for ARP resolution.
    pub unresolved: u32,
    /// Data packets in the delay before the queue.
    pub coming: u32,
    /// Next hop of the first data packet in the queue.
    pub head: Option<RadioId>,
}

impl Backlog {
    /// Packets in the interface queue.
    pub fn queued(&self) -> u32 {
        self.control + self.data
    }
}
