//! What is sampled for figures over time: which metrics there are, and that they say what the world says.

use hoplab::kernel::{FlowId, NodeId, Time};
use hoplab::measure::{Sample, Sampler};
use hoplab::scenario::Resolved;
use hoplab::world::World;
use std::collections::BTreeMap;

/// Samples of a chain of three hops at 11 Mb/s, ten a second for 10 s; `tables` beside the flow.
fn sampled(transport: &str, tables: &str) -> (World, Vec<Sample>) {
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[mac]\ndata_rate = \"11 Mb/s\"\n{tables}\n\
         [[flow]]\ntransport = \"{transport}\"\nsegment = 1000\nstart = \"1 s\"\n"
    );
    let scenario = Resolved::parse(&text, "samples.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.account_airtime();
    let mut sampler = Sampler::new(&scenario);
    let mut found = Vec::new();
    for tenth in 1..=100 {
        world.run_until(Time(tenth * 100_000_000)).expect("a run");
        let first = found.len();
        world.sample(&mut sampler, &mut found);
        let waiting = found[first..].iter().filter(|sample| sample.metric == "queue_len");
        let waiting: Vec<_> = waiting.map(|sample| (sample.node, sample.value)).collect();
        let expected: Vec<_> = (0..4).map(|node| (Some(node), world.queue_len(NodeId(node)) as f64)).collect();
        assert_eq!(waiting, expected);
    }
    (world, found)
}

/// Least and most of each metric.
fn ranges(samples: &[Sample]) -> BTreeMap<&'static str, (f64, f64)> {
    let mut found = BTreeMap::new();
    for sample in samples {
        let (least, most) = found.entry(sample.metric).or_insert((sample.value, sample.value));
        (*least, *most) = (least.min(sample.value), most.max(sample.value));
    }
    found
}

#[test]
fn a_window_its_delay_and_what_it_delivers() {
    let (world, samples) = sampled("new_reno", "");
    let found = ranges(&samples);
    let names: Vec<_> = found.keys().copied().collect();
    assert_eq!(names, ["cwnd", "delivered_bytes", "idle_share", "queue_len", "srtt_s", "ssthresh"]);
    let (least, most) = found["srtt_s"];
    // Three hops there and back take 6 ms at least; a queue of 50 packets takes some 150 ms.
    assert!(least > 0.006 && most < 1.0, "{least} to {most} s");
    let (least, most) = found["idle_share"];
    assert!(least >= 0.0 && most == 1.0, "{least} to {most}");
    let last = |metric| samples.iter().rev().find(|sample| sample.metric == metric).expect("a sample").value;
    assert_eq!(Some(last("cwnd")), world.connection(FlowId(0)).cwnd());
    assert_eq!(last("delivered_bytes"), world.connection(FlowId(0)).meter().total().in_order as f64);
    assert!(last("delivered_bytes") > 100_000.0);
}

#[test]
fn a_rate_and_what_routers_say() {
    let (world, samples) = sampled("rcp", "[routing]\nprotocol = \"static\"");
    let found = ranges(&samples);
    let rate = world.connection(FlowId(0)).rate().expect("a rate that is followed");
    let of_flow: Vec<_> = samples.iter().filter(|sample| sample.metric == "rate_bps").collect();
    assert_eq!(of_flow.last().expect("a rate").value, rate * 8.0);
    let (least, most) = found["rate_bps"];
    assert!(least > 1e3 && most <= 11e6, "{least} to {most} b/s");
    let (_, capacity) = found["router_capacity_bps"];
    let (_, told) = found["router_rate_bps"];
    assert!(told <= capacity && capacity <= 11e6, "{told} of {capacity} b/s");
    let srtt = world.connection(FlowId(0)).srtt().expect("a round-trip time").secs();
    assert!((0.006..5.0).contains(&srtt), "{srtt} s");
    let counts = world.connection(FlowId(0)).meter().total();
    assert!(counts.arrived >= counts.unique && counts.unique >= counts.in_order && counts.in_order > 0, "{counts:?}");
    let delay = counts.delay as f64 * 1e-9 / counts.first_arrivals as f64;
    assert!((0.003..5.0).contains(&delay), "{delay} s");
}

#[test]
fn levels_busy_air_and_estimates() {
    let found = ranges(&sampled("muzha", "").1);
    let (least, most) = found["drai"];
    assert!(least >= 1.0 && most == 5.0, "levels {least} to {most}");
    let (least, most) = found["busy_share"];
    assert!(least == 0.0 && (0.3..=1.0).contains(&most), "{least} to {most}");
    let found = ranges(&sampled("xcp_winf", "").1);
    let (least, most) = found["winf_capacity_bps"];
    assert!(least > 1e5 && most <= 11e6, "{least} to {most} b/s");
    assert!(found["winf_available_bps"].1 <= most);
}

#[test]
fn a_capacity_per_neighbor_is_that_of_what_was_heard() {
    let samples = sampled("xcp_winf", "[winf]\nper_neighbor = true").1;
    let told: Vec<_> = samples.iter().filter(|sample| sample.metric == "winf_capacity_bps").collect();
    assert!(
        told.iter().all(|sample| sample.value > 1e4 && sample.value <= 11e6),
        "finite, before anything was heard too"
    );
    let nodes: std::collections::BTreeSet<_> = told.iter().filter_map(|sample| sample.node).collect();
    assert_eq!(nodes.len(), 4);
}

#[test]
fn a_handshake_that_parks_and_a_store() {
    let found = ranges(&sampled("semi_tcp", "").1);
    assert_eq!((found["congested"].0, found["parked"].0), (0.0, 0.0));
    assert!(found["congested"].1 == 1.0, "a relay is congested now and then");
    let (world, samples) = sampled("split_tcp", "[split_tcp]\nd_p = 1");
    let stores: Vec<_> = samples.iter().filter(|sample| sample.metric.starts_with("store_")).collect();
    assert!(stores.iter().any(|sample| sample.value > 0.0), "something is stored");
    for pair in stores.chunks(2) {
        assert_eq!((pair[0].metric, pair[1].metric), ("store_segments", "store_bytes"));
        assert_eq!(pair[0].value * 1000.0, pair[1].value);
    }
    world.audit().expect("every packet accounted for");
}
