//! Routing protocols that discover routes, over nodes with several radios.

use hoplab::kernel::{FlowId, NodeId};
use hoplab::scenario::Resolved;
use hoplab::trace::{DropReason, What};
use hoplab::world::World;
use std::collections::BTreeSet;

/// The end of a run, which is audited.
fn run(text: &str) -> World {
    let scenario = Resolved::parse(text, "radios.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world
}

fn delivered(world: &World, flow: u32) -> u64 {
    world.ctx().trace.counters.data(FlowId(flow)).delivered
}

/// A chain of 802.11a at 24 Mb/s, 25 m per hop, whose nodes have radios on these channels.
fn chain(routing: &str, channels: &[&[u32]], flows: &str) -> String {
    let node = |(id, channels): (usize, &&[u32])| {
        let of: Vec<String> = channels.iter().map(|channel| format!("{{ channel = {channel} }}")).collect();
        format!("[[node]]\nid = {id}\nradios = [{}]\n", of.join(", "))
    };
    let tables: String = channels.iter().enumerate().map(node).collect();
    format!(
        "profile = \"std\"\nduration = \"60 s\"\n\
         topology = {{ kind = \"chain\", hops = {}, spacing = \"25 m\" }}\n\
         radio = {{ standard = \"11a\", propagation = \"shadowing\", shadowing_deviation_db = 0, path_loss_exponent = 3, \
         frequency = \"5.15 GHz\", tx_power = \"40 mW\" }}\n\
         mac = {{ data_rate = \"24 Mb/s\", basic_rate = \"6 Mb/s\", rts_threshold = 4692480 }}\n\
         {routing}\n{tables}\n{flows}\n",
        channels.len() - 1
    )
}

/// A flow over the whole chain and one back, from 30 s on; at the same instant their ARP requests would collide for ever.
const BOTH_WAYS: &str = "[[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"new_reno\"\nstart = \"30 s\"\n\
                         [[flow]]\nfrom = \"last\"\nto = \"first\"\ntransport = \"cubic\"\nstart = \"30.3 s\"";

/// A channel per hop, which only the two nodes of the hop have.
const STREET: [&[u32]; 4] = [&[36], &[36, 40], &[40, 44], &[44]];

fn routings() -> [&'static str; 7] {
    [
        "routing = { protocol = \"olsr\", olsr = { use_link_layer_feedback = true } }",
        "routing = { protocol = \"olsr\", olsr = { metric = \"etx\" } }",
        "routing = { protocol = \"dsdv\", dsdv = { settling_time = \"0 s\", use_mac = true } }",
        "routing = { protocol = \"aodv\" }",
        "routing = { protocol = \"aodv\", profile = \"ns2\" }",
        "routing = { protocol = \"dsr\" }",
        "routing = { protocol = \"hwmp\" }",
    ]
}

#[test]
fn tcp_crosses_channels_as_over_static_routes() {
    let fixed = run(&chain("routing = { protocol = \"static\" }", &STREET, BOTH_WAYS));
    for routing in routings() {
        let mut world = run(&chain(routing, &STREET, BOTH_WAYS));
        for flow in 0..2 {
            let ratio = delivered(&world, flow) as f64 / delivered(&fixed, flow) as f64;
            // A source route and Mesh Control cost airtime.
            let least = if routing.contains("dsr") || routing.contains("hwmp") { 0.85 } else { 0.9 };
            assert!((least..1.1).contains(&ratio), "{routing}, flow {flow}: {ratio}");
        }
        assert_eq!(world.ctx().trace.counters.dropped(DropReason::MacRetry), 0);
        // Records name nodes, not radios.
        let hops: BTreeSet<(u32, u32)> = world
            .take_records()
            .iter()
            .filter_map(|record| match record.what {
                What::Forwarded { next_hop, .. } if !next_hop.is_broadcast() => Some((record.node.0, next_hop.0)),
                _ => None,
            })
            .collect();
        assert_eq!(hops, BTreeSet::from([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]), "{routing}");
    }
}

#[test]
fn gateway_with_two_radios_serves_hosts() {
    let wire = "[[node]]\nkind = \"host\"\nname = \"server\"\n[[wire]]\nbetween = [\"server\", 1]\nrate = \"100 Mb/s\"\n\
                delay = \"1 ms\"\n[[flow]]\nfrom = \"server\"\nto = 0\ntransport = \"new_reno\"\nstart = \"30 s\"\n\
                [[flow]]\nfrom = 3\nto = \"server\"\ntransport = \"new_reno\"\nstart = \"30 s\"";
    for routing in routings() {
        let world = run(&chain(routing, &STREET, wire));
        assert!(delivered(&world, 0) > 5000 && delivered(&world, 1) > 5000, "{routing}");
    }
}

#[test]
fn node_off_the_air_is_passed_around_on_another_channel() {
    // From node 0 to node 3 by node 1 on channel 36, or by node 2 on channel 40.
    let tables = "[topology]\nkind = \"positions\"\npositions = [[0, 0], [150, 100], [150, -100], [300, 0]]\n\
                  [[node]]\nid = 0\nradios = [{ channel = 36 }, { channel = 40 }]\n\
                  [[node]]\nid = 1\nradios = [{ channel = 36 }]\nradio_off = [[\"30 s\", \"60 s\"]]\n\
                  [[node]]\nid = 2\nradios = [{ channel = 40 }]\nradio_off = [[\"0 s\", \"25 s\"]]\n\
                  [[node]]\nid = 3\nradios = [{ channel = 36 }, { channel = 40 }]\n\
                  [[flow]]\nfrom = 0\nto = 3\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"40 kb/s\"\nsegment = 500\nstart = \"20 s\"\n";
    for routing in routings() {
        let mut world = run(&format!("duration = \"60 s\"\n{routing}\n{tables}"));
        let relays: BTreeSet<(u32, bool)> = world
            .take_records()
            .iter()
            .filter_map(|record| match record.what {
                What::Forwarded { next_hop: NodeId(3), .. } => Some((record.node.0, record.time.secs() < 30.0)),
                _ => None,
            })
            .collect();
        assert!(relays.contains(&(1, true)) && relays.contains(&(2, false)), "{routing}: {relays:?}");
        // 10 per second, for 10 s before the switch and some time after it: with DSDV, new numbers take up to 30 s.
        assert!(delivered(&world, 0) > 120, "{routing}: {}", delivered(&world, 0));
    }
}
