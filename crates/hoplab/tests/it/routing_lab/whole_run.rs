//! Runs of the whole engine, for tests of one protocol.

use hoplab::kernel::Time;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use serde_json::Value;

/// The run of a scenario with this seed, to an earlier end if one is given, and its report. All packets are accounted for.
pub(crate) fn whole_run(text: &str, end: Option<f64>, seed: u64) -> (World, Value) {
    let scenario = Resolved::parse(text, "routing.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(end.map_or(scenario.end(), Time::from_secs)).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let report = world.report(&scenario, seed, 0.0).to_json();
    (world, serde_json::from_str(&report).expect("a report"))
}

/// Runs repeat by their seed, and a node out of range of all others changes nothing for them. Returns the report without and with
/// that node.
pub(crate) fn repeats_and_ignores_a_distant_node(run: impl Fn(&str, u64) -> Value) -> (Value, Value) {
    let first = run("", 3);
    assert_eq!(first["fingerprint"], run("", 3)["fingerprint"]);
    assert_ne!(first["fingerprint"], run("", 4)["fingerprint"]);
    let beside = run("extra = [[90000.0, 90000.0]]", 3);
    assert_eq!((&first["flows"], &first["drops"]), (&beside["flows"], &beside["drops"]));
    (first, beside)
}
