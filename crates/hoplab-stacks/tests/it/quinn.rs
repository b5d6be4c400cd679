//! Flows that quinn-proto carries: goodput, determinism, handshake, repair, ends of connections, applications.

use crate::common::{chain, check_fingerprints, check_repair, mean_goodput_of, run, world};
use hoplab::kernel::NodeId;
use hoplab::scenario::Resolved;
use hoplab::trace::What;
use hoplab::world::World;

const ALL: [&str; 3] = ["quinn_new_reno", "quinn_cubic", "quinn_bbr"];

/// Goodput in kb/s that a program of its own measured with the same version of quinn-proto and an earlier engine, three seeds.
#[test]
fn goodput_is_that_of_an_independent_driver() {
    let rows = [
        (1, [1350.3, 1350.9, 1350.9]),
        (2, [672.6, 671.0, 672.9]),
        // Seeds of bbr differ: ten of that program have a mean of 327.5 with a 95 % CI of 8.4.
        (4, [312.8, 311.9, 327.5]),
    ];
    for (hops, expected) in rows {
        for (transport, expected) in ALL.into_iter().zip(expected) {
            let (allowed, seeds) = if (hops, transport) == (4, "quinn_bbr") { (0.05, 10) } else { (0.005, 3) };
            let mean = mean_goodput_of(seeds, hops, transport, "");
            assert!((mean / expected - 1.0).abs() < allowed, "{transport}, {hops} hops: {mean}, expected {expected}");
        }
    }
}

#[test]
fn runs_repeat_to_the_byte() {
    check_fingerprints(&[
        ("quinn_new_reno", 0x1bca_b45c_12e4_b230),
        ("quinn_cubic", 0xae04_d11b_0805_cb7e),
        ("quinn_bbr", 0x3a78_4575_83d6_7499),
    ]);
}

