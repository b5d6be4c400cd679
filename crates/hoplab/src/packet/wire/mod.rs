//! Frames and packets as bytes: what a capture shows of them.
//!
//! The engine passes values around and counts lengths; only here do they become bytes. Payload is zeros and is not
//! written out: a capture says how long a frame was, and keeps its headers.
//!
//! # Source
//! IEEE 802.11-1999 section 7; radiotap's radio_schedule bits 0 to 3; RFC 1042 (LLC and SNAP), 791, 826, 768, 9293, 2018, 3561.
//! # Deviations
//! Numbers of segments become byte offsets from 0. A data frame has 32 bytes of MAC and LLC headers, whatever
//! `mac.data_overhead` says: ns-2 counts 34 with FCS where the standard has 36. Routing messages of AODV are as long as
//! RFC 3561 says, not as ns-2 counts them. The FCS is left out. What has no format of its own on the Internet (RCP,
//! local acknowledgments of Split TCP, DSDV) is IP protocol 253 or UDP, in a layout of ours.

mod control;
mod ip;

use super::{Arp, Frame, FrameKind, Modulation, Packet, Payload};
use crate::kernel::{NodeId, Time};

/// A frame or packet as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Headers, and what else is not mere filling.
    pub kept: Vec<u8>,
    /// How long the whole was.
    pub len: usize,
}

/// What is known of a run beside its packets.
#[derive(Clone, Debug)]
pub struct Wire {
    flows: Vec<FlowBytes>,
    /// Middle of the channel, in MHz.
    channel: u16,
    /// Length of the preamble, short or long, is told of every frame.
    is_short: bool,
}

/// How a flow's numbers of segments become offsets in bytes.
#[derive(Clone, Copy, Debug)]
pub struct FlowBytes {
    /// Payload of a segment.
    pub payload: u32,
    /// Whether segment 0 opens the connection, without data.
    pub has_opening: bool,
}

/// LLC and SNAP headers before an Ethernet type (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

/// Address of the cell that all stations belong to: locally administered, as every address here.
const CELL: [u8; 6] = [0x06, 0, 0, 0, 0, 1];

const TYPE_IP: u16 = 0x0800;
const TYPE_ARP: u16 = 0x0806;

impl Wire {
    /// For these flows, on the channel around `mhz`.
    pub fn new(flows: Vec<FlowBytes>, mhz: f64, is_short: bool) -> Wire {
        Wire { flows, channel: mhz as u16, is_short }
    }

    /// A frame behind a radiotap header, as sent at `time`. `packet` is what it carries.
    pub fn frame(&self, time: Time, frame: &Frame, packet: Option<&Packet>) -> Bytes {
        let mut bytes = self.radiotap(time, frame.modulation);
        bytes.extend(frame.control());
        bytes.extend(frame.duration.to_le_bytes());
        bytes.extend(address(frame.ra));
        let before_packet = match frame.kind {
            FrameKind::Rts => {
                bytes.extend(address(frame.ta));
                bytes.len()
            }
            FrameKind::Cts | FrameKind::Ack => {
                // A grant that says who sends it, and an acknowledgment with a note, are longer than usual.
                let more = (frame.bytes as usize).saturating_sub(SHORTEST);
                match more {
                    6 => bytes.extend(address(frame.ta)),
                    _ => bytes.extend(frame.note.to_be_bytes().into_iter().chain([0; 16]).take(more)),
                }
                bytes.len()
            }
            FrameKind::Data => {
                bytes.extend(address(frame.ta));
                bytes.extend(CELL);
                bytes.extend((frame.seq << 4).to_le_bytes());
                bytes.len()
            }
        };
        let Some(packet) = packet.filter(|_| frame.kind == FrameKind::Data) else {
            return Bytes { len: before_packet, kept: bytes };
        };
        let (ethernet, inner) = self.packet(packet);
        bytes.extend(SNAP);
        bytes.extend(ethernet.to_be_bytes());
        bytes.extend(&inner.kept);
        Bytes { len: before_packet + SNAP.len() + 2 + inner.len, kept: bytes }
    }

