//! Transports whose nodes control hop by hop: what repairs by SACK and release by overhearing gain, and that all stays below what the
//! medium carries.

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

/// The specification's figures, with room for other seeds: 354 kb/s at 99 ms, where NewReno has 216 at 231.
#[test]
fn release_carries_a_long_chain_at_half_the_delay() {
    let text = |transport: &str| network("kind = \"chain\"\nhops = 8", transport, 1);
    let (ours, reno) = (run(&text("hop_release"), 1), run(&text("new_reno"), 1));
    let of = |report: &RunReport| (report.flows[0].goodput_bps / 1e3, report.flows[0].delay_mean_s.unwrap_or(9.0));
    let ((kbps, delay), (reno_kbps, reno_delay)) = (of(&ours), of(&reno));
    assert!(kbps > 325.0 && kbps > 1.45 * reno_kbps && kbps < BOUND_OF_EIGHT, "{kbps} {reno_kbps}");
    assert!(delay < 0.5 * reno_delay, "{delay} {reno_delay}");
}

#[test]
fn release_does_no_harm_to_short_chains() {
    for hops in 1..=3 {
        let chain = |transport: &str, every: u32| {
            let text = network(&format!("kind = \"chain\"\nhops = {hops}"), transport, 1);
            goodputs(&(text + &format!("[tcp]\nack_every = {every}\n")))[0]
        };
        let (ours, reno) = (chain("hop_release", 16), chain("new_reno", 4));
        // 1539 kb/s over one hop, shared by two and three.
        assert!(ours >= 0.99 * reno && ours < 1539.0 / f64::from(hops), "{hops} hops: {ours} {reno}");
    }
}

#[test]
fn release_is_first_and_fair_on_crosses_and_parallels() {
    for (kind, hops) in [("cross", 4), ("cross", 6), ("parallel", 6)] {
        let flows = |transport: &str| goodputs(&network(&format!("kind = \"{kind}\"\nhops = {hops}"), transport, 2));
        let (ours, reno, semi) = (flows("hop_release"), flows("new_reno"), flows("semi_tcp_sack"));
        let sum = |flows: &[f64]| flows.iter().sum::<f64>();
        let worst = |flows: &[f64]| flows.iter().copied().fold(f64::MAX, f64::min);
        assert!(sum(&ours) > sum(&reno) && sum(&ours) > sum(&semi), "{kind} {hops}: {ours:?} {reno:?} {semi:?}");
        assert!(worst(&ours) > worst(&reno) && worst(&ours) > 0.45 * sum(&ours), "{kind} {hops}: {ours:?} {reno:?}");
    }
}

/// Its stations run over each kind of radio and routing, and conserve packets.
#[test]
fn release_runs_over_radios_and_routing() {
    let protocols = ["static", "aodv", "dsdv", "dsr", "olsr"];
    let ofdm = |standard: &str, mac: &str| {
        format!(
            "[radio]\nstandard = \"{standard}\"\npropagation = \"shadowing\"\nshadowing_deviation_db = 0\n\
             path_loss_exponent = 3\ntx_power = \"40 mW\"\n[mac]\nrts_threshold = 0\n{mac}\n"
        )
    };
    let radios = [
        ("ns2", "250 m", String::new()),
        ("std", "250 m", "[mac]\nrts_threshold = 0\n".to_owned()),
        ("std", "25 m", ofdm("11a", "data_rate = \"24 Mb/s\"")),
        ("std", "25 m", ofdm("11g", "data_rate = \"24 Mb/s\"")),
        ("std", "25 m", ofdm("11n", "mcs = 3")),
    ];
    for (profile, spacing, radio) in &radios {
        for protocol in protocols {
            let text = format!(
                "profile = \"{profile}\"\nduration = \"20 s\"\nwarmup = \"8 s\"\n{radio}[topology]\nkind = \"chain\"\nhops = 4\n\
                 spacing = \"{spacing}\"\n[routing]\nprotocol = \"{protocol}\"\n[[flow]]\ntransport = \"hop_release\"\n\
                 segment = 1460\nstart = \"5 s\"\n"
            );
            let goodput = run(&text, 1).flows[0].goodput_bps;
            // Discovered routes have hops of 50 m where broadcasts reach farther than data, and those of DSDV take a minute:
            // there, packets are conserved.
            let has_good_routes = protocol == "static" || protocol != "dsdv" && *spacing == "250 m";
            assert!(!has_good_routes || goodput > 200e3, "{profile}, {protocol}, {radio}: {goodput}");
        }
    }
}

#[test]
fn stations_have_one_handshake_policy() {
    let text = network("kind = \"chain\"\nhops = 3", "semi_tcp", 1)
        + "[[flow]]\ntransport = \"hop_release\"\nfrom = 3\nto = 0\n";
    let refused = Resolved::parse(&text, "two.toml", &[]).expect_err("a refusal").to_string();
    assert!(refused.contains("flow.1.transport") && refused.contains("another handshake policy"), "{refused}");
}
