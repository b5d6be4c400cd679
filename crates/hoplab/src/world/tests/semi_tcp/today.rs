//! Semi-TCP over today's MACs: A-MPDUs, TXOPs, access categories and several radios. What relays hold, what aggregation gains, and
//! which frames carry the status.

use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::FrameKind;
use crate::scenario::Resolved;
use crate::trace::{DropReason, Step, What};
use crate::world::World;

/// A chain at 25 m, with hidden nodes two hops apart for data, and RTSs that these decode.
fn chain(hops: u32, standard: &str, mac: &str, transport: &str, more: &str) -> String {
    format!(
        "profile = \"std\"\nduration = \"4 s\"\n\
         topology = {{ kind = \"chain\", hops = {hops}, spacing = \"25 m\" }}\n\
         radio = {{ standard = \"{standard}\", propagation = \"shadowing\", shadowing_deviation_db = 0, \
         path_loss_exponent = 3, tx_power = \"40 mW\" }}\n\
         [routing]\nprotocol = \"static\"\n[mac]\nrts_threshold = 0\n{mac}\n[[flow]]\nfrom = \"first\"\nto = \"last\"\n\
         transport = \"{transport}\"\nsegment = 1460\n{more}"
    )
}

const N: &str = "mcs = 3";
const SINGLY: &str = "mcs = 3\nampdu = \"0 B\"";
const A: &str = "data_rate = \"24 Mb/s\"";

