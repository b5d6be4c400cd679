//! The DSR header of packets that carry a route, and of DSR's messages (RFC 4728 section 6).

use super::address::{address, internet, node_address};
use super::bytes::Bytes;
use crate::packet::{DSR_PROTOCOL, Packet};
use etherparse::Ipv4Header;

/// Option type of a source route (RFC 4728 section 6.7).
const SOURCE_ROUTE: u8 = 96;

/// The options of a packet: its source route, if it has one, then those of its message.
pub(super) fn options(packet: &Packet, message: &[u8]) -> Vec<u8> {
    let mut options = Vec::new();
    if let Some(route) = &packet.route {
        let addresses = route.addresses(packet.dst);
        let left = route
            .up_to(packet.dst)
            .iter()
            .rev()
            .position(|&node| node_address(node) == address(packet.hop.next))
            .unwrap_or(0);
        options.extend([SOURCE_ROUTE, (4 * addresses.len() + 2) as u8]);
        let outside = u16::from(route.is_from_outside()) << 15;
        options.extend((outside | u16::from(route.salvage() & 0x0f) << 6 | left as u16 & 0x3f).to_be_bytes());
        options.extend(addresses.iter().flat_map(|&node| internet(node)));
    }
    options.extend(message);
    options
}

/// A packet with a DSR header behind its IP header, which has no options.
pub(super) fn with_header(inner: Bytes, options: &[u8]) -> Bytes {
    let Ok((mut ip, rest)) = Ipv4Header::from_slice(&inner.kept) else { return inner };
    let header_len = inner.kept.len() - rest.len();
    let added = 4 + options.len();
    let next_header = ip.protocol.0;
    ip.protocol.0 = DSR_PROTOCOL;
    ip.total_len = ip.total_len.saturating_add(added as u16);
    ip.header_checksum = ip.calc_header_checksum();
    let mut kept = ip.to_bytes().to_vec();
    kept.extend([next_header, 0]);
    kept.extend((options.len() as u16).to_be_bytes());
    kept.extend(options);
    kept.extend(&inner.kept[header_len..]);
    Bytes { len: inner.len + added, kept }
}

#[cfg(test)]
mod tests {
    use super::super::ip::ip;
    use super::super::{FlowBytes, flow_bytes::Flows};
    use crate::kernel::{FlowId, NodeId, RadioId, Time};
    use crate::packet::{
        Control, ControlMessage, DSR_PROTOCOL, Datagram, Hop, NewPacket, Packet, Payload, SourceRoute,
    };
    use std::sync::Arc;

    #[derive(Debug)]
    struct Message;

    impl ControlMessage for Message {
        fn name(&self) -> &'static str {
            "option"
        }

        fn port(&self) -> u16 {
            0
        }

        fn protocol(&self) -> Option<u8> {
            Some(DSR_PROTOCOL)
        }

        fn encode(&self, _: NodeId) -> Vec<u8> {
            vec![0xe0; 4]
        }
    }

    /// A packet from node 0 over 1 and 2 to 3, on its way to node `next`.
    fn routed(payload: Payload, next: u32, salvage: u8) -> Packet {
        let new = NewPacket { flow: FlowId(0), src: NodeId(0), dst: NodeId(3), bytes: 128, payload };
        let mut packet = Packet::new(new, 64, 1, Time::ZERO);
        packet.hop = Hop { next: RadioId(next), ..packet.hop };
        packet.set_route(Arc::new(SourceRoute::new(&[0, 1, 2, 3, 9].map(NodeId), salvage)));
        packet
    }

    fn encoded(packet: &Packet) -> super::Bytes {
        ip(&Flows(vec![FlowBytes { payload: 100, has_opening: false }]), packet)
    }

    #[test]
    fn data_have_a_dsr_header_with_their_source_route() {
        let datagram = || Payload::Datagram(Datagram { seq: 0, payload: 100, sent_at: Time::ZERO });
        let packet = routed(datagram(), 2, 0);
        let found = encoded(&packet);
        assert_eq!((packet.bytes, found.len), (128 + 16, 128 + 16));
        assert_eq!((found.kept[2..4].to_vec(), found.kept[9]), (vec![0, 144], 48));
        // Next header UDP, 12 bytes of options: source route, 10 bytes, salvaged 0 times, one segment left.
        assert_eq!(found.kept[20..28], [17, 0, 0, 12, 96, 10, 0, 1]);
        assert_eq!(found.kept[28..36], [10, 0, 0, 2, 10, 0, 0, 3]);
        assert_eq!(found.kept[38..40], [0x9c, 0x40], "the port of the sink");
        let salvaged = encoded(&routed(datagram(), 3, 5));
        assert_eq!(salvaged.kept[20..32], [17, 0, 0, 16, 96, 14, 1, 0x40, 10, 0, 0, 1], "with the salvaging node");
    }

    #[test]
    fn messages_have_no_next_header() {
        let found = encoded(&routed(Payload::Control(Control::new(Message)), 1, 0));
        assert_eq!((found.len, found.kept.len()), (20 + 4 + 12 + 4, 40));
        assert_eq!(found.kept[20..28], [59, 0, 0, 16, 96, 10, 0, 2]);
        assert_eq!(found.kept[36..], [0xe0; 4]);
    }
}
