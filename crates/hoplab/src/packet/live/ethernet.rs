//! Ethernet frames of TAP devices (IEEE 802.3): hosts resolve addresses and route; the network carries frames to neighbors.

use super::{LiveHeader, Ports, Refusal, WITH_PORTS};
use crate::packet::wire::station_of;

/// Bytes of the header: destination, source, type.
pub const ETHERNET_BYTES: usize = 14;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const IPV6_BYTES: usize = 40;

/// Ethernet type of a frame, and what follows its header.
pub fn content(frame: &[u8]) -> Option<(u16, &[u8])> {
    let (header, content) = frame.split_first_chunk::<ETHERNET_BYTES>()?;
    Some((u16::from_be_bytes([header[12], header[13]]), content))
}

/// Reads a frame of `len` bytes that begins with `frame`. Frames of every type are carried.
///
/// # Errors
/// If it has no header, or its destination is no address of a node.
pub fn read(frame: &[u8], len: usize) -> Result<LiveHeader, Refusal> {
    let (kind, inner) = content(frame).filter(|_| len >= frame.len()).ok_or(Refusal::TooShort)?;
    let to = station_of([frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]]);
    let to = to.ok_or(Refusal::UnknownAddress)?;
    let ports = match kind {
        IPV4 => LiveHeader::read(inner, len - ETHERNET_BYTES).map(|header| header.ports).ok(),
        IPV6 => ports_of_ipv6(inner),
        _ => None,
    };
    Ok(LiveHeader { to, ttl: u8::MAX, ports: ports.unwrap_or(Ports { protocol: 0, from: 0, to: 0 }) })
}

/// Protocol and ports of an IPv6 packet (RFC 8200) without extension headers.
fn ports_of_ipv6(packet: &[u8]) -> Option<Ports> {
    let protocol = *packet.get(6)?;
    let (from, to) = match packet.get(IPV6_BYTES..IPV6_BYTES + 4) {
        Some(&[a, b, c, d]) if WITH_PORTS.contains(&protocol) => {
            (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
        }
        _ => (0, 0),
    };
    Some(Ports { protocol, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NodeId;
    use crate::packet::wire::node_address;
    use proptest::prelude::*;

    fn frame(to: [u8; 6], kind: u16, content: &[u8]) -> Vec<u8> {
        [&to[..], &node_address(NodeId(7)), &kind.to_be_bytes(), content].concat()
    }

    #[test]
    fn a_frame_goes_to_a_station_or_to_all() {
        let to = |address| read(&frame(address, 0x0806, &[0; 28]), 42).map(|header| header.to);
        assert_eq!(to(node_address(NodeId(4))), Ok(NodeId(4)));
        assert_eq!(to([0xff; 6]), Ok(NodeId::BROADCAST));
        assert_eq!(to([0x33, 0x33, 0, 0, 0, 1]), Ok(NodeId::BROADCAST));
        assert_eq!(to([0, 0x16, 0x3e, 0, 0, 1]), Err(Refusal::UnknownAddress));
        assert_eq!(read(&[0xff; 13], 13), Err(Refusal::TooShort));
    }

    #[test]
    fn ports_are_those_of_ip() {
        let mut packet = vec![0x60, 0, 0, 0, 0, 8, 17, 1];
        packet.extend([0; 32]);
        packet.extend([0x1a, 0x28, 0x1a, 0x28, 0, 8, 0, 0]);
        let found = read(&frame([0xff; 6], IPV6, &packet), 62).map(|header| header.ports);
        assert_eq!(found, Ok(Ports { protocol: 17, from: 6696, to: 6696 }));
        let odd = read(&frame([0xff; 6], 0x88b5, &packet), 62).map(|header| header.ports);
        assert_eq!(odd, Ok(Ports { protocol: 0, from: 0, to: 0 }));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120), more in 0usize..200) {
            let found = read(&bytes, bytes.len() + more);
            prop_assert_eq!(found == Err(Refusal::TooShort), bytes.len() < ETHERNET_BYTES);
        }
    }
}