fn world(text: &str) -> (World, Resolved) {
    let scenario = Resolved::parse(text, "today.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    (world, scenario)
}

/// The end of a run, which is audited.
fn run(text: &str) -> World {
    let (mut world, scenario) = world(text);
    world.run_until(scenario.end()).and_then(|()| world.audit()).expect("a run without error");
    world
}

/// Distinct segments of a flow in Mb/s.
fn mbps(world: &World, flow: u32) -> f64 {
    world.ctx().trace.counters.data(FlowId(flow)).delivered as f64 * 1460.0 * 8e-6 / world.now().secs()
}

/// Packets that a node holds, in queues and MACs.
fn held(world: &World, node: u32) -> u32 {
    let macs = world.ctx().radios.of(NodeId(node)).map(|radio| world.macs[radio.index()].data_packets()).sum::<u32>();
    world.queue_len(NodeId(node)) as u32 + macs
}

/// The most that a relay of a chain holds at any of its ends of events, and a turn, of a run in steps.
fn most_held(text: &str, hops: u32) -> (u32, u32, World) {
    let (mut world, scenario) = world(text);
    let mut most = 0;
    while world.now() < scenario.end() {
        let next = (world.now() + Span::from_micros(500)).min(scenario.end());
        world.run_until(next).expect("a run without error");
        most = (1..hops).map(|relay| held(&world, relay)).fold(most, u32::max);
    }
    world.audit().expect("packets are conserved");
    let turn = world.macs[1].turn().packets();
    (most, turn, world)
}

/// The control of hops: T_c + m turns, and g against deadlocks, whatever the length of the path.
#[test]
fn relays_hold_no_more_than_their_turns() {
    for (standard, mac) in
        [("11n", N), ("11n", "mcs = 7"), ("11n", "mcs = 3\nampdu = \"0 B\"\namsdu = \"7935 B\""), ("11a", A)]
    {
        for hops in [3, 5] {
            let spaced = chain(hops, standard, mac, "semi_tcp", "")
                .replace("25 m", if mac.contains("mcs = 7") { "10 m" } else { "26 m" });
            let (most, turn, world) = most_held(&spaced, hops);
            let limit = 3 * turn;
            assert!(most <= limit, "{mac}, {hops} hops: {most} of {turn} a turn");
            assert_eq!(turn > 1, standard == "11n", "{mac}");
            assert!(most > 0, "{mac}: relays held nothing");
            // Three turns can be more than a queue.
            let counters = &world.ctx().trace.counters;
            let (full, arrived) = (counters.dropped(DropReason::QueueFull), counters.data(FlowId(0)).delivered);
            assert!(full * 20 <= arrived, "{mac}: {full} of {arrived}");
            assert!(mbps(&world, 0) > 1.0, "{mac}, {hops} hops: {} Mb/s", mbps(&world, 0));
        }
    }
}

/// On one hop nothing is controlled: aggregation gains what it gains for NewReno.
#[test]
fn one_hop_gains_from_aggregation_as_new_reno_does() {
    let at = |mac: &str, transport: &str| mbps(&run(&chain(1, "11n", mac, transport, "")), 0);
    let [semi, semi_singly] = [N, SINGLY].map(|mac| at(mac, "semi_tcp"));
    let [reno, reno_singly] = [N, SINGLY].map(|mac| at(mac, "new_reno"));
    assert!(semi / semi_singly > 0.95 * (reno / reno_singly), "{semi} {semi_singly} {reno} {reno_singly}");
    // 26 Mb/s: less than data alone take.
    assert!(semi < 26.0 * 1460.0 / 1538.0 && semi > 0.95 * reno, "{semi} {reno}");
}

/// A longer chain holds short queues. What it loses waits for the timer of the paper, so that it carries less than NewReno.
#[test]
fn long_chain_goes_on_after_losses() {
    let at = |transport: &str| mbps(&run(&chain(6, "11n", N, transport, "")), 0);
    let (semi, reno) = (at("semi_tcp"), at("new_reno"));
    assert!(semi > 0.5 * reno && semi < 1.2 * reno, "{semi} {reno}");
}

#[test]
fn block_acks_carry_the_status_without_rts() {
    let more = "[semi_tcp]\nsignal_in = [\"data\", \"ack\"]";
    let text = chain(4, "11n", N, "semi_tcp", more).replace("rts_threshold = 0", "rts_threshold = 65535");
    let world = run(&text);
    let counters = &world.ctx().trace.counters;
    assert!(counters.steps(Step::Parked) > 0 && counters.steps(Step::Rtsc) == 0, "{}", counters.steps(Step::Parked));
    assert_eq!(
        counters.steps(Step::Parked),
        counters.steps(Step::Unparked) + u64::from(world.macs.iter().any(crate::mac::Mac::has_parked))
    );
    assert!(mbps(&world, 0) > 1.0);
    let without = run(&text.replace("[\"data\", \"ack\"]", "[]"));
    assert_eq!(without.ctx().trace.counters.steps(Step::Parked), 0);
}

/// One channel per hop: a relay receives on one radio while it sends on the other.
#[test]
fn relay_with_two_radios_receives_while_it_sends() {
    let radios = |channels: [u32; 3]| {
        let [first, second, third] = channels;
        format!(
            "[[node]]\nid = 0\nradios = [{{ channel = {first} }}]\n[[node]]\nid = 1\nradios = [{{ channel = {first} }}, {{ \
             channel = {second} }}]\n[[node]]\nid = 2\nradios = [{{ channel = {second} }}, {{ channel = {third} }}]\n\
             [[node]]\nid = 3\nradios = [{{ channel = {third} }}]\n"
        )
    };
    for (standard, mac) in [("11a", A), ("11n", N)] {
        // Behind a gap the receiver is silent: datagrams over one hop are the ceiling.
        let datagrams = chain(1, standard, mac, "udp", "app = \"cbr\"\nrate = \"30 Mb/s\"\n");
        let one_hop = mbps(&run(&datagrams), 0);
        let text = |more: &str| chain(3, standard, mac, "semi_tcp", more).replace("25 m", "26 m");
        let shared = mbps(&run(&text("")), 0);
        let (most, turn, world) = most_held(&text(&radios([36, 40, 44])), 3);
        let apart = mbps(&world, 0);
        assert!(
            apart > 1.5 * shared && apart <= one_hop,
            "{standard}: {apart}, one channel {shared}, one hop {one_hop}"
        );
        // One more is granted while the last of the others is on its way to the other radio.
        assert!(most <= 4 * turn, "{standard}: {most} of {turn} a turn");
        // Frames of both channels overlap at the first relay: its data and those of the source.
        let records = {
            let mut world = world;
            world.take_records()
        };
        let starts = |node: u32| {
            records.iter().filter(move |record| record.node == NodeId(node)).filter_map(|record| match record.what {
                What::FrameSent { kind, bytes, .. } if kind.is_data() && bytes > 1000 => Some(record.time),
                _ => None,
            })
        };
        let relay: Vec<Time> = starts(1).collect();
        let close = starts(0)
            .filter(|at| relay.iter().any(|other| at.since(*other).max(other.since(*at)) < Span::from_micros(400)));
        assert!(close.count() > 50, "{standard}");
    }
}

/// Video beside Semi-TCP over two relays: as much arrives as beside NewReno, where hidden nodes destroy some too, and Semi-TCP goes on.
#[test]
fn categories_park_packets_of_their_own() {
    let video = "[[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"udp\"\napp = \"cbr\"\nsegment = 1000\n\
                 rate = \"800 kb/s\"\npriority = \"PRIORITY\"\n";
    for mac in [format!("{A}\nqos = true"), N.to_owned()] {
        let standard = if mac == N { "11n" } else { "11a" };
        let at = |transport: &str, priority: &str| {
            let text =
                chain(3, standard, &mac, transport, &video.replace("PRIORITY", priority)).replace("25 m", "26 m");
            let world = run(&text);
            let counters = world.ctx().trace.counters.data(FlowId(1));
            let delay = counters.transit as f64 / counters.delivered as f64 * 1e-6;
            (counters.delivered as f64 / counters.originated as f64, delay, mbps(&world, 0), world)
        };
        let (arrived, delay, semi, world) = at("semi_tcp", "video");
        let (_, slow, _, _) = at("semi_tcp", "background");
        let (beside_reno, ..) = at("new_reno", "video");
        assert!(
            arrived > beside_reno - 0.05 && semi > 0.5,
            "{standard}: {arrived} and {beside_reno} of the video, {semi} Mb/s"
        );
        assert!(delay < slow, "{standard}: {delay} ms as video, {slow} ms as background");
        assert!(world.ctx().trace.counters.steps(Step::Parked) > 0, "{standard}");
    }
}

/// A TXOP is a turn: it goes to the neighbor that has granted, and gains what NewReno gains.
#[test]
fn grant_of_a_txop_lets_its_exchanges_through() {
    let burst = format!("{A}\ntxop_limit = \"4 ms\"\nqos = true");
    let single = format!("{A}\nqos = true");
    let at = |hops: u32, mac: &str| mbps(&run(&chain(hops, "11a", mac, "semi_tcp", "").replace("25 m", "26 m")), 0);
    let gain = at(1, &burst) / at(1, &single);
    assert!(gain > 1.1 && gain < 2.0, "{gain}");
    assert!(at(3, &burst) > at(3, &single), "{} {}", at(3, &burst), at(3, &single));
    let (most, turn, world) = most_held(&chain(4, "11a", &burst, "semi_tcp", "").replace("25 m", "26 m"), 4);
    assert!(turn > 2 && most <= 3 * turn, "{most} of {turn} a turn");
    assert_eq!(world.ctx().trace.counters.dropped(DropReason::QueueFull), 0);
}

/// Routing messages pass parked windows, singly.
#[test]
fn routes_are_found_while_windows_are_parked() {
    // DSDV has routes over four hops after a minute and a half.
    for protocol in ["aodv", "dsr", "olsr"] {
        let text = chain(4, "11n", N, "semi_tcp", "start = \"20 s\"\n")
            .replace("\"static\"", &format!("\"{protocol}\""))
            .replace("tx_power = ", "rx_range = \"35 m\", tx_power = ")
            .replace("\"4 s\"", "\"24 s\"");
        let world = run(&text);
        let carried = mbps(&world, 0) * 24.0 / 4.0;
        assert!(carried > 0.5, "{protocol}: {carried} Mb/s");
        let counters = &world.ctx().trace.counters;
        assert!(protocol != "aodv" || counters.steps(Step::UrgentRts) > 0, "{protocol}");
    }
}

/// Two flows that cross at one node both go on.
#[test]
fn crossing_flows_both_go_on() {
    let text = "profile = \"std\"\nduration = \"4 s\"\ntopology = { kind = \"cross\", hops = 4, spacing = \"26 m\" }\n\
                radio = { standard = \"11n\", propagation = \"shadowing\", shadowing_deviation_db = 0, \
                path_loss_exponent = 3, tx_power = \"40 mW\" }\n[routing]\nprotocol = \"static\"\n[mac]\nmcs = 3\n\
                rts_threshold = 0\n[[flow]]\ntransport = \"semi_tcp\"\nsegment = 1460\n[[flow]]\ntransport = \"semi_tcp\"\n\
                segment = 1460\nfrom = 5\nto = 8\n";
    let world = run(text);
    let [first, second] = [0, 1].map(|flow| mbps(&world, flow));
    assert!(first > 0.3 && second > 0.3, "{first} {second}");
    let aggregates = world.ctx().trace.counters.frames(FrameKind::Aggregate);
    assert!(aggregates > 100, "{aggregates}");
}
