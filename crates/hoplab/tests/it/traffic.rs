//! Traffic in whole runs: how much is sent, when, and what is reported of it.

use hoplab::measure::RunReport;
use hoplab::metrics::mean_opinion_score;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Flows over this many hops.
fn run(hops: u32, seconds: u32, flows: &str, seed: u64) -> RunReport {
    let text = format!("duration = \"{seconds} s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n{flows}");
    let scenario = Resolved::parse(&text, "traffic.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world.report(&scenario, seed, 0.0)
}

#[test]
fn bursts_have_half_the_rate_on_average() {
    let flow = "[[flow]]\ntransport = \"udp\"\napp = \"on_off\"\n";
    let sent: u64 = (1..=5).map(|seed| run(1, 1000, flow, seed).flows[0].segments_sent).sum();
    // Cycles of gap * E[packets] + 0.5 s of silence; 19.05 packets on average (rounding included), 26.25 ms apart.
    let expected = 5000.0 * 19.05 / (19.05 * 0.02625 + 0.5);
    assert!((sent as f64 / expected - 1.0).abs() < 0.05, "{sent} and not {expected}");
}

#[test]
fn a_call_over_datagrams() {
    let report = run(2, 100, "[[flow]]\ntransport = \"udp\"\napp = \"voip\"\n", 1);
    let flow = &report.flows[0];
    // One every 20 ms, at both ends of the run.
    assert_eq!(flow.segments_sent, 5001);
    assert!(flow.loss_ratio.expect("datagrams") < 0.001);
    let delay = flow.app_delay_mean_s.expect("a delay");
    assert_eq!(flow.delay_mean_s, Some(delay));
    let [p95, p99, max] = [flow.delay_p95_s, flow.delay_p99_s, flow.delay_max_s].map(|value| value.expect("a delay"));
    assert!(delay < p95 && p95 <= p99 && p99 <= max, "{delay} {p95} {p99} {max}");
    assert!(flow.jitter_s.expect("jitter") < max);
    assert_eq!(flow.mos, Some(mean_opinion_score(delay, flow.loss_ratio.expect("datagrams"))));
    assert!(flow.mos.expect("a score") > 4.3);
    let pauses = run(2, 1000, "[[flow]]\ntransport = \"udp\"\napp = \"voip\"\ntalk_spurts = true\n", 1);
    let activity = pauses.flows[0].segments_sent as f64 / 50_000.0;
    assert!((activity - 0.387).abs() < 0.06, "{activity}");
}

#[test]
fn a_call_over_a_connection_waits_in_the_sender() {
    // Seven hops carry some 200 kb/s; what is more waits, and the application sees it, the segments do not.
    let flow =
        |rate: &str| format!("[[flow]]\ntransport = \"new_reno\"\napp = \"cbr\"\nrate = \"{rate}\"\nsegment = 1000\n");
    let slow = run(7, 60, &flow("50 kb/s"), 1);
    let fast = run(7, 60, &flow("1 Mb/s"), 1);
    let delay = |report: &RunReport| report.flows[0].app_delay_mean_s.expect("a delay");
    assert!((slow.flows[0].goodput_bps / 50e3 - 1.0).abs() < 0.02, "{}", slow.flows[0].goodput_bps);
    assert!(delay(&slow) < 0.2, "{}", delay(&slow));
    assert!(delay(&fast) > 10.0, "{}", delay(&fast));
    assert!(fast.flows[0].delay_mean_s.expect("a delay") < 5.0);
    let call = run(3, 60, "[[flow]]\ntransport = \"sack\"\napp = \"voip\"\n", 1);
    assert_eq!((call.flows[0].loss_ratio, call.flows[0].mos.is_some()), (None, true));
    assert!((call.flows[0].goodput_bps / 68.8e3 - 1.0).abs() < 0.02, "{}", call.flows[0].goodput_bps);
}

#[test]
fn a_limit_ends_traffic() {
    for (keys, packets) in [("transport = \"udp\"\napp = \"cbr\"\nrate = \"80 kb/s\"\n", 100), ("", 101)] {
        // A connection opens with a segment of its own.
        let report = run(2, 100, &format!("[[flow]]\n{keys}max_packets = 100\n"), 1);
        let flow = &report.flows[0];
        assert_eq!(flow.segments_sent - flow.retransmissions, packets, "{keys}");
        assert_eq!(flow.goodput_bps * 100.0 / 8.0, 100.0 * 1460.0, "{keys}");
        assert_eq!(flow.timeouts, 0, "{keys}");
    }
}

#[test]
fn starts_spread_by_chance_of_their_own() {
    let flows = "[[flow]]\nstart = \"1 s\"\nstart_spread = \"10 s\"\n".repeat(2).replacen(
        "[[flow]]",
        "[[flow]]\nfrom = 0\nto = 1",
        1,
    );
    let flows = flows.replace("[[flow]]\nstart", "[[flow]]\nfrom = 2\nto = 1\nstart");
    let starts: Vec<[f64; 2]> = (0..40)
        .map(|seed| run(2, 12, &flows, seed).flows.iter().map(|flow| flow.start_s).collect::<Vec<_>>())
        .map(|list| [list[0], list[1]])
        .collect();
    assert!(starts.iter().flatten().all(|start| (1.0..11.0).contains(start)));
    let mean = starts.iter().flatten().sum::<f64>() / 80.0;
    assert!((mean - 6.0).abs() < 4.0 * 10.0 / (12.0f64 * 80.0).sqrt(), "{mean}");
    assert!(starts.iter().all(|[a, b]| a != b));
}
