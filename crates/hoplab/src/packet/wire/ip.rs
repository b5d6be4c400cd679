//! IP packets (RFC 791) with TCP, UDP, or a protocol of hoplab's own as payload.

use super::address::internet;
use super::bytes::Bytes;
use super::dsr;
use super::flow_bytes::Flows;
use super::own_headers;
use crate::kernel::{End, FlowId, NodeId, Time};
use crate::packet::explicit::{Echo, Feedback};
use crate::packet::{Ack, DSR_PROTOCOL, Ecn, Packet, Payload, SegNo, Segment, TcpFlags, TcpSegment, Unreachable};
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{
    Icmpv4Header, Icmpv4Type, IpDscp, IpEcn, IpFragOffset, IpNumber, Ipv4Header, Ipv4Options, TcpHeader, UdpHeader,
};

/// Ports of a flow's source and sink are these plus the flow's number; no protocol is registered there.
const SOURCE_PORT: u16 = 50_000;
const SINK_PORT: u16 = 40_000;

/// IP option for experiments, to be copied into fragments (RFC 4727 section 3).
const EXPERIMENT: u8 = 0x9e;
/// TCP option for experiments (RFC 6994), and our number there.
const TCP_EXPERIMENT: [u8; 3] = [253, 4, 0x4d];

const IP: usize = 20;
const TCP: usize = 20;
const UDP: usize = 8;
/// Maximum bytes of options, of IP and of TCP.
const MAX_OPTIONS: usize = 40;

/// Payload for checksums: enough for any packet.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Fields of a TCP header.
struct TcpFields {
    from_source: bool,
    seq: u32,
    ack: Option<u32>,
    is_syn: bool,
    /// Flags ECE and CWR (RFC 3168).
    echoes_mark: bool,
    has_cwr: bool,
    payload: usize,
}

/// A packet with its IP header; empty for ARP, which Ethernet carries.
pub(super) fn ip(flows: &Flows, packet: &Packet) -> Bytes {
    match &packet.payload {
        Payload::Control(message) if message.protocol() == Some(DSR_PROTOCOL) => {
            let options = dsr::options(packet, &message.encode(packet.src));
            let empty = ip_header(packet, IpNumber::IPV6_NO_NEXT_HEADER, &[], 0).to_bytes().to_vec();
            dsr::with_header(Bytes { len: empty.len(), kept: empty }, &options)
        }
        _ if packet.route.is_some() => {
            let mut inner = packet.clone();
            inner.remove_route();
            dsr::with_header(without_route(flows, &inner), &dsr::options(packet, &[]))
        }
        _ => without_route(flows, packet),
    }
}

fn without_route(flows: &Flows, packet: &Packet) -> Bytes {
    match &packet.payload {
        Payload::Segment(segment) if matches!(segment.feedback, Feedback::Rcp(_)) => {
            own(packet, &own_headers::rcp_header(segment, packet.flow), segment.payload as usize)
        }
        Payload::Segment(segment) if matches!(segment.feedback, Feedback::Atp(_)) => {
            own(packet, &own_headers::atp_header(segment, packet.flow), segment.payload as usize)
        }
        Payload::Segment(segment) if matches!(segment.feedback, Feedback::Wcp(_)) => {
            own(packet, &own_headers::wcp_header(segment, packet.flow), segment.payload as usize)
        }
        Payload::Ack(ack) if matches!(ack.feedback, Echo::Wcp { .. }) => {
            own(packet, &own_headers::wcp_echo(ack, packet.flow), 0)
        }
        Payload::Report(report) => own(packet, &own_headers::atp_report(report, packet.flow), 0),
        Payload::Ack(ack) if matches!(ack.feedback, Echo::Rcp(_)) => {
            own(packet, &own_headers::rcp_echo(ack, packet.flow), 0)
        }
        Payload::Segment(segment) => {
            let option: &[u8] = match segment.feedback {
                Feedback::Mrai(level) => &[EXPERIMENT, 4, level, 0],
                _ => &[],
            };
            tcp(packet, &tcp_fields(flows, packet.flow, segment), option, &[])
        }
        Payload::SplitSegment(split) => {
            let tag = &split.tag;
            let [_, _, high, low] = tag.resp.0.to_be_bytes();
            let flags = [tag.is_e2e_rtx, tag.is_local_rtx, tag.is_bypass, tag.is_last];
            let flags = (0..).zip(flags).fold(0, |all, (bit, is_set)| all | u8::from(is_set) << bit);
            let [epoch_high, epoch_low] = tag.epoch.to_be_bytes();
            let option = [EXPERIMENT, 8, high, low, tag.hops, flags, epoch_high, epoch_low];
            tcp(packet, &tcp_fields(flows, packet.flow, &split.segment), &option, &[])
        }
        Payload::Ack(ack) => {
            let fields = TcpFields {
                from_source: false,
                seq: u32::from(!flows.opens(packet.flow, ack.cumulative)),
                ack: Some(flows.offset(packet.flow, ack.cumulative + 1)),
                is_syn: flows.opens(packet.flow, ack.cumulative),
                echoes_mark: ack.has_ece,
                has_cwr: false,
                payload: 0,
            };
            tcp(packet, &fields, &[], &tcp_options(flows, packet.flow, ack))
        }
        Payload::Tcp(segment) => real_tcp(packet, segment),
        Payload::Datagram(_) => {
            let (from, to) = ports(packet.flow, true);
            let payload = (packet.bytes as usize).saturating_sub(IP + UDP);
            udp(packet, (from, to), &[], payload)
        }
        Payload::Lack(lack) => {
            let seq = lack.seq.unwrap_or(-1) as i32;
            let mut body = vec![own_headers::LACK, 0];
            body.extend((packet.flow.0 as u16).to_be_bytes());
            body.extend(seq.to_be_bytes());
            body.extend((lack.cumulative as i32).to_be_bytes());
            body.extend(lack.win.to_be_bytes());
            own(packet, &body, 0)
        }
        Payload::Unreachable(report) => icmp(packet, *report),
        Payload::Control(message) => {
            let port = message.port();
            udp(packet, (port, port), &message.encode(packet.src), 0)
        }
        Payload::Arp(_) => Bytes { kept: Vec::new(), len: 0 },
        Payload::Live(live) => Bytes { kept: live.bytes.to_vec(), len: packet.bytes as usize },
        Payload::Stack(content) if content.is_datagram => {
            let (from, to) = ports(packet.flow, content.is_forward);
            udp(packet, (from, to), &content.bytes, 0)
        }
        Payload::Stack(content) => Bytes { kept: content.bytes.to_vec(), len: packet.bytes as usize },
    }
}

