//! Samples for figures over time: which metrics exist, and that they agree with the run.

use hoplab::kernel::{FlowId, NodeId, Time};
use hoplab::measure::{Sample, Sampler};
use hoplab::scenario::Resolved;
use hoplab::world::World;
use std::collections::BTreeMap;

/// Samples of a chain of three hops at 11 Mb/s, ten per second for 10 s; `tables` are added to the scenario.
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

/// Minimum and maximum of each metric.
fn ranges(samples: &[Sample]) -> BTreeMap<&'static str, (f64, f64)> {
    let mut found = BTreeMap::new();
    for sample in samples {
        let (min, max) = found.entry(sample.metric).or_insert((sample.value, sample.value));
        (*min, *max) = (min.min(sample.value), max.max(sample.value));
    }
    found
}

#[test]
fn connection_samples_window_delay_and_delivery() {
    let (world, samples) = sampled("new_reno", "");
    let found = ranges(&samples);
    let names: Vec<_> = found.keys().copied().collect();
    assert_eq!(names, ["cwnd", "delivered_bytes", "idle_share", "queue_len", "srtt_s", "ssthresh"]);
    let (min, max) = found["srtt_s"];
    // Three hops and back take at min 6 ms; a queue of 50 packets takes about 150 ms.
    assert!(min > 0.006 && max < 1.0, "{min} to {max} s");
    let (min, max) = found["idle_share"];
    assert!(min >= 0.0 && max == 1.0, "{min} to {max}");
    let last = |metric| samples.iter().rev().find(|sample| sample.metric == metric).expect("a sample").value;
    assert_eq!(Some(last("cwnd")), world.connection(FlowId(0)).cwnd());
    assert_eq!(last("delivered_bytes"), world.connection(FlowId(0)).meter().total().in_order as f64);
    assert!(last("delivered_bytes") > 100_000.0);
}

#[test]
fn rate_sender_samples_rate_and_feedback() {
    let (world, samples) = sampled("rcp", "[routing]\nprotocol = \"static\"");
    let found = ranges(&samples);
    let rate = world.connection(FlowId(0)).rate().expect("a rate that is followed");
    let of_flow: Vec<_> = samples.iter().filter(|sample| sample.metric == "rate_bps").collect();
    assert_eq!(of_flow.last().expect("a rate").value, rate * 8.0);
    let (min, max) = found["rate_bps"];
    assert!(min > 1e3 && max <= 11e6, "{min} to {max} b/s");
    let (_, capacity) = found["router_capacity_bps"];
    let (_, rate) = found["router_rate_bps"];
    assert!(rate <= capacity && capacity <= 11e6, "{rate} of {capacity} b/s");
    let srtt = world.connection(FlowId(0)).srtt().expect("a round-trip time").secs();
    assert!((0.006..5.0).contains(&srtt), "{srtt} s");
    let counts = world.connection(FlowId(0)).meter().total();
    assert!(counts.arrived >= counts.unique && counts.unique >= counts.in_order && counts.in_order > 0, "{counts:?}");
    let delay = counts.delay as f64 * 1e-9 / counts.first_arrivals as f64;
    assert!((0.003..5.0).contains(&delay), "{delay} s");
}

#[test]
fn muzha_samples_levels_and_observers_estimates() {
    let found = ranges(&sampled("muzha", "").1);
    let (min, max) = found["drai"];
    assert!(min >= 1.0 && max == 5.0, "levels {min} to {max}");
    let (min, max) = found["busy_share"];
    assert!(min == 0.0 && (0.3..=1.0).contains(&max), "{min} to {max}");
    let found = ranges(&sampled("xcp_winf", "").1);
    let (min, max) = found["winf_capacity_bps"];
    assert!(min > 1e5 && max <= 11e6, "{min} to {max} b/s");
    assert!(found["winf_available_bps"].1 <= max);
}

#[test]
fn capacity_follows_overheard_neighbors() {
    let samples = sampled("xcp_winf", "[winf]\nper_neighbor = true").1;
    let values: Vec<_> = samples.iter().filter(|sample| sample.metric == "winf_capacity_bps").collect();
    assert!(
        values.iter().all(|sample| sample.value > 1e4 && sample.value <= 11e6),
        "finite, also before any frame was overheard"
    );
    let nodes: std::collections::BTreeSet<_> = values.iter().filter_map(|sample| sample.node).collect();
    assert_eq!(nodes.len(), 4);
}

#[test]
fn handshake_samples_parking_and_proxy_samples_buffer() {
    let found = ranges(&sampled("semi_tcp", "").1);
    assert_eq!((found["congested"].0, found["parked"].0), (0.0, 0.0));
    assert!(found["congested"].1 == 1.0, "a relay is congested at times");
    let (world, samples) = sampled("split_tcp", "[split_tcp]\nd_p = 1");
    let stores: Vec<_> = samples.iter().filter(|sample| sample.metric.starts_with("store_")).collect();
    assert!(stores.iter().any(|sample| sample.value > 0.0), "the proxy stores segments");
    for pair in stores.chunks(2) {
        assert_eq!((pair[0].metric, pair[1].metric), ("store_segments", "store_bytes"));
        assert_eq!(pair[0].value * 1000.0, pair[1].value);
    }
    world.audit().expect("every packet accounted for");
}
