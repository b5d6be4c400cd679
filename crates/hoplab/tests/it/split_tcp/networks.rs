//! Split TCP over radio, MAC and routing.

use hoplab::kernel::{FlowId, NodeId, Purpose, RandomStreams, Time};
use hoplab::packet::{FrameKind, SegNo};
use hoplab::scenario::Resolved;
use hoplab::trace::What;
use hoplab::transport::proxy::split_tcp::stream_digest;
use hoplab::transport::proxy::{Proxy, ProxyCounts};
use hoplab::world::World;
use std::collections::BTreeMap;

fn resolved(text: &str) -> Resolved {
    Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn world(text: &str, seed: u64) -> World {
    World::new(&resolved(text), seed)
}

fn run(world: &mut World, until: f64) {
    world.run_until(Time::from_secs(until)).and_then(|()| world.audit()).unwrap_or_else(|error| panic!("{error}"));
}

/// A chain of this many hops with one flow from end to end.
fn chain(hops: u32, more: &str, flow: &str) -> String {
    format!(
        "duration = \"1000 s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         {more}\n[[flow]]\ntransport = \"split_tcp\"\nwindow = 32\n{flow}\n"
    )
}

fn counts(world: &World, node: u32) -> ProxyCounts {
    world.proxy(NodeId(node)).expect("a proxy").counts()
}

fn acting(world: &World) -> Vec<u32> {
    world.proxies().filter(|(_, proxy)| proxy.counts().taken > 0).map(|(node, _)| node.0).collect()
}

/// Segments delivered in order; asserts that their content is that of the sent stream.
fn delivered(world: &World, flow: u32) -> SegNo {
    let (_, sink) = world.connection(FlowId(flow)).split_ends().expect("a flow of split_tcp");
    assert_eq!(sink.digest(), stream_digest(FlowId(flow), sink.rcv_nxt()), "flow {flow}, {}", sink.rcv_nxt());
    sink.rcv_nxt()
}

fn is_done(world: &World, flow: u32) -> bool {
    world.connection(FlowId(flow)).split_ends().expect("a flow of split_tcp").0.is_done()
}

#[test]
fn proxies_act_every_third_hop() {
    for (routing, hops) in [("static", 4), ("static", 10), ("aodv", 7)] {
        let more = format!("[routing]\nprotocol = \"{routing}\"");
        let mut world = world(&chain(hops, &more, "start = \"60 s\"\nstop = \"70 s\""), 1);
        run(&mut world, 100.0);
        let got = delivered(&world, 0);
        assert!(
            got > 100 && is_done(&world, 0),
            "{routing}, {hops}: {got}, {:?}",
            world.connection(FlowId(0)).split_ends().map(|(source, _)| source.counts())
        );
        assert_eq!(acting(&world), (1..hops).filter(|node| node % 3 == 0).collect::<Vec<_>>(), "{routing}, {hops}");
    }
}

#[test]
fn disabled_proxy_is_replaced_by_the_next_node() {
    let more = "[routing]\nprotocol = \"static\"\n[[node]]\nid = 3\nproxy = false\n";
    let mut world = world(&chain(9, more, ""), 1);
    run(&mut world, 10.0);
    assert_eq!(acting(&world), [4, 7]);
}

#[test]
fn no_proxy_acts_within_tail_min_of_the_destination() {
    let more = "[routing]\nprotocol = \"static\"\n[split_tcp]\ntail_min = 2\n";
    let mut world = world(&chain(7, more, ""), 1);
    run(&mut world, 10.0);
    assert_eq!(acting(&world), [3]);
}

#[test]
fn local_acks_reach_their_leg_in_every_lack_routing() {
    for (lack_routing, routing) in
        [("via_source", "aodv"), ("direct", "aodv"), ("reverse_hops", "static"), ("reverse_hops", "aodv")]
    {
        let more = format!("[routing]\nprotocol = \"{routing}\"\n[split_tcp]\nlack_routing = \"{lack_routing}\"\n");
        let mut world = world(&chain(7, &more, "stop = \"20 s\""), 1);
        run(&mut world, 60.0);
        let (near, far) = (counts(&world, 3), counts(&world, 6));
        assert!(delivered(&world, 0) > 200 && is_done(&world, 0), "{lack_routing}");
        assert!(
            near.released * 10 > near.taken * 9 && far.released * 10 > far.taken * 9,
            "{lack_routing}: {near:?} {far:?}"
        );
    }
}

#[test]
fn trace_records_match_proxy_counts() {
    let mut world = world(&chain(7, "[routing]\nprotocol = \"static\"", "stop = \"5 s\""), 1);
    world.keep_records();
    run(&mut world, 20.0);
    let (mut accepted, mut released, mut lacks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut level = BTreeMap::new();
    for record in world.take_records() {
        match record.what {
            What::ProxyTook { held, .. } => {
                *accepted.entry(record.node.0).or_insert(0) += 1;
                level.insert(record.node.0, held);
            }
            What::ProxyReleased { held, .. } => {
                *released.entry(record.node.0).or_insert(0) += 1;
                level.insert(record.node.0, held);
            }
            What::LackSent { .. } => *lacks.entry(record.node.0).or_insert(0) += 1,
            _ => {}
        }
    }
    for node in [3, 6] {
        let counts = counts(&world, node);
        assert_eq!((accepted[&node], released[&node], lacks[&node]), (counts.taken, counts.released, counts.lacks));
        assert_eq!(u64::from(level[&node]), counts.held);
    }
    let report = world.report(&resolved(&chain(7, "", "")), 1, 0.0);
    assert_eq!(report.proxies.iter().map(|proxy| proxy.node).collect::<Vec<_>>(), [3, 6]);
    assert!(report.split[0].is_whole && report.split[0].delivered as i64 == delivered(&world, 0));
}

#[test]
fn aggregate_store_stays_within_its_limit() {
    let text = "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\nprotocol = \"static\"\n\
                [split_tcp]\nstate = \"aggregate\"\nstore_total = 20\nuse_win = false\n\
                [[flow]]\ntransport = \"split_tcp\"\nfrom = 0\nto = 7\n[[flow]]\ntransport = \"split_tcp\"\nfrom = 0\nto = 7\n";
    let mut world = world(text, 1);
    run(&mut world, 60.0);
    assert!(counts(&world, 3).held_max == 20 && counts(&world, 3).bypassed > 0);
    assert!(delivered(&world, 0) > 100 && delivered(&world, 1) > 100);
}

/// Kopparty 2002, Figure 2: frames to a proxy and frames from it alternate, while the stages of the other connection
/// continue.
#[test]
fn stages_alternate_at_a_proxy() {
    let text = "duration = \"20 s\"\n[topology]\nkind = \"parallel\"\nhops = 6\nrow_spacing = \"200 m\"\n[routing]\nprotocol = \
                \"static\"\n[[flow]]\ntransport = \"split_tcp\"\nwindow = 32\n[[flow]]\ntransport = \"split_tcp\"\nwindow = 32\n";
    let mut world = world(text, 1);
    world.keep_records();
    run(&mut world, 20.0);
    // Data frames: start and end in microseconds, and the link. Long preamble, 2 Mb/s.
    let on_air: Vec<(f64, f64, u32, u32)> = (world.take_records().iter())
        .filter_map(|record| match record.what {
            What::FrameSent { kind: FrameKind::Data, to, bytes } => {
                let begin = record.time.secs() * 1e6;
                Some((begin, begin + 192.0 + 4.0 * f64::from(bytes), record.node.0, to.0))
            }
            _ => None,
        })
        .collect();
    let overlaps = |a: &dyn Fn(u32, u32) -> bool, b: &dyn Fn(u32, u32) -> bool| {
        let of = |wanted: &dyn Fn(u32, u32) -> bool| -> Vec<_> {
            on_air.iter().filter(|(_, _, from, to)| wanted(*from, *to)).copied().collect()
        };
        let (first, second) = (of(a), of(b));
        assert!(first.len() > 200 && second.len() > 200, "{} and {}", first.len(), second.len());
        first.iter().filter(|a| second.iter().any(|b| a.0 < b.1 && b.0 < a.1)).count()
    };
    // Rows are nodes 0 to 6 and 7 to 13, their proxies nodes 3 and 10.
    for (proxy, other) in [(3, 10), (10, 3)] {
        assert_eq!(overlaps(&|_, to| to == proxy, &|from, _| from == proxy), 0, "proxy {proxy}");
        let (behind, before) = (
            move |from: u32, _| (proxy..proxy + 3).contains(&from),
            move |from: u32, _| (other - 3..other).contains(&from),
        );
        assert!(overlaps(&behind, &before) > 20, "the second stage of one connection and the first of the other");
    }
}

#[test]
fn random_proxy_failures_lose_no_byte() {
    let more = "[routing]\nprotocol = \"static\"\n[split_tcp.failure]\nrate = 0.2\nmean_off = \"2 s\"\n";
    let mut world = world(&chain(9, more, "stop = \"60 s\""), 3);
    run(&mut world, 300.0);
    assert!(counts(&world, 3).failures > 5 && counts(&world, 6).failures > 5);
    assert!(delivered(&world, 0) > 300 && is_done(&world, 0));
}

#[test]
fn random_node_failures_lose_no_byte() {
    let text = "duration = \"400 s\"\n[topology]\nkind = \"grid\"\nrows = 3\ncolumns = 7\n[routing]\nprotocol = \"aodv\"\n\
                [split_tcp.failure]\nmode = \"node\"\nrate = 0.1\nmean_off = \"3 s\"\n\
                [[flow]]\ntransport = \"split_tcp\"\nfrom = 7\nto = 13\nstop = \"60 s\"\n";
    let mut world = world(text, 2);
    world.keep_records();
    run(&mut world, 400.0);
    assert!((8..13).all(|node| counts(&world, node).failures > 0), "every relay has failed");
    assert!(delivered(&world, 0) > 200 && is_done(&world, 0), "{}", delivered(&world, 0));
    let records = world.take_records();
    let switched = |node: u32| {
        records.iter().any(|record| record.node == NodeId(node) && matches!(record.what, What::Switched { .. }))
    };
    assert!(switched(9) && !switched(7) && !switched(13), "only relays switch off their radio");
}

#[test]
fn goodput_without_proxies_is_that_of_plain_tcp() {
    let goodput = |transport: &str| {
        let of = |seed| {
            let text = format!(
                "duration = \"60 s\"\nwarmup = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[routing]\nprotocol = \"static\"\n\
                 [split_tcp]\nd_p = 8\ncharge_option_bytes = false\n[[flow]]\ntransport = \"{transport}\"\nwindow = 8\n"
            );
            let scenario = resolved(&text);
            let mut world = World::new(&scenario, seed);
            run(&mut world, 60.0);
            world.report(&scenario, seed, 0.0).flows[0].goodput_bps
        };
        (1..=5).map(of).sum::<f64>() / 5.0
    };
    let (split, plain) = (goodput("split_tcp"), goodput("sack"));
    assert!((split / plain - 1.0).abs() < 0.1, "{split} against {plain}");
}

#[test]
fn failure_of_every_proxy_in_random_networks_loses_no_byte() {
    let (mut lost, mut retransmitted) = (0, 0);
    for number in 0..60 {
        let mut stream = RandomStreams::new(number).stream(Purpose::ProxyFailure, 0);
        let kind = ["chain", "parallel", "cross", "spindle"][stream.below(4) as usize];
        let routing = ["static", "aodv"][stream.below(2) as usize];
        let (hops, spacing) = (4 + 2 * stream.below(4), [150, 200, 240][stream.below(3) as usize]);
        let (d_p, state) = (1 + stream.below(4), ["per_flow", "aggregate"][stream.below(2) as usize]);
        let flows = if kind == "chain" { 1 } else { 2 };
        let flow = "[[flow]]\ntransport = \"split_tcp\"\nwindow = 32\nstop = \"20 s\"\n".repeat(flows);
        let text = format!(
            "duration = \"2000 s\"\n[topology]\nkind = \"{kind}\"\nhops = {hops}\nspacing = \"{spacing} m\"\n[routing]\nprotocol = \
             \"{routing}\"\n[split_tcp]\nd_p = {d_p}\nstate = \"{state}\"\n{flow}"
        );
        let mut world = world(&text, number);
        let nodes: Vec<NodeId> = world.proxies().map(|(node, _)| node).collect();
        let mut plan: Vec<(f64, NodeId, bool)> = Vec::new();
        for node in nodes {
            let failure = 20.0 * stream.unit();
            plan.extend([(failure, node, true), (failure + 5.0 * stream.unit(), node, false)]);
        }
        plan.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, node, fails) in plan {
            run(&mut world, at);
            assert!(if fails { world.fail_proxy(node) } else { world.recover_proxy(node) });
        }
        let mut until = 30.0;
        while !(0..flows as u32).all(|flow| is_done(&world, flow)) && until < 2000.0 {
            run(&mut world, until);
            until += 10.0;
        }
        for flow in 0..flows as u32 {
            assert!(is_done(&world, flow), "run {number}, flow {flow}, {} delivered:\n{text}", delivered(&world, flow));
            let (source, _) = world.connection(FlowId(flow)).split_ends().expect("split_tcp");
            retransmitted += source.counts().e2e_retransmissions;
            assert_eq!(delivered(&world, flow), source.next());
        }
        for (node, proxy) in world.proxies() {
            lost += proxy.counts().lost;
            assert!(proxy.counts().held_max <= if state == "aggregate" { 200 } else { 50 * flows as u64 }, "{node}");
        }
    }
    assert!(lost > 100 && retransmitted > 100, "{lost} lost, {retransmitted} retransmitted");
}