fn tcp_fields(flows: &Flows, flow: FlowId, segment: &Segment) -> TcpFields {
    let is_syn = flows.opens(flow, segment.seq);
    TcpFields {
        from_source: true,
        seq: flows.offset(flow, segment.seq),
        ack: (!is_syn).then_some(1),
        is_syn,
        echoes_mark: false,
        has_cwr: segment.has_cwr,
        payload: segment.payload as usize,
    }
}

/// SACK blocks and Muzha's echo, if the acknowledgment has any.
fn tcp_options(flows: &Flows, flow: FlowId, ack: &Ack) -> Vec<Vec<u8>> {
    let mut options = Vec::new();
    if let Echo::Mrai(level) = ack.feedback {
        options.push([TCP_EXPERIMENT.as_slice(), &[level]].concat());
    }
    if !ack.blocks().is_empty() {
        let mut sack = vec![1, 1, 5, 2 + 8 * ack.block_count];
        for &(first, beyond) in ack.blocks() {
            sack.extend(flows.offset(flow, first).to_be_bytes());
            sack.extend(flows.offset(flow, beyond).to_be_bytes());
        }
        options.push(sack);
    }
    options
}

/// Headers fill the length of the packet beyond its payload: first the IP option, then the TCP options that fit, then NOP
/// options.
fn tcp(packet: &Packet, fields: &TcpFields, ip_option: &[u8], tcp_options: &[Vec<u8>]) -> Bytes {
    let mut room = (packet.bytes as usize).saturating_sub(IP + TCP + fields.payload);
    let ip_option = if room >= ip_option.len() { ip_option } else { &[] };
    room -= ip_option.len();
    let mut options = Vec::new();
    for option in tcp_options {
        if options.len() + option.len() <= room.min(MAX_OPTIONS) {
            options.extend(option);
        }
    }
    options.resize(room.min(MAX_OPTIONS) / 4 * 4, 1);
    let payload = fields.payload + room - options.len();
    let (from, to) = ports(packet.flow, fields.from_source);
    let mut header = TcpHeader::new(from, to, fields.seq, u16::MAX);
    // Options fit: a multiple of four bytes, at most forty.
    let _ = header.set_options_raw(&options);
    header.syn = fields.is_syn;
    (header.ece, header.cwr) = (fields.echoes_mark, fields.has_cwr);
    header.psh = payload > 0;
    if let Some(ack) = fields.ack {
        (header.ack, header.acknowledgment_number) = (true, ack);
    }
    let ip = ip_header(packet, IpNumber::TCP, ip_option, header.header_len() + payload);
    header.checksum = header.calc_checksum_ipv4(&ip, &ZEROS[..payload.min(ZEROS.len())]).unwrap_or_default();
    let mut kept = ip.to_bytes().to_vec();
    kept.extend(header.to_bytes());
    Bytes { len: kept.len() + payload, kept }
}

