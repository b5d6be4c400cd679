//! A proxy, packet by packet.

use super::*;
use crate::kernel::Span;
use crate::packet::Segment;
use crate::packet::explicit::Feedback;
use crate::transport::proxy::AnyProxy;
use crate::transport::proxy::split_tcp::LocalAck;

const SOURCE: NodeId = NodeId(0);
const HERE: NodeId = NodeId(3);

fn config() -> SplitTcpConfig {
    SplitTcpConfig::default()
}

fn proxy(config: SplitTcpConfig) -> SplitProxy {
    SplitProxy::new(HERE, Arc::new(config))
}

/// A segment at its third relay, the same at every call.
fn passing(flow: u32, seq: SegNo) -> ProxyView {
    let tag = SplitTag {
        resp: SOURCE,
        hops: 3,
        is_e2e_rtx: false,
        is_local_rtx: false,
        is_bypass: false,
        is_last: false,
        epoch: 0,
        number: seq as u32,
        oldest: 0,
        travelled: 0,
    };
    let segment = Segment {
        seq,
        payload: 1000,
        sent_at: Time::ZERO,
        first_sent: Time::ZERO,
        is_retransmission: false,
        is_ect: false,
        has_cwr: false,
        feedback: Feedback::None,
    };
    let split = SplitSegment { segment, content: 0, tag };
    ProxyView {
        flow: FlowId(flow),
        src: SOURCE,
        dst: NodeId(9),
        bytes: 1052,
        forwards: 3,
        hops_left: None,
        is_crossing: false,
        split,
    }
}

/// The next proxy's acknowledgment of a segment that was sent to it at `echo`.
fn lack(seq: SegNo, echo: Time) -> Lack {
    Lack { resp: HERE, epoch: 0, from: NodeId(6), seq: Some(seq), cumulative: 0, number: 0, win: u32::MAX, echo }
}

fn show(proxy: &mut impl Proxy, now: Time, passing: &ProxyView) -> Vec<ProxyOut> {
    let mut out = Vec::new();
    assert_eq!(proxy.on_segment(now, passing, &mut out), Verdict::Keep);
    out
}

fn answer(proxy: &mut impl Proxy, now: Time, flow: u32, lack: &Lack) -> Vec<ProxyOut> {
    let mut out = Vec::new();
    proxy.on_lack(now, FlowId(flow), lack, &mut out);
    out
}

fn sent(out: &[ProxyOut]) -> Vec<(u32, SegNo)> {
    let of = |out: &ProxyOut| match *out {
        ProxyOut::Segment { flow, split, .. } => Some((flow.0, split.segment.seq)),
        _ => None,
    };
    out.iter().filter_map(of).collect()
}

fn lacks(out: &[ProxyOut]) -> Vec<Lack> {
    let of = |out: &ProxyOut| if let ProxyOut::Lack { lack, .. } = *out { Some(lack) } else { None };
    out.iter().filter_map(of).collect()
}

#[test]
fn idle_flow_without_stored_segments_loses_its_window() {
    let ttl = config().state_ttl;
    // While the flow has state, the first segment is a duplicate and the window is two; otherwise the flow restarts at
    // one.
    for (idle, goes) in [(ttl.saturating_sub(Span(1)), vec![(0, 1), (0, 2)]), (ttl, vec![(0, 0)])] {
        let mut proxy = proxy(config());
        show(&mut proxy, Time::ZERO, &passing(0, 0));
        answer(&mut proxy, Time::ZERO, 0, &lack(0, Time::ZERO));
        let now = Time::ZERO + idle;
        show(&mut proxy, now, &passing(1, 0));
        let out: Vec<_> = (0..3).flat_map(|seq| show(&mut proxy, now, &passing(0, seq))).collect();
        assert_eq!(sent(&out), goes, "after {idle:?}");
    }
}

