//! Frames in bytes, behind a radiotap header (radiotap.org; IEEE 802.11-1999 section 7).

use super::address::{address, internet, node_address};
use super::bytes::Bytes;
use super::flow_bytes::{FlowBytes, Flows};
use super::ip::{ip, remark};
use crate::kernel::{NodeId, RadioId, Time};
use crate::packet::live::ethernet;
use crate::packet::{Arp, Frame, FrameKind, Modulation, Packet, Payload, Radiotap, Waveform, Width};

/// Writes frames and packets of one run.
#[derive(Clone, Debug)]
pub struct Wire {
    flows: Flows,
    /// Center of the channel, in MHz.
    channel: u16,
    /// Whether every frame is marked as sent with a short preamble.
    is_short: bool,
    /// Whether data frames are those of QoS.
    has_qos: bool,
}

/// LLC and SNAP headers before an EtherType (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

/// Control field of Block Acks and their requests: compressed bitmap, and the TID behind it (IEEE 802.11-2016 section 9.3.1.8).
const COMPRESSED: u16 = 0x0004;
const TID_SHIFT: u16 = 12;

/// Bit of the subtype of data frames that have a QoS Control field.
const QOS: u8 = 0x80;

/// First byte of the Frame Control field of action frames (IEEE 802.11-2016 table 9-1).
const ACTION: u8 = 0xd0;

/// BSSID of all stations: locally administered, as every address here.
const CELL: [u8; 6] = [0x06, 0, 0, 0, 0, 1];

/// MAC header and FCS of a data frame, in bytes.
const MAC_BYTES: usize = 28;
const TYPE_IP: u16 = 0x0800;
const TYPE_ARP: u16 = 0x0806;
/// EtherType for experiments (IEEE 802-2014 clause 9.2.4): content of an action frame that is dropped.
const TYPE_LOCAL: u16 = 0x88b5;

impl Wire {
    /// Captures of these flows, on the channel around `mhz`.
    pub fn new(flows: Vec<FlowBytes>, mhz: f64, is_short: bool) -> Wire {
        Wire { flows: Flows(flows), channel: mhz as u16, is_short, has_qos: false }
    }

    /// The same with the QoS Control field in data frames, if `has_qos`.
    #[must_use]
    pub fn with_qos(self, has_qos: bool) -> Wire {
        Wire { has_qos, ..self }
    }

    /// A frame behind a radiotap header, as sent at `time`. `packet` is its content.
    pub fn frame(&self, time: Time, frame: &Frame, packet: Option<&Packet>) -> Bytes {
        let mut bytes = self.radiotap(time, frame.modulation);
        if frame.kind == FrameKind::Aggregate {
            mark_ampdu(&mut bytes, frame);
        }
        let has_qos = self.has_qos && frame.kind.is_data() && !frame.is_probe();
        let action = packet.filter(|_| frame.kind.is_data()).and_then(action_of);
        let has_qos = has_qos && action.is_none();
        // The Order bit of an MPDU of an A-MPDU marks the last one, which radiotap shows.
        let [kind, flags] = Frame { order: frame.order && frame.kind != FrameKind::Aggregate, ..*frame }.control();
        let kind = match action {
            Some(_) => ACTION,
            None if has_qos => kind | QOS,
            None => kind,
        };
        bytes.extend([kind, flags]);
        bytes.extend(frame.duration.to_le_bytes());
        bytes.extend(address(frame.ra));
        let before_packet = match frame.kind {
            FrameKind::Rts | FrameKind::CfEnd => {
                bytes.extend(address(frame.ta));
                bytes.len()
            }
            FrameKind::Cts | FrameKind::Ack => {
                // A CTS with its sender and an ACK with a note are longer than the standard's.
                let more = (frame.bytes as usize).saturating_sub(SHORTEST);
                match more {
                    6 => bytes.extend(address(frame.ta)),
                    _ => bytes.extend(frame.note.to_be_bytes().into_iter().chain([0; 16]).take(more)),
                }
                bytes.len()
            }
            FrameKind::BlockAck | FrameKind::BlockAckRequest => {
                bytes.extend(address(frame.ta));
                bytes.extend((COMPRESSED | u16::from(frame.category.user_priority()) << TID_SHIFT).to_le_bytes());
                bytes.extend((frame.seq << 4).to_le_bytes());
                bytes.len()
            }
            FrameKind::Data | FrameKind::Aggregate => {
                bytes.extend(address(frame.ta));
                bytes.extend(CELL);
                bytes.extend((frame.seq << 4).to_le_bytes());
                if has_qos {
                    bytes.extend([frame.category.user_priority(), 0]);
                }
                bytes.len()
            }
        };
        let Some(packet) = packet.filter(|_| frame.kind.is_data()) else {
            // The body of a probe is not captured.
            let body = if frame.is_probe() { (frame.bytes as usize).saturating_sub(MAC_BYTES) } else { 0 };
            return Bytes { len: before_packet + body, kept: bytes };
        };
        if let Some(content) = action {
            bytes.extend(content);
            return Bytes { len: bytes.len(), kept: bytes };
        }
        let (ethernet, inner) = self.packet(packet);
        bytes.extend(SNAP);
        bytes.extend(ethernet.to_be_bytes());
        bytes.extend(&inner.kept);
        Bytes { len: before_packet + SNAP.len() + 2 + inner.len, kept: bytes }
    }

