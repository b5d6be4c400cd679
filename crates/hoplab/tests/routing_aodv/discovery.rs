//! Profile `ns2`: how routes are found, kept and forgotten.

use crate::lab::{HOP, Step, at, chain, is_rrep, is_rreq, messages, network, ns2, requests, with_hello};
use hoplab::kernel::{NodeId, RadioId, Span, Time};
use hoplab::net::routing::aodv::AodvConfig;
use hoplab::net::routing::aodv::message::AodvMessage;
use hoplab::trace::DropReason;

#[test]
fn unknown_destination_is_searched_network_wide() {
    let mut lab = chain(&ns2(), 3);
    lab.at(100.0, Step::Send(0, 3)).run(101.0);
    assert_eq!(requests(&lab, 0), at(&[(100.0, 30)]), "TTL 30 at once, without jitter");
    assert_eq!(lab.sent[0].bytes, 48);
    let rreps = messages(&lab, 3, is_rrep);
    assert_eq!((rreps.len(), rreps[0].bytes, rreps[0].ttl, rreps[0].to), (1, 44, 30, RadioId(2)));
    let (_, number, hops) = lab.delivered[0];
    assert_eq!((lab.delivered.len(), number, hops), (1, 0, 3));
    let route = lab.nodes[0].route(NodeId(3)).expect("a route was found");
    assert_eq!((route.next_hop, route.hops, route.seq), (RadioId(1), 3, 4), "the destination starts from 2");
    assert_eq!(lab.nodes[0].seq(), 4, "two more per request");
    lab.assert_conservation();
}

#[test]
fn relays_spread_requests_over_ten_milliseconds() {
    let mut delays = Vec::new();
    for node in 1..40 {
        let links: Vec<_> = (1..=node).map(|other| (0, other)).collect();
        let mut lab = network(&ns2(), 42, &links);
        lab.at(1.0, Step::Send(0, 41)).run(1.1);
        let relayed = lab.sent.iter().filter(|sent| sent.node == node);
        delays.extend(relayed.map(|sent| sent.at.since(Time::from_secs(1.0) + HOP).secs()));
    }
    assert_eq!(delays.len(), 39, "each node sends the request on once");
    assert!(delays.iter().all(|delay| (0.0..0.01).contains(delay)));
    let mean = delays.iter().sum::<f64>() / 39.0;
    assert!((0.0035..0.0065).contains(&mean), "mean {mean}: more than three standard errors from 5 ms");
}

#[test]
fn retries_come_at_the_tick_after_each_timeout() {
    let mut lab = network(&ns2(), 2, &[]);
    lab.at(100.0, Step::Send(0, 1)).at(120.0, Step::Send(0, 1)).run(118.9);
    // Waits of 1.8, 3.6, 5.4 and 7.2 s, each from the tick at which the request left.
    assert_eq!(requests(&lab, 0), at(&[(100.0, 30), (102.0, 30), (106.0, 30), (111.5, 30)]));
    assert_eq!(lab.dropped(DropReason::NoRoute), 0);
    lab.run(119.0);
    assert_eq!((lab.dropped(DropReason::NoRoute), requests(&lab, 0).len()), (1, 4), "given up at the fifth call");
    lab.run(128.9);
    assert_eq!(requests(&lab, 0).len(), 4, "ten seconds without requests");
    lab.run(131.0);
    assert_eq!(requests(&lab, 0)[4..], at(&[(129.0, 30), (131.0, 30)]));
    lab.assert_conservation();
}

#[test]
fn timer_ticks_are_multiples_of_half_a_second() {
    let mut lab = network(&ns2(), 2, &[]);
    lab.at(100.25, Step::Send(0, 1)).run(119.6);
    assert_eq!(requests(&lab, 0), at(&[(100.25, 30), (102.5, 30), (106.5, 30), (112.0, 30)]));
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
}

