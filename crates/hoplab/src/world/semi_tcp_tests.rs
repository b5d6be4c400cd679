//! Semi-TCP's exchanges as scripts of frames, and what holds of it in random networks.

use super::World;
use super::frame_script::{frames, give, quiet, run};
use crate::kernel::{FlowId, NodeId, Purpose, Span, Streams, Time};
use crate::mac::observer::{ChannelObserver, Observer, Role};
use crate::packet::Frame;
use crate::scenario::{PathFact, Resolved};
use crate::trace::{DropReason, Record, Step, What};
use std::sync::{Arc, Mutex};

/// The first seed with which the frames begin as in `start`, and the whole script then.
fn script(start: &str, make: impl Fn(u64) -> World) -> (World, Vec<(Time, String)>, Vec<Record>) {
    for seed in 0..200 {
        let mut world = make(seed);
        let records = run(&mut world, 40);
        let frames = frames(&records);
        let words: Vec<&str> = frames.iter().map(|(_, frame)| frame.as_str()).collect();
        if words.join(", ").starts_with(start) {
            return (world, frames, records);
        }
    }
    panic!("no seed begins with {start}");
}

const LINE: [(f64, f64); 3] = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)];

fn line(given: &'static [(u32, u32)], more: &'static str) -> impl Fn(u64) -> World {
    move |seed| {
        let mut world = quiet(&LINE, &[(0, 1), (1, 2), (1, 0)], more, seed);
        for &(flow, count) in given {
            give(&mut world, flow, count);
        }
        world
    }
}

#[test]
fn figure_3a_and_3c_nobody_or_only_the_sender_is_congested() {
    let (_, frames, _) = script("RTS 0>1", line(&[(0, 1)], ""));
    let words: Vec<_> = frames.iter().map(|(_, frame)| frame.as_str()).collect();
    assert_eq!(words, ["RTS 0>1", "CTS 1>0", "DATA 0>1", "ACK 1>0"]);
    let (_, frames, _) = script("RTSC 0>1", line(&[(0, 2)], ""));
    let words: Vec<_> = frames.iter().take(4).map(|(_, frame)| frame.as_str()).collect();
    assert_eq!(words, ["RTSC 0>1", "CTS 1>0", "DATA 0>1", "ACK 1>0"]);
}

#[test]
fn figure_3b_a_congested_receiver_refuses_by_a_request_of_its_own() {
    let start = "RTS 0>1, RTSC 1>2, CTS 2>1, DATA 1>2, ACK 2>1";
    let (world, frames, records) = script(start, line(&[(0, 1), (1, 2)], ""));
    // SIFS after the end of the request; 667 ns on the way.
    assert_eq!(frames[1].0.since(frames[0].0), Span(352_000 + 667 + 10_000));
    assert_eq!(frames[2].0.since(frames[1].0), Span(352_000 + 667 + 10_000));
    let step = |step: Step, node: u32| {
        let is_it = |record: &&Record| {
            record.node == NodeId(node) && matches!(record.what, What::Handshake { step: s, .. } if s == step)
        };
        records.iter().find(is_it).map(|record| record.time)
    };
    assert!(step(Step::Parked, 0).is_some() && step(Step::Refused, 0) == step(Step::Parked, 0));
    assert_eq!(step(Step::Reused, 1), Some(frames[1].0));
    // Node 1 has sent one data frame: its congestion is over, and node 0 is served without a further refusal.
    assert!(step(Step::Unparked, 0) > Some(frames[3].0));
    let counters = &world.ctx().trace.counters;
    assert_eq!((counters.data(FlowId(0)).delivered, counters.data(FlowId(1)).delivered), (1, 2));
    assert_eq!(counters.dropped(DropReason::MacRetry), 0);
}

#[test]
fn a_refusal_leaves_window_and_retries_alone() {
    for seed in 0..200 {
        let mut world = line(&[(0, 1), (1, 2)], "")(seed);
        let mut refused = false;
        while !refused && world.now() < Time(20_000_000) {
            let next = world.now() + Span::from_micros(20);
            world.run_until(next).expect("a run that goes on");
            refused = world.ctx().trace.counters.steps(Step::Refused) > 0;
        }
        if refused && world.ctx().trace.counters.lost(crate::trace::Loss::Collision) == 0 {
            assert_eq!(world.macs[0].retry_state(), (31, 0));
            assert!(world.macs[0].is_parked());
            return;
        }
    }
    panic!("no seed has a refusal");
}

