//! Packets without a route, and what happens when links break.

use super::lab::{FAILURE, HOP, INFINITY, Lab, Sent, Step, chain, hops, network, ns2, quick, rfc};
use hoplab::kernel::{NodeId, Span, Time};
use hoplab::net::routing::Routing;
use hoplab::net::routing::dsdv::DsdvConfig;
use hoplab::trace::DropReason;

/// Longest time from a route change to its update: the spacing of triggered updates, and the jitter.
const TELLING: f64 = 1.011;

#[test]
fn five_packets_wait_for_each_destination() {
    let mut lab = chain(&quick(), 2, 1);
    for dst in [2, 2, 2, 2, 2, 2, 2, 1] {
        lab.at(0.0, Step::Send(0, dst));
    }
    lab.run(0.0);
    assert_eq!((lab.dropped(DropReason::RouteBuffer), lab.nodes[0].waiting()), (2, 6));
    let mut visited = 0;
    lab.nodes[0].each_waiting(&mut |_| visited += 1);
    assert_eq!(visited, 6);
    lab.run(20.0);
    let mut numbers: Vec<u64> = lab.delivered.iter().map(|&(_, number, _)| number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [2, 3, 4, 5, 6, 7], "the oldest have made room");
    let last: Vec<Time> = lab.delivered.iter().rev().take(5).map(|&(at, ..)| at).collect();
    assert!(last.iter().all(|at| *at == last[0]), "all at once");
    lab.assert_conservation();
}

#[test]
fn packets_wait_however_long() {
    let mut lab = network(&ns2(), 2, &[], 1);
    lab.at(1.0, Step::Send(0, 1)).at(1000.0, Step::Join(0, 1)).run(999.0);
    assert_eq!(lab.nodes[0].waiting(), 1);
    lab.run(1016.0);
    assert_eq!(lab.delivered.len(), 1);
    lab.assert_conservation();
}

#[test]
fn what_the_mac_gives_up_is_dropped_and_the_route_stays() {
    let mut lab = chain(&quick(), 2, 1);
    lab.at(100.0, Step::Break(1, 2)).at(100.1, Step::Send(0, 2)).run(101.0);
    assert_eq!((lab.dropped(DropReason::MacRetry), hops(&lab, 1, 2), hops(&lab, 0, 2)), (1, Some(1), Some(2)));
}

#[test]
fn neighbor_without_updates_for_three_periods_expires() {
    let mut lab = chain(&quick(), 2, 1);
    lab.at(100.0, Step::Break(1, 2)).run(100.0);
    let last = lab.sent_by(2).last().expect("updates of node 2").at;
    let lost_at = (last + HOP + Span::from_millis(45_000)).secs();
    lab.run(lost_at - 1e-6);
    assert_eq!(hops(&lab, 1, 2), Some(1));
    let known = lab.nodes[1].route(NodeId(2)).map(|route| route.seq);
    lab.run(lost_at);
    assert_eq!(hops(&lab, 1, 2), None);
    lab.run(lost_at + TELLING + HOP.secs());
    assert_eq!(hops(&lab, 0, 2), None);
    let said = lab.sent_by(1).last().expect("updates of node 1").message.0.clone();
    let loss = said.iter().find(|advert| advert.dst == NodeId(2)).expect("the loss");
    assert_eq!((loss.hops, Some(loss.seq)), (INFINITY, known.map(|seq| seq + 1)), "an odd number");
    let counters = &lab.ctx.trace.counters;
    assert_eq!((counters.routes_lost, counters.routes_changed), (4, 6), "node 2 has lost the others too");
    lab.at(200.0, Step::Send(0, 2)).at(201.0, Step::Join(1, 2)).run(240.0);
    assert_eq!((lab.delivered.len(), hops(&lab, 0, 2)), (1, Some(2)));
    lab.assert_conservation();
}

