//! DSDV in the whole engine.

use crate::routing_lab::whole_run::{repeats_and_ignores_a_distant_node, whole_run};
use hoplab::kernel::FlowId;
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
    whole_run(&text, end, seed)
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
    // The distant node sends updates without receivers.
    let (first, beside) = repeats_and_ignores_a_distant_node(|extra, seed| run(extra, seed).1);
    assert_eq!(first["fingerprints"]["transport"], beside["fingerprints"]["transport"]);
    assert!(beside["frames"]["broadcast"].as_u64() > first["frames"]["broadcast"].as_u64());
}
