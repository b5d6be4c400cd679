//! When updates are sent, and what is in them.

use super::lab::{HOP, chain, hops, network, ns2, quick};
use hoplab::kernel::{NodeId, Span, Time};
use hoplab::net::routing::dsdv::message::Advert;

#[test]
fn first_update_has_only_its_sender_within_two_seconds() {
    let mut lab = network(&ns2(), 60, &[], 1);
    lab.run(2.01);
    for node in 0..60 {
        let updates = lab.sent_by(node);
        let itself = Advert { dst: NodeId(node), hops: 0, seq: 4 };
        assert_eq!((updates.len(), updates[0].bytes, updates[0].ttl), (1, 32, 32));
        assert_eq!(updates[0].message.0, [itself]);
    }
    let mean = lab.sent.iter().map(|sent| sent.at.secs()).sum::<f64>() / 60.0;
    assert!((0.78..1.23).contains(&mean), "mean {mean}: more than three standard errors from 1.005 s");
}

#[test]
fn full_updates_come_after_three_quarters_of_the_period_or_more() {
    let mut lab = network(&ns2(), 20, &[], 1);
    lab.run(700.0);
    let mut gaps = Vec::new();
    for node in 0..20 {
        let updates = lab.sent_by(node);
        gaps.extend(updates.windows(2).map(|two| two[1].at.since(two[0].at).secs()));
        let numbers: Vec<u32> = updates.iter().map(|sent| sent.message.0[0].seq).collect();
        assert!(numbers.windows(2).all(|two| two[1] == two[0] + 2));
    }
    assert!(gaps.iter().all(|gap| (11.24..15.01).contains(gap)));
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!(gaps.len() > 1000 && (13.02..13.23).contains(&mean), "mean {mean}: three standard errors from 13.125 s");
}

#[test]
fn a_neighbor_is_passed_on_after_it_has_settled() {
    let mut clear_cases = 0;
    for seed in 0..30 {
        let mut lab = chain(&ns2(), 1, seed);
        lab.run(18.0);
        let heard = lab.sent_by(0)[0].at + HOP;
        let settled = heard + Span::from_millis(12_000);
        let is_refreshed = lab.sent_by(0)[1].at + HOP < settled;
        let own: Vec<Time> = lab.sent_by(1).iter().map(|sent| sent.at).collect();
        let is_busy = own.iter().any(|&at| at > heard + Span::from_millis(10_980) && at < settled);
        let named = lab.sent_by(1).into_iter().find(|sent| sent.message.0.iter().any(|advert| advert.dst == NodeId(0)));
        if is_refreshed {
            assert!(named.is_none_or(|sent| sent.at > settled), "a new number has put it off");
        } else if !is_busy {
            clear_cases += 1;
            let named = named.expect("an update with the neighbor");
            let delay = named.at.since(settled).secs();
            assert!(named.at >= settled && delay < 0.01, "seed {seed}: {delay} s late");
            assert_eq!(named.message.0, [Advert { dst: NodeId(0), hops: 1, seq: 4 }], "nothing but the news");
            assert_eq!(named.bytes, 32);
        }
    }
    assert!(clear_cases >= 10, "{clear_cases}");
}

#[test]
fn triggered_updates_have_spacing_and_may_become_full() {
    let links: Vec<_> = (1..9).map(|leaf| (0, leaf)).collect();
    let mut lab = network(&quick(), 9, &links, 4);
    lab.run(11.0);
    let updates = lab.sent_by(0);
    // Made up to 10 ms before they leave.
    let gaps = updates.windows(2).map(|two| two[1].at.since(two[0].at).secs());
    let triggered = gaps.clone().filter(|&gap| gap < 1.02).count();
    assert!(triggered >= 1 && gaps.clone().all(|gap| gap > 0.98), "{:?}", gaps.collect::<Vec<_>>());
    let full = updates.iter().filter(|sent| sent.message.0.iter().any(|advert| advert.dst == NodeId(0))).count();
    assert!(full >= 2, "the periodic one, and one for more than three changes");
    assert!((1..9).all(|leaf| hops(&lab, leaf, leaf % 8 + 1) == Some(2)), "all leaves know each other");
}

#[test]
fn an_update_takes_twelve_bytes_per_entry() {
    let mut lab = chain(&quick(), 8, 1);
    lab.run(100.0);
    assert!(lab.sent.iter().all(|sent| sent.to.is_broadcast() && sent.bytes == 20 + 12 * sent.message.0.len() as u32));
    let longest = lab.sent.iter().map(|sent| sent.message.0.len()).max();
    assert_eq!(longest, Some(9));
    assert!(lab.nodes.iter().all(|node| node.known() == 9), "nothing beside the destinations that exist");
}

#[test]
fn routes_end_up_shortest() {
    // A ring of eight.
    let links: Vec<_> = (0..8).map(|node| (node, (node + 1) % 8)).collect();
    let mut lab = network(&ns2(), 8, &links, 1);
    lab.run(600.0);
    let around = |a: u32, b: u32| (a.abs_diff(b)).min(8 - a.abs_diff(b)) as u8;
    for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        assert_eq!(hops(&lab, a, b), Some(around(a, b)), "{a} to {b}");
    }
}

#[test]
fn a_silent_distant_node_changes_nothing() {
    let links = [(0, 1), (1, 2), (2, 3)];
    let run = |nodes| {
        let mut lab = network(&ns2(), nodes, &links, 9);
        lab.run(200.0);
        let near = lab.sent.into_iter().filter(|sent| sent.node < 4);
        near.map(|sent| (sent.at, sent.node, sent.message.0)).collect::<Vec<_>>()
    };
    assert_eq!(run(4), run(5));
}