/// What an observer is told of its node's waiting.
#[derive(Debug, Default)]
struct Waits {
    told: Arc<Mutex<Vec<bool>>>,
}

impl ChannelObserver for Waits {
    fn on_frame(&mut self, _now: Time, _role: Role, _frame: &Frame) {}

    fn on_contending(&mut self, _now: Time, is_waiting: bool) {
        self.told.lock().expect("one thread").push(is_waiting);
    }
}

#[test]
fn observers_are_told_that_a_parked_node_does_not_wait() {
    let make = line(&[(0, 1), (1, 2)], "");
    let parks = |seed: &u64| {
        let records = run(&mut make(*seed), 40);
        records.iter().any(|r| r.node == NodeId(0) && matches!(r.what, What::Handshake { step: Step::Parked, .. }))
    };
    let mut world = make((0..200).find(parks).expect("a seed with which node 0 parks"));
    let told = Arc::default();
    world.observe(NodeId(0), Observer::Custom(Box::new(Waits { told: Arc::clone(&told) })));
    run(&mut world, 40);
    // One packet: it waits, is parked, waits again, and is gone.
    let told = told.lock().expect("one thread");
    assert!(
        told.len() >= 4 && told.iter().enumerate().all(|(place, &is_waiting)| is_waiting == (place % 2 == 0)),
        "{told:?}"
    );
}

#[test]
fn refusal_by_reuse_needs_a_third_node_out_of_eifs() {
    // Node 2 senses the refused request and cannot read it. By ns-2's rule its EIFS goes on through node 1's request:
    // it ends 8 us before the CTS is due with the long preamble, and after that with the short one (spec, section 4).
    let works = |more: &'static str| {
        let answered = (0..60).any(|seed| {
            let mut world = line(&[(0, 1), (1, 2)], more)(seed);
            let words: Vec<String> = frames(&run(&mut world, 40)).into_iter().map(|(_, frame)| frame).collect();
            words.join(", ").starts_with("RTS 0>1, RTSC 1>2, CTS 2>1")
        });
        let refused = (0..60).any(|seed| {
            let mut world = line(&[(0, 1), (1, 2)], more)(seed);
            let words: Vec<String> = frames(&run(&mut world, 40)).into_iter().map(|(_, frame)| frame).collect();
            words.join(", ").starts_with("RTS 0>1, RTSC 1>2")
        });
        assert!(refused, "{more}");
        answered
    };
    assert!(works(""));
    assert!(!works("[mac]\npreamble = \"short\"\nbasic_rate = \"2 Mb/s\""));
    assert!(works("[mac]\nprofile = \"std\"\npreamble = \"short\"\nbasic_rate = \"2 Mb/s\""));
    assert!(works("[mac]\nprofile = \"std\""));
}

#[test]
fn figure_3d_two_congested_nodes_help_each_other() {
    let start = "RTSC 0>1, CTSC 1>0, DATA 0>1, ACK 1>0";
    for more in ["", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""] {
        let (world, _, _) = script(start, line(&[(0, 2), (2, 2)], more));
        let counters = &world.ctx().trace.counters;
        assert_eq!((counters.data(FlowId(0)).delivered, counters.data(FlowId(2)).delivered), (2, 2), "{more}");
        assert!(counters.steps(Step::Resolved) >= 1 && counters.dropped(DropReason::MacRetry) == 0);
    }
}

#[test]
fn figure_3e_a_neighbor_helped_once_is_not_helped_again() {
    // Node 0 keeps being congested: its second request in a row is refused, by silence or by a request.
    let start = "RTSC 0>1, CTSC 1>0, DATA 0>1, ACK 1>0, RTSC 0>1, ";
    let silent = "[semi_tcp]\ndefer_when_self_congested = false";
    let (_, frames, records) = script(&format!("{start}RTSC"), line(&[(0, 5), (2, 2)], silent));
    assert_ne!(frames[5].0.since(frames[4].0), Span(352_000 + 667 + 10_000), "nothing comes SIFS after it");
    assert!(records.iter().any(|record| matches!(record.what, What::Handshake { step: Step::Silent, .. })));
    let rtsc = "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\"";
    let (_, frames, _) = script(&format!("{start}RTSC 1>0"), line(&[(0, 5), (2, 2)], rtsc));
    assert_eq!(frames[5].0.since(frames[4].0), Span(352_000 + 667 + 10_000));
}

