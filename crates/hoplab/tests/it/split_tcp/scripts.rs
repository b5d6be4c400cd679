//! One script for each event at a proxy.

use super::lab::{Faults, HOP, Lab, Wire};
use hoplab::kernel::{NodeId, Span, Time};
use hoplab::transport::proxy::split_tcp::{Flavor, LocalAck, OnFull, SplitTcpConfig, WindowMode};
use std::collections::{BTreeMap, BTreeSet};

fn config() -> SplitTcpConfig {
    SplitTcpConfig::default()
}

fn is_data(wire: &Wire) -> bool {
    matches!(wire, Wire::Data(_))
}

fn is_lack(wire: &Wire) -> bool {
    matches!(wire, Wire::Lack(_))
}

fn is_ack(wire: &Wire) -> bool {
    matches!(wire, Wire::Ack(_))
}

#[test]
fn proxies_act_every_d_p_hops() {
    for hops in 1..=15 {
        for d_p in [1, 3, 4, 5] {
            let mut lab = Lab::new(hops, &SplitTcpConfig { d_p, ..config() }, 1);
            lab.supply(20);
            lab.finish(60.0);
            let d_p = u32::from(d_p);
            let expected: Vec<u32> = (1..hops).filter(|node| node % d_p == 0).collect();
            assert_eq!(lab.acting(), expected, "{hops} hops, a proxy every {d_p}");
            // One local acknowledgment per segment and leg; in total they cross as many hops as the data.
            assert_eq!(lab.transmissions(is_data), 20 * hops as usize);
            assert_eq!(lab.transmissions(is_lack), 20 * hops as usize);
            assert!(expected.iter().all(|&node| lab.counts(node).lacks == 20));
        }
    }
}

#[test]
fn destination_acks_every_hundred_segments_and_when_idle() {
    let mut lab = Lab::new(5, &config(), 1);
    lab.supply(1050);
    lab.run(40.0);
    lab.finish(60.0);
    assert_eq!((lab.sink.counts().e2e_acks, lab.sink.counts().idle_acks), (11, 1));
    assert_eq!(lab.transmissions(is_ack), 5 * 11);
    assert_eq!(lab.source.counts().e2e_acks, 11);
    assert_eq!((lab.source.counts().e2e_timeouts, lab.source.counts().timeouts), (0, 0));
    assert_eq!(lab.sink.counts().duplicates, 0);
}

#[test]
fn last_segment_is_acked_end_to_end_at_once() {
    for segments in [1, 1050] {
        let mut lab = Lab::new(5, &config(), 1);
        lab.supply_last(segments);
        lab.finish(60.0);
        let counts = lab.sink.counts();
        assert_eq!((counts.e2e_acks, counts.idle_acks), (u64::from(segments.div_ceil(100)), 0));
        let reported = lab.sent.iter().rev().find(|sent| sent.from == 5 && is_ack(&sent.wire)).map(|sent| sent.at);
        assert_eq!(reported, lab.delivered_at.last().copied(), "{segments} segments");
    }
}

#[test]
fn end_of_flow_is_acked_once_all_segments_arrived() {
    let mut lab = Lab::new(1, &config(), 1);
    let mut is_lost = false;
    lab.loses = Box::new(move |sent| {
        let hits = matches!(sent.wire, Wire::Data(split) if split.segment.seq == 8) && !is_lost;
        is_lost |= hits;
        hits
    });
    lab.supply_last(10);
    lab.finish(60.0);
    let acks: Vec<_> = lab.sent.iter().filter(|sent| is_ack(&sent.wire)).map(|sent| sent.at).collect();
    assert_eq!(acks, lab.delivered_at[9..]);
    assert!(lab.delivered_at[9] > lab.delivered_at[7], "the gap was filled last");
}

#[test]
fn proxy_forwards_before_or_after_its_local_ack() {
    for forward_then_lack in [true, false] {
        let mut lab = Lab::new(4, &SplitTcpConfig { forward_then_lack, ..config() }, 1);
        lab.supply(1);
        lab.finish(60.0);
        let at_proxy: Vec<bool> =
            lab.sent.iter().filter(|sent| sent.from == 3).map(|sent| is_data(&sent.wire)).collect();
        assert_eq!(at_proxy[..2], [forward_then_lack, !forward_then_lack]);
    }
}

#[test]
fn window_of_a_leg_doubles_up_to_its_maximum() {
    let mut lab = Lab::new(2, &SplitTcpConfig { window_max: 8, ..config() }, 1);
    lab.supply(500);
    let mut windows = Vec::new();
    for round in 1..=4 {
        lab.run(f64::from(round) * 0.04 - 0.001);
        windows.push(lab.source.cwnd());
    }
    assert_eq!(windows, [1.0, 2.0, 4.0, 8.0]);
    lab.finish(60.0);
    assert_eq!((lab.source.cwnd(), lab.source.ssthresh()), (8.0, 8.0));
}

