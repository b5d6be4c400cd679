//! Ids of nodes, radios, flows and ends of flows, which are valid for a whole run.

use std::fmt;

/// A node: its index in the topology.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A radio: its index among the radios of all nodes, and its address on the air. Only the table of radios
/// ([`super::Radios`]) knows which node it is of, and which radios a node has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RadioId(pub u32);

/// A flow: its index in the scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// The end that sends data.
    Source,
    /// The end that receives data.
    Sink,
}

impl NodeId {
    /// All nodes within reception range: the limited IP broadcast address.
    pub const BROADCAST: NodeId = NodeId(u32::MAX);

    /// Index into tables by node.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the broadcast address.
    pub fn is_broadcast(self) -> bool {
        self == NodeId::BROADCAST
    }
}

impl RadioId {
    /// All radios within reception range: the MAC broadcast address.
    pub const BROADCAST: RadioId = RadioId(u32::MAX);

    /// No radio: that of a host, or of a hop that is not chosen yet or leads over a wire.
    pub const NONE: RadioId = RadioId(u32::MAX - 1);

    /// Index into tables by radio.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the broadcast address.
    pub fn is_broadcast(self) -> bool {
        self == RadioId::BROADCAST
    }
}

impl FlowId {
    /// Flow of packets without one: routing, ARP.
    pub const NONE: FlowId = FlowId(u32::MAX);

    /// Index into tables by flow.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broadcast() { f.write_str("all") } else { write!(f, "n{}", self.0) }
    }
}

impl fmt::Debug for RadioId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RadioId {
    /// As a node: the first radio of a node has its number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&NodeId(self.0), f)
    }
}

impl fmt::Debug for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == FlowId::NONE { f.write_str("no flow") } else { write!(f, "f{}", self.0) }
    }
}
