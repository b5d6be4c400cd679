//! Random networks whose links come and go: no loop ever forms, nothing is lost unaccounted.
//!
//! A packet may all the same come back to its source: from a relay that kept it and has found a way there.

use crate::lab::{Lab, Step, ns2, rfc};
use hoplab::kernel::NodeId;
use hoplab::net::routing::{Routing, RoutingConfig};
use proptest::prelude::*;

const NODES: u32 = 9;

/// Follows every route hop by hop: none may come back to where it was.
fn assert_no_loop(lab: &Lab) {
    for dst in 0..NODES {
        for start in 0..NODES {
            let mut node = start;
            for hops in 0.. {
                assert!(hops < NODES, "a loop on the way from {start} to {dst} at {}", lab.ctx.now);
                let next = lab.nodes[node as usize].route(NodeId(dst)).filter(|route| !route.is_in_repair);
                match next {
                    Some(route) if node != dst => node = route.next_hop.0,
                    _ => break,
                }
            }
        }
    }
}

fn survive(config: &RoutingConfig, links: &[(u32, u32)], steps: &[(u8, u32, u32, u32)]) {
    let mut lab = Lab::new(config, NODES, links);
    for &(kind, a, b, millis) in steps.iter().filter(|&&(_, a, b, _)| a != b) {
        let step = match kind {
            0..6 => Step::Send(a, b),
            6..8 => Step::Break(a, b),
            _ => Step::Join(a, b),
        };
        lab.at(f64::from(millis) * 1e-3, step);
    }
    let mut seqs = [0; NODES as usize];
    lab.run_with(60.0, |lab| {
        for (node, seq) in lab.nodes.iter().zip(&mut seqs) {
            assert!(node.seq() >= *seq, "sequence numbers only grow");
            *seq = node.seq();
        }
        assert_no_loop(lab);
    });
    lab.assert_conservation();
    lab.run(200.0);
    lab.assert_conservation();
    assert_eq!(lab.nodes.iter().map(Routing::waiting).sum::<usize>(), 0, "everything has found its end");
    assert_eq!(lab.ctx.packets.len(), 0);
}

fn network() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec((0..NODES, 0..NODES), 4..22)
}

fn steps() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    proptest::collection::vec((0u8..10, 0..NODES, 0..NODES, 0u32..40_000), 1..120)
}

proptest! {
    #[test]
    fn ns2_survives(links in network(), steps in steps()) {
        survive(&ns2(), &links, &steps);
    }

    #[test]
    fn rfc_survives(links in network(), steps in steps()) {
        survive(&rfc(), &links, &steps);
    }
}