#[test]
fn route_loss_is_advertised_by_next_updates() {
    let mut lab = chain(&quick(), 4, 3);
    lab.at(100.0, Step::Break(3, 4)).run(146.2);
    assert_eq!((hops(&lab, 3, 4), hops(&lab, 2, 4)), (None, None));
    assert!(hops(&lab, 0, 4).is_some(), "only the node beside the break sends an update for it");
    lab.run(200.0);
    assert_eq!(hops(&lab, 0, 4), None);
}

#[test]
fn mac_feedback_reports_loss_and_keeps_packet() {
    let mut lab = chain(&rfc(), 2, 1);
    lab.at(100.0, Step::Break(1, 2)).at(100.1, Step::Send(0, 2));
    let failed_at = 100.1 + (HOP + FAILURE).secs();
    lab.run(failed_at - 1e-6);
    assert_eq!(hops(&lab, 1, 2), Some(1));
    lab.run(failed_at);
    assert_eq!((hops(&lab, 1, 2), lab.nodes[1].waiting()), (None, 1));
    lab.run(failed_at + TELLING + HOP.secs());
    assert_eq!(hops(&lab, 0, 2), None);
    lab.at(120.0, Step::Join(1, 2)).run(136.0);
    assert_eq!((lab.delivered.len(), lab.nodes[1].waiting()), (1, 0));
    lab.assert_conservation();
}

#[test]
fn with_the_mac_s_help_and_another_way_the_packet_goes_on() {
    // The link from 0 to 1 breaks; 2 reaches both.
    let mut lab = network(&rfc(), 3, &[(0, 1), (1, 2), (0, 2)], 1);
    lab.at(100.0, Step::Break(0, 1)).at(100.1, Step::Send(0, 1)).run(145.0);
    assert_eq!((lab.delivered.len(), hops(&lab, 0, 1)), (1, Some(2)));
    lab.assert_conservation();
}

#[test]
fn who_is_said_to_be_lost_contradicts() {
    let mut lab = chain(&rfc(), 2, 1);
    // The link is away for just one packet.
    lab.at(100.0, Step::Break(1, 2)).at(100.001, Step::Send(1, 2)).at(100.002, Step::Join(1, 2)).run(102.0);
    let is_loss = |sent: &&Sent| {
        sent.at > Time::from_secs(100.0) && sent.message.0.iter().any(|a| a.dst == NodeId(2) && a.hops == INFINITY)
    };
    let loss = lab.sent_by(1).into_iter().find(is_loss).expect("node 1 says that node 2 is lost");
    let answer = lab.sent_by(2).into_iter().find(|sent| sent.at > loss.at).expect("an answer");
    let delay = answer.at.since(loss.at + HOP).secs();
    assert!((0.0..0.01).contains(&delay), "{delay}");
    assert_eq!((hops(&lab, 1, 2), lab.delivered.len()), (Some(1), 1));
    assert_eq!(hops(&lab, 0, 2), None, "good news of a newer number waits for the next update");
    lab.run(117.0);
    assert_eq!(hops(&lab, 0, 2), Some(2));
    lab.assert_conservation();
}

#[test]
fn who_has_missed_much_is_set_right_by_the_first_neighbor() {
    let mut lab = chain(&quick(), 2, 1);
    lab.at(100.0, Step::Break(0, 1)).at(170.0, Step::Join(0, 1)).run(169.9);
    assert_eq!((hops(&lab, 0, 1), hops(&lab, 0, 2)), (None, None));
    let end = 200.0;
    let knows_again = |lab: &Lab| hops(lab, 0, 2).is_some();
    let in_time = !lab.run_while(end, |lab| !knows_again(lab));
    assert!(in_time && lab.ctx.now < Time::from_secs(170.0 + 15.1), "{}", lab.ctx.now);
    assert_eq!((hops(&lab, 0, 1), hops(&lab, 0, 2)), (Some(1), Some(2)));
}

#[test]
fn the_patience_is_a_parameter() {
    let config = DsdvConfig { neighbor_timeout: Some(Span::from_millis(16_000)), ..quick() };
    let mut lab = chain(&config, 1, 1);
    lab.at(100.0, Step::Break(0, 1)).run(116.1);
    assert_eq!((hops(&lab, 0, 1), hops(&lab, 1, 0)), (None, None));
}