#[test]
fn relays_that_wait_for_each_other_go_on() {
    // Figure 4 in the middle of a chain: node 1 is full of packets for node 3, node 2 of packets for node 0.
    let places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)];
    for more in ["", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""] {
        let make = |seed| {
            let mut world = quiet(&places, &[(1, 3), (2, 0)], more, seed);
            (0..2).for_each(|flow| give(&mut world, flow, 2));
            world
        };
        let (_, _, records) = script("RTSC 1>2, CTSC 2>1, DATA 1>2, ACK 2>1", make);
        assert!(records.iter().any(|record| matches!(record.what, What::Handshake { step: Step::Resolved, .. })));
        for seed in 0..20 {
            let mut world = make(seed);
            let mut peak = 0;
            let until = Time(2_000_000_000);
            while !world.advance(until, 1).expect("a run that goes on") {
                for node in 0..4 {
                    let held = world.nets[node].backlog(&world.ctx).data + u32::from(world.macs[node].holds_data());
                    peak = peak.max(held);
                }
            }
            let counters = &world.ctx().trace.counters;
            let ended = counters.data(FlowId(0)).ended() + counters.data(FlowId(1)).ended();
            assert_eq!((ended, counters.dropped(DropReason::QueueFull)), (4, 0), "seed {seed}: {more}");
            assert!(peak <= 3, "seed {seed}: {peak} packets: {more}");
        }
    }
}

#[test]
fn a_congested_node_that_waits_for_a_congested_one_is_free_again_within_two_times() {
    // Algorithm 1, lines 1 and 2, taken literally: both park, and only the timer ends that. An idle time is at most two
    // of them, the longest backoff at this stage, and a frame.
    let hold = 3_342_000;
    for seed in 0..40 {
        let mut world = line(&[(0, 2), (2, 2)], "")(seed);
        let frames = frames(&run(&mut world, 1_000));
        let counters = &world.ctx().trace.counters;
        assert_eq!((counters.data(FlowId(0)).delivered, counters.data(FlowId(2)).delivered), (2, 2), "seed {seed}");
        let longest = frames.windows(2).map(|pair| pair[1].0.since(pair[0].0).0).max();
        assert!(longest < Some(2 * hold + 64 * 20_000 + 2_512_000), "seed {seed}: {longest:?} {frames:?}");
    }
}

#[test]
fn rings_of_congested_nodes_end() {
    for size in 3..=5u32 {
        for more in
            ["", "[semi_tcp]\npreset = \"cai2013\"", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""]
        {
            // All in reach of each other, each with two packets for the next.
            let places: Vec<_> = (0..size).map(|i| (f64::from(i) * 0.2, f64::from(i % 2) * 0.2)).collect();
            let pairs: Vec<_> = (0..size).map(|i| (i, (i + 1) % size)).collect();
            for seed in 0..5 {
                let mut world = quiet(&places, &pairs, more, seed);
                (0..size).for_each(|flow| give(&mut world, flow, 2));
                run(&mut world, 3_000);
                let counters = &world.ctx().trace.counters;
                let ended: u64 = (0..size).map(|flow| counters.data(FlowId(flow)).ended()).sum();
                assert_eq!(ended, u64::from(2 * size), "ring of {size}, seed {seed}: {more}");
                give(&mut world, 0, 1);
                run(&mut world, 1_000);
                assert_eq!(world.ctx().trace.counters.data(FlowId(0)).ended(), 3, "it goes on afterwards");
            }
        }
    }
}

#[test]
fn only_the_time_frees_a_packet_whose_neighbor_sends_too_little() {
    // k frames never come: the timer alone releases. Without one the packet is parked for good.
    let start = "RTS 0>1, RTSC 1>2, CTS 2>1, DATA 1>2, ACK 2>1";
    let rules = "[semi_tcp]\nk = 500\nrts_clears = false\nmax_park = 0\nhandshake = ";
    let parked = |handshake: &str| {
        let more: &'static str = format!("{rules}\"{handshake}\"").leak();
        let (mut world, _, _) = script(start, line(&[(0, 1), (1, 2)], more));
        run(&mut world, 5_000);
        (world.macs[0].is_parked(), world.ctx().trace.counters.data(FlowId(0)).delivered)
    };
    assert_eq!(parked("0.1 ms"), (false, 1));
    assert_eq!(parked("1000000 s"), (true, 0));
}

