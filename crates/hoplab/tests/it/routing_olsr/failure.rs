//! Packets without a route, and what happens when links break.

use super::lab::{FAILURE, HOP, Sent, Step, chain, hops, network, next_hop, tcs};
use hoplab::kernel::{NodeId, Span};
use hoplab::net::routing::olsr::OlsrConfig;
use hoplab::net::routing::olsr::message::Body;
use hoplab::trace::DropReason;

/// A ring of five: 0 reaches 2 over 1, or over 4 and 3.
const RING: [(u32, u32); 5] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];

fn with_feedback() -> OlsrConfig {
    OlsrConfig { use_link_layer_feedback: true, ..OlsrConfig::default() }
}

#[test]
fn packet_without_a_route_is_dropped() {
    let mut lab = chain(&OlsrConfig::default(), 2, 1);
    lab.at(0.0, Step::Send(0, 2)).at(30.0, Step::Send(0, 2)).run(31.0);
    assert_eq!((lab.dropped(DropReason::NoRoute), lab.delivered.len()), (1, 1));
    lab.assert_conservation();
}

#[test]
fn silent_neighbor_is_lost_after_its_validity() {
    let mut lab = network(&OlsrConfig::default(), 5, &RING, 1);
    lab.at(100.0, Step::Break(0, 1)).run(100.0);
    let is_hello = |sent: &&Sent| sent.message.messages.iter().any(|message| matches!(message.body, Body::Hello(_)));
    let last = lab.sent_by(1).into_iter().rfind(is_hello).expect("messages of node 1").at;
    let lost_at = (last + HOP + Span::from_millis(6_000)).secs();
    lab.at(lost_at - 0.1, Step::Send(0, 1)).run(lost_at - 1e-6);
    assert_eq!((hops(&lab, 0, 1), lab.dropped(DropReason::MacRetry)), (Some(1), 1), "the MAC is ignored");
    lab.run(lost_at);
    assert_ne!(next_hop(&lab, 0, 1), Some(1));
    lab.run(lost_at + 20.0);
    assert_eq!((hops(&lab, 0, 1), next_hop(&lab, 0, 1)), (Some(4), Some(4)), "the long way round");
    assert_eq!((hops(&lab, 0, 2), hops(&lab, 4, 1)), (Some(3), Some(3)));
}

#[test]
fn link_layer_feedback_reroutes_the_packet_that_failed() {
    let mut lab = network(&with_feedback(), 5, &RING, 1);
    lab.at(100.0, Step::Break(0, 1)).at(100.1, Step::Send(0, 2)).run(100.1);
    let before = tcs(&lab, 0, 0);
    lab.run(100.1 + FAILURE.secs() + 4.0 * HOP.secs());
    assert_eq!((next_hop(&lab, 0, 2), lab.dropped(DropReason::MacRetry)), (Some(4), 0));
    assert_eq!(lab.delivered.len(), 1, "over 4 and 3 at once");
    lab.run(102.2);
    assert!(tcs(&lab, 0, 0) > before, "a TC message within a HELLO interval");
    lab.assert_conservation();
}

#[test]
fn lost_link_returns_with_hello_messages() {
    let mut lab = chain(&with_feedback(), 1, 1);
    lab.at(50.0, Step::Break(0, 1)).at(50.1, Step::Send(0, 1)).at(50.2, Step::Join(0, 1)).run(50.2);
    assert_eq!((hops(&lab, 0, 1), lab.dropped(DropReason::MacRetry)), (None, 1));
    lab.run(56.0);
    assert_eq!(hops(&lab, 0, 1), Some(1));
    let counters = &lab.ctx.trace.counters;
    assert!(counters.routes_lost >= 1 && counters.routes_changed == counters.routes_lost + 2);
}

#[test]
fn node_that_leaves_is_forgotten() {
    let mut lab = chain(&OlsrConfig::default(), 4, 2);
    lab.at(100.0, Step::Break(3, 4)).run(100.0);
    assert!((0..4).all(|node| hops(&lab, node, 4).is_some()));
    // Its links are valid for 15 s after the last TC message, which node 3 created up to 6 s after the loss.
    lab.run(122.0);
    assert!((0..4).all(|node| hops(&lab, node, 4).is_none()));
    assert_eq!(lab.nodes[4].known(), 0);
    assert!(lab.nodes[3].selectors().all(|node| node != NodeId(4)));
}
