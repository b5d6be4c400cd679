//! Bytes against the formats of the standards.

use super::*;
use crate::kernel::{End, FlowId, NodeId, RadioId, Span, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{
    Ack, Arp, Category, Control, ControlMessage, Frame, FrameKind, Hop, Modulation, NewPacket, Packet, PacketId,
    Payload, Segment, TcpFlags, TcpSegment, Unreachable, Urgency, Width,
};
use crate::phy::standards::testing;

fn as_ip(packet: &Packet) -> Bytes {
    ip::ip(&flow_bytes::Flows(vec![FLOW]), packet)
}

const FLOW: FlowBytes = FlowBytes { payload: 1000, has_opening: true };

fn wire() -> Wire {
    Wire::new(vec![FLOW], 2412.0, false)
}

fn packet(payload: Payload, bytes: u32) -> Packet {
    let new = NewPacket { flow: FlowId(0), src: NodeId(0), dst: NodeId(4), bytes, payload };
    let packet = Packet::new(new, 32, 0x1_0203, Time::ZERO);
    Packet { hop: Hop { next: RadioId(1), ..packet.hop }, ..packet }
}

fn segment(seq: i64, feedback: Feedback) -> Payload {
    Payload::Segment(Segment {
        seq,
        payload: if seq == 0 { 0 } else { 1000 },
        sent_at: Time::ZERO,
        first_sent: Time::ZERO,
        is_retransmission: false,
        is_ect: false,
        has_cwr: false,
        feedback,
    })
}

fn frame(kind: FrameKind, bytes: u32) -> Frame {
    Frame {
        kind,
        ta: RadioId(0),
        ra: RadioId(1),
        bytes,
        airtime: Span::from_micros(1000),
        modulation: Modulation::CCK5,
        duration: 0x1234,
        seq: 3,
        retry: false,
        order: false,
        urgency: Urgency::None,
        category: Category::BestEffort,
        note: 0,
        packet: Some(PacketId(0)),
    }
}

/// Sum of 16-bit words in ones' complement: all ones if a checksum among them is right.
fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    let mut total: u32 = words.sum();
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

#[test]
fn control_frames_are_as_long_as_the_standard_says() {
    let rts = wire().frame(Time(7_000), &frame(FrameKind::Rts, 20), None);
    assert_eq!(rts.kept.len(), 22 + 16);
    assert_eq!(rts.kept[..4], [0, 0, 22, 0]);
    // 7 us, no flags, 5.5 Mb/s, 2412 MHz.
    assert_eq!(rts.kept[8..22], [7, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0x6c, 0x09, 0xa0, 0x00]);
    assert_eq!(rts.kept[22..38], [0xb4, 0, 0x34, 0x12, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0]);
    for (kind, bytes) in [(FrameKind::Cts, 14), (FrameKind::Ack, 14), (FrameKind::Cts, 20), (FrameKind::Ack, 18)] {
        let found = wire().frame(Time::ZERO, &frame(kind, bytes), None);
        assert_eq!((found.kept.len(), found.len), (22 + bytes as usize - 4, 22 + bytes as usize - 4));
    }
}

#[test]
fn radiotap_knows_ofdm_and_its_widths() {
    let short = Wire::new(Vec::new(), 5180.0, true);
    for (width, rate, flags) in [(Width::MHZ20, 108, 0x0140), (Width::MHZ10, 54, 0x4140), (Width::MHZ5, 27, 0x8140)] {
        let fastest = testing::ofdm(width)[7];
        let found = short.frame(Time::ZERO, &Frame { modulation: fastest, ..frame(FrameKind::Rts, 20) }, None);
        // No short preamble; the rate in units of 500 kb/s; 5180 MHz; OFDM in 5 GHz.
        assert_eq!(found.kept[16..20], [0, rate, 0x3c, 0x14], "{width:?}");
        assert_eq!(found.kept[20..22], u16::to_le_bytes(flags), "{width:?}");
    }
}

#[test]
fn radiotap_has_the_mcs_of_ht_and_data_their_qos_field() {
    let wire = Wire::new(Vec::new(), 5180.0, false).with_qos(true);
    let data = packet(segment(3, Feedback::None), 1040);
    let ht = Frame { modulation: testing::ht(13, Width::MHZ40, 400), ..frame(FrameKind::Data, 1078) };
    let found = wire.frame(Time::ZERO, &ht, Some(&data));
    // Time, flags, channel and MCS; 40 MHz, short guard interval, MCS 13.
    assert_eq!(found.kept[2..8], [25, 0, 0x0b, 0x00, 0x08, 0x00]);
    assert_eq!((found.kept[17], &found.kept[22..25]), (0, &[0x7f, 0x05, 13][..]));
    assert_eq!((found.kept[25], found.len), (0x88, 25 + 26 + 8 + 1040));
    let rts = wire.frame(Time::ZERO, &frame(FrameKind::Rts, 20), None);
    assert_eq!((rts.kept[2], rts.kept[22]), (22, 0xb4));
    let mpdu = Frame { note: 5, order: true, ..ht };
    let found = wire.frame(Time::ZERO, &Frame { kind: FrameKind::Aggregate, ..mpdu }, Some(&data));
    // The A-MPDU's number behind padding, and its last MPDU; a data frame of QoS without Order bit.
    assert_eq!(found.kept[2..8], [36, 0, 0x0b, 0x00, 0x18, 0x00]);
    assert_eq!((&found.kept[28..36], &found.kept[36..38]), (&[5, 0, 0, 0, 0x0c, 0, 0, 0][..], &[0x88, 0][..]));
}

#[test]
fn block_acks_have_window_and_bitmap() {
    let block_ack = Frame { seq: 7, category: Category::Video, ..frame(FrameKind::BlockAck, 32) };
    let found = wire().block_ack(Time::ZERO, &block_ack, 0x0102);
    // IEEE 802.11-2016 section 9.3.1.9: 28 bytes and FCS.
    assert_eq!((found.len, found.kept.len(), found.kept[22]), (22 + 28, 22 + 28, 0x94));
    assert_eq!(found.kept[22 + 16..], [0x04, 0x40, 0x70, 0, 0x02, 0x01, 0, 0, 0, 0, 0, 0]);
    let request = wire().frame(Time::ZERO, &Frame { seq: 7, ..frame(FrameKind::BlockAckRequest, 24) }, None);
    assert_eq!((request.len, request.kept[22]), (22 + 20, 0x84));
}

#[test]
fn segment_bytes_have_the_length_of_the_engine() {
    let data = packet(segment(3, Feedback::None), 1040);
    let found = wire().frame(Time::ZERO, &frame(FrameKind::Data, 1074), Some(&data));
    assert_eq!(found.len, 22 + 24 + 8 + 1040);
    let ip = &found.kept[22 + 24 + 8..];
    assert_eq!(ip[..4], [0x45, 0, 0x04, 0x10]);
    assert_eq!(ip[4..6], [0x02, 0x03]);
    assert_eq!((ip[8], ip[9]), (32, 6));
    assert_eq!(ip[12..20], [10, 0, 0, 1, 10, 0, 0, 5]);
    assert_eq!(sum(&ip[..20]), 0xffff);
    // The third segment of 1000 bytes begins at 2001.
    assert_eq!(ip[24..28], 2001u32.to_be_bytes());
    let pseudo = [&ip[12..20], &[0, 6], &1020u16.to_be_bytes(), &ip[20..40]].concat();
    assert_eq!(sum(&pseudo), 0xffff);
    let opening = as_ip(&packet(segment(0, Feedback::None), 40));
    assert_eq!((opening.len, opening.kept[33]), (40, 0x02));
}

#[test]
fn what_is_in_the_bytes_is_shown_in_options() {
    let level = as_ip(&packet(segment(1, Feedback::Mrai(3)), 1044));
    assert_eq!((level.kept[0], &level.kept[20..24]), (0x46, &[0x9e, 4, 3, 0][..]));
    assert_eq!(level.len, 1044);
    // It takes no bytes, so it is not in the packet.
    let free = packet(segment(1, Feedback::Mrai(3)), 1040);
    assert_eq!((as_ip(&free).kept[0], wire().remark(&free)), (0x45, Some("mrai 3".to_owned())));
    let mut ack = Ack::plain(4, Time::ZERO);
    (ack.blocks[0], ack.block_count) = ((6, 8), 1);
    let found = as_ip(&packet(Payload::Ack(ack), 52));
    assert_eq!(found.len, 52);
    assert_eq!(found.kept[28..32], 4001u32.to_be_bytes());
    let sack = [&[1, 1, 5, 10][..], &5001u32.to_be_bytes(), &7001u32.to_be_bytes()].concat();
    assert_eq!(found.kept[40..52], sack[..]);
    assert_eq!(wire().remark(&packet(Payload::Ack(ack), 40)), Some("sack segments 6..7".to_owned()));
}

#[derive(Debug)]
struct Beacon;

impl ControlMessage for Beacon {
    fn name(&self) -> &'static str {
        "beacon"
    }

    fn port(&self) -> u16 {
        698
    }

    fn encode(&self, src: NodeId) -> Vec<u8> {
        vec![7, src.0 as u8]
    }
}

