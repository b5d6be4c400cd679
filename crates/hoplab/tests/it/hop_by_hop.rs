//! Transports whose nodes control hop by hop: what repairs by SACK gain, and that all stays below what the medium carries.

use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// The report of a run, whose packets are conserved.
fn run(text: &str, seed: u64) -> RunReport {
    let scenario = Resolved::parse(text, "hops.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).and_then(|()| world.audit()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    world.report(&scenario, seed, 0.0)
}

/// Goodput in order of each flow, kb/s: the mean of three seeds.
fn goodputs(text: &str) -> Vec<f64> {
    let runs: Vec<RunReport> = (1..=3).map(|seed| run(text, seed)).collect();
    let mean = |flow: usize| runs.iter().map(|run| run.flows[flow].goodput_bps / 3e3).sum();
    (0..runs[0].flows.len()).map(mean).collect()
}

/// A network of 250 m at 2 Mb/s, with flows between its natural pairs.
fn network(topology: &str, transport: &str, flows: u32) -> String {
    let flow = |nth: u32| format!("[[flow]]\ntransport = \"{transport}\"\nsegment = 1460\nstart = \"{} s\"\n", 1 + nth);
    format!(
        "duration = \"50 s\"\nwarmup = \"10 s\"\n[topology]\n{topology}\nspacing = \"250 m\"\n[routing]\nprotocol = \"static\"\n\
         [mac]\nssrl = 9\n{}",
        (0..flows).map(flow).collect::<String>()
    )
}

/// `hoplab bound` of a chain of eight hops, without acknowledgments.
const BOUND_OF_EIGHT: f64 = 562.0;

#[test]
fn sack_repairs_what_waits_for_a_timer_in_semi_tcp() {
    let chain = |transport: &str| goodputs(&network("kind = \"chain\"\nhops = 8", transport, 1))[0];
    let (timer, sack, reno) = (chain("semi_tcp"), chain("semi_tcp_sack"), chain("new_reno"));
    assert!(sack > 270.0 && sack > 1.2 * reno && sack > timer, "{timer} {sack} {reno}");
    assert!(sack < BOUND_OF_EIGHT, "{sack}");
}

#[test]
fn sack_serves_both_flows_of_crosses_and_parallels() {
    for (kind, total) in [("cross", 190.0), ("parallel", 290.0)] {
        let flows = |transport: &str| goodputs(&network(&format!("kind = \"{kind}\"\nhops = 6"), transport, 2));
        let (timer, sack) = (flows("semi_tcp"), flows("semi_tcp_sack"));
        let sum = |flows: &[f64]| flows.iter().sum::<f64>();
        assert!(sum(&sack) > total && sum(&sack) > 2.0 * sum(&timer), "{kind}: {timer:?} {sack:?}");
        assert!(sack.iter().all(|flow| *flow > 0.4 * sum(&sack)), "{kind}: {sack:?}");
        // One hop carries 1539 kb/s, and three hops of a path share a medium.
        assert!(sum(&sack) < 1539.0 / 3.0, "{kind}: {sack:?}");
    }
}

/// An acknowledgment for 16 segments: fewer than one in ten, and more than one in twenty.
#[test]
fn acknowledgments_count_segments_of_any_order() {
    for (k, least, most) in [(16, 1.0 / 17.0, 1.0 / 10.0), (4, 1.0 / 5.0, 1.0 / 2.5)] {
        let text = network("kind = \"chain\"\nhops = 8", "semi_tcp_sack", 1) + &format!("[tcp]\nack_every = {k}\n");
        let flow = &run(&text, 1).flows[0];
        let share = flow.acks_sent as f64 / flow.segments_sent as f64;
        assert!((least..most).contains(&share), "k {k}: {share}");
    }
}

/// A window of A-MPDUs is lost as a whole: its segments are repaired together.
#[test]
fn sack_carries_in_order_over_ampdus() {
    for hops in [4, 6] {
        let text = |transport: &str| {
            format!(
                "profile = \"std\"\nduration = \"12 s\"\nwarmup = \"3 s\"\n\
                 topology = {{ kind = \"chain\", hops = {hops}, spacing = \"25 m\" }}\n\
                 radio = {{ standard = \"11n\", propagation = \"shadowing\", shadowing_deviation_db = 0, \
                 path_loss_exponent = 3, tx_power = \"40 mW\" }}\n[routing]\nprotocol = \"static\"\n\
                 [mac]\nrts_threshold = 0\nmcs = 3\n[[flow]]\ntransport = \"{transport}\"\nsegment = 1460\n"
            )
        };
        let [timer, sack, reno] =
            ["semi_tcp", "semi_tcp_sack", "new_reno"].map(|transport| goodputs(&text(transport))[0]);
        assert!(timer < 0.1 * reno && sack > 0.85 * reno, "{hops} hops: {timer} {sack} {reno}");
        // 26 Mb/s, shared by at least three hops.
        assert!(sack < 26_000.0 / 3.0, "{hops} hops: {sack}");
    }
}
