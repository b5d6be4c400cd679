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
    /// Long packets that the node forwards, where a handshake policy asks for them.
    pub transit: Transit,
    /// Long packets of the node itself, where a handshake policy asks for them.
    pub own: u32,
}

/// Long packets of other nodes in the interface queues, by next hop: of so many neighbors, and all others together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transit {
    lines: [Option<(RadioId, u32)>; 6],
    rest: u32,
}

impl Transit {
    /// One more, for `next`.
    pub fn add(&mut self, next: RadioId) {
        match self.lines.iter_mut().find(|line| line.is_none_or(|line| line.0 == next)) {
            Some(line) => *line = Some((next, line.map_or(0, |line| line.1) + 1)),
            None => self.rest += 1,
        }
    }

    /// Those that are not for `next`.
    pub fn except(&self, next: RadioId) -> u32 {
        self.rest + self.lines.iter().flatten().filter(|line| line.0 != next).map(|line| line.1).sum::<u32>()
    }
}

impl Backlog {
    /// Packets in the interface queues.
    pub fn queued(&self) -> u32 {
        self.control + self.data
    }
}
