//! Profile `ns2`: what happens when links break.

use crate::lab::{FAILURE, HOP, Step, at, chain, is_rerr, is_rrep, messages, network, ns2, requests, without_repair};
use hoplab::kernel::{NodeId, RadioId, Span, Time};
use hoplab::net::routing::aodv::message::{AodvMessage, Unreachable};
use hoplab::trace::DropReason;

#[test]
fn link_failure_sends_rerr_upstream() {
    let mut lab = chain(&ns2(), 5);
    lab.at(1.0, Step::Send(0, 5)).at(2.0, Step::Break(2, 3)).at(2.1, Step::Send(0, 5)).run(2.2);
    // Node 2 has 3 hops to go and is 2 hops from the source: no repair.
    let broken_at = Time::from_secs(2.1) + HOP * 2 + FAILURE;
    let first = messages(&lab, 2, is_rerr);
    assert_eq!((first.len(), first[0].at, first[0].bytes, first[0].ttl), (1, broken_at, 32, 1), "without jitter");
    assert_eq!(first[0].message, AodvMessage::Rerr(vec![Unreachable { dst: NodeId(5), seq: 5 }]), "odd: broken");
    assert_eq!(first[0].to, RadioId::BROADCAST);
    let second = messages(&lab, 1, is_rerr);
    let delay = second[0].at.since(broken_at + HOP).secs();
    assert!(second.len() == 1 && (0.0..0.01).contains(&delay), "node 1 has a precursor and waits for up to 10 ms");
    assert_eq!(messages(&lab, 0, is_rerr).len(), 0, "the source has none");
    let told_at = second[0].at + HOP;
    let purges = [(broken_at, 2, 3), (broken_at + HOP, 1, 2), (told_at, 0, 1)];
    assert_eq!(lab.purges, purges);
    assert!((0..3).all(|node| lab.nodes[node].route(NodeId(5)).is_none()));
    assert_eq!(lab.dropped(DropReason::LinkFailure), 1);
    assert_eq!(lab.nodes[2].seq(), 4, "the neighborhood has changed");
    let counters = &lab.ctx.trace.counters;
    assert_eq!((counters.routes_changed, counters.routes_lost), (5 + 5, 3), "to the source and to the destination");
    lab.assert_conservation();
}

#[test]
fn the_queue_towards_a_broken_link_is_purged() {
    let mut lab = chain(&ns2(), 3);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(0, 1));
    lab.at(2.1, Step::Send(0, 3)).at(2.103, Step::Send(0, 3)).at(2.104, Step::Send(0, 3)).run(2.2);
    assert_eq!(lab.dropped(DropReason::LinkFailure), 3, "the failed packet and two behind it");
    assert_eq!(lab.purges.len(), 1);
    assert_eq!(messages(&lab, 0, is_rerr).len(), 1);
    assert_eq!(requests(&lab, 0).len(), 1, "the source asks again only when there is another packet");
    lab.at(3.0, Step::Join(0, 1)).at(3.1, Step::Send(0, 3)).run(3.2);
    assert_eq!(requests(&lab, 0)[1..], at(&[(3.1, 5)]));
    assert_eq!(lab.delivered.len(), 2);
    lab.assert_conservation();
}

#[test]
fn relay_near_destination_starts_local_repair() {
    // 0 - 1 - 2 - 3 - 4, and a detour 3 - 5 - 4.
    let mut lab = network(&ns2(), 6, &[(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 4)]);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).run(3.0);
    assert_eq!((lab.delivered.len(), lab.delivered[1].2), (2, 5), "one hop more");
    assert_eq!(lab.sent.iter().filter(|sent| is_rerr(&sent.message)).count(), 0);
    assert!(lab.purges.is_empty(), "a repair leaves the queue alone");
    // The route did not break by its entry, so that no distance counts as last known: the whole network is asked.
    let asked_at = Time::from_secs(2.1) + HOP * 3 + FAILURE;
    assert_eq!(requests(&lab, 3), [(asked_at, 30)]);
    let repaired = lab.nodes[3].route(NodeId(4)).expect("repaired");
    assert_eq!((repaired.next_hop, repaired.hops, repaired.is_in_repair), (RadioId(5), 2, false));
    lab.assert_conservation();
}

#[test]
fn no_local_repair_at_half_of_the_route() {
    let mut lab = chain(&ns2(), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(2, 3)).at(2.1, Step::Send(0, 4)).run(3.0);
    assert_eq!((requests(&lab, 2).len(), messages(&lab, 2, is_rerr).len()), (0, 1), "2 > 2 is false");
}

#[test]
fn local_repair_can_be_disabled() {
    let mut lab = chain(&without_repair(ns2()), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).run(3.0);
    assert_eq!((requests(&lab, 3).len(), messages(&lab, 3, is_rerr).len()), (0, 1));
}