#[test]
fn routing_message_is_a_datagram_of_its_protocol() {
    let found = as_ip(&packet(Payload::Control(Control::new(Beacon)), 48));
    assert_eq!((found.len, found.kept.len()), (30, 30));
    assert_eq!(found.kept[20..26], [0x02, 0xba, 0x02, 0xba, 0, 10]);
    assert_eq!(found.kept[28..], [7, 0]);
}

#[test]
fn a_question_for_an_address_is_as_in_the_rfc() {
    let question = packet(Payload::Arp(Arp::Request { target: RadioId(1), node: NodeId(1) }), 28);
    let found = wire().off_air(Time::ZERO, NodeId(0), &question);
    // Behind 22 bytes of radiotap, 24 of a frame of no known type, and 6 of LLC.
    assert_eq!((found.len, found.kept.len()), (22 + 24 + 8 + 28, 22 + 24 + 8 + 28));
    assert_eq!(found.kept[22..24], [0xfc, 0]);
    assert_eq!(found.kept[52..62], [0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 1]);
    assert_eq!(found.kept[78..82], [10, 0, 0, 2]);
    assert!(wire().describe(&question).starts_with("address resolution, 28 bytes from 10.0.0.1 to "));
}

fn real(flags: TcpFlags, len: u32, block_count: u8) -> Packet {
    let segment = TcpSegment {
        from: End::Source,
        flags,
        is_ect: len > 0,
        is_retransmission: false,
        block_count,
        window_shift: 7,
        len,
        window: 64_000,
        seq: 0x1_0000_0001,
        ack: 10_001,
        blocks: [(2000, 3000), (0, 0), (0, 0)],
        sent_at: Time::from_secs(1.5),
        echo: Time::from_secs(1.25),
        first_sent: Time::ZERO,
    };
    packet(Payload::Tcp(segment), segment.bytes())
}

