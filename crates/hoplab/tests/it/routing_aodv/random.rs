//! Random networks whose links come and go: no loop ever forms, nothing is lost unaccounted.
//!
//! A packet may all the same come back to its source: from a relay that kept it and has found a way there.

use super::lab::{Lab, Setup, Step, network, ns2, rfc, with_hello};
use hoplab::kernel::NodeId;
use hoplab::net::routing::{Routing, RoutingProfile};
use hoplab::packet::{Packet, Payload};
use proptest::prelude::*;

const NODES: u32 = 9;

/// Follows every route hop by hop: none may come back to where it was.
fn assert_no_loop(lab: &Lab) {
    for dst in 0..NODES {
        for start in 0..NODES {
            let mut node = start;
            for hops in 0.. {
                assert!(hops < NODES, "a loop on the route from {start} to {dst} at {}", lab.ctx.now);
                let next = lab.nodes[node as usize].route(NodeId(dst)).filter(|route| !route.is_in_repair);
                match next {
                    Some(route) if node != dst => node = route.next_hop.0,
                    _ => break,
                }
            }
        }
    }
}

/// No node knows a route by a number that its destination has not had: it could not offer a better one.
fn assert_numbers_are_known(lab: &Lab) {
    for (dst, at_dst) in (0..NODES).map(NodeId).zip(&lab.nodes) {
        for route in lab.nodes.iter().filter_map(|node| node.route(dst)).filter(|route| !route.is_in_repair) {
            assert!(route.seq <= at_dst.seq(), "{route:?} to {dst}, whose number is {}", at_dst.seq());
        }
    }
}

fn survive(setup: &Setup, links: &[(u32, u32)], steps: &[(u8, u32, u32, u32)]) {
    let is_rfc = setup.0 == RoutingProfile::Rfc;
    let mut lab = network(setup, NODES, links);
    for &(kind, a, b, millis) in steps.iter().filter(|&&(_, a, b, _)| a != b) {
        let step = match kind {
            0..6 => Step::Send(a, b),
            6..8 => Step::Break(a, b),
            _ => Step::Join(a, b),
        };
        lab.at(f64::from(millis) * 1e-3, step);
    }
    let mut seqs = [0; NODES as usize];
    lab.run_while(60.0, |lab| {
        for (node, seq) in lab.nodes.iter().zip(&mut seqs) {
            assert!(node.seq() >= *seq, "sequence numbers only grow");
            *seq = node.seq();
        }
        assert_no_loop(lab);
        if is_rfc {
            assert_numbers_are_known(lab);
        }
        true
    });
    lab.assert_conservation();
    lab.run(200.0);
    lab.assert_conservation();
    assert_eq!(lab.nodes.iter().map(Routing::waiting).sum::<usize>(), 0, "everything has found its end");
    let is_data = |packet: &Packet| !matches!(packet.payload, Payload::Control(_));
    assert_eq!(lab.ctx.packets.iter().filter(|(_, packet)| is_data(packet)).count(), 0);
}

fn links() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec((0..NODES, 0..NODES), 4..22)
}

fn steps() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    proptest::collection::vec((0u8..10, 0..NODES, 0..NODES, 0u32..40_000), 1..120)
}

/// Node 3 once sent a request of node 0 on without a route to it, as it knew of one of a higher number, and forgot that
/// number; node 1, whose way back led through it, then offered its own.
#[test]
fn what_was_sent_on_does_not_come_back_as_a_route() {
    let links = [(4, 0), (0, 7), (6, 5), (5, 2), (7, 2), (0, 8), (6, 4)];
    let steps = [
        (0, 4, 5, 23_707),
        (8, 7, 3, 0),
        (0, 3, 0, 35_316),
        (0, 4, 2, 16_722),
        (0, 7, 5, 0),
        (0, 2, 5, 20_950),
        (0, 4, 7, 6_433),
        (0, 3, 0, 6_195),
        (6, 0, 7, 241),
        (8, 0, 2, 0),
        (0, 7, 0, 16_966),
        (8, 1, 3, 0),
        (8, 3, 4, 5_663),
        (0, 0, 5, 33_722),
        (0, 5, 0, 33_472),
        (0, 6, 0, 0),
    ];
    survive(&rfc(), &links, &steps);
}

proptest! {
    #[test]
    fn ns2_survives(links in links(), steps in steps()) {
        survive(&ns2(), &links, &steps);
    }

    #[test]
    fn rfc_survives(links in links(), steps in steps()) {
        survive(&rfc(), &links, &steps);
    }
    #[test]
    fn rfc_with_hello_survives(links in links(), steps in steps()) {
        survive(&with_hello(rfc()), &links, &steps);
    }
}
