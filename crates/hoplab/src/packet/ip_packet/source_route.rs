//! The route that a packet carries: a DSR source route (RFC 4728 section 6.7).

use crate::kernel::NodeId;

/// Nodes from the one that has put the route into the packet to the packet's destination, and possibly beyond. Packets along one
/// route share it.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceRoute {
    nodes: Box<[NodeId]>,
    salvage: u8,
    is_from_outside: bool,
}

/// Number of DSR in IP headers (RFC 4728 section 11).
pub const DSR_PROTOCOL: u8 = 48;

/// Bytes of the fixed part of the DSR header (RFC 4728 section 6.1).
const FIXED: u32 = 4;
/// Bytes of a source route option without addresses (RFC 4728 section 6.7).
const OPTION: u32 = 4;
/// Bytes of an address.
const ADDRESS: u32 = 4;

impl SourceRoute {
    /// Maximum number of nodes: the field of segments left has 6 bits (RFC 4728 section 6.7).
    pub const MAX_NODES: usize = 64;

    /// A route of a packet that has been salvaged `salvage` times.
    pub fn new(nodes: &[NodeId], salvage: u8) -> SourceRoute {
        SourceRoute { nodes: nodes.into(), salvage, is_from_outside: false }
    }

    /// A route of a packet that has entered the network at the first node, whose address is listed therefore: the source of the
    /// packet is beyond it (flag F of RFC 4728 section 6.7).
    pub fn from_outside(nodes: &[NodeId]) -> SourceRoute {
        SourceRoute { nodes: nodes.into(), salvage: 0, is_from_outside: true }
    }

    /// Whether the packet's source is outside of the network.
    pub fn is_from_outside(&self) -> bool {
        self.is_from_outside
    }

    /// All nodes.
    #[inline]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Times that the packet has been salvaged.
    pub fn salvage(&self) -> u8 {
        self.salvage
    }

    /// The nodes up to a destination.
    #[inline]
    pub fn up_to(&self, dst: NodeId) -> &[NodeId] {
        let end = self.position(dst).map_or(self.nodes.len(), |last| last + 1);
        &self.nodes[..end]
    }

    /// Position of a node.
    #[inline]
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|&other| other == node)
    }

    /// The node after `node`.
    #[inline]
    pub fn next_after(&self, node: NodeId) -> Option<NodeId> {
        self.nodes.get(self.position(node)? + 1).copied()
    }

    /// Addresses of the option for a packet to `dst`: the relays, and the node that has salvaged the packet (RFC 4728 sections 8.1.3
    /// and 8.3.6).
    pub fn addresses(&self, dst: NodeId) -> &[NodeId] {
        let nodes = self.up_to(dst);
        let is_source = self.salvage == 0 && !(self.is_from_outside && nodes.len() > 2);
        &nodes[usize::from(is_source)..nodes.len() - 1]
    }

    /// Whether a packet to `dst` carries the route: not if `dst` is a neighbor (RFC 4728 section 8.1.1).
    pub fn is_carried(&self, dst: NodeId) -> bool {
        !self.addresses(dst).is_empty()
    }

    /// Bytes of the source route option of a packet to `dst`.
    pub fn option_bytes(&self, dst: NodeId) -> u32 {
        OPTION + ADDRESS * self.addresses(dst).len() as u32
    }

    /// Bytes of the DSR header of a packet to `dst` without further options.
    pub fn header_bytes(&self, dst: NodeId) -> u32 {
        FIXED + self.option_bytes(dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(salvage: u8) -> SourceRoute {
        SourceRoute::new(&[5, 3, 8, 1].map(NodeId), salvage)
    }

    #[test]
    fn header_has_an_address_per_relay() {
        let bytes = |dst, salvage| route(salvage).header_bytes(NodeId(dst));
        assert_eq!([3, 8, 1].map(|dst| bytes(dst, 0)), [8, 12, 16]);
        assert_eq!([3, 8, 1].map(|dst| bytes(dst, 2)), [12, 16, 20], "the salvaging node is an address, too");
        assert!(!route(0).is_carried(NodeId(3)) && route(1).is_carried(NodeId(3)));
    }

    #[test]
    fn node_where_a_packet_enters_is_an_address() {
        let outside = SourceRoute::from_outside(&[5, 3, 8].map(NodeId));
        assert_eq!([3, 8].map(|dst| outside.header_bytes(NodeId(dst))), [8, 16]);
        assert!(!outside.is_carried(NodeId(3)) && outside.is_carried(NodeId(8)));
    }

    #[test]
    fn packet_uses_the_route_as_far_as_its_destination() {
        assert_eq!(route(0).up_to(NodeId(8)), [5, 3, 8].map(NodeId));
        assert_eq!((route(0).next_after(NodeId(3)), route(0).next_after(NodeId(1))), (Some(NodeId(8)), None));
        assert_eq!(route(0).next_after(NodeId(9)), None);
    }
}
