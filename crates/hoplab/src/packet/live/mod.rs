//! Packets of which the engine knows the bytes: those of real programs, IPv4 packets (RFC 791) or Ethernet frames, which enter
//! and leave the network, and those of stacks, which are the ends of flows.
//!
//! The engine reads the header alone. Of a packet that is repeated from a file, the bytes end after its headers.

pub mod ethernet;

use super::wire::{internet, node_of};
use crate::kernel::{NodeId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A packet of a real program.
#[derive(Clone, Debug)]
pub struct Live {
    /// Its bytes from the IP header on, of a frame from the Ethernet header on; they may end before its length.
    pub bytes: Arc<[u8]>,
    /// Whether it is an Ethernet frame, which goes to a neighbor without routing.
    pub is_frame: bool,
    /// Index of its conversation.
    pub conversation: u32,
}

/// A packet of a stack: a transport implementation that is both ends of a flow.
#[derive(Clone, Debug)]
pub struct StackPacket {
    /// Its bytes: an IP packet, or what a UDP datagram carries.
    pub bytes: Arc<[u8]>,
    /// Whether they are carried by a UDP datagram.
    pub is_datagram: bool,
    /// Whether the source of the flow sends it.
    pub is_forward: bool,
    /// Whether it repeats data that was sent before.
    pub is_retransmission: bool,
    /// Position of its first byte of data in the flow.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
}

/// Devices of nodes at which packets of real programs enter and leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveDevice {
    /// IPv4 packets: the scenario's routing carries them over simulated relays.
    Tun,
    /// Ethernet frames to neighbors: hosts resolve addresses, route and forward.
    Tap,
}

/// A packet as it entered the network, for repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// When it entered.
    pub at: Time,
    /// Node where it entered.
    pub node: NodeId,
    /// Its length: from the IP header on, of a frame from the Ethernet header on.
    pub len: u32,
    /// Its first bytes.
    pub head: Arc<[u8]>,
}

/// Why the network does not accept a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// Fewer bytes than an IP header, or than its length field states.
    TooShort,
    /// Another version than 4.
    NotIpv4,
    /// A header length or total length that is not possible.
    BadHeader,
    /// More bytes than the MTU.
    TooLong,
    /// TTL 0.
    TtlZero,
    /// The node itself.
    ToItself,
    /// No node with a device.
    UnknownAddress,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Refusal; 7] = [
        Refusal::TooShort,
        Refusal::NotIpv4,
        Refusal::BadHeader,
        Refusal::TooLong,
        Refusal::TtlZero,
        Refusal::ToItself,
        Refusal::UnknownAddress,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::TooShort => "too_short",
            Refusal::NotIpv4 => "not_ipv4",
            Refusal::BadHeader => "bad_header",
            Refusal::TooLong => "too_long",
            Refusal::TtlZero => "ttl_zero",
            Refusal::ToItself => "to_itself",
            Refusal::UnknownAddress => "unknown_address",
        }
    }
}

/// Protocol and ports of a packet; ports are 0 for protocols without, and for fragments after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ports {
    /// IP protocol number.
    pub protocol: u8,
    /// Source port.
    pub from: u16,
    /// Destination port.
    pub to: u16,
}

/// What the network reads of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveHeader {
    /// Destination; multicast and broadcast addresses are the broadcast address.
    pub to: NodeId,
    /// Time to live.
    pub ttl: u8,
    /// Protocol and ports.
    pub ports: Ports,
}

/// Protocols with ports in their first four bytes: TCP, UDP, SCTP, UDP-Lite.
const WITH_PORTS: [u8; 4] = [6, 17, 132, 136];

/// Bytes of a packet that a record contains: the longest IP header, and that of TCP without options; of a frame its header,
/// that of IPv6, and that of TCP with options.
pub const RECORDED_BYTES: usize = 80;

const TTL: usize = 8;
const CHECKSUM: usize = 10;

impl LiveHeader {
    /// Length of the shortest header.
    pub const BYTES: usize = 20;

