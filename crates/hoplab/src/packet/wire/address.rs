//! Addresses of nodes in captures: locally administered MAC addresses (IEEE 802), and IPv4 addresses of 10.0.0.0/8 (RFC 1918).

use crate::kernel::{NodeId, RadioId};

/// The MAC address of a radio: locally administered.
pub fn address(radio: RadioId) -> [u8; 6] {
    if radio.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = radio.0.to_be_bytes();
    [0x02, 0, a, b, c, d]
}

/// The MAC address of a node: that of its first radio, which has its number.
pub fn node_address(node: NodeId) -> [u8; 6] {
    address(RadioId(node.0))
}

/// The node with this MAC address: every group address is the broadcast address. `None` for addresses of other networks.
pub fn station_of(address: [u8; 6]) -> Option<NodeId> {
    if address[0] & 1 == 1 {
        return Some(NodeId::BROADCAST);
    }
    let [0x02, 0, a, b, c, d] = address else { return None };
    Some(NodeId(u32::from_be_bytes([a, b, c, d])))
}

/// The IP address of a node: 10.0.0.1 is node 0.
pub fn internet(node: NodeId) -> [u8; 4] {
    if node.is_broadcast() {
        return [0xff; 4];
    }
    let [_, b, c, d] = (node.0 + 1).to_be_bytes();
    [10, b, c, d]
}

/// The IP address of a radio, as protocols with an address for each name it: of a first radio that of its node.
pub fn radio_internet(radio: RadioId) -> [u8; 4] {
    internet(NodeId(radio.0))
}

/// The node with this IP address: every broadcast and multicast address is the broadcast address. `None` for addresses of
/// other networks.
pub fn node_of(address: [u8; 4]) -> Option<NodeId> {
    let [a, b, c, d] = address;
    if (224..240).contains(&a) || address == [0xff; 4] || address == [10, 0xff, 0xff, 0xff] {
        return Some(NodeId::BROADCAST);
    }
    let number = u32::from_be_bytes([0, b, c, d]);
    (a == 10 && number > 0).then(|| NodeId(number - 1))
}
