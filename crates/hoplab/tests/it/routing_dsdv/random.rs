//! Random networks whose links come and go: no loop ever forms, nothing is lost unaccounted.

use super::lab::{Lab, Step, network, ns2, quick, rfc};
use hoplab::kernel::NodeId;
use hoplab::net::routing::dsdv::DsdvConfig;
use proptest::prelude::*;

const NODES: u32 = 8;

/// Follows every route hop by hop: none may come back to where it was.
fn assert_no_loop(lab: &Lab) {
    for dst in 0..NODES {
        for start in 0..NODES {
            let mut node = start;
            for hops in 0.. {
                assert!(hops < NODES, "a loop on the route from {start} to {dst} at {}", lab.ctx.now);
                match lab.nodes[node as usize].route(NodeId(dst)) {
                    Some(route) if node != dst => node = route.next_hop.0,
                    _ => break,
                }
            }
        }
    }
}

fn survive(config: &DsdvConfig, links: &[(u32, u32)], steps: &[(u8, u32, u32, u32)], seed: u64) {
    let links: Vec<_> = links.iter().copied().filter(|(a, b)| a != b).collect();
    let mut lab = network(config, NODES, &links, seed);
    for &(kind, a, b, millis) in steps.iter().filter(|&&(_, a, b, _)| a != b) {
        let step = match kind {
            0..4 => Step::Send(a, b),
            4..7 => Step::Break(a, b),
            _ => Step::Join(a, b),
        };
        lab.at(f64::from(millis) * 1e-3, step);
    }
    let mut seqs = [0; NODES as usize];
    lab.run_while(250.0, |lab| {
        for (node, seq) in lab.nodes.iter().zip(&mut seqs) {
            assert!(node.seq() >= *seq && node.seq().is_multiple_of(2), "own numbers are even and grow");
            *seq = node.seq();
        }
        assert_no_loop(lab);
        true
    });
    lab.assert_conservation();
    assert!(lab.ctx.packets.len() <= 5 * (NODES * NODES) as usize + 16, "what waits is bounded");
}

fn links() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec((0..NODES, 0..NODES), 4..18)
}

fn steps() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    proptest::collection::vec((0u8..10, 0..NODES, 0..NODES, 0u32..200_000), 1..100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ns2_survives(links in links(), steps in steps(), seed in 0u64..1000) {
        survive(&ns2(), &links, &steps, seed);
    }

    #[test]
    fn without_settling_it_survives(links in links(), steps in steps(), seed in 0u64..1000) {
        survive(&quick(), &links, &steps, seed);
    }

    #[test]
    fn with_link_failures_it_survives(links in links(), steps in steps(), seed in 0u64..1000) {
        survive(&rfc(), &links, &steps, seed);
    }
}