    /// A Block Ack with this bitmap, as sent at `time`.
    pub fn block_ack(&self, time: Time, frame: &Frame, bitmap: u64) -> Bytes {
        let mut bytes = self.frame(time, frame, None);
        bytes.kept.extend(bitmap.to_le_bytes());
        bytes.len += 8;
        bytes
    }

    /// A dropped packet, at the node that has dropped it, to the radio of its next hop; without one to its destination. It is in
    /// a frame of the reserved type 3, subtype 15. One link type serves the whole capture (libpcap reads no other), and no filter
    /// mistakes it for a transmitted frame.
    pub fn off_air(&self, time: Time, node: NodeId, packet: &Packet) -> Bytes {
        let mut bytes = self.radiotap(time, Modulation::DBPSK1);
        bytes.extend([0xfc, 0, 0, 0]);
        let without_hop = packet.hop.next == RadioId::NONE;
        bytes.extend(if without_hop { node_address(packet.dst) } else { address(packet.hop.next) });
        bytes.extend(node_address(node));
        bytes.extend(CELL);
        bytes.extend([0, 0]);
        let (ethernet, inner) = self.packet(packet);
        bytes.extend(SNAP);
        bytes.extend(ethernet.to_be_bytes());
        let before = bytes.len();
        bytes.extend(&inner.kept);
        Bytes { len: before + inner.len, kept: bytes }
    }

    /// A packet on a wire, from its IP header on (link type LINKTYPE_RAW).
    pub fn raw(&self, packet: &Packet) -> Bytes {
        ip(&self.flows, packet)
    }

    /// A packet in words: readers show only the length of [`Wire::off_air`].
    pub fn describe(&self, packet: &Packet) -> String {
        let what = match &packet.payload {
            Payload::Segment(segment) => format!("segment {} of flow {}", segment.seq, packet.flow.0),
            Payload::Ack(ack) => format!("acknowledgment {} of flow {}", ack.cumulative, packet.flow.0),
            Payload::Tcp(segment) => {
                format!("segment {}..{} of flow {}", segment.seq, segment.end(), packet.flow.0)
            }
            Payload::Datagram(datagram) => format!("datagram {} of flow {}", datagram.seq, packet.flow.0),
            Payload::SplitSegment(_) => format!("segment between proxies of flow {}", packet.flow.0),
            Payload::Lack(_) => format!("local acknowledgment of flow {}", packet.flow.0),
            Payload::Report(report) => format!("report {} of flow {}", report.cumulative, packet.flow.0),
            Payload::Unreachable(_) => format!("report to flow {}: unreachable", packet.flow.0),
            Payload::Control(_) => "message of routing".to_owned(),
            Payload::Arp(_) => "address resolution".to_owned(),
            Payload::Live(_) => "packet of a program".to_owned(),
            Payload::Stack(content) => {
                format!("bytes {}..{} of flow {}", content.seq, content.seq + u64::from(content.len), packet.flow.0)
            }
        };
        let name = |node: NodeId| internet(node).map(|byte| byte.to_string()).join(".");
        format!("{what}, {} bytes from {} to {}", packet.bytes, name(packet.src), name(packet.dst))
    }

    /// Facts about a packet that its bytes do not show.
    pub fn remark(&self, packet: &Packet) -> Option<String> {
        remark(packet)
    }

    /// Ethernet type and bytes.
    fn packet(&self, packet: &Packet) -> (u16, Bytes) {
        match &packet.payload {
            Payload::Arp(message) => {
                let kept = arp(packet, *message);
                (TYPE_ARP, Bytes { len: kept.len(), kept })
            }
            Payload::Live(live) if live.is_frame => {
                let (kind, kept) = ethernet::content(&live.bytes).unwrap_or_default();
                (kind, Bytes { kept: kept.to_vec(), len: packet.bytes as usize })
            }
            _ => match action_of(packet) {
                Some(kept) => (TYPE_LOCAL, Bytes { len: kept.len(), kept }),
                None => (TYPE_IP, ip(&self.flows, packet)),
            },
        }
    }

