//! Parked packets (Cai 2013, Algorithm 1): what parking does not change, what ends it, and which packets are sent meanwhile.

use super::super::frame_script::{frames, give, idle_world, run};
use super::{LINE, line, script};
use crate::kernel::{AnyRun, FlowId, NodeId, RadioId, Span, Time};
use crate::mac::observer::{ChannelObserver, Observer, Role};
use crate::packet::Frame;
use crate::trace::{Step, What};
use std::sync::{Arc, Mutex};

#[test]
fn refusal_keeps_cw_and_retry_count() {
    for seed in 0..200 {
        let mut world = line(&[(0, 1), (1, 2)], "")(seed);
        let mut refused = false;
        while !refused && world.now() < Time(20_000_000) {
            let next = world.now() + Span::from_micros(20);
            world.run_until(next).expect("a run without error");
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

/// Records reports of contention.
#[derive(Debug, Default)]
struct Contention {
    reports: Arc<Mutex<Vec<bool>>>,
}

impl ChannelObserver for Contention {
    fn on_frame(&mut self, _now: Time, _role: Role, _frame: &Frame) {}

    fn on_contending(&mut self, _now: Time, is_contending: bool) {
        self.reports.lock().expect("one thread").push(is_contending);
    }
}

#[test]
fn parked_node_is_reported_as_not_contending() {
    let make = line(&[(0, 1), (1, 2)], "");
    let parks = |seed: &u64| {
        let records = run(&mut make(*seed), 40);
        records.iter().any(|r| r.node == NodeId(0) && matches!(r.what, What::Handshake { step: Step::Parked, .. }))
    };
    let mut world = make((0..200).find(parks).expect("a seed with which node 0 parks"));
    let reports = Arc::default();
    world.observe(NodeId(0), Observer::Custom(Box::new(Contention { reports: Arc::clone(&reports) })));
    run(&mut world, 40);
    // One packet: it contends, is parked, contends again, and is sent.
    let reports = reports.lock().expect("one thread");
    assert!(
        reports.len() >= 4
            && reports.iter().enumerate().all(|(index, &is_contending)| is_contending == (index % 2 == 0)),
        "{reports:?}"
    );
}

#[test]
fn park_timer_frees_congested_pair_within_two_intervals() {
    // Algorithm 1, lines 1 and 2, taken literally: both park, and only the timer ends that. An idle interval is at most
    // two timers, the longest backoff at this stage, and a frame.
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
fn rings_of_congested_nodes_deliver_all_packets() {
    for size in 3..=5u32 {
        for more in
            ["", "[semi_tcp]\npreset = \"cai2013\"", "[semi_tcp]\npreset = \"cai2013\"\ncongested_at = \"tc_plus_m\""]
        {
            // All within reception range of each other, each with two packets for the next.
            let places: Vec<_> = (0..size).map(|i| (f64::from(i) * 0.2, f64::from(i % 2) * 0.2)).collect();
            let pairs: Vec<_> = (0..size).map(|i| (i, (i + 1) % size)).collect();
            for seed in 0..5 {
                let mut world = idle_world(&places, &pairs, more, seed);
                (0..size).for_each(|flow| give(&mut world, flow, 2));
                run(&mut world, 3_000);
                let counters = &world.ctx().trace.counters;
                let ended: u64 = (0..size).map(|flow| counters.data(FlowId(flow)).ended()).sum();
                assert_eq!(ended, u64::from(2 * size), "ring of {size}, seed {seed}: {more}");
                give(&mut world, 0, 1);
                run(&mut world, 1_000);
                assert_eq!(world.ctx().trace.counters.data(FlowId(0)).ended(), 3, "traffic continues");
            }
        }
    }
}

#[test]
fn park_timer_alone_frees_packet_of_slow_neighbor() {
    // k frames never arrive: only the timer unparks. Without a timer the packet stays parked.
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

/// T11: with parked data, ARP messages behind other data are sent first; in ns-2's queue they wait for the data.
#[test]
fn arp_overtakes_parked_data_if_configured() {
    let places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0)];
    for passes in [true, false] {
        let rules =
            format!("k = 500\nrts_clears = false\nmax_park = 0\nhandshake = \"1000000 s\"\narp_first = {passes}");
        let frames = (0..200).find_map(|seed| {
            let pairs = [(0, 1), (1, 2), (0, 3)];
            let mut world = idle_world(&places, &pairs, &format!("[link]\narp = true\n[semi_tcp]\n{rules}"), seed);
            (0..2).for_each(|flow| give(&mut world, flow, 1));
            run(&mut world, 100);
            // Addresses on the line are resolved. Node 1 refuses node 0, whose packet stays parked.
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

/// Data whose ACK was lost, then parked, then retransmitted after a control packet: the neighbor takes it as new.
#[test]
fn packet_accepted_twice_counts_twice() {
    let mut world = idle_world(&LINE, &[(0, 1)], "", 1);
    give(&mut world, 0, 1);
    let accepted = loop {
        assert!(!world.advance(Time::from_secs(1.0), 1).expect("a run without error"), "node 1 accepts it");
        if let Some((packet, true)) = world.macs[0].in_service().next() {
            break packet;
        }
    };
    world.carry_one::<AnyRun>(RadioId(1), crate::mac::MacOut::Received { packet: accepted, from: RadioId(0) });
    run(&mut world, 100);
    let life = world.ctx().trace.counters.data(FlowId(0));
    assert_eq!((life.originated, life.copied, life.delivered), (1, 1, 2));
}
