//! Packet sizes, meters, deadlines and clocks of whole connections.

use super::super::congestion::CongestionKind;
use super::super::pull::{OooAck, PullConfig};
use super::super::recovery::RecoveryKind;
use super::super::sender::Parts;
use super::*;
use crate::app::{AppConfig, Cbr, Ftp, OnOff};
use crate::kernel::{FlowId, Rate, Span};
use crate::packet::Segment;
use crate::packet::explicit::{Feedback, RcpKind};

/// A flow whose packets wait until the link layer pulls them.
const PULL: PullConfig = PullConfig {
    max_outstanding: 1024,
    ooo_ack: OooAck::None,
    rto_backoff: false,
    min_rto: Span::from_millis(200),
    initial_rto: Span::from_millis(3000),
    ack_queue: 500,
    coalesce_acks: false,
    sack_every: 16,
    ack_delay: Span::from_millis(600),
    paced: false,
};

fn spec(protocol: Protocol, app: AppConfig) -> FlowSpec {
    FlowSpec { id: FlowId(3), protocol, segment: 1460, window: 32, app, pull: None }
}

fn tcp(congestion: CongestionKind, recovery: RecoveryKind) -> Protocol {
    Protocol::Tcp(Parts { congestion, recovery })
}

fn new_reno() -> Protocol {
    tcp(CongestionKind::Reno, RecoveryKind::NewReno)
}

fn connection(protocol: Protocol, app: AppConfig, config: &TcpConfig) -> Connection {
    Connection::new(&spec(protocol, app), config, &RandomStreams::new(1))
}

/// Delivers what one end emitted to the other at `now`; returns what that emits.
fn cross(connection: &mut Connection, now: Time, emits: &[Emit]) -> Vec<Emit> {
    let mut out = Vec::new();
    for emit in emits {
        let to = if emit.end == End::Source { End::Sink } else { End::Source };
        connection.on_packet(to, now, &emit.payload, &mut out);
    }
    out
}

/// Sizes of the SYN, its acknowledgment, a data segment and its acknowledgment.
fn sizes(protocol: Protocol, config: &TcpConfig) -> [u32; 4] {
    let mut connection = connection(protocol, AppConfig::Ftp(Ftp), config);
    let mut syn = Vec::new();
    connection.on_start(Time::ZERO, &mut syn);
    let reply = cross(&mut connection, Time(10), &syn);
    let data = cross(&mut connection, Time(20), &reply);
    let ack = cross(&mut connection, Time(30), &data[..1]);
    [syn[0].bytes, reply[0].bytes, data[0].bytes, ack[0].bytes]
}

#[test]
fn packet_sizes_follow_protocol_and_profile() {
    let ns2 = TcpConfig::default();
    assert_eq!(sizes(new_reno(), &ns2), [40, 40, 1500, 40]);
    assert_eq!(sizes(tcp(CongestionKind::Vegas, RecoveryKind::Vegas), &ns2), [1460, 40, 1460, 40]);
    assert_eq!(sizes(new_reno(), &TcpConfig { timestamps: true, ..ns2 }), [40, 40, 1510, 40]);
    let rfc = TcpConfig { timestamps: true, ..TcpConfig::rfc() };
    assert_eq!(sizes(tcp(CongestionKind::Vegas, RecoveryKind::Vegas), &rfc), [52, 52, 1512, 52]);
}

#[test]
fn sack_block_lengthens_an_ack() {
    let protocol = tcp(CongestionKind::Reno, RecoveryKind::Sack);
    let mut connection = connection(protocol, AppConfig::Ftp(Ftp), &TcpConfig::default());
    let mut syn = Vec::new();
    connection.on_start(Time::ZERO, &mut syn);
    let reply = cross(&mut connection, Time(10), &syn);
    let data = cross(&mut connection, Time(20), &reply);
    let acks = cross(&mut connection, Time(30), &data[1..]);
    assert_eq!((acks.len(), acks[0].bytes), (1, 48));
}