#[test]
fn flow_that_returns_after_its_ttl_is_new() {
    let ttl = config().state_ttl;
    for state in [StoreState::PerFlow, StoreState::Aggregate] {
        for (idle, goes) in [(ttl.saturating_sub(Span(1)), vec![(0, 1), (0, 2)]), (ttl, vec![(0, 0)])] {
            let mut proxy = proxy(SplitTcpConfig { state, ..config() });
            show(&mut proxy, Time::ZERO, &passing(0, 0));
            answer(&mut proxy, Time::ZERO, 0, &lack(0, Time::ZERO));
            let now = Time::ZERO + idle;
            let out: Vec<_> = (0..3).flat_map(|seq| show(&mut proxy, now, &passing(0, seq))).collect();
            assert_eq!(sent(&out), goes, "{state:?} after {idle:?}");
        }
    }
}

#[test]
fn flow_that_returns_ignores_the_room_of_its_past() {
    let mut proxy = proxy(SplitTcpConfig { state: StoreState::Aggregate, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    answer(&mut proxy, Time::ZERO, 0, &Lack { win: 0, ..lack(0, Time::ZERO) });
    let half = Time::ZERO + Span(config().state_ttl.0 / 2);
    show(&mut proxy, half, &passing(1, 0));
    answer(&mut proxy, half, 1, &lack(0, half));
    let now = Time::ZERO + config().state_ttl;
    assert_eq!(sent(&show(&mut proxy, now, &passing(0, 1))), [(0, 1)]);
}

#[test]
fn flow_with_stored_segments_is_kept() {
    let state_ttl = Span::from_millis(10_000);
    let mut proxy = proxy(SplitTcpConfig { state_ttl, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    let now = Time::ZERO + state_ttl * 2;
    show(&mut proxy, now, &passing(1, 0));
    let mut out = Vec::new();
    proxy.on_deadline(now, &mut out);
    assert_eq!(sent(&out), [(0, 0)]);
}

#[test]
fn segment_expires_after_its_last_transmission() {
    let mut proxy = proxy(SplitTcpConfig { reorder_threshold: 1, max_local_tries: 2, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    answer(&mut proxy, Time::ZERO, 0, &lack(0, Time::ZERO));
    // Segment 1 is lost at every transmission; those after it arrive.
    show(&mut proxy, Time::ZERO, &passing(0, 1));
    show(&mut proxy, Time::ZERO, &passing(0, 2));
    assert_eq!(sent(&answer(&mut proxy, Time::ZERO, 0, &lack(2, Time::ZERO))), [(0, 1)]);
    show(&mut proxy, Time::ZERO, &passing(0, 3));
    assert_eq!(sent(&answer(&mut proxy, Time::ZERO, 0, &lack(3, Time::ZERO))), []);
    assert_eq!((proxy.counts().expired, proxy.counts().held), (1, 0));
}

#[test]
fn losses_of_a_dropped_flow_still_count() {
    let mut proxy = proxy(SplitTcpConfig { reorder_threshold: 1, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    answer(&mut proxy, Time::ZERO, 0, &lack(0, Time::ZERO));
    show(&mut proxy, Time::ZERO, &passing(0, 1));
    show(&mut proxy, Time::ZERO, &passing(0, 2));
    let again = answer(&mut proxy, Time::ZERO, 0, &lack(2, Time::ZERO));
    assert_eq!(sent(&again), [(0, 1)]);
    let late = Time::from_secs(10.0);
    proxy.on_deadline(late, &mut Vec::new());
    answer(&mut proxy, late, 0, &lack(1, late));
    let losses = |proxy: &SplitProxy| (proxy.counts().timeouts, proxy.counts().fast_retransmits);
    assert_eq!((losses(&proxy), proxy.counts().held), ((1, 1), 0));
    show(&mut proxy, late + config().state_ttl, &passing(1, 0));
    assert_eq!(losses(&proxy), (1, 1));
}

#[test]
fn aggregate_window_outlives_the_arrival_of_a_flow() {
    let mut proxy = proxy(SplitTcpConfig { state: StoreState::Aggregate, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    answer(&mut proxy, Time::ZERO, 0, &lack(0, Time::ZERO));
    let out: Vec<_> = (0..3).flat_map(|seq| show(&mut proxy, Time::ZERO, &passing(1, seq))).collect();
    assert_eq!(sent(&out), [(1, 0), (1, 1)]);
}

#[test]
fn aggregate_room_is_advertised_in_equal_shares() {
    let mut proxy = proxy(SplitTcpConfig { state: StoreState::Aggregate, store_total: 10, ..config() });
    let wins = [0, 1, 2].map(|flow| lacks(&show(&mut proxy, Time::ZERO, &passing(flow, 0)))[0].win);
    assert_eq!(wins, [9, 8 / 2, 7 / 3]);
}

#[test]
fn idle_flow_takes_no_share_of_the_room() {
    let mut proxy = proxy(SplitTcpConfig { state: StoreState::Aggregate, store_total: 10, ..config() });
    for flow in [0, 1] {
        show(&mut proxy, Time::ZERO, &passing(flow, 0));
        answer(&mut proxy, Time::ZERO, flow, &lack(0, Time::ZERO));
    }
    let half = Time::ZERO + Span(config().state_ttl.0 / 2);
    assert_eq!(lacks(&show(&mut proxy, half, &passing(0, 1)))[0].win, 9 / 2);
    answer(&mut proxy, half, 0, &lack(1, half));
    let now = Time::ZERO + config().state_ttl;
    assert_eq!(lacks(&show(&mut proxy, now, &passing(0, 2)))[0].win, 9);
}

#[test]
fn window_update_carries_the_number_of_the_last_leg() {
    let local_ack = LocalAck::Cumulative;
    let mut proxy = proxy(SplitTcpConfig { local_ack, store_per_flow: 3, ..config() });
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    show(&mut proxy, Time::ZERO, &passing(0, 1));
    let mut rerouted = passing(0, 2);
    rerouted.split.tag = SplitTag { resp: NodeId(7), number: 5, oldest: 5, ..rerouted.split.tag };
    assert_eq!(lacks(&show(&mut proxy, Time::ZERO, &rerouted))[0].win, 0);
    answer(&mut proxy, Time::ZERO, 0, &Lack { number: 1, ..lack(0, Time::ZERO) });
    let out = answer(&mut proxy, Time::ZERO, 0, &Lack { number: 3, ..lack(2, Time::ZERO) });
    let fields: Vec<_> = lacks(&out).iter().map(|lack| (lack.resp, lack.seq, lack.number, lack.win)).collect();
    assert_eq!(fields, [(NodeId(7), None, 6, 3)]);
}

#[test]
fn relay_accepts_if_enough_hops_are_left() {
    for (tail_min, hops_left, verdict) in
        [(0, 1, Verdict::Keep), (2, 1, Verdict::PassOn), (2, 2, Verdict::Keep), (2, 3, Verdict::Keep)]
    {
        let mut proxy = AnyProxy::SplitTcp(Box::new(proxy(SplitTcpConfig { tail_min, ..config() })));
        assert_eq!(proxy.wants_hops_left(), tail_min > 0);
        let passing = ProxyView { hops_left: Some(hops_left), ..passing(0, 0) };
        assert_eq!(proxy.on_segment(Time::ZERO, &passing, &mut Vec::new()), verdict, "{hops_left} of {tail_min}");
    }
}

#[test]
fn acks_of_an_earlier_epoch_are_ignored() {
    let mut proxy = AnyProxy::SplitTcp(Box::new(proxy(config())));
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    assert_eq!(proxy.fail(), 1);
    proxy.recover();
    show(&mut proxy, Time::ZERO, &passing(0, 0));
    for (epoch, released) in [(0, 0), (1, 1)] {
        answer(&mut proxy, Time::ZERO, 0, &Lack { epoch, ..lack(0, Time::ZERO) });
        assert_eq!(proxy.counts().released, released, "epoch {epoch}");
    }
}
