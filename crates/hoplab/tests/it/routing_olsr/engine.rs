//! OLSR in the whole engine.

use crate::routing_lab::whole_run::{repeats_and_ignores_a_distant_node, whole_run};
use hoplab::kernel::FlowId;
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
protocol = "olsr"
OLSR
[[flow]]
from = 0
to = 4
app = "cbr"
rate = "64 kb/s"
segment = 512
transport = "udp"
start = "20 s"
"#;

fn run(extra: &str, olsr: &str, seed: u64) -> (World, serde_json::Value) {
    let text = CHAIN.replace("EXTRA", extra).replace("OLSR", olsr);
    whole_run(&text, None, seed)
}

#[test]
fn datagrams_take_the_chain_once_it_is_known() {
    for olsr in ["", "olsr.metric = \"etx\"", "olsr.use_link_layer_feedback = true"] {
        let (world, _) = run("", olsr, 2);
        let counters = &world.ctx().trace.counters;
        let data = counters.data(FlowId(0));
        assert!(data.originated == 626 && data.delivered > 590, "{olsr}: {data:?}");
        assert_eq!(data.hops, 4 * data.delivered);
        assert_eq!(data.dropped[DropReason::RouteBuffer as usize], 0, "nothing waits");
        // Five nodes with a HELLO per 1.75 s, and three relays with a TC per 4.75 s that two others forward.
        assert!((150..400).contains(&counters.broadcasts()), "{olsr}: {}", counters.broadcasts());
    }
}

#[test]
fn runs_repeat_and_ignore_a_distant_node() {
    let (first, beside) = repeats_and_ignores_a_distant_node(|extra, seed| run(extra, "", seed).1);
    assert!(beside["frames"]["broadcast"].as_u64() > first["frames"]["broadcast"].as_u64());
}

#[test]
fn values_that_are_not_valid_are_named() {
    let refused = |olsr: &str| {
        let text = CHAIN.replace("EXTRA", "").replace("OLSR", olsr);
        Resolved::parse(&text, "olsr.toml", &[]).expect_err("an invalid value").to_string()
    };
    for (olsr, key, expected) in [
        ("olsr.willingness = 8", "routing.olsr.willingness", "0 to 7"),
        ("olsr.max_jitter = \"1.5 s\"", "routing.olsr.max_jitter", "at most half of hello_interval"),
        ("olsr.neighbor_hold = \"1 s\"", "routing.olsr.neighbor_hold", "above hello_interval"),
        ("olsr.metric = \"etc\"", "routing.olsr.metric", "etx"),
    ] {
        let message = refused(olsr);
        assert!(message.contains(key) && message.contains(expected), "{message}");
    }
}
