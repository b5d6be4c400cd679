//! DSR in the whole engine.

use crate::routing_lab::whole_run::{repeats_and_ignores_a_distant_node, whole_run};
use hoplab::kernel::FlowId;
use hoplab::world::World;

const CHAIN: &str = r#"
duration = "30 s"
[topology]
kind = "chain"
hops = 4
EXTRA
[routing]
protocol = "dsr"
DSR
[[flow]]
from = 0
to = 4
app = "cbr"
rate = "64 kb/s"
segment = 512
transport = "udp"
start = "1 s"
[[flow]]
from = 4
to = 0
transport = "new_reno"
start = "2 s"
"#;

fn run(extra: &str, dsr: &str, seed: u64) -> (World, serde_json::Value) {
    let text = CHAIN.replace("EXTRA", extra).replace("DSR", dsr);
    whole_run(&text, None, seed)
}

#[test]
fn datagrams_and_segments_take_the_chain() {
    for dsr in ["", "dsr.promiscuous = false", "dsr.reply_from_cache = false", "dsr.max_salvage = 0"] {
        let (world, report) = run("", dsr, 2);
        let data = world.ctx().trace.counters.data(FlowId(0));
        assert!(data.originated > 440 && data.delivered * 2 > data.originated, "{dsr}: {data:?}");
        assert!(data.hops >= 4 * data.delivered && data.hops < 4 * data.delivered + 40, "{dsr}: {data:?}");
        assert!(report["flows"][1]["goodput_bps"].as_f64() > Some(50e3), "{dsr}: {}", report["flows"][1]);
    }
}

#[test]
fn moving_nodes_repair_their_routes() {
    let moving = "[topology]\nkind = \"random\"\nnodes = 25\narea = [\"800 m\", \"600 m\"]\n[mobility]\nkind = \"waypoint\"\n\
                  min_speed = \"5 m/s\"\nmax_speed = \"15 m/s\"";
    let mut lost = 0;
    for seed in 1..=4 {
        let text =
            CHAIN.replace("[topology]\nkind = \"chain\"\nhops = 4", moving).replace("EXTRA", "").replace("DSR", "");
        let (world, _) = whole_run(&text, None, seed);
        let counters = &world.ctx().trace.counters;
        assert!(counters.data(FlowId(0)).delivered > 250, "{:?}", counters.data(FlowId(0)));
        assert!(counters.routes_changed >= counters.routes_lost, "{counters:?}");
        lost += counters.routes_lost;
    }
    assert!(lost > 0);
}

#[test]
fn runs_repeat_and_ignore_a_distant_node() {
    repeats_and_ignores_a_distant_node(|extra, seed| run(extra, "", seed).1);
}
