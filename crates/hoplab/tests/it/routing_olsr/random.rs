//! Random networks whose links come and go: routes end up shortest, nothing is lost unaccounted.

use super::lab::{Step, hops, network, next_hop};
use hoplab::kernel::NodeId;
use hoplab::net::routing::olsr::OlsrConfig;
use hoplab::net::routing::{ReachGraph, RouteMetric};
use proptest::prelude::*;
use std::collections::BTreeSet;

const NODES: u32 = 8;

fn survive(config: &OlsrConfig, links: &[(u32, u32)], steps: &[(u8, u32, u32, u32)], seed: u64) {
    let mut present: BTreeSet<_> = links.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.min(b), a.max(b))).collect();
    let start: Vec<_> = present.iter().copied().collect();
    let mut lab = network(config, NODES, &start, seed);
    let mut steps: Vec<_> = steps.iter().filter(|&&(_, a, b, _)| a != b).collect();
    steps.sort_by_key(|step| step.3);
    for &&(kind, a, b, millis) in &steps {
        let pair = (a.min(b), a.max(b));
        let step = match kind {
            0..4 => Step::Send(a, b),
            4..7 => {
                present.remove(&pair);
                Step::Break(a, b)
            }
            _ => {
                present.insert(pair);
                Step::Join(a, b)
            }
        };
        lab.at(f64::from(millis) * 1e-3, step);
    }
    // The last change is before 50 s; all that was true before ends within 40 s.
    lab.run(150.0);
    lab.assert_conservation();
    let around = |node: NodeId| {
        let of = move |&(a, b): &(u32, u32)| match node.0 {
            n if n == a => Some(NodeId(b)),
            n if n == b => Some(NodeId(a)),
            _ => None,
        };
        present.iter().filter_map(of).collect::<Vec<_>>()
    };
    let graph = ReachGraph::new(NODES as usize, around);
    for (a, b) in (0..NODES).flat_map(|a| (0..NODES).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let shortest = graph.hops(NodeId(a), NodeId(b)).map(|hops| hops as u16);
        assert_eq!(hops(&lab, a, b), shortest, "{a} to {b}");
        if let Some(next) = next_hop(&lab, a, b) {
            let rest = if next == b { Some(0) } else { hops(&lab, next, b) };
            assert_eq!(rest.map(|rest| rest + 1), shortest, "{a} to {b} over {next}");
        }
    }
}

fn links() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec((0..NODES, 0..NODES), 4..18)
}

fn steps() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    proptest::collection::vec((0u8..10, 0..NODES, 0..NODES, 0u32..50_000), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn hops_end_up_shortest(links in links(), steps in steps(), seed in 0u64..1000, redundancy in 0u8..3) {
        let config = OlsrConfig { tc_redundancy: Some(redundancy), ..OlsrConfig::default() };
        survive(&config, &links, &steps, seed);
    }

    #[test]
    fn fixed_intervals_and_feedback_end_up_shortest(links in links(), steps in steps(), seed in 0u64..1000) {
        let config = OlsrConfig { jitter_in_interval: false, use_link_layer_feedback: true, ..OlsrConfig::default() };
        survive(&config, &links, &steps, seed);
    }

    #[test]
    fn etx_of_perfect_links_ends_up_shortest(links in links(), steps in steps(), seed in 0u64..1000) {
        let config = OlsrConfig { metric: RouteMetric::Etx, ..OlsrConfig::default() };
        survive(&config, &links, &steps, seed);
    }
}
