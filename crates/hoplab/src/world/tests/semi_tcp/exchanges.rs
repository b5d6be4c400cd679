//! The exchanges of Cai 2013, figures 3 and 4, as scripts of frames.

use super::super::frame_script::{frames, give, idle_world, run};
use super::{line, script};
use crate::kernel::{FlowId, NodeId, RadioId, Span, Time};
use crate::scenario::Resolved;
use crate::trace::{DropReason, Record, Step, What};
use crate::world::World;

#[test]
fn figures_3a_3c_uncongested_receiver_grants_rts() {
    let (_, frames, _) = script("RTS 0>1", line(&[(0, 1)], ""));
    let words: Vec<_> = frames.iter().map(|(_, frame)| frame.as_str()).collect();
    assert_eq!(words, ["RTS 0>1", "CTS 1>0", "DATA 0>1", "ACK 1>0"]);
    let (_, frames, _) = script("RTSC 0>1", line(&[(0, 2)], ""));
    let words: Vec<_> = frames.iter().take(4).map(|(_, frame)| frame.as_str()).collect();
    assert_eq!(words, ["RTSC 0>1", "CTS 1>0", "DATA 0>1", "ACK 1>0"]);
}

#[test]
fn figure_3b_congested_receiver_refuses_by_own_rts() {
    let start = "RTS 0>1, RTSC 1>2, CTS 2>1, DATA 1>2, ACK 2>1";
    let (world, frames, records) = script(start, line(&[(0, 1), (1, 2)], ""));
    // SIFS after the end of the RTS; 667 ns of propagation.
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
    // Node 1 has sent one data frame: it is no longer congested, and node 0 is served without another refusal.
    assert!(step(Step::Unparked, 0) > Some(frames[3].0));
    let counters = &world.ctx().trace.counters;
    assert_eq!((counters.data(FlowId(0)).delivered, counters.data(FlowId(1)).delivered), (1, 2));
    assert_eq!(counters.dropped(DropReason::MacRetry), 0);
}

#[test]
fn figure_3d_congested_pair_resolves_deadlock() {
    let start = "RTSC 0>1, CTSC 1>0, DATA 0>1, ACK 1>0";
    for more in ["", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""] {
        let (world, _, _) = script(start, line(&[(0, 2), (2, 2)], more));
        let counters = &world.ctx().trace.counters;
        assert_eq!((counters.data(FlowId(0)).delivered, counters.data(FlowId(2)).delivered), (2, 2), "{more}");
        assert!(counters.steps(Step::Resolved) >= 1 && counters.dropped(DropReason::MacRetry) == 0);
    }
}

#[test]
fn figure_3e_second_rtsc_in_a_row_is_refused() {
    // Node 0 remains congested: its second RTSC in a row is refused, by no response or by an RTS.
    let start = "RTSC 0>1, CTSC 1>0, DATA 0>1, ACK 1>0, RTSC 0>1, ";
    let silent = "[semi_tcp]\ndefer_when_self_congested = false";
    let (_, frames, records) = script(&format!("{start}RTSC"), line(&[(0, 5), (2, 2)], silent));
    assert_ne!(frames[5].0.since(frames[4].0), Span(352_000 + 667 + 10_000), "no frame follows after SIFS");
    assert!(records.iter().any(|record| matches!(record.what, What::Handshake { step: Step::Silent, .. })));
    let rtsc = "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\"";
    let (_, frames, _) = script(&format!("{start}RTSC 1>0"), line(&[(0, 5), (2, 2)], rtsc));
    assert_eq!(frames[5].0.since(frames[4].0), Span(352_000 + 667 + 10_000));
}

#[test]
fn figure_4_mutually_blocked_relays_resume() {
    // Figure 4 within a chain: node 1 is full of packets for node 3, node 2 of packets for node 0.
    let places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)];
    for more in ["", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""] {
        let make = |seed| {
            let mut world = idle_world(&places, &[(1, 3), (2, 0)], more, seed);
            (0..2).for_each(|flow| give(&mut world, flow, 2));
            world
        };
        let (_, _, records) = script("RTSC 1>2, CTSC 2>1, DATA 1>2, ACK 2>1", make);
        assert!(records.iter().any(|record| matches!(record.what, What::Handshake { step: Step::Resolved, .. })));
        for seed in 0..20 {
            let mut world = make(seed);
            let mut peak = 0;
            let until = Time(2_000_000_000);
            while !world.advance(until, 1).expect("a run without error") {
                for node in 0..4 {
                    let backlog = world.nets[node].backlog(&world.ctx, RadioId(node as u32));
                    let held = backlog.data + u32::from(world.macs[node].holds_data());
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
fn refusal_by_own_rts_needs_third_node_out_of_eifs() {
    // Node 2 senses the refused RTS and cannot decode it. By ns-2's rule its EIFS continues through node 1's RTS: it ends
    // 8 us before the CTS is due with the long preamble, and after that with the short one (docs/specs/semi-tcp.md
    // section 3).
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
fn uncongested_semi_tcp_equals_plain_802_11() {
    // T16: except for the longer CTS timeout and the priority of ARP, which are switched off here.
    let run_with = |handshake: &str| {
        let text = format!(
            "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 5\n[routing]\nprotocol = \"aodv\"\n[semi_tcp]\nt_c = 1000\nm = 1000\n\
             urgent_rts = \"plain_rts\"\ncts_timeout_extended = false\narp_first = false\n{}[[flow]]\ntransport = \"new_reno\"\n",
            [0, 1, 2, 3, 4, 5].map(|id| format!("[[node]]\nid = {id}\nhandshake = \"{handshake}\"\n")).concat()
        );
        let scenario = Resolved::parse(&text, "t16.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut world = World::new(&scenario, 3);
        world.run_until(scenario.end()).expect("a run without error");
        assert!(Step::ALL.iter().all(|&step| world.ctx().trace.counters.steps(step) == 0));
        world.ctx().trace.fingerprint()
    };
    assert_eq!(run_with("semi_tcp"), run_with("plain"));
}

/// Cai 2013, section 2: congestion is signaled to the upstream neighbor within the round trip of a link, not of a path.
#[test]
fn neighbor_reacts_within_two_exchanges() {
    let text = "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\nprotocol = \"static\"\n\
                [[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\n";
    let scenario = Resolved::parse(text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    // RTS, CTS, a segment of 512 bytes and ACK at the default rates with long preambles, and the SIFS between them.
    let exchange = Span::from_micros(352 + 304 + 192 + (512 + 40 + 34) * 4 + 304 + 30);
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run without error");
    let records = world.take_records();
    let mut delays = Vec::new();
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
                delays.push(later.time.since(record.time));
                break;
            }
        }
    }
    delays.sort_unstable();
    let median = delays[delays.len() / 2];
    assert!(delays.len() > 100, "{} reactions", delays.len());
    assert!(median <= exchange * 2, "median {median:?} of {} reactions, an exchange takes {exchange:?}", delays.len());
}
