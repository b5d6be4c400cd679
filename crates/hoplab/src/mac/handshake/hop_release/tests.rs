use super::*;
use crate::kernel::Span;
use crate::mac::MacConfig;
use crate::mac::handshake::{Turn, TurnLimits};
use crate::packet::Transit;
use std::sync::Arc;

const ME: RadioId = RadioId(1);
const NEXT: RadioId = RadioId(2);
const LAST: RadioId = RadioId(9);

fn rules() -> HopReleaseRules {
    HopReleaseRules {
        hold: 2,
        extra: None,
        extra_per_hop: None,
        timeout: 6.0,
        misses: 3,
        requeue: 3,
        swap: true,
        long_from: None,
    }
}

fn policy(rules: &HopReleaseRules) -> HopRelease {
    let timing = Arc::new(Timing::new(&MacConfig::default()));
    let turn = Turn::new(TurnLimits { packet: 1500, most: 1, aggregation: None }, &timing);
    HopRelease::build(rules, &HandshakeSetup { radio: ME, timing: &timing, turn: &turn })
}

fn exchange() -> f64 {
    Timing::new(&MacConfig::default()).exchange(1500).secs()
}

fn taken(dst: RadioId, bytes: u32, hops_left: Option<u16>) -> Taken {
    Taken { next: NEXT, dst, bytes, is_own: false, hops_left, category: Category::BestEffort }
}

fn local() -> LocalState {
    LocalState { data: Some(NEXT), packets: 1, turn: 1, ..LocalState::default() }
}

/// An RTS for a packet of so many bytes.
fn rts(from: RadioId, to: RadioId, bytes: u32) -> Frame {
    let timing = Timing::new(&MacConfig::default());
    Frame {
        duration: timing.rts_duration(timing.data(bytes, false), timing.unicast),
        ..Frame::blank(FrameKind::Rts, from, to)
    }
}

/// Sends a packet, and asks about the next one. Returns until when that waits, in exchanges from the end of the first.
fn wait_after(policy: &mut HopRelease, first: Taken, heard: Option<(f64, Frame)>) -> Option<f64> {
    let start = Time::from_secs(1.0);
    policy.on_taken(&first);
    assert_eq!(policy.decide(start, &local(), true), Decision::Contend);
    policy.rts_bits(&local());
    policy.on_acknowledged(start, NEXT, false);
    let mut now = start;
    if let Some((after, frame)) = heard {
        now = start + Span::from_secs(after * exchange());
        policy.on_frame(now, &frame);
    }
    policy.on_taken(&taken(LAST, 1500, first.hops_left));
    match policy.decide(now, &local(), true) {
        Decision::Contend => None,
        Decision::Park { until } => Some(until.since(start).secs() / exchange()),
    }
}

fn close(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-3), "{found:?}, not {expected}");
}

#[test]
fn next_packet_waits_for_the_hop_and_further_exchanges() {
    let relayed = |receiver| Some((2.0, rts(NEXT, receiver, 1500)));
    // An exchange of the hop, and half of one for each hop beyond two, two at most.
    for (left, extra) in [(Some(2), 0.0), (Some(3), 0.5), (Some(5), 1.5), (Some(6), 2.0), (Some(20), 2.0), (None, 2.0)]
    {
        let found = wait_after(&mut policy(&rules()), taken(LAST, 1500, left), relayed(RadioId(3)));
        close(found, 2.0 + 1.0 + extra);
    }
    close(wait_after(&mut policy(&rules()), taken(LAST, 1500, None), relayed(LAST)), 3.0);
}

#[test]
fn a_hop_that_is_not_heard_is_waited_for_six_exchanges() {
    close(wait_after(&mut policy(&rules()), taken(LAST, 1500, Some(4)), None), 6.0);
    // What it sends to this node, or for a short packet, is no sign.
    for frame in [rts(NEXT, ME, 1500), rts(NEXT, RadioId(3), 104)] {
        close(wait_after(&mut policy(&rules()), taken(LAST, 1500, Some(4)), Some((1.0, frame))), 6.0);
    }
}