#[test]
fn with_room_for_all_the_exchange_is_that_of_802_11() {
    // T16: apart from the longer wait for a CTS and the place of ARP, which can be had plain as well.
    let run_with = |handshake: &str| {
        let text = format!(
            "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 5\n[routing]\nprotocol = \"aodv\"\n[semi_tcp]\nt_c = 1000\nm = 1000\n\
             urgent_rts = \"plain_rts\"\ncts_timeout_extended = false\narp_first = false\n{}[[flow]]\ntransport = \"new_reno\"\n",
            [0, 1, 2, 3, 4, 5].map(|id| format!("[[node]]\nid = {id}\nhandshake = \"{handshake}\"\n")).concat()
        );
        let scenario = Resolved::parse(&text, "t16.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut world = World::new(&scenario, 3);
        world.run_until(scenario.end()).expect("a run that goes on");
        assert!(Step::ALL.iter().all(|&step| world.ctx().trace.counters.steps(step) == 0));
        world.ctx().trace.fingerprint()
    };
    assert_eq!(run_with("semi_tcp"), run_with("plain"));
}

/// T11: where data is parked, ARP behind other data gets out all the same; in ns-2's queue it waits as long as they do.
#[test]
fn address_resolution_passes_parked_data() {
    let places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0)];
    for passes in [true, false] {
        let rules =
            format!("k = 500\nrts_clears = false\nmax_park = 0\nhandshake = \"1000000 s\"\narp_first = {passes}");
        let frames = (0..200).find_map(|seed| {
            let pairs = [(0, 1), (1, 2), (0, 3)];
            let mut world = quiet(&places, &pairs, &format!("[link]\narp = true\n[semi_tcp]\n{rules}"), seed);
            (0..2).for_each(|flow| give(&mut world, flow, 1));
            run(&mut world, 100);
            // The addresses on the line are known. Node 1 refuses node 0, whose packet is parked for good.
            give(&mut world, 0, 1);
            give(&mut world, 1, 2);
            run(&mut world, 100);
            if !world.macs[0].is_parked() {
                return None;
            }
            give(&mut world, 0, 1);
            run(&mut world, 10);
            give(&mut world, 2, 1);
            Some(frames(&run(&mut world, 100)))
        });
        let words: Vec<_> = frames.expect("a seed with a refusal").into_iter().map(|(_, frame)| frame).collect();
        let request = format!("DATA 0>{}", NodeId::BROADCAST.0);
        let exchange = [request.as_str(), "RTS 3>0", "CTS 0>3", "DATA 3>0", "ACK 0>3"];
        assert_eq!(words, if passes { exchange.to_vec() } else { Vec::new() });
    }
}

#[test]
fn a_lost_address_request_does_not_stop_a_source() {
    // Node 1 sends nothing back in time: the first requests meet frames that nobody at node 0 can hear (node 2 is
    // hidden from it), so that some are lost and only a timer asks again.
    let text = "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
                [[flow]]\nfrom = 3\nto = 1\napp = \"cbr\"\nrate = \"150 kb/s\"\ntransport = \"udp\"\n\
                [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"1 s\"\n";
    let scenario = Resolved::parse(text, "arp.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    for seed in 0..10 {
        let mut world = World::new(&scenario, seed);
        world.run_until(scenario.end()).expect("a run that goes on");
        let delivered = world.ctx().trace.counters.data(FlowId(1)).delivered;
        assert!(delivered > 20, "seed {seed}: {delivered} segments");
    }
}

/// Data whose ACK was lost, then parked, then sent again behind a control packet: the neighbor takes it for new.
#[test]
fn a_packet_that_is_taken_over_twice_counts_as_two() {
    let mut world = quiet(&LINE, &[(0, 1)], "", 1);
    give(&mut world, 0, 1);
    let taken = loop {
        assert!(!world.advance(Time::from_secs(1.0), 1).expect("a run that goes on"), "node 1 takes it over");
        if let Some((packet, true)) = world.macs[0].in_service().next() {
            break packet;
        }
    };
    world.carry_one(NodeId(1), crate::mac::MacOut::Received { packet: taken, from: NodeId(0) });
    run(&mut world, 100);
    let life = world.ctx().trace.counters.data(FlowId(0));
    assert_eq!((life.originated, life.copied, life.delivered), (1, 1, 2));
}