#[test]
fn rcp_acks_each_packet_with_its_own_time() {
    let segment = |seq, at| {
        let feedback = Feedback::None;
        let at = Time(at);
        let payload = if seq == 0 { 0 } else { 1460 };
        Payload::Segment(Segment {
            seq,
            payload,
            sent_at: at,
            first_sent: at,
            is_retransmission: false,
            is_ect: false,
            has_cwr: false,
            feedback,
        })
    };
    for config in [
        TcpConfig { timestamps: true, ..TcpConfig::default() },
        TcpConfig::ns2_linux(),
        TcpConfig { ooo_ack: OooAck::None, ..TcpConfig::default() },
        TcpConfig { ooo_ack: OooAck::Single, ..TcpConfig::default() },
        TcpConfig { delayed_ack: true, ..TcpConfig::default() },
    ] {
        let mut connection = connection(Protocol::Rate(RcpKind::Base), AppConfig::Ftp(Ftp), &config);
        // Segment 2 is missing.
        let replies = [(0, 10), (1, 11), (3, 13)].map(|(seq, at)| {
            let mut out = Vec::new();
            connection.on_packet(End::Sink, Time(100), &segment(seq, at), &mut out);
            let [Emit { payload: Payload::Ack(ack), .. }] = out.as_slice() else { panic!("one reply: {config:?}") };
            (ack.cumulative, ack.echo.0, ack.blocks().to_vec())
        });
        assert_eq!(replies, [(0, 10, vec![]), (1, 11, vec![]), (1, 13, vec![(3, 4)])], "{config:?}");
    }
}

#[test]
fn datagram_has_the_bytes_of_its_payload() {
    let mut connection = connection(Protocol::Udp, AppConfig::Cbr(Cbr::at(Rate(1.168e6))), &TcpConfig::default());
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    assert_eq!((out.len(), out[0].bytes), (1, 1460));
    assert_eq!(connection.deadline(End::Source), Some(Time(10_000_000)));
    connection.on_deadline(End::Source, Time(10_000_000), &mut out);
    for emit in out.iter().chain(&out[..1]) {
        connection.on_packet(End::Sink, Time(15_000_000), &emit.payload, &mut Vec::new());
    }
    let counts = connection.meter().total();
    assert_eq!((counts.sent, counts.arrived, counts.unique, counts.in_order), (2, 3 * 1460, 2 * 1460, 2 * 1460));
    assert_eq!((counts.first_arrivals, counts.delay), (2, 15_000_000 + 5_000_000));
    connection.on_stop(Time(16_000_000), &mut out);
    assert_eq!((connection.deadline(End::Source), connection.cwnd()), (None, None));
}

#[test]
fn meter_separates_first_arrivals_from_duplicates() {
    let mut connection = connection(new_reno(), AppConfig::Ftp(Ftp), &TcpConfig::default());
    let mut syn = Vec::new();
    connection.on_start(Time::ZERO, &mut syn);
    let reply = cross(&mut connection, Time(10), &syn);
    let data = cross(&mut connection, Time(20), &reply);
    // The second segment twice, then the first.
    cross(&mut connection, Time(50), &[data[1].clone(), data[1].clone()]);
    let counts = *connection.meter().total();
    assert_eq!((counts.arrived, counts.unique, counts.in_order), (2920, 1460, 0));
    cross(&mut connection, Time(60), &data[..1]);
    let counts = *connection.meter().total();
    assert_eq!((counts.arrived, counts.unique, counts.in_order), (4380, 2920, 2920));
    assert_eq!((counts.sent, counts.retransmissions, counts.delay), (3, 0, 30 + 40));
    // A timeout retransmits the first segment.
    let timer = connection.deadline(End::Source).expect("a timer");
    connection.on_deadline(End::Source, timer, &mut Vec::new());
    let counts = *connection.meter().total();
    assert_eq!((counts.sent, counts.retransmissions, counts.timeouts, connection.timeouts()), (4, 1, 1, 1));
}