    /// Reads a packet of `len` bytes that begins with `bytes`.
    ///
    /// # Errors
    /// If it is not a complete IPv4 packet.
    pub fn read(bytes: &[u8], len: usize) -> Result<LiveHeader, Refusal> {
        let Some(header) = bytes.first_chunk::<{ LiveHeader::BYTES }>() else { return Err(Refusal::TooShort) };
        if header[0] >> 4 != 4 {
            return Err(Refusal::NotIpv4);
        }
        let header_len = usize::from(header[0] & 15) * 4;
        let total = usize::from(u16::from_be_bytes([header[2], header[3]]));
        if header_len < LiveHeader::BYTES || total < header_len || total < len {
            return Err(Refusal::BadHeader);
        }
        if total > len || bytes.len() < header_len {
            return Err(Refusal::TooShort);
        }
        if header[TTL] == 0 {
            return Err(Refusal::TtlZero);
        }
        let protocol = header[9];
        let fragment_offset = u16::from_be_bytes([header[6] & 0x1f, header[7]]);
        let (from, to) = match bytes.get(header_len..header_len + 4) {
            Some(&[a, b, c, d]) if fragment_offset == 0 && WITH_PORTS.contains(&protocol) => {
                (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
            }
            _ => (0, 0),
        };
        let address = [header[16], header[17], header[18], header[19]];
        let to_node = node_of(address).ok_or(Refusal::UnknownAddress)?;
        Ok(LiveHeader { to: to_node, ttl: header[TTL], ports: Ports { protocol, from, to } })
    }
}

/// The bytes with another TTL; the header checksum changes with it, so that a wrong one remains wrong (RFC 1624).
pub fn with_ttl(bytes: &[u8], ttl: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= LiveHeader::BYTES {
        let word = |bytes: &[u8], at: usize| u32::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
        let before = word(&bytes, TTL);
        bytes[TTL] = ttl;
        let sum = (!word(&bytes, CHECKSUM) & 0xffff) + (!before & 0xffff) + word(&bytes, TTL);
        let folded = (sum & 0xffff) + (sum >> 16);
        let folded = ((folded & 0xffff) + (folded >> 16)) as u16;
        bytes[CHECKSUM..CHECKSUM + 2].copy_from_slice(&(!folded).to_be_bytes());
    }
    bytes
}

/// Whether a packet from `node` may go to `to`: not to the node itself.
pub fn check_target(node: NodeId, to: NodeId) -> Result<(), Refusal> {
    if internet(node) == internet(to) { Err(Refusal::ToItself) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Header checksum (RFC 1071): 0 if it is right.
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let sum: u32 = words.sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        !(((folded & 0xffff) + (folded >> 16)) as u16)
    }

    fn packet(to: [u8; 4], ttl: u8) -> Vec<u8> {
        let mut bytes = vec![0x45, 0, 0, 28, 0, 1, 0, 0, ttl, 17, 0, 0, 10, 0, 0, 1];
        bytes.extend(to);
        bytes.extend([0x13, 0x88, 0x00, 0x35, 0, 8, 0, 0]);
        let sum = checksum(&bytes[..20]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    #[test]
    fn header_gives_node_ttl_and_ports() {
        let bytes = packet([10, 0, 0, 5], 64);
        let header = LiveHeader::read(&bytes, bytes.len());
        let ports = Ports { protocol: 17, from: 5000, to: 53 };
        assert_eq!(header, Ok(LiveHeader { to: NodeId(4), ttl: 64, ports }));
        let to = |address| LiveHeader::read(&packet(address, 9), 28).map(|header| header.to);
        assert_eq!(to([10, 255, 255, 255]), Ok(NodeId::BROADCAST));
        assert_eq!(to([224, 0, 0, 9]), Ok(NodeId::BROADCAST));
        assert_eq!(to([10, 0, 0, 0]), Err(Refusal::UnknownAddress));
        assert_eq!(to([192, 168, 0, 1]), Err(Refusal::UnknownAddress));
    }

    #[test]
    fn malformed_headers_have_a_reason() {
        let bytes = packet([10, 0, 0, 2], 64);
        let read = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut changed = bytes.clone();
            change(&mut changed);
            LiveHeader::read(&changed, changed.len()).err()
        };
        assert_eq!(read(&|bytes| bytes.truncate(19)), Some(Refusal::TooShort));
        assert_eq!(read(&|bytes| bytes.truncate(27)), Some(Refusal::TooShort));
        assert_eq!(read(&|bytes| bytes.push(0)), Some(Refusal::BadHeader));
        assert_eq!(read(&|bytes| bytes[0] = 0x65), Some(Refusal::NotIpv4));
        assert_eq!(read(&|bytes| bytes[0] = 0x44), Some(Refusal::BadHeader));
        assert_eq!(read(&|bytes| bytes[0] = 0x4f), Some(Refusal::BadHeader));
        assert_eq!(read(&|bytes| bytes[8] = 0), Some(Refusal::TtlZero));
        assert_eq!(read(&|_| ()), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120), len in 0usize..200) {
            if let Ok(header) = LiveHeader::read(&bytes, len) {
                prop_assert!(header.ttl > 0 && len >= LiveHeader::BYTES);
            }
        }

        #[test]
        fn checksum_follows_the_ttl(ttl in 1u8..=255, later in 1u8..=255, node in 0u32..60_000) {
            let bytes = packet(internet(NodeId(node)), ttl);
            let changed = with_ttl(&bytes, later);
            prop_assert_eq!(checksum(&changed[..20]), 0);
            prop_assert_eq!(changed[8], later);
        }
    }
}