#[test]
fn local_repair_has_no_timeout() {
    let mut lab = chain(&ns2(), 4);
    lab.at(19.0, Step::Send(0, 4)).at(20.0, Step::Break(3, 4)).at(20.1, Step::Send(0, 4)).run(38.9);
    // Requests at 20.113 s and, by the ticks, at 22, 26 and 31.5 s; given up at 39 s, the packet with it.
    assert_eq!(requests(&lab, 3)[1..], at(&[(22.0, 30), (26.0, 30), (31.5, 30)]));
    assert_eq!(lab.dropped(DropReason::NoRoute), 0);
    lab.run(39.0);
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
    lab.run(500.0);
    assert_eq!(lab.nodes[3].route(NodeId(4)).map(|route| route.is_in_repair), Some(true));
    assert!(lab.ctx.events.is_empty());
    lab.assert_conservation();
}

#[test]
fn relay_under_repair_buffers_packets() {
    let mut lab = chain(&ns2(), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).at(2.5, Step::Send(0, 4));
    lab.at(3.0, Step::Join(3, 4)).run(5.0);
    assert_eq!(requests(&lab, 3).len(), 2, "the second packet waits for the tick after the timeout");
    let numbers: Vec<u64> = lab.delivered.iter().map(|&(_, number, _)| number).collect();
    assert_eq!(numbers, [0, 1, 2]);
    lab.assert_conservation();
}

#[test]
fn route_under_repair_replies_to_rreq() {
    let mut lab = network(&ns2(), 6, &[(0, 1), (1, 2), (2, 3), (3, 4), (3, 5)]);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).at(2.6, Step::Send(5, 4));
    lab.run(2.7);
    let rrep = messages(&lab, 3, is_rrep).pop().expect("a reply of node 3");
    assert_eq!(rrep.to, RadioId(5));
    // Its expiry was set to 0 by the request of the repair; 2 s less than none is read as 2^32 - 2.
    let lifetime = Span::from_secs(1.0) * ((1 << 32) - 2);
    assert!(matches!(rrep.message, AodvMessage::Rrep(rrep) if (rrep.hops, rrep.lifetime) == (1, lifetime)));
}

#[test]
fn local_repair_ends_at_second_link_failure() {
    // Node 3 repairs its route to 5 and meanwhile loses a packet for 4 at the same neighbor, from nearby.
    let mut lab = network(&ns2(), 6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    lab.at(1.0, Step::Send(0, 5)).at(1.5, Step::Send(3, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 5));
    lab.run(2.2);
    assert_eq!(lab.nodes[3].route(NodeId(5)).map(|route| route.is_in_repair), Some(true));
    lab.at(2.3, Step::Send(3, 4)).run(2.4);
    assert!(lab.nodes[3].route(NodeId(5)).is_none(), "silently given up with the neighbor");
    let listed = messages(&lab, 3, is_rerr).pop().map(|sent| sent.message.clone());
    let lines = vec![Unreachable { dst: NodeId(4), seq: 5 }, Unreachable { dst: NodeId(5), seq: 5 }];
    assert_eq!(listed, Some(AodvMessage::Rerr(lines)), "the newest entry first");
    lab.assert_conservation();
}

#[test]
fn relay_without_route_sends_rerr() {
    // Node 1 forgets its route while node 0, whose packets never reach it, keeps its own.
    let mut lab = chain(&ns2(), 2);
    lab.at(1.0, Step::Send(0, 2)).at(2.0, Step::Break(0, 1)).at(2.1, Step::Join(0, 1));
    lab.at(3.0, Step::Break(1, 2)).at(3.1, Step::Send(1, 2)).at(3.1055, Step::Send(0, 2)).run(4.0);
    // Node 1's own packet fails at 3.107 s; node 0's packet comes half a millisecond later and finds no route.
    let rerrs = messages(&lab, 1, is_rerr);
    assert_eq!(rerrs.len(), 2);
    assert_eq!(rerrs[1].message, AodvMessage::Rerr(vec![Unreachable { dst: NodeId(2), seq: 5 }]));
    assert_eq!(rerrs[1].at, Time::from_secs(3.1055) + HOP);
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
    lab.assert_conservation();
}

#[test]
fn routing_messages_are_not_repaired() {
    let mut lab = chain(&ns2(), 2);
    // The reply of node 2 leaves node 1 for node 0 after the link has failed.
    lab.at(1.0, Step::Send(0, 2)).at(1.0021, Step::Break(0, 1)).run(1.5);
    assert_eq!(lab.ctx.trace.counters.control().dropped[DropReason::MacRetry as usize], 1);
    assert_eq!(lab.nodes[1].seq(), 2);
    assert!(lab.purges.is_empty());
    lab.assert_conservation();
}