/// Host unreachable (RFC 792: type 3, code 1), or an experimental message (RFC 4727: type 253) once there is a route again, with
/// the IP header and the ports of the segment that had no route.
fn icmp(packet: &Packet, report: Unreachable) -> Bytes {
    const QUOTED: usize = IP + 8;
    const EXPERIMENTAL: u8 = 253;
    let (from, to) = ports(packet.flow, report.end == End::Source);
    let mut header = ip_header(packet, IpNumber::TCP, &[], TCP);
    (header.source, header.destination) = (internet(packet.dst), internet(report.dst));
    header.header_checksum = header.calc_header_checksum();
    let mut quoted = header.to_bytes().to_vec();
    quoted.extend(from.to_be_bytes());
    quoted.extend(to.to_be_bytes());
    quoted.resize(QUOTED, 0);
    let kind = if report.is_over {
        Icmpv4Type::Unknown { type_u8: EXPERIMENTAL, code_u8: 0, bytes5to8: [0; 4] }
    } else {
        Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Host)
    };
    let icmp = Icmpv4Header::with_checksum(kind, &quoted);
    let mut kept = ip_header(packet, IpNumber::ICMP, &[], icmp.header_len() + QUOTED).to_bytes().to_vec();
    kept.extend(icmp.to_bytes());
    kept.extend(quoted);
    Bytes { len: kept.len(), kept }
}

/// A segment of a real connection, with its options; the maximum segment size in a SYN is that of an MTU of 1500 bytes.
fn real_tcp(packet: &Packet, segment: &TcpSegment) -> Bytes {
    let has = |flag| segment.flags.has(flag);
    let (from, to) = ports(packet.flow, segment.is_forward());
    let shift = if has(TcpFlags::SYN) { 0 } else { segment.window_shift };
    let window = (segment.window >> shift).min(u32::from(u16::MAX)) as u16;
    let mut header = TcpHeader::new(from, to, segment.seq as u32, window);
    // Options fit: at most forty bytes, in whole words.
    let _ = header.set_options_raw(&real_options(segment));
    (header.syn, header.fin, header.rst) = (has(TcpFlags::SYN), has(TcpFlags::FIN), has(TcpFlags::RST));
    (header.psh, header.ack) = (has(TcpFlags::PSH), has(TcpFlags::ACK));
    (header.ece, header.cwr) = (has(TcpFlags::ECE), has(TcpFlags::CWR));
    if header.ack {
        header.acknowledgment_number = segment.ack as u32;
    }
    let payload = segment.len as usize;
    let ip = ip_header(packet, IpNumber::TCP, &[], header.header_len() + payload);
    header.checksum = header.calc_checksum_ipv4(&ip, &ZEROS[..payload.min(ZEROS.len())]).unwrap_or_default();
    let mut kept = ip.to_bytes().to_vec();
    kept.extend(header.to_bytes());
    Bytes { len: kept.len() + payload, kept }
}

fn real_options(segment: &TcpSegment) -> Vec<u8> {
    const MSS: u16 = 1460;
    if segment.flags.has(TcpFlags::RST) {
        return Vec::new();
    }
    // In milliseconds, from 1: zero is no timestamp.
    let stamp = |time: Time| (time.0 / 1_000_000) as u32 + 1;
    let echo = if segment.flags.has(TcpFlags::ACK) { stamp(segment.echo) } else { 0 };
    let mut stamps = vec![8, 10];
    stamps.extend(stamp(segment.sent_at).to_be_bytes());
    stamps.extend(echo.to_be_bytes());
    if segment.flags.has(TcpFlags::SYN) {
        let mut options = vec![2, 4];
        options.extend(MSS.to_be_bytes());
        options.extend([4, 2]);
        options.extend(stamps);
        options.extend([1, 3, 3, segment.window_shift]);
        return options;
    }
    let mut options = vec![1, 1];
    options.extend(stamps);
    if segment.block_count > 0 {
        options.extend([1, 1, 5, 2 + 8 * segment.block_count]);
        for (first, beyond) in segment.blocks() {
            options.extend((first as u32).to_be_bytes());
            options.extend((beyond as u32).to_be_bytes());
        }
    }
    options
}

/// Ports of a packet that goes from its flow's source to the sink, or back.
fn ports(flow: FlowId, from_source: bool) -> (u16, u16) {
    let number = flow.0 as u16 % 10_000;
    let (source, sink) = (SOURCE_PORT + number, SINK_PORT + number);
    if from_source { (source, sink) } else { (sink, source) }
}