#[test]
fn each_end_has_its_own_deadline() {
    let config = TcpConfig { delayed_ack: true, ..TcpConfig::default() };
    let mut connection = connection(new_reno(), AppConfig::Cbr(Cbr::at(Rate(1.168e6))), &config);
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    // The next packet is supplied before the timer expires; it waits for the SYN.
    assert_eq!(connection.deadline(End::Source), Some(Time(10_000_000)));
    let mut supplied = Vec::new();
    connection.on_deadline(End::Source, Time(10_000_000), &mut supplied);
    assert!(supplied.is_empty());
    let reply = cross(&mut connection, Time(12_000_000), &out);
    let data = cross(&mut connection, Time(13_000_000), &reply);
    assert_eq!(data.len(), 2);
    assert!(cross(&mut connection, Time(14_000_000), &data[..1]).is_empty());
    let due = Time(14_000_000) + Span::from_millis(100);
    assert_eq!(connection.deadline(End::Sink), Some(due));
    let mut acks = Vec::new();
    connection.on_deadline(End::Sink, due, &mut acks);
    assert!(matches!(&acks[..], [Emit { end: End::Sink, payload: Payload::Ack(ack), .. }] if ack.cumulative == 1));
    assert_eq!(connection.deadline(End::Sink), None);
}

#[test]
fn delayed_ack_of_a_pulled_flow_waits_for_a_slot() {
    let protocol = tcp(CongestionKind::SemiTcp, RecoveryKind::TimeoutOnly);
    let spec = FlowSpec { pull: Some(PULL), ..spec(protocol, AppConfig::Ftp(Ftp)) };
    let config = TcpConfig { delayed_ack: true, ..TcpConfig::default() };
    let mut connection = Connection::new(&spec, &config, &RandomStreams::new(1));
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    let ask = |connection: &mut Connection, end, now| {
        let mut sent = Vec::new();
        assert!(connection.on_slot(end, now, &mut sent), "{end:?} has something at {now}");
        sent
    };
    let syn = ask(&mut connection, End::Source, Time(10));
    assert!(cross(&mut connection, Time(20), &syn).is_empty());
    let reply = ask(&mut connection, End::Sink, Time(30));
    cross(&mut connection, Time(40), &reply);
    let data = ask(&mut connection, End::Source, Time(50));
    assert!(cross(&mut connection, Time(60), &data).is_empty());
    let due = connection.deadline(End::Sink).expect("a delayed acknowledgment");
    connection.on_deadline(End::Sink, due, &mut out);
    assert!(out.is_empty(), "it waits: {out:?}");
    let ack = ask(&mut connection, End::Sink, due);
    assert!(matches!(&ack[..], [Emit { payload: Payload::Ack(ack), .. }] if ack.cumulative == 1));
}

#[test]
fn pulled_packet_is_sent_in_all_its_pieces() {
    let app = AppConfig::Cbr(Cbr::at(Rate(1e5)));
    let mut connection = Connection::new(
        &FlowSpec { pull: Some(PULL), ..spec(Protocol::Udp, app) },
        &TcpConfig::default(),
        &RandomStreams::new(1),
    );
    connection.split_datagrams(1000);
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    let mut now = Time::ZERO;
    let pieces = |connection: &mut Connection, now| {
        let mut sent = Vec::new();
        while connection.on_slot(End::Source, now, &mut sent) {}
        sent.iter().map(|emit| emit.bytes).collect::<Vec<_>>()
    };
    if let Some(at) = connection.deadline(End::Source).filter(|_| connection.meter().total().sent == 0) {
        now = at;
        connection.on_deadline(End::Source, now, &mut out);
    }
    assert_eq!(pieces(&mut connection, now), [1000, 460]);
    // The next packet replaces what is left of the one before it.
    for _ in 0..2 {
        now = connection.deadline(End::Source).expect("a next packet");
        connection.on_deadline(End::Source, now, &mut out);
    }
    assert_eq!(pieces(&mut connection, now), [1000, 460]);
    assert!(out.is_empty(), "nothing leaves unasked: {out:?}");
}

