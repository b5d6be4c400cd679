//! Profile `rfc`.

use crate::lab::{FAILURE, HOP, Step, at, chain, is_rerr, is_rrep, is_rreq, messages, network, requests, rfc};
use crate::lab::{with_hello, without_repair};
use hoplab::kernel::{NodeId, RadioId, Span, Time};
use hoplab::trace::DropReason;

#[test]
fn rings_then_three_network_wide_requests() {
    let mut lab = network(&rfc(), 2, &[]);
    lab.at(1.0, Step::Send(0, 1)).run(20.0);
    // 2 * 40 ms * (TTL + 2) per ring; then 2.8, 5.6 and 11.2 s.
    let expected = [(1.0, 1), (1.24, 3), (1.64, 5), (2.2, 7), (2.92, 35), (5.72, 35), (11.32, 35)];
    assert_eq!(requests(&lab, 0), at(&expected));
    assert!(lab.run(22.519).dropped(DropReason::NoRoute) == 0 && lab.run(22.52).dropped(DropReason::NoRoute) == 1);
    assert!(lab.ctx.events.is_empty());
    lab.assert_conservation();
}

#[test]
fn messages_have_the_sizes_of_the_standard() {
    let mut lab = chain(&rfc(), 3);
    lab.at(1.0, Step::Send(0, 3)).at(4.0, Step::Break(0, 1)).run(3.0);
    assert_eq!(messages(&lab, 0, is_rreq)[0].bytes, 52);
    assert_eq!(messages(&lab, 3, is_rrep)[0].bytes, 48);
    let ttls: Vec<u8> = requests(&lab, 0).iter().map(|&(_, ttl)| ttl).collect();
    assert_eq!(ttls, [1, 3]);
    assert_eq!(lab.delivered.len(), 1);
    let known: Vec<_> = (1..4).map(|dst| lab.nodes[0].route(NodeId(dst)).map(|route| route.hops)).collect();
    assert_eq!(known, [Some(1), None, Some(3)], "a route to the neighbor comes with its messages");
    lab.assert_conservation();
}

#[test]
fn data_refreshes_reverse_route() {
    let mut lab = chain(&rfc(), 2);
    for second in 0..20 {
        lab.at(1.0 + f64::from(second), Step::Send(0, 2));
    }
    lab.at(21.5, Step::Send(2, 0)).run(22.0);
    assert_eq!(lab.delivered.len(), 21);
    let back = lab.nodes[1].route(NodeId(0)).expect("unused, but refreshed by the other direction");
    assert!(back.expire >= Time::from_secs(23.0));
    assert_eq!(requests(&lab, 2).len(), 1, "node 2 only received: its own route had expired");
    lab.assert_conservation();
}

#[test]
fn rerr_is_sent_to_the_only_precursor() {
    let mut lab = chain(&without_repair(rfc()), 3);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(2, 3)).at(2.1, Step::Send(0, 3)).run(3.0);
    let rerr = messages(&lab, 2, is_rerr)[0];
    assert_eq!((rerr.to, rerr.bytes), (RadioId(1), 40));
    assert_eq!(messages(&lab, 1, is_rerr)[0].to, RadioId(0));
    assert!(lab.nodes[0].route(NodeId(3)).is_none());
    lab.assert_conservation();
}

#[test]
fn failed_local_repair_sends_rerr_in_time() {
    let mut lab = chain(&rfc(), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).run(4.0);
    // One hop was left: TTL max(1, 3 / 2) + 2 = 3, so 2 * 3 * 40 ms.
    let asked_at = Time::from_secs(2.1) + HOP * 3 + FAILURE;
    assert_eq!(requests(&lab, 3), [(asked_at, 3)]);
    let rerr = messages(&lab, 3, is_rerr).pop().expect("an error of node 3");
    assert_eq!((rerr.at, rerr.to), (asked_at + Span::from_millis(240), RadioId(2)));
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
    lab.assert_conservation();
}

#[test]
fn local_repair_finds_a_detour() {
    let mut lab = network(&rfc(), 6, &[(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 4)]);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).run(3.0);
    assert_eq!((lab.delivered.len(), lab.delivered[1].2), (2, 5));
    assert_eq!(lab.nodes[3].route(NodeId(4)).map(|route| route.is_in_repair), Some(false));
    lab.assert_conservation();
}

#[test]
fn at_most_ten_requests_per_second() {
    let mut lab = network(&rfc(), 21, &[]);
    for dst in 1..21 {
        lab.at(1.0, Step::Send(0, dst));
    }
    lab.run(60.0);
    let times: Vec<Time> = requests(&lab, 0).iter().map(|&(at, _)| at).collect();
    assert!(times.len() == 20 * 7, "{}", times.len());
    assert!(times.windows(11).all(|eleven| eleven[10].since(eleven[0]) >= Span::from_secs(1.0)));
    assert_eq!(lab.dropped(DropReason::NoRoute), 20);
    lab.assert_conservation();
}

#[test]
fn hello_comes_only_from_nodes_with_a_route() {
    let mut lab = chain(&with_hello(rfc()), 2);
    lab.run(10.0);
    assert!(lab.sent.is_empty());
    for tenth in 0..60 {
        lab.at(10.0 + 0.1 * f64::from(tenth), Step::Send(0, 2));
    }
    lab.run(16.0);
    let hellos = lab.sent.iter().filter(|sent| !is_rreq(&sent.message) && !is_rrep(&sent.message)).count();
    assert!((9..=18).contains(&hellos), "{hellos} in 6 s of three nodes");
    lab.assert_conservation();
}

#[test]
fn silences_do_not_raise_a_neighbors_number() {
    let mut lab = network(&rfc(), 7, &[(2, 0), (0, 1), (1, 4), (4, 5)]);
    lab.at(0.5, Step::Send(0, 4));
    for discovery in 0..5 {
        // Node 1 hears node 0 whenever that sends a request on, and its route ends in between.
        lab.at(1.0 + 24.0 * f64::from(discovery), Step::Send(2, 6));
    }
    // Node 4 has its number from node 1. When node 0 asks, its own must be news.
    lab.at(98.5, Step::Send(4, 0)).at(115.0, Step::Send(0, 5)).run(117.0);
    assert_eq!(lab.delivered.len(), 3);
    assert_eq!(requests(&lab, 0).len(), 4, "twice rings of 1 and 3 hops, the second of which was answered");
    lab.assert_conservation();
}