/// `option` is padded to whole words.
fn ip_header(packet: &Packet, protocol: IpNumber, option: &[u8], payload: usize) -> Ipv4Header {
    let mut padded = option.to_vec();
    padded.resize(option.len().div_ceil(4) * 4, 0);
    let options = Ipv4Options::try_from(padded.as_slice()).unwrap_or_default();
    let to: NodeId = packet.dst;
    let mut header = Ipv4Header {
        dscp: IpDscp::try_new(packet.category.dscp()).unwrap_or(IpDscp::ZERO),
        ecn: match packet.ecn {
            Ecn::NotEct => IpEcn::ZERO,
            Ecn::Ect => IpEcn::TWO,
            Ecn::Ce => IpEcn::THREE,
        },
        total_len: (IP + usize::from(options.len_u8()) + payload).min(usize::from(u16::MAX)) as u16,
        identification: packet.uid as u16,
        dont_fragment: true,
        more_fragments: false,
        fragment_offset: IpFragOffset::ZERO,
        time_to_live: packet.ttl.max(1),
        protocol,
        header_checksum: 0,
        source: internet(packet.src),
        destination: internet(to),
        options,
    };
    header.header_checksum = header.calc_header_checksum();
    header
}

/// A UDP datagram of `body` and `payload` bytes of zeros.
fn udp(packet: &Packet, (from, to): (u16, u16), body: &[u8], payload: usize) -> Bytes {
    let whole: Vec<u8> = body.iter().copied().chain(std::iter::repeat_n(0, payload)).collect();
    let ip = ip_header(packet, IpNumber::UDP, &[], UDP + whole.len());
    let mut kept = ip.to_bytes().to_vec();
    if let Ok(header) = UdpHeader::with_ipv4_checksum(from, to, &ip, &whole) {
        kept.extend(header.to_bytes());
    }
    kept.extend(body);
    Bytes { len: kept.len() + payload, kept }
}

/// A protocol without a format on the Internet: a first byte with its kind, and the rest in a layout of ours. As long
/// as the engine counts it, if `body` fits.
fn own(packet: &Packet, body: &[u8], payload: usize) -> Bytes {
    let header = (packet.bytes as usize).saturating_sub(IP + payload).max(body.len());
    let ip = ip_header(packet, IpNumber::EXPERIMENTAL_AND_TESTING_0, &[], header + payload);
    let mut kept = ip.to_bytes().to_vec();
    kept.extend(body);
    Bytes { len: IP + header + payload, kept }
}

/// Feedback of routers as text: headers that take no bytes are not in the packet.
pub(super) fn remark(packet: &Packet) -> Option<String> {
    let bits = |rate: f64| rate * 8.0;
    match &packet.payload {
        Payload::Segment(segment) => match segment.feedback {
            Feedback::None => None,
            Feedback::Mrai(level) => Some(format!("mrai {level}")),
            Feedback::Xcp(header) => Some(format!("xcp: change of rate {:.0} b/s", bits(header.delta))),
            Feedback::Rcp(header) if header.rate.is_finite() => Some(format!("rcp: rate {:.0} b/s", bits(header.rate))),
            Feedback::Rcp(_) => Some("rcp: rate asked for".to_owned()),
            Feedback::Atp(delay) => Some(format!("atp: delay {:.3} ms", delay * 1e3)),
            Feedback::Wcp(header) => Some(wcp_remark(header.is_congested, header.interval)),
        },
        Payload::Ack(ack) => {
            let echo = match ack.feedback {
                Echo::None => String::new(),
                Echo::Mrai(level) => format!("mrai {level}"),
                Echo::Xcp(delta) => format!("xcp: change of rate {:.0} b/s", bits(delta)),
                Echo::Rcp(rate) => format!("rcp: rate {:.0} b/s", bits(rate)),
                Echo::Wcp { is_congested, interval } => wcp_remark(is_congested, interval),
                Echo::Arrived(map) => format!("tpa: map {map:#b}"),
            };
            let blocks: Vec<String> =
                ack.blocks().iter().map(|&(first, beyond)| format!("{first}..{}", beyond - 1)).collect();
            let sack = if blocks.is_empty() { String::new() } else { format!("sack segments {}", blocks.join(", ")) };
            let parts: Vec<String> = [echo, sack].into_iter().filter(|part| !part.is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join("; "))
        }
        Payload::Lack(lack) => Some(format!("local acknowledgment of segment {} for {}", shown(lack.seq), lack.resp)),
        Payload::Report(report) => Some(format!("atp: rate {:.1} packets/s", report.rate)),
        Payload::Datagram(_)
        | Payload::Tcp(_)
        | Payload::Unreachable(_)
        | Payload::SplitSegment(_)
        | Payload::Control(_)
        | Payload::Arp(_)
        | Payload::Live(_)
        | Payload::Stack(_) => None,
    }
}

fn wcp_remark(is_congested: bool, interval: f64) -> String {
    format!("wcp: {}interval {:.1} ms", if is_congested { "congested, " } else { "" }, interval * 1e3)
}

fn shown(seq: Option<SegNo>) -> String {
    seq.map_or("none".to_owned(), |seq| seq.to_string())
}