/// Cai 2013, section 2: congestion reaches the neighbor that adds to it within a link's round trip, not a path's.
#[test]
fn a_neighbor_reacts_within_two_exchanges() {
    let text = "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\nprotocol = \"static\"\n\
                [[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\n";
    let scenario = Resolved::parse(text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    // An RTS, CTS, segment of 512 bytes and ACK at the default rates, long preambles and the gaps between them.
    let exchange = Span::from_micros(352 + 304 + 192 + (512 + 40 + 34) * 4 + 304 + 30);
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    let records = world.take_records();
    let mut waits = Vec::new();
    for (i, record) in records.iter().enumerate() {
        if record.node.0 == 0 || !matches!(record.what, What::Handshake { step: Step::Congested, .. }) {
            continue;
        }
        let (node, upstream) = (record.node, NodeId(record.node.0 - 1));
        for later in &records[i + 1..] {
            let What::Handshake { step, peer } = later.what else { continue };
            if later.node == node && step == Step::Uncongested {
                break;
            }
            if later.node == upstream && peer == node && matches!(step, Step::Refused | Step::Parked) {
                waits.push(later.time.since(record.time));
                break;
            }
        }
    }
    waits.sort_unstable();
    let median = waits[waits.len() / 2];
    assert!(waits.len() > 100, "{} reactions", waits.len());
    assert!(median <= exchange * 2, "median {median:?} of {} reactions, an exchange takes {exchange:?}", waits.len());
}

/// Data of a flow that reached its destination up to each of these times, in seconds.
fn delivered_by(scenario: &Resolved, flow: u32, times: &[f64]) -> Vec<u64> {
    let mut world = World::new(scenario, 1);
    let mut count = |&secs: &f64| {
        world.run_until(Time::from_secs(secs)).and_then(|()| world.audit()).expect("a run that goes on");
        world.ctx().trace.counters.data(FlowId(flow)).delivered
    };
    times.iter().map(&mut count).collect()
}

/// A neighbor that was heard to be congested and leaves holds nobody up for good. While it is away the relay before it
/// has transit traffic to try at all times, and its own source, which is asked when the queue is empty, gets nothing.
#[test]
fn a_congested_neighbor_that_leaves_stops_nobody() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"16 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n[[node]]\nid = 3\noff = [[\"5 s\", \"10 s\"]]\n\
             [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 2\nto = 0\ntransport = \"semi_tcp\"\nsegment = 512\n"
        );
        let scenario = Resolved::parse(&text, "leaves.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 0..2 {
            let delivered = delivered_by(&scenario, flow, &[5.0, 10.0, 16.0]);
            assert!(delivered[0] > 20, "{preset}: flow {flow} before: {delivered:?}");
            assert!(delivered[2] > delivered[1] + 20, "{preset}: flow {flow} comes back: {delivered:?}");
        }
    }
}

/// A packet for a neighbor that never answers stays with ARP for good. It counts as held while an answer may come, and
/// stops neither its node's own source nor what passes through.
#[test]
fn an_address_that_never_comes_stops_nobody() {
    for preset in ["paper", "cai2013"] {
        // Node 1 between 0 and 3, and beside it node 2, which is switched off: one datagram waits for its address.
        let text = format!(
            "duration = \"12 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [200, 0], [200, 200], [400, 0]]\n\
             [routing]\nprotocol = \"static\"\n[semi_tcp]\npreset = \"{preset}\"\n[[node]]\nid = 2\noff = [[\"0 s\", \"20 s\"]]\n\
             [[flow]]\nfrom = 1\nto = 2\napp = \"cbr\"\nrate = \"1 kb/s\"\ntransport = \"udp\"\nsegment = 512\nmax_packets = 1\n\
             [[flow]]\nfrom = 1\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n\
             [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n"
        );
        let scenario = Resolved::parse(&text, "gone.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 1..3 {
            let delivered = delivered_by(&scenario, flow, &[2.0, 12.0]);
            assert!(delivered[1] > delivered[0] + 200, "{preset}, flow {flow}: {delivered:?}");
        }
    }
}