#[test]
fn packet_after_timeout_starts_new_discovery() {
    let mut lab = network(&ns2(), 2, &[]);
    lab.at(100.0, Step::Send(0, 1)).at(101.7, Step::Send(0, 1)).at(101.85, Step::Send(0, 1)).run(105.0);
    assert_eq!(requests(&lab, 0), at(&[(100.0, 30), (101.85, 30)]));
}

#[test]
fn rings_widen_from_the_distance_last_known() {
    let mut lab = chain(&ns2(), 3);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(0, 1)).at(2.1, Step::Send(0, 3)).at(3.0, Step::Send(0, 3));
    lab.run(30.0);
    let ttls: Vec<u8> = requests(&lab, 0).iter().map(|&(_, ttl)| ttl).collect();
    assert_eq!(ttls, [30, 5, 7, 30, 30, 30, 30], "3 hops + 2, + 2, then everywhere");
    assert_eq!(lab.dropped(DropReason::LinkFailure), 1, "a source does not repair");
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
    lab.assert_conservation();
}

#[test]
fn waits_follow_the_measured_time_per_hop() {
    let mut lab = chain(&ns2(), 1);
    lab.at(1.0, Step::Send(0, 1)).at(2.0, Step::Break(0, 1)).at(2.1, Step::Send(0, 1)).at(2.2, Step::Send(0, 1));
    lab.at(2.2 + 0.0239, Step::Send(0, 1)).at(2.2 + 0.0241, Step::Send(0, 1)).run(2.3);
    // One hop there and back took 4 ms: the request of TTL 3 waits 2 * 3 * 4 = 24 ms.
    let requests = requests(&lab, 0);
    assert_eq!(requests[1..], at(&[(2.2, 3), (2.2241, 5)]));
}

#[test]
fn a_request_ends_where_its_hops_are_used_up() {
    let mut lab = chain(&(ns2().0, AodvConfig { network_diameter: 3, ..ns2().1 }), 5);
    lab.at(1.0, Step::Send(0, 5)).run(1.4);
    assert_eq!(messages(&lab, 2, is_rreq).len(), 1, "sent on with TTL 1");
    assert_eq!(messages(&lab, 3, is_rreq).len(), 0, "heard with TTL 1, so taken note of but not sent on");
    assert_eq!(lab.nodes[3].route(NodeId(0)).map(|route| route.hops), Some(3));
    assert!(lab.nodes[4].route(NodeId(0)).is_none());
    lab.assert_conservation();
}

#[test]
fn a_relay_answers_with_whole_seconds() {
    let mut lab = network(&ns2(), 5, &[(0, 1), (1, 2), (2, 3), (1, 4)]);
    lab.at(10.0, Step::Send(0, 3)).at(12.3, Step::Send(4, 3)).run(12.305);
    assert_eq!(messages(&lab, 2, is_rreq).len(), 1, "the second request went no farther than node 1");
    let rrep = messages(&lab, 1, is_rrep).pop().expect("a reply of node 1");
    assert_eq!((rrep.at, rrep.to), (Time::from_secs(12.3) + HOP, RadioId(4)));
    // Node 1 used its route at about 10.02 s, so that 7.7 s of its 10 s are left.
    assert!(matches!(rrep.message, AodvMessage::Rrep(rrep) if (rrep.hops, rrep.lifetime) == (2, Span::from_secs(7.0))));
    let route = lab.nodes[4].route(NodeId(3)).expect("the reply is there");
    assert_eq!(route.hops, 3);
    assert_eq!(lab.delivered.len(), 1);
    lab.run(12.4);
    assert_eq!(lab.delivered.len(), 2);
    lab.assert_conservation();
}

#[test]
fn an_unused_route_ends_at_the_tick_after_its_expiry() {
    let mut lab = chain(&ns2(), 1);
    lab.at(100.2, Step::Send(0, 1)).run(110.5 - 1e-6);
    let route = lab.nodes[0].route(NodeId(1)).expect("still there: expired, but not purged yet");
    assert_eq!(route.expire, Time::from_secs(100.2) + HOP * 2 + Span::from_secs(10.0));
    lab.run(110.5);
    assert!(lab.nodes[0].route(NodeId(1)).is_none());
    // The way back lived for 6 s.
    assert!(lab.nodes[1].route(NodeId(0)).is_none());
    assert!(lab.ctx.events.is_empty(), "no timer runs on when there is nothing to purge");
}

