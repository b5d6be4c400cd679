//! The loop with a clock and hosts in memory: order, replay, lateness, overload, failing devices, and malformed packets.

use hoplab::kernel::{NodeId, Span, Time};
use hoplab::scenario::{NamedFile, Resolved};
use hoplab::world::World;
use hoplab_live::{Grade, Host, LiveError, LiveReport, Record, line, run};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io;

const CHAIN: &str = "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[live]\n";

fn scenario(text: &str, record: Option<&str>) -> Resolved {
    let (mut text, mut files) = (text.to_owned(), Vec::new());
    if let Some(record) = record {
        text.push_str("file = \"packets.txt\"\n");
        let name = "packets.txt".to_owned();
        files.push(NamedFile { path: name.clone(), name, text: Ok(record.to_owned()) });
    }
    Resolved::parse_with(&text, "live.toml", &[], &files).unwrap_or_else(|error| panic!("{error}"))
}

/// Hosts in memory. Each look at the clock takes `step`; node 0 sends, every other node returns what it receives.
#[derive(Debug)]
struct Hosts {
    now: u64,
    step: u64,
    /// Turns that stall, and for how long.
    stalls: VecDeque<(u64, u64)>,
    to_send: VecDeque<(u64, NodeId, Vec<u8>)>,
    received: Vec<(Time, NodeId, Vec<u8>)>,
    echoes: bool,
    fails_at: Option<u64>,
    skips: bool,
    waits: u64,
}

impl Hosts {
    fn new(to_send: impl IntoIterator<Item = (u64, NodeId, Vec<u8>)>) -> Hosts {
        Hosts {
            now: 0,
            step: 1_000,
            stalls: VecDeque::new(),
            to_send: to_send.into_iter().collect(),
            received: Vec::new(),
            echoes: true,
            fails_at: None,
            skips: false,
            waits: 0,
        }
    }
}

