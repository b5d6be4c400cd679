//! Reports of networks whose behavior is known.

use hoplab::scenario::{NamedFile, Resolved, files_named};
use hoplab::world::World;

const SCENARIO: &str = r#"
duration = "20 s"
warmup = "5 s"
[topology]
kind = "chain"
hops = 4
[routing]
protocol = "static"
[[flow]]
window = 2
"#;

#[test]
fn report_of_flows_and_nodes_matches_path() {
    let scenario = Resolved::parse(SCENARIO, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    let report = world.report(&scenario, 1, 0.0);
    let flow = &report.flows[0];
    assert_eq!(flow.hops_mean, Some(4.0));
    assert_eq!(flow.drop_ratio, Some(flow.dropped as f64 / flow.segments_sent as f64), "dropped packets were sent");

    let nodes = &report.nodes;
    assert_eq!(nodes.len(), 5);
    let total = |count: fn(&hoplab::measure::NodeReport) -> u64| nodes.iter().map(count).sum::<u64>();
    assert_eq!(total(|node| node.rts), report.frames.rts);
    assert_eq!(total(|node| node.data), report.frames.data);
    assert_eq!(total(|node| node.collisions), report.lost["collision"]);
    assert_eq!(total(|node| node.dropped), report.drops.values().sum::<u64>());
    assert_eq!(total(|node| node.link_failures), report.routing.link_failures);
    assert!(nodes[0].relayed == 0 && nodes[4].relayed == 0, "the ends relay nothing");
    // Each node before the destination has forwarded every byte received; each segment is acknowledged.
    let arrived = flow.unique_bps * 15.0 / 8.0;
    assert!(nodes[..4].iter().all(|node| node.passed_bytes as f64 >= arrived && node.passed_bytes % 1460 == 0));
    assert_eq!(nodes[4].passed_bytes, 0);
    assert!((flow.acks_sent as f64 - flow.throughput_bps * 15.0 / 8.0 / 1460.0).abs() < 2.0, "{flow:?}");
    // Losses are rare: nearly always the first sending of a segment is received.
    let (transit, delay) = (flow.transit_mean_s.expect("data arrived"), flow.delay_mean_s.expect("data arrived"));
    assert!(transit > 0.01 && transit <= delay && delay < 1.5 * transit, "{transit} and {delay}");
    // Routes exist from the start: only the first packet waits before the source's queue, for ARP.
    let on_links = flow.mac_delay_mean_s.expect("data arrived");
    assert!(on_links <= transit && on_links > 0.99 * transit, "{on_links} and {transit}");
    // A relay forwards data and acknowledgments, and sends no packet of its own except ARP.
    let relay = &nodes[2];
    let wait = relay.relay_wait_mean_s.expect("packets were relayed");
    assert!(relay.relayed > 2 * 450 && relay.queued - relay.relayed <= 4, "{relay:?}");
    assert!(wait > 0.0 && wait < 0.02, "two packets are in the network at most: {wait}");
    let network = &report.network;
    // 5 nodes in a row have 8 link ends.
    assert_eq!(
        (network.connectivity_samples, network.degree_mean, network.connectivity_mean),
        (1, Some(1.6), Some(1.0))
    );
    assert_eq!((network.flows_connected_mean, network.shortest_hops_mean), (Some(1.0), Some(4.0)));
    assert_eq!((report.routing.changes, report.routing.breaks), (0, 0), "static routes stay");
}

#[test]
fn mac_delay_excludes_wait_for_route() {
    // The relay is off for four seconds, in which routing buffers the packets of the source.
    let text = r#"
duration = "20 s"
[topology]
kind = "chain"
hops = 2
[routing]
protocol = "aodv"
[[node]]
id = 1
radio_off = [["0 s", "5 s"]]
[[flow]]
app = "cbr"
rate = "16 kb/s"
segment = 500
transport = "udp"
start = "1 s"
"#;
    let scenario = Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    let flow = &world.report(&scenario, 1, 0.0).flows[0];
    let (transit, on_links) = (flow.transit_mean_s.expect("data"), flow.mac_delay_mean_s.expect("data"));
    assert!(transit > 0.2, "packets of the first seconds wait for seconds: {transit}");
    assert!(on_links > 0.005 && on_links < 0.1, "two hops take milliseconds: {on_links}");
}

#[test]
fn report_covers_measured_time_only() {
    let late = Resolved::parse(SCENARIO, "test.toml", &[("warmup".to_owned(), "19.9 s".to_owned())]);
    let late = late.unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&late, 1);
    world.run_until(late.end()).expect("a run that goes on");
    let flow = &world.report(&late, 1, 0.0).flows[0];
    assert!((1..20).contains(&flow.segments_sent), "{}", flow.segments_sent);
    assert!(flow.hops_mean == Some(4.0) && flow.dropped <= flow.segments_sent);
}