#[test]
fn rcp_flow_sends_its_syn_at_the_first_supply() {
    let (on_mean, off_mean) = (Span::from_millis(500), Span::from_millis(500));
    let app = AppConfig::OnOff(OnOff { rate: Rate(64e3), on_mean, off_mean });
    let mut connection = connection(Protocol::Rate(RcpKind::Base), app, &TcpConfig::default());
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    assert!(out.is_empty(), "it begins with silence");
    let now = connection.deadline(End::Source).expect("its first burst");
    connection.on_deadline(End::Source, now, &mut out);
    assert_eq!((out.len(), now > Time::ZERO), (1, true));
}

#[test]
fn rcp_flow_is_silent_after_its_last_packet() {
    let config = TcpConfig::default();
    let mut connection = connection(Protocol::Rate(RcpKind::Base), AppConfig::Ftp(Ftp), &config);
    connection.limit_packets(3);
    let (mut out, mut now) = (Vec::new(), Time::ZERO);
    connection.on_start(now, &mut out);
    for _ in 0..100 {
        for emit in &mut out {
            if let Payload::Segment(segment) = &mut emit.payload
                && let Feedback::Rcp(header) = &mut segment.feedback
            {
                header.rate = 1e6;
            }
        }
        let replies = cross(&mut connection, now, &out);
        out = cross(&mut connection, now + Span::from_millis(1), &replies);
        let Some(at) = connection.deadline(End::Source) else { break };
        now = at;
        connection.on_deadline(End::Source, now, &mut out);
    }
    assert_eq!(connection.meter().total().in_order, 3 * 1460);
    assert_eq!(connection.deadline(End::Source), None);
}

#[test]
fn phase_of_the_clock_follows_from_flow_and_seed() {
    let mut late = spec(new_reno(), AppConfig::Ftp(Ftp));
    late.id = FlowId(4);
    let phase = |spec: &FlowSpec, seed| {
        let connection = Connection::new(spec, &TcpConfig::default(), &RandomStreams::new(seed));
        format!("{:?}", connection.sender().expect("a sender").tcb().rtt)
    };
    let spec = spec(new_reno(), AppConfig::Ftp(Ftp));
    assert_eq!(phase(&spec, 1), phase(&spec, 1));
    assert_ne!(phase(&spec, 1), phase(&spec, 2));
    assert_ne!(phase(&spec, 1), phase(&late, 1));
}

#[test]
fn only_winf_senders_want_link_estimates() {
    let wants = |protocol| {
        let app = AppConfig::Cbr(Cbr::at(Rate(1e5)));
        connection(protocol, app, &TcpConfig::default()).wants_link()
    };
    let xcp_winf = tcp(CongestionKind::XcpWinf, RecoveryKind::NewReno);
    assert!(wants(xcp_winf) && wants(Protocol::Rate(RcpKind::Winf)));
    assert!(!wants(new_reno()) && !wants(Protocol::Rate(RcpKind::Base)) && !wants(Protocol::Udp));
}

#[test]
fn flow_that_is_not_pulled_ignores_slots() {
    let mut connection = connection(Protocol::Rate(RcpKind::Base), AppConfig::Ftp(Ftp), &TcpConfig::default());
    let mut out = Vec::new();
    connection.on_start(Time::ZERO, &mut out);
    out.clear();
    assert!(!connection.is_pulled());
    assert!(!connection.on_slot(End::Source, Time(10), &mut out) && !connection.on_slot(End::Sink, Time(10), &mut out));
    assert!(out.is_empty());
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "does not belong to the Sink")]
fn packet_of_another_protocol_is_refused() {
    let mut connection = connection(Protocol::Udp, AppConfig::Cbr(Cbr::at(Rate(1e5))), &TcpConfig::default());
    let ack = Payload::Ack(crate::packet::Ack::plain(0, Time::ZERO));
    connection.on_packet(End::Sink, Time(10), &ack, &mut Vec::new());
}
