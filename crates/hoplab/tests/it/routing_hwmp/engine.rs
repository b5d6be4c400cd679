//! HWMP in the whole engine.

use crate::routing_lab::whole_run::{repeats_and_ignores_a_distant_node, whole_run};
use hoplab::kernel::FlowId;
use hoplab::scenario::Resolved;
use hoplab::world::World;

const CHAIN: &str = r#"
profile = "std"
duration = "30 s"
[topology]
kind = "chain"
hops = 4
EXTRA
[routing]
protocol = "hwmp"
HWMP
[[flow]]
from = 0
to = 4
app = "cbr"
rate = "64 kb/s"
segment = 512
transport = "udp"
start = "2 s"
"#;

fn run(extra: &str, hwmp: &str, seed: u64) -> (World, serde_json::Value) {
    let text = CHAIN.replace("EXTRA", extra).replace("HWMP", hwmp);
    whole_run(&text, None, seed)
}

#[test]
fn datagrams_take_the_chain_by_airtime() {
    for hwmp in ["", "hwmp.metric = \"hops\"", "hwmp.root = 2", "hwmp.root = 0\nhwmp.root_mode = \"rann\""] {
        let (world, report) = run("", hwmp, 2);
        let data = world.ctx().trace.counters.data(FlowId(0));
        assert!(data.originated == 438 && data.delivered > 425, "{hwmp}: {data:?}");
        assert_eq!(data.hops, 4 * data.delivered, "{hwmp}");
        assert_eq!(report["drops"]["arp"].as_u64().unwrap_or(0), 0, "no ARP below HWMP");
    }
}

#[test]
fn runs_repeat_and_ignore_a_distant_node() {
    repeats_and_ignores_a_distant_node(|extra, seed| run(extra, "", seed).1);
}

#[test]
fn values_that_are_not_valid_are_named() {
    let refused = |hwmp: &str| {
        let text = CHAIN.replace("EXTRA", "").replace("HWMP", hwmp);
        Resolved::parse(&text, "hwmp.toml", &[]).expect_err("an invalid value").to_string()
    };
    for (hwmp, key, expected) in [
        ("hwmp.ttl = 1", "routing.hwmp.ttl", "at least 2 hops"),
        ("hwmp.metric = \"etx\"", "routing.hwmp.metric", "airtime"),
        ("hwmp.max_jitter = \"1 s\"", "routing.hwmp.max_jitter", "below net_diameter_traversal_time"),
        ("hwmp.active_path_timeout = \"0 s\"", "routing.hwmp.active_path_timeout", "longer than 0 s"),
        ("hwmp.root = 5", "routing.hwmp.root", "a node with a radio, 0 to 4"),
    ] {
        let message = refused(hwmp);
        assert!(message.contains(key) && message.contains(expected), "{message}");
    }
}