impl Host for Hosts {
    fn now(&mut self) -> Time {
        self.now += self.step;
        if let Some(&(at, span)) = self.stalls.front()
            && at <= self.now
        {
            self.stalls.pop_front();
            self.now += span;
        }
        Time(self.now)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(NodeId, usize)>> {
        if self.fails_at.is_some_and(|at| at <= self.now) {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        if self.to_send.front().is_none_or(|(at, ..)| *at > self.now) {
            return Ok(None);
        }
        let Some((_, node, bytes)) = self.to_send.pop_front() else { return Ok(None) };
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(Some((node, bytes.len())))
    }

    fn deliver(&mut self, node: NodeId, bytes: &[u8]) -> io::Result<bool> {
        self.received.push((Time(self.now), node, bytes.to_vec()));
        if self.echoes && node != NodeId(0) {
            let mut echo = bytes.to_vec();
            let (from, to) = (echo[12..16].to_vec(), echo[16..20].to_vec());
            echo[12..16].copy_from_slice(&to);
            echo[16..20].copy_from_slice(&from);
            echo[8] = 64;
            self.to_send.push_front((self.now, node, echo));
        }
        Ok(true)
    }

    fn wait(&mut self, until: Time) -> io::Result<()> {
        self.waits += 1;
        let next = self.to_send.front().map_or(u64::MAX, |(at, ..)| *at);
        self.now = self.now.max(until.0.min(next));
        Ok(())
    }

    fn skips_events(&self) -> bool {
        self.skips
    }

    fn is_stopped(&mut self) -> bool {
        false
    }
}

#[derive(Debug, Default)]
struct Lines(String);

impl Record for Lines {
    fn entered(&mut self, at: Time, node: NodeId, bytes: &[u8]) {
        self.0.push_str(&line(at, node, bytes));
    }
}

/// An IPv4 packet of UDP to a node.
fn packet(from: u32, to: u32, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[0] = 0x45;
    bytes[2..4].copy_from_slice(&(len as u16).to_be_bytes());
    bytes[8] = 64;
    bytes[9] = 17;
    bytes[12..16].copy_from_slice(&(0x0a00_0001 + from).to_be_bytes());
    bytes[16..20].copy_from_slice(&(0x0a00_0001 + to).to_be_bytes());
    bytes
}

fn paced(hosts: &mut Hosts) -> (Result<LiveReport, LiveError>, String, World) {
    let scenario = scenario(CHAIN, None);
    let mut world = World::new(&scenario, 1);
    let mut record = Lines::default();
    let report = run(&mut world, hosts, &mut record, scenario.end(), Span::from_millis(2));
    (report, record.0, world)
}

/// A run whose clock stands still while it computes.
struct Still {
    received: Vec<(Time, NodeId, Vec<u8>)>,
    record: String,
    fingerprint: String,
    waits: u64,
}

fn of_still_clock(text: &str, skips: bool) -> Still {
    let scenario = scenario(text, None);
    let packets = (0..60).map(|i| (1_000_000 + i * 7_300_000, NodeId(0), packet(0, 3, 84 + (i as usize * 131) % 1400)));
    let mut hosts = Hosts { step: 0, skips, ..Hosts::new(packets) };
    let (mut world, mut record) = (World::new(&scenario, 1), Lines::default());
    let report = run(&mut world, &mut hosts, &mut record, scenario.end(), Span::from_millis(2));
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    Still { received: hosts.received, record: record.0, fingerprint: report.fingerprint, waits: hosts.waits }
}

/// Fingerprint and report of the run that repeats a record.
fn repeated(record: &str) -> (String, hoplab::measure::RunReport) {
    let scenario = scenario(CHAIN, Some(record));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}"));
    (world.ctx().trace.fingerprint().to_string(), world.report(&scenario, 1, 0.0))
}

fn sends(count: u64, every: u64, len: usize) -> impl Iterator<Item = (u64, NodeId, Vec<u8>)> {
    (0..count).map(move |i| (1_000_000 + i * every, NodeId(0), packet(0, 3, len)))
}

#[test]
fn skipped_waits_change_no_delivery() {
    let relays = CHAIN.replace("[live]", "[live]\nnodes = [0, 3]");
    let without_rts = CHAIN.replace("[live]", "[mac]\nrts_threshold = 3000\n[live]");
    let without_delay = CHAIN.replace("[live]", "[link]\ndelay = \"0 s\"\n[live]");
    let ofdm = CHAIN.replace("[topology]", "profile = \"std\"\n[radio]\nstandard = \"11a\"\n[topology]");
    for text in [CHAIN, &relays, &without_rts, &without_delay, &ofdm] {
        let (each, skipped) = (of_still_clock(text, false), of_still_clock(text, true));
        let seen = |run: &Still| (run.received.clone(), run.record.clone(), run.fingerprint.clone());
        assert_eq!(seen(&each), seen(&skipped), "{text}");
        let is_quick = each.received.len() > 60 && 2 * skipped.waits < each.waits;
        assert!(is_quick, "{} of {} waits\n{text}", skipped.waits, each.waits);
    }
}

#[test]
fn echo_over_three_hops_returns_with_falling_ttl() {
    let mut hosts = Hosts::new(sends(10, 100_000_000, 84));
    let (report, record, world) = paced(&mut hosts);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}"));
    let back: Vec<_> = hosts.received.iter().filter(|(_, node, _)| *node == NodeId(0)).collect();
    assert_eq!((report.entered, back.len()), (20, 10));
    // Two relays lower it from 64.
    assert!(back.iter().all(|(_, _, bytes)| bytes[8] == 62));
    assert_eq!(report.lateness.grade, Grade::Precise);
    let (fingerprint, results) = repeated(&record);
    assert_eq!(fingerprint, report.fingerprint);
    let live = results.live.unwrap_or_else(|| panic!("a report of live packets"));
    assert_eq!((live.packets, live.delivered, live.in_transit), (20, 20, 0));
    let counts: Vec<_> = live.conversations.iter().map(|one| (one.from, one.to, one.delivered, one.bytes)).collect();
    assert_eq!(counts, [(Some(0), Some(3), 10, 840), (Some(3), Some(0), 10, 840)]);
}

#[test]
fn stall_is_late_and_its_repetition_equal() {
    let mut hosts = Hosts::new(sends(400, 2_000_000, 1000));
    hosts.stalls.push_back((300_000_000, 250_000_000));
    let (report, record, _) = paced(&mut hosts);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.lateness.grade, Grade::Late);
    let worst = report.lateness.worst[0];
    assert!((0.2..0.3).contains(&worst.late_s) && (0.3..0.6).contains(&worst.at_s), "{worst:?}");
    assert!(report.lateness.max_s.is_some_and(|max| max >= worst.late_s));
    assert_eq!(repeated(&record).0, report.fingerprint);
}