#[test]
fn loss_is_retransmitted_by_the_sender_of_its_leg() {
    for local_ack in [LocalAck::Selective, LocalAck::Cumulative] {
        let mut lab = Lab::new(6, &SplitTcpConfig { local_ack, ..config() }, 1);
        // Segment 40 is lost once, on the second leg.
        let mut is_lost = false;
        lab.loses = Box::new(move |sent| {
            let hits = matches!(sent.wire, Wire::Data(split) if split.segment.seq == 40) && sent.from == 4 && !is_lost;
            is_lost |= hits;
            hits
        });
        lab.supply(100);
        lab.finish(60.0);
        let proxy = lab.counts(3);
        assert_eq!((proxy.resent, proxy.fast_retransmits, proxy.timeouts), (1, 1, 0), "{local_ack:?}");
        assert_eq!(lab.source.counts().fast_retransmits + lab.source.counts().timeouts, 0);
        let rtx = lab.sent.iter().filter(|sent| matches!(sent.wire, Wire::Data(split) if split.tag.is_local_rtx));
        assert!(rtx.clone().all(|sent| sent.from >= 3) && rtx.count() == 3);
    }
}

#[test]
fn retransmission_keeps_the_first_send_time() {
    let mut lab = Lab::new(6, &config(), 1);
    let mut lost = BTreeSet::new();
    // Segment 40 is lost once on the first leg, segment 50 on the second.
    lab.loses = Box::new(move |sent| {
        let Wire::Data(split) = sent.wire else { return false };
        [(1, 40), (4, 50)].contains(&(sent.from, split.segment.seq)) && lost.insert(split.segment.seq)
    });
    lab.supply(100);
    lab.finish(60.0);
    let data = || {
        lab.sent
            .iter()
            .filter_map(|sent| if let Wire::Data(split) = sent.wire { Some((sent, split.segment)) } else { None })
    };
    let mut first = BTreeMap::new();
    for (sent, segment) in data() {
        let at = *first.entry(segment.seq).or_insert(sent.at);
        assert_eq!(segment.first_sent, at, "segment {} from {}", segment.seq, sent.from);
    }
    let rtx = data().filter(|(sent, segment)| sent.from == 0 && segment.is_retransmission);
    assert_eq!(rtx.map(|(_, segment)| segment.seq).collect::<Vec<_>>(), [40]);
}

#[test]
fn flavors_differ_in_their_response_to_two_losses() {
    let cwnd_after = |flavor| {
        let mut lab = Lab::new(1, &SplitTcpConfig { flavor, window_max: 16, ..config() }, 1);
        let mut lost = BTreeSet::new();
        lab.loses = Box::new(
            move |sent| matches!(sent.wire, Wire::Data(split) if [60, 62].contains(&split.segment.seq) && lost.insert(split.segment.seq)),
        );
        lab.supply(70);
        lab.finish(60.0);
        (lab.source.counts().fast_retransmits, lab.source.ssthresh())
    };
    assert_eq!(cwnd_after(Flavor::NewReno), (1, 8.0));
    assert_eq!(cwnd_after(Flavor::Reno).0, 2);
    assert!(cwnd_after(Flavor::Reno).1 < 5.0);
    assert_eq!(cwnd_after(Flavor::Tahoe).0, 1);
}

/// Five hops, the fourth of them slow, so that the store of the proxy after the third fills.
fn with_full_store() -> Lab {
    let mut lab = Lab::new(5, &SplitTcpConfig { window_max: 8, ..config() }, 1);
    lab.set_delay(3, 4, Span::from_millis(300));
    lab.supply(2000);
    lab.run(8.0);
    assert!(lab.counts(3).held >= 40, "{:?}", lab.counts(3));
    lab
}

#[test]
fn proxy_drains_its_store_while_its_upstream_is_cut() {
    let mut lab = with_full_store();
    let (held, before) = (lab.counts(3).held, lab.sink.rcv_nxt());
    lab.cut(1, 2);
    lab.run(18.0);
    let got = (lab.sink.rcv_nxt() - before) as u64;
    assert!(got >= held, "{got} delivered in the outage, {held} were stored");
    let early = lab.delivered_at.iter().filter(|at| (8.0..13.0).contains(&at.secs())).count();
    assert!(early as u64 >= held, "delivered during the outage, not after it");
    assert_eq!(lab.counts(3).held, 0);
    lab.restore(1, 2);
    lab.finish(600.0);
    assert_eq!(lab.delivered_at.len(), 2000);
}

