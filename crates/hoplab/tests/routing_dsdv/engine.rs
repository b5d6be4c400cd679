//! DSDV in the whole engine.

use hoplab::kernel::{FlowId, Time};
use hoplab::scenario::Resolved;
use hoplab::trace::DropReason;
use hoplab::world::World;

const CHAIN: &str = r#"
duration = "60 s"
[topology]
kind = "chain"
hops = 4
EXTRA
[routing]
protocol = "dsdv"
dsdv.settling_time = "0 s"
[[flow]]
from = 0
to = 4
app = "cbr"
rate = "64 kb/s"
segment = 512
transport = "udp"
start = "1 s"
[[flow]]
from = 3
to = 1
transport = "new_reno"
start = "50 s"
"#;

fn run(extra: &str, seed: u64) -> (World, serde_json::Value) {
    run_until(None, extra, seed)
}

fn run_until(end: Option<f64>, extra: &str, seed: u64) -> (World, serde_json::Value) {
    let text = CHAIN.replace("EXTRA", extra);
    let scenario = Resolved::parse(&text, "dsdv.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(end.map_or(scenario.end(), Time::from_secs)).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let report = world.report(&scenario, seed, 0.0).to_json();
    (world, serde_json::from_str(&report).expect("a report"))
}

#[test]
fn datagrams_wait_for_the_first_route_and_then_arrive() {
    let (world, _) = run_until(Some(50.0), "", 2);
    let counters = &world.ctx().trace.counters;
    let data = counters.data(FlowId(0));
    // 15.625 datagrams per second from 1 s on, of which five wait; in ns-2 the route takes 2 s, and 3 s at times.
    assert_eq!(data.originated, 766);
    assert!(data.delivered > 720, "{data:?}");
    assert_eq!(data.hops, 4 * data.delivered);
    assert!(data.dropped[DropReason::RouteBuffer as usize] < 50, "{data:?}");
    // About 4.6 updates per node and minute, and a few in the first seconds.
    assert!((4 * 5..10 * 5).contains(&counters.broadcasts()), "{} broadcasts, ARP included", counters.broadcasts());
    assert_eq!(counters.routes_changed - counters.routes_lost, 5 * 4, "every node has a route to every other");
}

#[test]
fn runs_repeat_and_ignore_a_distant_node() {
    let (_, first) = run("", 3);
    let (_, second) = run("", 3);
    assert_eq!(first["fingerprint"], second["fingerprint"]);
    assert_ne!(first["fingerprint"], run("", 4).1["fingerprint"]);
    // The distant node sends updates without receivers.
    let (_, beside) = run("extra = [[90000.0, 90000.0]]", 3);
    assert_eq!((&first["flows"], &first["drops"]), (&beside["flows"], &beside["drops"]));
    assert_eq!(first["fingerprints"]["transport"], beside["fingerprints"]["transport"]);
    assert!(beside["frames"]["broadcast"].as_u64() > first["frames"]["broadcast"].as_u64());
}