#[test]
fn overload_fills_the_simulated_queue() {
    let mut hosts = Hosts::new(sends(4_000, 200_000, 1400));
    hosts.echoes = false;
    let (report, record, world) = paced(&mut hosts);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.entered, 4_000);
    let (fingerprint, results) = repeated(&record);
    assert_eq!(fingerprint, report.fingerprint);
    assert!(results.drops["queue_full"] > 2_000, "{:?}", results.drops);
    let conversation = &results.live.unwrap_or_else(|| panic!("a report of live packets")).conversations[0];
    assert_eq!(conversation.dropped["queue_full"], results.drops["queue_full"]);
    world.audit().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn failing_device_ends_the_run_and_keeps_the_record() {
    let mut hosts = Hosts::new(sends(10, 100_000_000, 84));
    hosts.fails_at = Some(500_000_000);
    let (report, record, _) = paced(&mut hosts);
    assert!(matches!(report, Err(LiveError::System(_))), "{report:?}");
    assert!(record.lines().count() >= 8, "{record}");
}

#[test]
fn broadcast_reaches_neighbors_only() {
    let mut to_all = packet(1, 0, 60);
    to_all[16..20].copy_from_slice(&[10, 255, 255, 255]);
    let mut hosts = Hosts::new([(1_000_000, NodeId(1), to_all)]);
    hosts.echoes = false;
    let (report, record, _) = paced(&mut hosts);
    let mut nodes: Vec<u32> = hosts.received.iter().map(|(_, node, _)| node.0).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 2]);
    assert_eq!(repeated(&record).0, report.map_or_else(|error| error.to_string(), |report| report.fingerprint));
}

/// Pseudo-random numbers (xorshift64).
fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Frames per run of the test below; `HOPLAB_FUZZ_FRAMES=1000000` is the long one.
fn frames() -> u64 {
    std::env::var("HOPLAB_FUZZ_FRAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

#[test]
fn malformed_frames_are_counted_with_a_reason() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let count = frames();
    let to_send = (0..count).map(|i| {
        let mut bytes = packet((draw(&mut state) % 4) as u32, (draw(&mut state) % 5) as u32, 60);
        match draw(&mut state) % 4 {
            0 => bytes = (0..draw(&mut state) % 100).map(|_| draw(&mut state) as u8).collect(),
            1 => bytes.truncate((draw(&mut state) % 60) as usize),
            2 => bytes.resize(60 + (draw(&mut state) % 2_000) as usize, 0),
            _ => {
                let at = (draw(&mut state) % 20) as usize;
                bytes[at] = draw(&mut state) as u8;
            }
        }
        (1_000 * i % 1_900_000_000, NodeId((draw(&mut state) % 4) as u32), bytes)
    });
    let mut hosts = Hosts::new(to_send);
    hosts.step = 10;
    hosts.echoes = false;
    let (report, record, world) = paced(&mut hosts);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let refused: u64 = report.refused.values().sum();
    let read = count - hosts.to_send.len() as u64;
    assert_eq!(report.entered + refused, read);
    assert_eq!(read, count, "the run is long enough for all");
    assert!(report.entered > 0 && report.refused.len() == 7, "{:?}", report.refused);
    world.audit().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(repeated(&record).0, report.fingerprint);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// However a run is cut into turns, its repetition is equal.
    #[test]
    fn repetition_is_equal_for_any_timing(
        step in 1u64..400_000,
        gaps in proptest::collection::vec((0u64..40_000_000, 0u32..4, 20usize..1500), 1..60),
        stall in 0u64..1_000_000_000,
    ) {
        let mut at = 0;
        let to_send = gaps.into_iter().map(|(gap, from, len)| {
            at += gap;
            (at, NodeId(from), packet(from, (from + 1) % 4, len))
        });
        let mut hosts = Hosts::new(to_send.collect::<Vec<_>>());
        hosts.step = step;
        hosts.stalls.push_back((stall, 30_000_000));
        let (report, record, _) = paced(&mut hosts);
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(repeated(&record).0, report.fingerprint);
    }
}