#[test]
fn stored_segments_are_delivered_while_upstream_is_cut() {
    // docs/specs/split-tcp.md section 2, test 2.
    let mut lab = Lab::new(5, &SplitTcpConfig { window_max: 8, store_per_flow: 30, ..config() }, 1);
    lab.set_delay(3, 4, Span::from_millis(300));
    lab.supply(2000);
    while lab.counts(3).held < 30 {
        lab.run(lab.now.secs() + 0.001);
    }
    lab.cut(1, 2);
    let (begin, before) = (lab.now.secs(), lab.sink.rcv_nxt());
    assert_eq!(lab.counts(3).held, 30);
    // Packets beyond the broken link still arrive.
    lab.run(begin + 0.1);
    let received = |lab: &Lab| (lab.source.counts().lacks, lab.source.counts().e2e_acks);
    let before_cut = received(&lab);
    lab.run(begin + 10.0);
    assert_eq!(received(&lab), before_cut);
    assert!(lab.sink.rcv_nxt() - before >= 30 && lab.counts(3).held == 0);
    lab.restore(1, 2);
    lab.finish(600.0);
    assert_eq!(lab.delivered_at.len(), 2000);
}

#[test]
fn advertised_window_is_the_free_buffer_space() {
    let mut lab = with_full_store();
    // Each arriving segment advertises the space left: segments in transit may exceed it slightly.
    assert!(lab.counts(3).held_max <= 50 && lab.counts(3).bypassed <= 10, "{:?}", lab.counts(3));
    lab.finish(600.0);
}

#[test]
fn source_retransmits_segments_of_a_failed_proxy() {
    let mut lab = with_full_store();
    let lost = lab.fail(3);
    assert!(lost >= 40);
    lab.run(9.0);
    lab.recover(3);
    lab.finish(600.0);
    assert_eq!(lab.counts(3).lost, u64::from(lost));
    let counts = lab.source.counts();
    // At most eight were already in transit.
    assert!(counts.e2e_timeouts >= 1 && counts.e2e_retransmissions >= u64::from(lost) - 8, "{counts:?}");
    // End-to-end retransmissions are marked, so that the proxy does not treat them as duplicates.
    let marked = lab.sent.iter().filter(|sent| matches!(sent.wire, Wire::Data(split) if split.tag.is_e2e_rtx));
    assert!(marked.filter(|sent| sent.from == 0).count() as u64 >= u64::from(lost) - 8);
}

#[test]
fn recovered_proxy_ignores_earlier_local_acks() {
    let mut lab = with_full_store();
    lab.fail(3);
    lab.recover(3);
    // Segments in transit are acknowledged to a proxy that no longer stores them.
    let released = lab.counts(3).released;
    lab.run(8.0 + 0.02);
    assert_eq!(lab.counts(3).released, released);
    lab.finish(600.0);
}

#[test]
fn route_change_selects_another_proxy() {
    let mut lab = with_full_store();
    // Nodes 6, 7, 8 bypass the old proxy.
    lab.set_path(&[0, 6, 7, 8, 4, 5]);
    lab.finish(600.0);
    assert_eq!(lab.acting(), [3, 8]);
    assert!(lab.counts(8).taken > 1000);
    assert_eq!(lab.delivered_at.len(), 2000, "each segment once");
    // Acknowledgments no longer pass the old proxy: its segments expire after their local retransmissions.
    lab.run(lab.now.secs() + 100.0);
    let old = lab.counts(3);
    assert!(old.held == 0 && old.expired > 0, "{old:?}");
}

#[test]
fn full_store_bypasses_or_drops_segments() {
    for (on_full, window) in [(OnFull::Bypass, 300), (OnFull::Drop, 300)] {
        let config = SplitTcpConfig { use_win: false, store_per_flow: 8, on_full, w_e2e: window, ..config() };
        let mut lab = Lab::new(5, &config, 1);
        lab.set_delay(3, 4, Span::from_millis(300));
        lab.supply(1000);
        lab.finish(600.0);
        let counts = lab.counts(3);
        assert!(counts.held_max <= 8);
        let (passed, dropped) = (counts.bypassed, counts.refused);
        assert!(if on_full == OnFull::Bypass { passed > 0 && dropped == 0 } else { passed == 0 && dropped > 0 });
    }
}

#[test]
fn lost_window_update_stalls_no_flow() {
    for loses_all in [false, true] {
        let mut lab = with_full_store();
        let mut left = if loses_all { u32::MAX } else { 1 };
        lab.loses = Box::new(move |sent| {
            let hits = matches!(sent.wire, Wire::Lack(lack) if lack.seq.is_none()) && left > 0;
            left -= u32::from(hits);
            hits
        });
        // Local acknowledgments are lost until 12 s, which leaves the source with a window of zero.
        lab.cut(0, 1);
        lab.run(12.0);
        lab.restore(0, 1);
        lab.finish(600.0);
        assert!(lab.counts(3).window_updates > 0);
    }
}