#[test]
fn every_packet_prolongs_the_route() {
    let mut lab = chain(&ns2(), 2);
    for second in 0..40 {
        lab.at(1.0 + f64::from(second), Step::Send(0, 2));
    }
    lab.run(50.0);
    assert_eq!((lab.delivered.len(), requests(&lab, 0).len()), (40, 1));
    // Data does not refresh the reverse route: it expires 10 s after its use by the reply.
    assert!(lab.nodes[1].route(NodeId(0)).is_none());
}

#[test]
fn packets_that_waited_leave_ten_milliseconds_apart() {
    let mut lab = chain(&ns2(), 1);
    for _ in 0..3 {
        lab.at(1.0, Step::Send(0, 1));
    }
    lab.run(1.1);
    let first = Time::from_secs(1.0) + HOP * 3;
    let expected: Vec<_> = (0..3).map(|n| (first + Span::from_millis(10) * n, n, 1)).collect();
    assert_eq!(lab.delivered, expected);
}

#[test]
fn a_full_buffer_drops_the_oldest() {
    let mut lab = network(&ns2(), 2, &[]);
    for _ in 0..66 {
        lab.at(1.0, Step::Send(0, 1));
    }
    lab.run(1.1);
    assert_eq!(lab.dropped(DropReason::RouteBuffer), 2);
    lab.at(1.2, Step::Join(0, 1)).run(10.0);
    assert_eq!(lab.delivered.iter().map(|&(_, number, _)| number).min(), Some(2));
    assert_eq!(lab.delivered.len(), 64);
    lab.assert_conservation();
}

#[test]
fn a_packet_waits_only_so_long() {
    let mut lab = network(&(ns2().0, AodvConfig { buffer_timeout: Span::from_secs(5.0), ..ns2().1 }), 2, &[]);
    lab.at(1.0, Step::Send(0, 1)).at(6.0, Step::Send(0, 1)).at(6.1, Step::Send(0, 1)).run(7.0);
    assert_eq!(lab.dropped(DropReason::RouteTimeout), 1, "exactly 5 s is not too long");
    lab.assert_conservation();
}

#[test]
fn reverse_route_releases_buffered_packets() {
    // Node 1 wants a route to 0, which is not there yet; then 0 appears and asks for 1.
    let mut lab = network(&ns2(), 2, &[]);
    lab.at(1.0, Step::Send(1, 0)).at(1.3, Step::Join(0, 1)).at(1.4, Step::Send(0, 1)).run(1.41);
    assert_eq!(requests(&lab, 1), at(&[(1.0, 30)]));
    assert_eq!(lab.delivered.len(), 2);
    let route = lab.nodes[1].route(NodeId(0)).expect("the way back");
    let used = Time::from_secs(1.4) + HOP;
    assert_eq!(route.expire, used + Span::from_secs(10.0), "10 s rather than 6 s, as it was wanted");
}

#[test]
fn a_silent_node_sets_no_timer() {
    let lab = chain(&ns2(), 9);
    assert!(lab.ctx.events.is_empty());
    assert!(lab.sent.is_empty());
}

#[test]
fn missing_hellos_report_lost_neighbor() {
    let mut lab = chain(&with_hello(ns2()), 2);
    lab.at(2.0, Step::Send(0, 2)).at(3.0, Step::Break(1, 2)).run(3.0);
    assert_eq!(lab.delivered.len(), 1);
    assert_eq!((lab.sent[0].bytes, lab.sent[0].ttl), (44, 1));
    lab.run(6.5);
    assert!(lab.nodes[1].route(NodeId(2)).is_some());
    lab.run(9.0);
    assert!(lab.nodes[1].route(NodeId(2)).is_none(), "nothing heard for 4.5 s");
    assert!(lab.nodes[0].route(NodeId(2)).is_none(), "by the RERR of node 1");
    lab.assert_conservation();
}