#[test]
fn real_segment_has_its_header_and_options() {
    let syn = as_ip(&real(TcpFlags::SYN.with(TcpFlags::ECE).with(TcpFlags::CWR), 0, 0));
    assert_eq!((syn.len, syn.kept.len(), syn.kept[33]), (60, 60, 0xc2));
    assert_eq!(syn.kept[40..46], [2, 4, 5, 180, 4, 2]);
    assert_eq!(syn.kept[46..56], [8, 10, 0, 0, 5, 221, 0, 0, 0, 0]);
    assert_eq!(syn.kept[56..], [1, 3, 3, 7]);
    assert_eq!(syn.kept[34..36], 64_000u16.to_be_bytes());
    let data = as_ip(&real(TcpFlags::ACK, 1448, 0));
    assert_eq!((data.len, data.kept.len(), data.kept[1]), (1500, 52, 2));
    assert_eq!(data.kept[24..28], 1u32.to_be_bytes(), "numbers wrap on the wire");
    assert_eq!(data.kept[34..36], 500u16.to_be_bytes());
    let ack = as_ip(&real(TcpFlags::ACK, 0, 1));
    let sack = [&[1, 1, 5, 10][..], &12_001u32.to_be_bytes(), &13_001u32.to_be_bytes()].concat();
    assert_eq!((ack.len, &ack.kept[52..]), (64, &sack[..]));
    assert_eq!(as_ip(&real(TcpFlags::RST.with(TcpFlags::ACK), 0, 0)).len, 40);
    assert_eq!(sum(&data.kept[..20]), 0xffff);
}

#[test]
fn unreachable_report_quotes_the_segment() {
    let report = |is_over| Payload::Unreachable(Unreachable { end: End::Source, dst: NodeId(9), is_over });
    let icmp = as_ip(&packet(report(true), Unreachable::BYTES));
    assert_eq!((icmp.len, &icmp.kept[20..22]), (56, &[253, 0][..]), "experimental");
    let icmp = as_ip(&packet(report(false), Unreachable::BYTES));
    assert_eq!((icmp.len, icmp.kept.len(), icmp.kept[9]), (56, 56, 1), "protocol 1: ICMP");
    assert_eq!(icmp.kept[20..22], [3, 1], "host unreachable");
    assert_eq!((sum(&icmp.kept[..20]), sum(&icmp.kept[20..]), sum(&icmp.kept[28..48])), (0xffff, 0xffff, 0xffff));
    assert_eq!(icmp.kept[40..48], [10, 0, 0, 5, 10, 0, 0, 10], "from the receiver of the report to node 9");
    assert_eq!(icmp.kept[48..52], [195, 80, 156, 64], "ports 50000 and 40000");
}