#[test]
fn window_update_is_retransmitted_up_to_its_limit() {
    let mut lab = with_full_store();
    let advertised = |lab: &Lab| {
        let mut of_proxy = lab.sent.iter().rev().filter(|sent| sent.from == 3);
        of_proxy.find_map(|sent| if let Wire::Lack(lack) = sent.wire { Some(lack.win) } else { None })
    };
    while advertised(&lab) != Some(0) {
        lab.run(lab.now.secs() + 0.005);
    }
    let before = lab.counts(3).window_updates;
    lab.cut(0, 1);
    lab.cut(1, 2);
    lab.run(3000.0);
    let after = lab.counts(3);
    assert_eq!((after.window_updates - before, after.held), (u64::from(config().max_local_tries), 0));
}

#[test]
fn stored_segments_expire_after_store_ttl() {
    let mut lab = Lab::new(5, &SplitTcpConfig { store_ttl: Span::from_millis(5000), ..config() }, 1);
    lab.cut(3, 4);
    lab.supply(30);
    lab.run(8.0);
    let counts = lab.counts(3);
    assert_eq!((counts.expired, counts.held), (counts.taken, 0), "{counts:?}");
    lab.restore(3, 4);
    lab.finish(600.0);
}

#[test]
fn end_to_end_duplicate_is_acked_at_once() {
    let mut lab = Lab::new(4, &config(), 1);
    // All end-to-end acknowledgments before 9 s are lost.
    lab.loses = Box::new(|sent| matches!(sent.wire, Wire::Ack(_)) && sent.at < Time::from_secs(9.0));
    lab.supply(150);
    lab.finish(60.0);
    assert!(lab.source.counts().e2e_timeouts >= 1);
    assert_eq!(lab.delivered_at.len(), 150);
    assert!(lab.sink.counts().duplicates > 0);
}

#[test]
fn end_to_end_window_limits_and_grows_by_mode() {
    let config = SplitTcpConfig { w_e2e: 140, ..config() };
    let mut lab = Lab::new(4, &config, 1);
    lab.loses = Box::new(|sent| matches!(sent.wire, Wire::Ack(_)));
    lab.supply(1000);
    lab.run(8.0);
    assert_eq!((lab.source.next() - lab.source.una(), lab.source.una()), (140, 0));
    let mode = SplitTcpConfig { w_e2e_mode: WindowMode::Tcp, w_e2e: 1000, ..SplitTcpConfig::default() };
    let mut lab = Lab::new(4, &mode, 1);
    assert_eq!(lab.source.e2e_window(), 200);
    lab.supply(450);
    lab.finish(60.0);
    assert_eq!(lab.source.e2e_window(), 650);
}

#[test]
fn timeout_halves_the_end_to_end_window_to_its_minimum() {
    let config = SplitTcpConfig { w_e2e_mode: WindowMode::Tcp, w_e2e: 1000, ..config() };
    let mut lab = Lab::new(4, &config, 1);
    lab.supply(450);
    lab.run(8.0);
    lab.cut(0, 1);
    lab.supply(1);
    let mut windows = vec![lab.source.e2e_window()];
    for timeouts in 1..=4 {
        while lab.source.counts().e2e_timeouts < timeouts {
            lab.run(lab.now.secs() + 0.1);
        }
        windows.push(lab.source.e2e_window());
    }
    assert_eq!(windows, [650, 325, 162, config.least_w_e2e(), config.least_w_e2e()]);
    lab.restore(0, 1);
    lab.finish(600.0);
}

#[test]
fn duplicate_and_reordered_segments_are_delivered_once() {
    let mut lab = Lab::new(7, &config(), 5);
    lab.faults = Faults { loss: 0.02, duplicate: 0.2, reorder: 0.2 };
    lab.supply(1000);
    lab.finish(600.0);
    assert_eq!(lab.delivered_at.len(), 1000);
    assert!(lab.counts(3).duplicates > 0 && lab.counts(6).duplicates > 0 && lab.sink.counts().duplicates > 0);
}

#[test]
fn short_path_has_no_proxy() {
    let mut lab = Lab::new(3, &config(), 1);
    lab.supply(50);
    lab.finish(60.0);
    assert!(lab.acting().is_empty());
    let receivers: Vec<NodeId> = lab
        .sent
        .iter()
        .filter_map(|sent| if let Wire::Lack(lack) = sent.wire { Some(lack.resp) } else { None })
        .collect();
    assert!(receivers.iter().all(|&node| node == NodeId(0)) && receivers.len() == 150);
    assert_eq!(lab.delivered_at[0], Time::ZERO + HOP * 3);
}