    /// A packet that is on no air, at the node that has given it up: in a frame of the reserved type 3, subtype 15, so that
    /// one kind of link serves the whole capture (libpcap reads no other) and no filter takes it for a frame that was sent.
    pub fn off_air(&self, time: Time, node: NodeId, packet: &Packet) -> Bytes {
        let mut bytes = self.radiotap(time, Modulation::Dbpsk1);
        bytes.extend([0xfc, 0, 0, 0]);
        bytes.extend(address(packet.hop.next));
        bytes.extend(address(node));
        bytes.extend(CELL);
        bytes.extend([0, 0]);
        let (ethernet, inner) = self.packet(packet);
        bytes.extend(SNAP);
        bytes.extend(ethernet.to_be_bytes());
        let before = bytes.len();
        bytes.extend(&inner.kept);
        Bytes { len: before + inner.len, kept: bytes }
    }

    /// A packet in words: readers show no more of [`Wire::off_air`] than its length.
    pub fn describe(&self, packet: &Packet) -> String {
        let what = match &packet.payload {
            Payload::Segment(segment) => format!("segment {} of flow {}", segment.seq, packet.flow.0),
            Payload::Ack(ack) => format!("acknowledgment {} of flow {}", ack.cumulative, packet.flow.0),
            Payload::Datagram(datagram) => format!("datagram {} of flow {}", datagram.seq, packet.flow.0),
            Payload::SplitSegment(_) => format!("segment between proxies of flow {}", packet.flow.0),
            Payload::Lack(_) => format!("local acknowledgment of flow {}", packet.flow.0),
            Payload::Control(_) => "message of routing".to_owned(),
            Payload::Arp(_) => "address resolution".to_owned(),
        };
        let name = |node: NodeId| internet(node).map(|byte| byte.to_string()).join(".");
        format!("{what}, {} bytes from {} to {}", packet.bytes, name(packet.src), name(packet.dst))
    }

    /// What a reader of the capture should know and its bytes do not say; nothing if there is nothing.
    pub fn remark(&self, packet: &Packet) -> Option<String> {
        ip::remark(packet)
    }

    /// Ethernet type and bytes.
    fn packet(&self, packet: &Packet) -> (u16, Bytes) {
        match &packet.payload {
            Payload::Arp(message) => {
                let kept = arp(packet.src, packet.dst, *message);
                (TYPE_ARP, Bytes { len: kept.len(), kept })
            }
            _ => (TYPE_IP, self.ip(packet)),
        }
    }

    /// Time in microseconds, flags, rate, channel (radiotap's bits 0 to 3).
    fn radiotap(&self, time: Time, modulation: Modulation) -> Vec<u8> {
        const LEN: u16 = 22;
        const CCK: u16 = 0x0020;
        const AT_2_GHZ: u16 = 0x0080;
        let mut bytes = vec![0, 0];
        bytes.extend(LEN.to_le_bytes());
        bytes.extend(0b1111u32.to_le_bytes());
        bytes.extend((time.0 / 1000).to_le_bytes());
        bytes.push(if self.is_short { 0x02 } else { 0 });
        bytes.push((modulation.rate().0 / 5e5) as u8);
        bytes.extend(self.channel.to_le_bytes());
        let band = if (2400..2500).contains(&self.channel) { AT_2_GHZ } else { 0 };
        bytes.extend((CCK | band).to_le_bytes());
        bytes
    }
}

/// Length of a CTS or ACK of the standard, with FCS.
const SHORTEST: usize = 14;

/// The station address of a node.
pub fn address(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = node.0.to_be_bytes();
    [0x02, 0, a, b, c, d]
}

/// The Internet address of a node: 10.0.0.1 is node 0.
pub fn internet(node: NodeId) -> [u8; 4] {
    if node.is_broadcast() {
        return [0xff; 4];
    }
    let [_, b, c, d] = (node.0 + 1).to_be_bytes();
    [10, b, c, d]
}

/// A message of address resolution (RFC 826).
fn arp(src: NodeId, dst: NodeId, message: Arp) -> Vec<u8> {
    let (operation, target, asked) = match message {
        Arp::Request { target } => (1u8, [0; 6], target),
        Arp::Reply => (2, address(dst), dst),
    };
    let mut bytes = vec![0, 1, 0x08, 0, 6, 4, 0, operation];
    bytes.extend(address(src));
    bytes.extend(internet(src));
    bytes.extend(target);
    bytes.extend(internet(asked));
    bytes
}

#[cfg(test)]
mod tests;
