//! NAV reset after an RTS without exchange: IEEE 802.11-2012 section 9.3.2.4 as scripts of frames.

use super::frame_script::{frames, give, idle_world, run};
use crate::kernel::{Span, Time};
use crate::scenario::Resolved;
use crate::world::World;

/// Node 1 sends RTS to node 2, which may not respond; node 0 overhears it and has a packet for node 3.
const PLACES: [(f64, f64); 4] = [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (0.0, 0.0)];

/// From the end of an RTS to the earliest frame after a NAV reset: 2 SIFS, CTS, 2 slots (364 us), and DIFS.
const RESET: Span = Span::from_micros(364 + 50);

/// NAV set by the RTS for 532 bytes at 2 Mb/s: 3 SIFS, CTS, data and ACK.
const RESERVED: Span = Span::from_micros(30 + 304 + (192 + 566 * 4) + 304);

/// Time from the end of node 1's first RTS to the next frame of node 0, which receives a packet from above during that RTS.
fn wait_after_rts(more: &str, seed: u64) -> Span {
    let mut world = idle_world(&PLACES, &[(1, 2), (0, 3)], more, seed);
    give(&mut world, 0, 1);
    let started = first(&mut world, "RTS 1>2");
    give(&mut world, 1, 1);
    let sent = first(&mut world, "RTS 0>3");
    sent.since(started + Span::from_micros(352))
}

/// When a frame is next sent.
fn first(world: &mut World, frame: &str) -> Time {
    for _ in 0..400 {
        let until = world.now() + Span::from_micros(50);
        world.run_until(until).expect("a run without error");
        if let Some((at, _)) = frames(&world.take_records()).iter().find(|(_, words)| words == frame) {
            return *at;
        }
    }
    panic!("no {frame}");
}

/// Nodes with plain 802.11; the radio of the RTS's receiver is off.
fn plain(mac: &str) -> String {
    let node = |id: u32, more: &str| format!("[[node]]\nid = {id}\nhandshake = \"plain\"\n{more}");
    let off = "radio_off = [[\"0 s\", \"50 s\"]]\n";
    format!("[mac]\n{mac}\n{}{}{}{}", node(0, ""), node(1, ""), node(2, off), node(3, ""))
}

#[test]
fn nav_of_unanswered_rts_resets_if_configured() {
    for (mac, resets) in [
        ("", false),
        ("nav_reset_after_rts = true", true),
        ("profile = \"std\"", true),
        ("profile = \"std\"\nnav_reset_after_rts = false", false),
    ] {
        let waits: Vec<Span> = (0..20).map(|seed| wait_after_rts(&plain(mac), seed)).collect();
        let min = *waits.iter().min().expect("twenty");
        if resets {
            assert!((RESET..RESET + Span::from_micros(20 * 32)).contains(&min), "{mac:?}: {waits:?}");
        } else {
            // Node 1 repeats its RTS meanwhile, and sets the NAV again.
            assert!(min >= RESERVED + Span::from_micros(50), "{mac:?}: {waits:?}");
        }
    }
}

