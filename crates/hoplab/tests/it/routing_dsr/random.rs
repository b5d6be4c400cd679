//! Random networks whose links come and go: routes visit no node twice, nothing is lost unaccounted.

use super::lab::{Lab, Step, network, plain};
use hoplab::net::routing::Routing;
use hoplab::net::routing::dsr::DsrConfig;
use hoplab::packet::{Packet, Payload};
use proptest::prelude::*;

const NODES: u32 = 9;

/// Every route of a packet on its way visits each node once, and its header counts.
fn assert_routes(lab: &Lab) {
    for (_, packet) in lab.ctx.packets.iter() {
        let Some(route) = &packet.route else { continue };
        let nodes = route.up_to(packet.dst);
        let mut sorted: Vec<_> = nodes.iter().map(|node| node.0).collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), nodes.len(), "{route:?}");
        assert!(nodes.last() == Some(&packet.dst) && route.salvage() <= 15, "{route:?}");
        if let Payload::Datagram(_) = packet.payload {
            assert_eq!(packet.bytes, 532 + route.header_bytes(packet.dst));
        }
    }
}

fn survive(config: &DsrConfig, links: &[(u32, u32)], steps: &[(u8, u32, u32, u32)]) {
    let mut lab = network(config, NODES, links);
    for &(kind, a, b, millis) in steps.iter().filter(|&&(_, a, b, _)| a != b) {
        let step = match kind {
            0..6 => Step::Send(a, b),
            6..8 => Step::Break(a, b),
            _ => Step::Join(a, b),
        };
        lab.at(f64::from(millis) * 1e-3, step);
    }
    lab.run_while(60.0, |lab| {
        assert_routes(lab);
        true
    });
    lab.assert_conservation();
    lab.run(300.0);
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

proptest! {
    #[test]
    fn plain_dsr_survives(links in links(), steps in steps()) {
        survive(&plain(), &links, &steps);
    }

    #[test]
    fn dsr_survives(links in links(), steps in steps()) {
        survive(&DsrConfig::rfc(), &links, &steps);
    }

    #[test]
    fn small_tables_survive(links in links(), steps in steps()) {
        let config = DsrConfig {
            cache_limit: 2,
            request_table_size: 2,
            request_table_ids: 1,
            buffer_limit: 2,
            max_salvage: 1,
            nonpropagating_request: false,
            ..DsrConfig::rfc()
        };
        survive(&config, &links, &steps);
    }

    #[test]
    fn connected_network_delivers(chords in links(), pairs in proptest::collection::vec((0..NODES, 0..NODES), 1..20)) {
        let chain = (1..NODES).map(|node| (node - 1, node));
        let links: Vec<_> = chain.chain(chords).collect();
        let mut lab = network(&DsrConfig::rfc(), NODES, &links);
        let pairs: Vec<_> = pairs.into_iter().filter(|(src, dst)| src != dst).collect();
        for (k, &(src, dst)) in pairs.iter().enumerate() {
            lab.at(1.0 + 0.05 * k as f64, Step::Send(src, dst));
        }
        lab.run(60.0);
        prop_assert_eq!(lab.delivered.len(), pairs.len());
    }
}
