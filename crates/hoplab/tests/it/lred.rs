//! Link RED and adaptive pacing on chains.

use hoplab::kernel::FlowId;
use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// A NewReno flow over so many hops, with these keys of `[queue]`, after the audit of its packets.
fn run(hops: u32, queue: &str, keys: &str, seed: u64) -> (RunReport, u64) {
    let text = format!(
        "duration = \"60 s\"\nwarmup = \"10 s\"\n[queue]\n{queue}\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         [routing]\nprotocol = \"static\"\n{keys}[[flow]]\ntransport = \"new_reno\"\n"
    );
    let scenario = Resolved::parse(&text, "lred.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let dropped = world.ctx().trace.counters.data(FlowId(0)).dropped.iter().sum();
    (world.report(&scenario, seed, 0.0), dropped)
}

/// Mean goodput of three seeds, in kb/s.
fn goodput(hops: u32, queue: &str) -> f64 {
    (1..=3).map(|seed| run(hops, queue, "", seed).0.flows[0].goodput_bps / 3e3).sum()
}

#[test]
fn one_hop_is_neither_dropped_nor_paced() {
    let [plain, lred] = ["", "kind = \"lred\""].map(|queue| run(1, queue, "", 1));
    assert_eq!(lred.1, 0);
    assert_eq!(lred.0.flows[0].goodput_bps, plain.0.flows[0].goodput_bps);
}

#[test]
fn pacing_raises_goodput_over_seven_hops() {
    let [plain, paced, unpaced] =
        ["", "kind = \"lred\"", "kind = \"lred\"\npacing = false"].map(|queue| goodput(7, queue));
    assert!(paced > 1.04 * plain && unpaced < 1.02 * plain, "{plain} {paced} {unpaced}");
}

#[test]
fn marks_replace_drops_of_a_flow_that_understands_them() {
    let queue = "kind = \"lred\"\nmin = 0.2\nmax = 1.2\npacing = false\n";
    let (dropping, drops) = run(7, queue, "", 1);
    let marking = run(7, &format!("{queue}ecn = true"), "[tcp]\necn = true\n", 1);
    let retransmissions = |report: &RunReport| report.flows[0].retransmissions;
    assert!(drops > 50 && marking.1 < drops / 2, "{drops} {}", marking.1);
    assert!(2 * retransmissions(&marking.0) < retransmissions(&dropping), "{:?}", marking.0.flows[0]);
}