#[test]
fn shorter_nav_counts_after_nav_reset() {
    // Node 1 is off; node 2, which has packets for node 3, resets the NAV that RTS frames to node 1 set. It receives
    // node 4's data, but not node 5's ACK: only the NAV determines when it resumes.
    let cbr = |from, to, segment| {
        format!(
            "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\ntransport = \"udp\"\nrate = \"300 kb/s\"\nsegment = {segment}\n"
        )
    };
    let text = format!(
        "duration = \"2 s\"\nprofile = \"std\"\n[topology]\nkind = \"positions\"\n\
         positions = [[0, 0], [0, 50], [10, 0], [10, 50], [220, 0], [440, 0]]\n[radio]\ncs_range = \"300 m\"\n\
         [link]\narp = false\n[mac]\nrts_threshold = 0\n[[node]]\nid = 1\nradio_off = [[\"0 s\", \"5 s\"]]\n{}{}{}",
        cbr(0, 1, 1400),
        cbr(2, 3, 40),
        cbr(4, 5, 40),
    );
    let scenario = Resolved::parse(&text, "reset.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    for step in 1..20_000 {
        world.run_until(Time::ZERO + Span::from_micros(100 * step)).expect("a run");
        world.audit().unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn nav_of_answered_rts_is_kept() {
    // Node 0 cannot decode node 2's CTS, and the data starts 324 us after the RTS: before the reset.
    let answered = plain("nav_reset_after_rts = true").replace("radio_off = [[\"0 s\", \"50 s\"]]\n", "");
    for seed in 0..20 {
        let waited = wait_after_rts(&answered, seed);
        assert!(waited >= RESERVED + Span::from_micros(50), "seed {seed}: {waited}");
    }
}

#[test]
fn refusal_by_own_rts_resets_nav_of_neighbors() {
    // Node 1, congested, responds to node 0's RTS with its own; node 3, within range of node 0 alone and out of carrier sense
    // of node 1, would defer for an exchange that does not take place.
    let places = [(0.0, 0.0), (1.2, 0.0), (2.4, 0.0), (-1.2, 0.0), (-2.4, 0.0)];
    let start = "RTS 0>1, RTSC 1>2";
    let wait = |mac: &str| {
        let more = format!("[radio]\ncs_range = \"420 m\"\n[mac]\n{mac}\n");
        let refused = (0..200).filter_map(|seed| {
            let mut world = idle_world(&places, &[(0, 1), (1, 2), (3, 4)], &more, seed);
            give(&mut world, 0, 1);
            give(&mut world, 1, 2);
            let asked = first(&mut world, "RTS 0>1");
            give(&mut world, 2, 1);
            let later = frames(&run(&mut world, 10));
            let words: Vec<&str> = later.iter().map(|(_, frame)| frame.as_str()).collect();
            let own = later.iter().find(|(_, frame)| frame == "RTS 3>4")?.0;
            let others: Vec<&str> = words.into_iter().filter(|frame| !frame.starts_with("RTS 3")).collect();
            let is_refused = format!("RTS 0>1, {}", others.join(", ")).starts_with(start);
            is_refused.then(|| own.since(asked + Span::from_micros(352)))
        });
        refused.min().expect("a seed with a refusal")
    };
    assert!(wait("") >= RESERVED + Span::from_micros(50));
    let reset = wait("nav_reset_after_rts = true");
    assert!((RESET..RESET + Span::from_micros(20 * 32)).contains(&reset), "{reset}");
}

/// Node 0 sends RTS to node 1, where the signal of a station hidden from node 0 starts within SIFS. Returns whether node 1
/// responds; `None` if that signal starts at another time.
fn responds_beside_energy(mac: &str, seed: u64, later: u64) -> Option<bool> {
    let nodes: Vec<_> = (0..4).map(|id| format!("[[node]]\nid = {id}\nhandshake = \"plain\"\n")).collect();
    let more = format!("profile = \"{mac}\"\n{}", nodes.concat());
    let places = [(0.0, 0.0), (1.0, 0.0), (3.0, 0.0), (4.0, 0.0)];
    let mut world = idle_world(&places, &[(0, 1), (2, 3)], &format!("[mac]\n{more}"), seed);
    give(&mut world, 0, 1);
    world.run_until(Time::ZERO + Span::from_micros(later)).expect("a run without error");
    give(&mut world, 1, 1);
    let sent = frames(&run(&mut world, 3));
    let at = |frame: &str| sent.iter().find(|(_, words)| words == frame).map(|&(at, _)| at);
    let (asked, far) = (at("RTS 0>1")?, at("RTS 2>3")?);
    let over = asked + Span::from_micros(352);
    let is_within = far > over && far < over + Span::from_micros(8);
    is_within.then(|| at("CTS 1>0") == Some(over + Span::from_micros(10) + Span(667)))
}

#[test]
fn energy_within_sifs_blocks_cts_in_ns2_only() {
    for (mac, responds) in [("ns2", false), ("std", true)] {
        let cases = (0..40).flat_map(|seed| (0..150).map(move |step| (seed, 7 * step)));
        let found: Vec<bool> = cases.filter_map(|(seed, later)| responds_beside_energy(mac, seed, later)).collect();
        assert!(found.len() >= 10, "{mac}: {} cases", found.len());
        assert!(found.iter().all(|&found| found == responds), "{mac}: {found:?}");
    }
}