#[test]
fn traffic_file_defines_flows() {
    let text = "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[traffic]\nfile = \"cbr.tcl\"\n";
    let named = files_named(text, "test.toml", &[]);
    assert_eq!(named, ["cbr.tcl"]);
    let content = include_str!("../traffic/cbr.tcl").replace("56.333", "3.0").replace('\n', "\r\n");
    let file = NamedFile { name: named[0].clone(), path: "cbr.tcl".to_owned(), text: Ok(content) };
    let scenario = Resolved::parse_with(text, "test.toml", &[], &[file]).unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.warnings.is_empty(), "{:?}", scenario.warnings);
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    let flows = world.report(&scenario, 1, 0.0).flows;
    let ends: Vec<_> = flows.iter().map(|flow| (flow.src, flow.dst, flow.transport.as_str())).collect();
    assert_eq!(ends, [(1, 2, "udp"), (4, 0, "tahoe")]);
    // Four packets of 512 bytes a second from second 2.56 on, at random distances; then a file over four hops.
    assert!((20..=40).contains(&flows[0].segments_sent), "{}", flows[0].segments_sent);
    assert!(flows[1].goodput_bps > 50_000.0, "{}", flows[1].goodput_bps);
}

/// Parses a scenario with the traffic file, whose second flow starts at 56.333 s.
fn with_traffic(text: &str) -> Result<Resolved, String> {
    let content = include_str!("../traffic/cbr.tcl").to_owned();
    let file = NamedFile { name: "cbr.tcl".to_owned(), path: "cbr.tcl".to_owned(), text: Ok(content) };
    Resolved::parse_with(text, "test.toml", &[], &[file]).map_err(|error| error.to_string())
}

#[test]
fn flows_may_start_after_the_end_unless_all_do() {
    let rest = "[topology]\nkind = \"chain\"\nhops = 4\n";
    let file = "[traffic]\nfile = \"cbr.tcl\"\n";
    let flow = |start: &str| format!("[[flow]]\nfrom = 0\nto = 4\nstart = \"{start}\"\n");
    let warning_text = |late, count| format!("{late} of {count} flows start at or after the end of the run (10 s)");
    for (flows, warning) in [
        (file.to_owned(), Some(warning_text(1, 2))),
        (flow("10.1 s") + &flow("9.9 s"), Some(warning_text(1, 2))),
        (flow("0 s") + &flow("11 s") + file, Some(warning_text(2, 4))),
        (flow("0 s") + &flow("9 s"), None),
    ] {
        let scenario = with_traffic(&format!("duration = \"10 s\"\n{rest}{flows}")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scenario.warnings.first(), warning.as_ref(), "{flows}");
        let again = with_traffic(&scenario.to_toml()).unwrap_or_else(|error| panic!("as written out: {error}"));
        assert_eq!(again.canonical(), scenario.canonical());
        let mut world = World::new(&scenario, 1);
        world.run_until(scenario.end()).expect("a run that goes on");
        for (spec, flow) in scenario.flows.iter().zip(&world.report(&scenario, 1, 0.0).flows) {
            assert_eq!(flow.segments_sent == 0, spec.start >= scenario.end(), "{flows}");
        }
    }
    for (flows, expected) in [
        (flow("10 s") + &flow("11 s"), "flow.0.start: must be before the end of the run (2 s)"),
        (file.to_owned(), "traffic.file: start of all flows must be before the end of the run (2 s)"),
        (flow("10 s") + file, "flow.0.start: must be before the end of the run (2 s)"),
    ] {
        let short = format!("duration = \"2 s\"\n{rest}{flows}");
        let error = with_traffic(&short).expect_err("nothing would be sent");
        assert!(error.contains(expected) && error.contains("expected: time before the end of the run"), "{error}");
    }
}

#[test]
fn generated_flows_use_external_controller() {
    let text = "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n\
                [traffic]\nkind = \"tcp\"\npairs = \"ring\"\nconnections = 3\nstart_window = \"1 s\"\n\
                controller = \"mine.py:Calm\"\n";
    assert_eq!(files_named(text, "test.toml", &[]), ["mine.py"]);
    let parse = |text: &str, content: &str| {
        let file = NamedFile { name: "mine.py".to_owned(), path: "mine.py".to_owned(), text: Ok(content.to_owned()) };
        Resolved::parse_with(text, "test.toml", &[], &[file])
    };
    let scenario = parse(text, "one").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.flows.len(), 3);
    assert!(scenario.flows.iter().all(|flow| flow.transport_name() == "mine.py:Calm"));
    let again = parse(&scenario.to_toml(), "one").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.canonical(), scenario.canonical());
    let other = parse(text, "two").unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(other.canonical(), scenario.canonical());
    let datagrams = text.replace("kind = \"tcp\"", "kind = \"cbr\"\nrate = \"8 kb/s\"");
    let refused = parse(&datagrams, "one").expect_err("datagrams have no window").to_string();
    assert!(refused.contains("traffic.controller: not supported with transport = \"udp\""), "{refused}");
}