/// Routing's messages pass where data is parked: over a saturated chain a second pair finds its way.
#[test]
fn a_way_is_found_over_a_saturated_chain() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\nprotocol = \"aodv\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n\
             [[flow]]\nfrom = 0\nto = 7\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 6\nto = 1\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"5 s\"\n"
        );
        let scenario = Resolved::parse(&text, "late.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let late = delivered_by(&scenario, 1, &[5.0, 10.0, 20.0]);
        assert!(late[0] == 0 && late[1] > 0 && late[2] > late[1], "{preset}: {late:?}");
    }
}

/// A random connected network with Semi-TCP in it; the number replays it.
fn random(number: u64, is_pure: bool) -> String {
    let mut chance = Streams::new(number).stream(Purpose::Traffic, 99);
    let mut pick = |choices: &[&str]| choices[chance.below(choices.len() as u32) as usize].to_string();
    let kind = pick(&["chain", "grid", "parallel", "spindle", "cross"]);
    let size = match kind.as_str() {
        "grid" => format!("rows = {}\ncolumns = {}", pick(&["2", "3"]), pick(&["2", "4"])),
        _ => format!("hops = {}", pick(&["1", "2", "3", "5", "8"])),
    };
    let preset = if is_pure { "paper".to_owned() } else { pick(&["paper", "cai2013"]) };
    let rules = format!(
        "preset = \"{preset}\"\nt_c = {}\nm = {}\ng = {}\nk = {}\nooo_ack = \"{}\"\nsource_fill = \"{}\"",
        pick(&["1", "1", "2", "4"]),
        pick(&["1", "1", "3"]),
        pick(&["1", "2"]),
        pick(&["1", "2", "3"]),
        pick(&["none", "single", "dupack"]),
        pick(&["pull_when_empty", "fill_to_tc"]),
    );
    let protocol = pick(&["static", "aodv", "dsdv"]);
    let feedback = pick(&["true", "false"]);
    let mac = format!("profile = \"{}\"\nssrl = {}", pick(&["ns2", "ns2", "std"]), pick(&["1", "4", "7", "9", "20"]));
    let arp = pick(&["true", "false"]);
    let mut text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"{kind}\"\n{size}\n[routing]\nprotocol = \"{protocol}\"\n\
         link_failure_feedback = {feedback}\n[mac]\n{mac}\n[link]\narp = {arp}\n[semi_tcp]\n{rules}\n"
    );
    if !is_pure && pick(&["yes", "no"]) == "yes" {
        text += "[[node]]\nid = 1\nhandshake = \"plain\"\n[[node]]\nid = 0\nhandshake = \"plain\"\n";
    }
    for flow in 0..if kind == "chain" { 2 } else { 3 } {
        let transport =
            if is_pure || flow == 0 { "semi_tcp".to_owned() } else { pick(&["semi_tcp", "new_reno", "udp"]) };
        let app = if transport == "udp" { "app = \"cbr\"\nrate = \"100 kb/s\"\n" } else { "" };
        let ends = if flow % 2 == 0 { "from = \"first\"\nto = \"last\"" } else { "from = \"last\"\nto = \"first\"" };
        let start = if protocol == "dsdv" { "5 s" } else { "0.5 s" };
        text += &format!("[[flow]]\n{ends}\ntransport = \"{transport}\"\nsegment = 512\nstart = \"{start}\"\n{app}");
    }
    text
}

#[test]
fn in_random_networks_nothing_stalls_and_nothing_is_lost_unaccounted() {
    let mut delivered = 0;
    for number in 0..80 {
        let text = random(number, false);
        let scenario = Resolved::parse(&text, "random.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if scenario.facts().flows.iter().any(|(_, path)| *path == PathFact::None) {
            continue;
        }
        let mut world = World::new(&scenario, number);
        for tenth in 1..=100 {
            let outcome = world.run_until(Time::from_secs(f64::from(tenth) * 0.1)).and_then(|()| world.audit());
            assert!(outcome.is_ok(), "network {number}: {outcome:?}\n{text}");
            world.nothing_waits_without_reason(scenario.semi_tcp.pull().max_outstanding, number, &text);
        }
        delivered += world.ctx().trace.counters.classes().iter().skip(1).map(|life| life.delivered).sum::<u64>();
    }
    assert!(delivered > 10_000, "the networks carry traffic: {delivered} packets delivered");
}