    /// Time in microseconds, flags, rate, channel (radiotap's bits 0 to 3); with HT the MCS (bit 19) in place of the rate.
    fn radiotap(&self, time: Time, modulation: Modulation) -> Vec<u8> {
        const LEN: u16 = 22;
        const MCS_LEN: u16 = 3;
        const MCS: u32 = 1 << 19;
        // Bandwidth, MCS, guard interval, format (mixed), FEC (BCC), STBC (none) and extension streams (none) are known.
        const MCS_KNOWN: u8 = 0b0111_1111;
        const IS_40_MHZ: u8 = 0b1;
        const HAS_SHORT_GI: u8 = 0b100;
        const LONG_GUARD_NS: u16 = 800;
        const CCK: u16 = 0x0020;
        const OFDM: u16 = 0x0040;
        const AT_2_GHZ: u16 = 0x0080;
        const AT_5_GHZ: u16 = 0x0100;
        const HALF: u16 = 0x4000;
        const QUARTER: u16 = 0x8000;
        let mut bytes = vec![0, 0];
        let mode = modulation.mode();
        let mcs = mode.mcs.filter(|_| mode.format.radiotap == Radiotap::Mcs);
        bytes.extend((LEN + if mcs.is_some() { MCS_LEN } else { 0 }).to_le_bytes());
        bytes.extend(if mcs.is_some() { 0b1011 | MCS } else { 0b1111u32 }.to_le_bytes());
        bytes.extend((time.0 / 1000).to_le_bytes());
        bytes.push(if self.is_short && !modulation.is_ofdm() { 0x02 } else { 0 });
        // Without a rate this byte aligns the channel.
        bytes.push(if mcs.is_some() { 0 } else { (modulation.rate().0 / 5e5) as u8 });
        bytes.extend(self.channel.to_le_bytes());
        let band = match self.channel {
            2400..2500 => AT_2_GHZ,
            4900..6000 => AT_5_GHZ,
            _ => 0,
        };
        let form = match (mode.waveform, mode.width) {
            (Waveform::Dsss(_), _) => CCK,
            (Waveform::Ofdm(_), Width::MHZ10) => OFDM | HALF,
            (Waveform::Ofdm(_), Width::MHZ5) => OFDM | QUARTER,
            (Waveform::Ofdm(_), _) => OFDM,
        };
        bytes.extend((form | band).to_le_bytes());
        if let Some(mcs) = mcs {
            let width = if mode.width == Width::MHZ40 { IS_40_MHZ } else { 0 };
            let interval = if mode.guard_ns < LONG_GUARD_NS { HAS_SHORT_GI } else { 0 };
            bytes.extend([MCS_KNOWN, width | interval, mcs]);
        }
        bytes
    }
}

/// Content of the action frame of a routing message that is one.
fn action_of(packet: &Packet) -> Option<Vec<u8>> {
    match &packet.payload {
        Payload::Control(message) if message.is_action() => Some(message.encode(packet.src)),
        _ => None,
    }
}

/// Appends the status of an A-MPDU (radiotap's bit 20) to a radiotap header with an MCS: its number, and whether this MPDU is the
/// last.
fn mark_ampdu(radiotap: &mut Vec<u8>, frame: &Frame) {
    const AMPDU: u8 = 1 << (20 - 16);
    const LAST_IS_KNOWN: u16 = 0x0004;
    const IS_LAST: u16 = 0x0008;
    radiotap.resize(radiotap.len().next_multiple_of(4), 0);
    radiotap.extend(frame.note.to_le_bytes());
    radiotap.extend((LAST_IS_KNOWN | if frame.order { IS_LAST } else { 0 }).to_le_bytes());
    radiotap.extend([0, 0]);
    radiotap[2] = radiotap.len() as u8;
    radiotap[6] |= AMPDU;
}

/// Length of a CTS or ACK of the standard, with FCS.
const SHORTEST: usize = 14;

/// An ARP message (RFC 826).
fn arp(packet: &Packet, message: Arp) -> Vec<u8> {
    let &Packet { src, dst, hop, .. } = packet;
    let (operation, target_mac, target) = match message {
        Arp::Request { node, .. } => (1u8, [0; 6], node),
        Arp::Reply => (2, address(hop.next), dst),
    };
    let mut bytes = vec![0, 1, 0x08, 0, 6, 4, 0, operation];
    bytes.extend(node_address(src));
    bytes.extend(internet(src));
    bytes.extend(target_mac);
    bytes.extend(internet(target));
    bytes
}