/// RFC 9000 section 14.1: datagrams with an Initial packet have 1200 bytes at least. IP and UDP add 28.
#[test]
fn handshake_counts_bytes_and_round_trips() {
    let text = chain(1, 5, "quinn_cubic", "bytes = \"1 B\"\n");
    let (scenario, mut world) = world(&text, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    let records = world.take_records();
    let sent = |node| {
        let sent = records.iter().filter_map(move |record| match record.what {
            What::Originated { bytes, .. } if record.node == NodeId(node) => Some(bytes),
            _ => None,
        });
        sent.collect::<Vec<_>>()
    };
    let (client, server) = (sent(0), sent(1));
    assert_eq!((client[0], server[0]), (1228, 1228), "{client:?} {server:?}");
    assert!(client[1..].iter().chain(&server[1..]).all(|bytes| *bytes < 1300), "{client:?} {server:?}");
    // The byte arrives half a round trip after the handshake's whole one.
    let secs = world.report(&scenario, 1, 0.0).flows[0].fct_s.flatten().expect("a transfer that ends");
    let datagram = 1228.0 * 8.0 / 2e6;
    assert!(secs > 3.0 * datagram && secs < 5.0 * datagram, "{secs} s");
}

#[test]
fn lost_packets_are_repaired() {
    for transport in ALL {
        check_repair(transport, "");
    }
}

#[test]
fn results_have_what_the_stack_reports() {
    let report = run(&chain(4, 60, "quinn_cubic", ""), 1);
    let flow = &report.flows[0];
    let lost = flow.declared_lost.expect("quinn counts losses");
    assert!(lost >= flow.dropped / 2 && lost <= flow.dropped * 2, "{lost} declared lost, {} dropped", flow.dropped);
    assert!(flow.fast_retransmits > 0 && flow.fast_retransmits <= lost);
    assert!(flow.cwnd_mean.is_some_and(|cwnd| (2.0..40.0).contains(&cwnd)), "{:?}", flow.cwnd_mean);
    assert!(flow.delay_p95_s > flow.delay_mean_s && flow.delay_mean_s > Some(0.02));
    assert!(flow.acks_sent > flow.segments_sent / 4, "the server's datagrams count as acknowledgments");
}

#[test]
fn source_stops_and_closes_the_connection() {
    let text = chain(1, 30, "quinn_cubic", "stop = \"5 s\"\n");
    let (scenario, mut world) = world(&text, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    let report = world.report(&scenario, 1, 0.0);
    let (flow, bits) = (&report.flows[0], report.flows[0].goodput_bps * 30.0);
    assert!((5.0 * 1.2e6..6.0 * 1.4e6).contains(&bits), "{bits} bits");
    assert_eq!(flow.aborted_by, None);
    assert_eq!(world.next_time(), None, "nothing is left to do");
}

#[test]
fn unreachable_peer_ends_in_a_timeout() {
    let text =
        chain(1, 60, "quinn_new_reno", "bytes = \"1 MB\"\n") + "[[node]]\nid = 1\nradio_off = [[\"2 s\", \"60 s\"]]\n";
    let report = run(&text, 1);
    let flow = &report.flows[0];
    assert_eq!((flow.is_aborted, flow.aborted_by.as_deref(), flow.fct_s), (Some(true), Some("timeout"), Some(None)));
}

#[test]
fn applications_and_workloads_supply_data() {
    let text = chain(2, 40, "quinn_cubic", "app = \"cbr\"\nrate = \"80 kb/s\"\nsegment = \"500 B\"\n");
    let report = run(&text, 1);
    let flow = &report.flows[0];
    assert!((flow.goodput_bps / 80e3 - 1.0).abs() < 0.02, "{}", flow.goodput_bps);
    assert!(flow.app_delay_mean_s.is_some_and(|delay| (0.005..0.1).contains(&delay)), "{:?}", flow.app_delay_mean_s);
    let text = "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[workload]]\nkind = \"poisson\"\n\
                from = 0\nto = 2\nrate = \"1 /s\"\nsize = \"20 kB\"\nstop = \"40 s\"\ntransport = \"quinn_cubic\"\n";
    let report = run(text, 1);
    let done = report.flows.iter().filter(|flow| flow.fct_s.flatten().is_some()).count();
    assert!(done > 20 && done == report.flows.len(), "{done} of {}", report.flows.len());
}

#[test]
fn flows_of_the_engine_share_the_network() {
    let text = chain(2, 40, "quinn_cubic", "") + "[[flow]]\ntransport = \"tcp_cubic\"\nfrom = 0\nto = 2\n";
    let shares: Vec<f64> = run(&text, 1).flows.iter().map(|flow| flow.goodput_bps).collect();
    assert!(shares.iter().all(|bits| *bits > 50e3) && shares.iter().sum::<f64>() > 550e3, "{shares:?}");
}

#[test]
fn program_without_stacks_names_the_feature() {
    let scenario = Resolved::parse(&chain(1, 5, "quinn_cubic", ""), "stacks.toml", &[]).expect("a scenario");
    let error = World::build(&scenario, 1).map(|_| ()).expect_err("no stack").to_string();
    assert_eq!(error, "transports quinn_* need a program that is built with feature \"quinn\" of hoplab-stacks");
}

#[test]
fn keys_that_quinn_does_not_read_are_reported() {
    let parse = |rest: &str| Resolved::parse(&chain(1, 5, "quinn_cubic", rest), "stacks.toml", &[]);
    let warnings = parse("window = 8\nsegment = \"1000 B\"\n").expect("warnings only").warnings;
    assert!(warnings.iter().any(|warning| warning.starts_with("flow.0.window: has no effect")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.starts_with("flow.0.segment: has no effect")), "{warnings:?}");
    for rest in ["read_rate = \"1 kb/s\"\n", "bytes = \"0 B\"\n", "bytes = \"9 B\"\nmax_packets = 2\n"] {
        assert!(parse(rest).is_err(), "{rest}");
    }
}