#[test]
fn a_hop_that_is_never_heard_is_given_up_after_three_waits() {
    let mut policy = policy(&rules());
    let mut now = Time::from_secs(1.0);
    let mut waits = 0;
    for _ in 0..6 {
        policy.on_taken(&taken(LAST, 1500, Some(4)));
        if let Decision::Park { until } = policy.decide(now, &local(), true) {
            (now, waits) = (until, waits + 1);
            assert_eq!(policy.decide(now, &local(), false), Decision::Contend);
        }
        policy.rts_bits(&local());
        policy.on_acknowledged(now, NEXT, false);
    }
    assert_eq!(waits, 3);
}

#[test]
fn last_hop_and_short_packets_contend_at_once() {
    for first in [taken(NEXT, 1500, Some(1)), taken(LAST, 104, Some(4))] {
        assert_eq!(wait_after(&mut policy(&rules()), first, None), None);
    }
    let mut policy = policy(&rules());
    close(wait_after(&mut policy, taken(LAST, 1500, Some(4)), None), 6.0);
    let start = Time::from_secs(1.0);
    for packet in [taken(NEXT, 1500, Some(1)), taken(LAST, 104, Some(4))] {
        policy.on_taken(&packet);
        assert_eq!(policy.decide(start, &local(), true), Decision::Contend);
    }
    assert!(policy.passes(104) && !policy.passes(1500));
}

#[test]
fn a_node_that_holds_two_of_others_grants_no_long_packet() {
    let mut policy = policy(&rules());
    let idle = LocalState::default();
    let mut transit = Transit::default();
    let mut answer = |transit, frame: &Frame| {
        policy.on_backlog(Backlog { transit, ..Backlog::default() });
        policy.respond(Time::ZERO, frame, &idle)
    };
    let grant = RtsResponse::Cts { order: false };
    let asked = rts(RadioId(0), ME, 1500);
    transit.add(NEXT);
    assert_eq!(answer(transit, &asked), grant);
    transit.add(NEXT);
    assert_eq!(answer(transit, &asked), RtsResponse::Silence);
    assert_eq!(answer(transit, &rts(RadioId(0), ME, 104)), grant, "short ones are always granted");
    // Two-way flows would wait for each other.
    assert_eq!(answer(transit, &rts(NEXT, ME, 1500)), grant);
}

#[test]
fn packets_in_the_mac_are_held_unless_they_are_own() {
    for (is_own, expected) in [(false, RtsResponse::Silence), (true, RtsResponse::Cts { order: false })] {
        let mut policy = policy(&HopReleaseRules { hold: 1, ..rules() });
        policy.on_taken(&Taken { is_own, ..taken(LAST, 1500, Some(4)) });
        assert_eq!(policy.respond(Time::ZERO, &rts(RadioId(0), ME, 1500), &local()), expected);
    }
}

#[test]
fn a_packet_is_tried_again_three_times() {
    let mut policy = policy(&rules());
    policy.on_taken(&taken(LAST, 1500, Some(4)));
    let again: Vec<_> = (0..5).map(|_| policy.repeats(Category::BestEffort)).collect();
    assert_eq!(again, [true, true, true, false, false]);
    policy.on_taken(&taken(LAST, 1500, Some(4)));
    assert!(policy.repeats(Category::BestEffort), "the next packet begins anew");
}

#[test]
fn withheld_hops_are_those_whose_packets_would_be_parked() {
    let mut policy = policy(&rules());
    let until = wait_after(&mut policy, taken(LAST, 1500, Some(4)), None).expect("a wait");
    let withheld = |policy: &mut HopRelease, at: f64| {
        let mut list = Vec::new();
        policy.withheld(Time::from_secs(1.0) + Span::from_secs(at * exchange()), &mut |hop| list.push(hop));
        list
    };
    assert_eq!(withheld(&mut policy, until - 0.1), [NEXT]);
    assert_eq!(withheld(&mut policy, until + 0.1), []);
}