/// Every other node has a plain 802.11 MAC: requests are refused by some and not understood by others, whose queues
/// overflow. Who gets how much is another question; all get something, also late.
#[test]
fn half_of_the_nodes_plain_nothing_stalls_and_every_flow_arrives() {
    for (number, (kind, nodes)) in [("chain", 5), ("parallel", 10), ("cross", 9), ("spindle", 7)].iter().enumerate() {
        for preset in ["paper", "cai2013"] {
            let mut text = format!(
                "duration = \"60 s\"\n[topology]\nkind = \"{kind}\"\nhops = 4\n[routing]\nprotocol = \"aodv\"\n\
                 [semi_tcp]\npreset = \"{preset}\"\n"
            );
            for id in (1 - number % 2..*nodes).step_by(2) {
                text += &format!("[[node]]\nid = {id}\nhandshake = \"plain\"\n");
            }
            text += "[[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n";
            text += "[[flow]]\ntransport = \"new_reno\"\nsegment = 512\nstart = \"0.5 s\"\n";
            if *kind == "chain" {
                text += "from = \"last\"\nto = \"first\"\n";
            }
            let scenario = Resolved::parse(&text, "mixed.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut world = World::new(&scenario, number as u64);
            let mut delivered = Vec::new();
            for tenth in 1..=600 {
                let outcome = world.run_until(Time::from_secs(f64::from(tenth) * 0.1)).and_then(|()| world.audit());
                assert!(outcome.is_ok(), "{outcome:?}\n{text}");
                world.nothing_waits_without_reason(scenario.semi_tcp.pull().max_outstanding, number as u64, &text);
                if tenth % 300 == 0 {
                    delivered.push([0, 1].map(|flow| world.ctx().trace.counters.data(FlowId(flow)).delivered));
                }
            }
            let (half, whole) = (delivered[0], delivered[1]);
            assert!(whole.iter().all(|&count| count > 0), "{delivered:?}\n{text}");
            assert!(whole.iter().sum::<u64>() > half.iter().sum::<u64>() + 10, "{delivered:?}\n{text}");
        }
    }
}

/// A node that is source of one flow and receiver of another: its acknowledgments, which may go as soon as they are
/// made, leave its data every other place.
#[test]
fn acknowledgments_do_not_starve_the_data_of_their_node() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n[[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 2\nto = 0\ntransport = \"semi_tcp\"\nsegment = 512\n"
        );
        let scenario = Resolved::parse(&text, "both.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 0..2 {
            let delivered = delivered_by(&scenario, flow, &[5.0, 10.0]);
            assert!(delivered[0] > 20 && delivered[1] > delivered[0] + 20, "{preset}, flow {flow}: {delivered:?}");
        }
    }
}

#[test]
fn by_the_paper_no_queue_grows_beyond_what_is_reserved() {
    for number in 0..40 {
        let text = random(number, true);
        let scenario = Resolved::parse(&text, "random.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let rules = &scenario.semi_tcp;
        let limit = rules.t_c + rules.m + rules.g;
        let mut world = World::new(&scenario, number);
        let until = Time::from_secs(6.0);
        while !world.advance(until, 1).expect("a run that goes on") {
            for node in 0..world.nets.len() {
                let backlog = world.nets[node].backlog(&world.ctx);
                let held = backlog.data + u32::from(world.macs[node].holds_data());
                assert!(held <= limit, "network {number}, node {node}: {held} packets at {}\n{text}", world.now());
            }
        }
    }
}

impl World {
    /// Whoever has room is asked: a pulled source that still has data to send, or an acknowledgment that waits, must
    /// not face an idle node. A parked packet has a timer, a contending one a backoff.
    fn nothing_waits_without_reason(&mut self, limit: u32, number: u64, text: &str) {
        for flow in 0..self.flows.len() {
            let ends = &self.flows[flow];
            let has_begun = ends.connection.meter().total().sent > 0;
            // A source whose limit of memory binds has nothing to send.
            let is_full = ends.connection.sender().is_some_and(|sender| sender.tcb().in_flight() >= limit);
            if !ends.connection.is_pulled() || !has_begun || is_full {
                continue;
            }
            let node = ends.src.index();
            let backlog = self.nets[node].backlog(&self.ctx);
            let is_slot = self.nets[node].link.admission.is_slot(&backlog, self.macs[node].holds_data(), false);
            // Packets that wait for a route are followed by more, one with each event.
            assert!(
                !is_slot || backlog.waiting > 0,
                "network {number}: the source of flow {flow} stands still at {}\n{text}",
                self.now()
            );
        }
    }
}
