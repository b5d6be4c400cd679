//! The same scenario and seed give the same trajectory, whatever else is there or watches.

use hoplab::scenario::Resolved;
use hoplab::world::{RunReport, World};

fn run(text: &str, seed: u64) -> RunReport {
    let scenario = Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world.report(&scenario, seed, 0.0)
}

const CHAIN: &str = r#"
duration = "20 s"
[topology]
kind = "chain"
hops = 6
EXTRA
[routing]
protocol = "ROUTING"
[[flow]]
from = 0
to = 6
transport = "new_reno"
start = "1 s"
[[flow]]
from = 4
to = 1
app = "cbr"
rate = "100 kb/s"
segment = 512
transport = "udp"
start = "2 s"
"#;

fn chain(routing: &str, extra: &str) -> String {
    CHAIN.replace("ROUTING", routing).replace("EXTRA", extra)
}

#[test]
fn two_runs_agree_and_seeds_differ() {
    for routing in ["static", "aodv"] {
        let first = run(&chain(routing, ""), 7);
        let second = run(&chain(routing, ""), 7);
        assert_eq!(first.to_json(), second.to_json());
        assert_ne!(first.fingerprint, run(&chain(routing, ""), 8).fingerprint);
    }
}

#[test]
fn a_silent_distant_node_changes_nothing() {
    for routing in ["static", "aodv"] {
        let alone = run(&chain(routing, ""), 3);
        let beside = run(&chain(routing, "extra = [[90000.0, 90000.0]]"), 3);
        assert_eq!(alone.fingerprints, beside.fingerprints, "{routing}");
    }
}

#[test]
fn pausing_and_recording_change_nothing() {
    let text = chain("aodv", "");
    let scenario = Resolved::parse(&text, "test.toml", &[]).expect("a scenario");
    let whole = run(&text, 5);
    let mut world = World::new(&scenario, 5);
    world.keep_records();
    let mut records = 0;
    while !world.advance(scenario.end(), 1_000).expect("a run that goes on") {
        records += world.take_records().len();
    }
    assert!(records > 10_000);
    assert_eq!(world.report(&scenario, 5, 0.0).to_json(), whole.to_json());
}

#[test]
fn a_later_flow_shifts_nobody_elses_chance() {
    // Until the second flow starts, the first one's world is the same with and without it.
    let text = chain("static", "");
    let alone = text.split("[[flow]]").take(2).collect::<Vec<_>>().join("[[flow]]");
    let records_until = |text: &str, seconds: f64| {
        let scenario = Resolved::parse(text, "test.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 1);
        world.keep_records();
        world.run_until(hoplab::kernel::Time::from_secs(seconds)).expect("a run that goes on");
        world.take_records()
    };
    assert_eq!(records_until(&text, 1.999), records_until(&alone, 1.999));
    assert_ne!(records_until(&text, 5.0), records_until(&alone, 5.0));
}
