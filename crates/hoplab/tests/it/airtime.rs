//! Airtime accounts and the log of 200 random scenarios, against the clock and against the counters.

use crate::random;
use hoplab::kernel::{NodeId, Time};
use hoplab::measure::{AirtimeUse, RunReport};
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::{EVENTS, FRAMES, Row};
use hoplab::world::World;

fn event(name: &str) -> u8 {
    EVENTS.iter().position(|event| *event == name).expect("a name of an event") as u8
}

fn resolved(text: &str) -> Resolved {
    Resolved::parse(text, "random.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A recorded run, paused ten times: its report, its rows, and the world at its end.
fn run(scenario: &Resolved, seed: u64) -> (RunReport, Vec<Row>, World) {
    let mut world = World::new(scenario, seed);
    world.keep_log();
    world.account_airtime();
    let mut rows = Vec::new();
    for tenth in 1..=10 {
        // Reading accounts during the run does not change them.
        world.run_until(Time(scenario.end().0 / 10 * tenth)).expect("a run that goes on");
        world.airtime(NodeId(0));
        rows.extend(taken(&mut world));
    }
    world.run_until(scenario.end()).expect("a run that goes on");
    rows.extend(taken(&mut world));
    (world.report(scenario, seed, 0.0), rows, world)
}

/// Takes the rows out of the log.
fn taken(world: &mut World) -> Vec<Row> {
    let Some(log) = world.log_mut() else { return Vec::new() };
    let rows = log.rows().to_vec();
    log.clear();
    rows
}

#[test]
fn every_nanosecond_has_one_use() {
    let mut seen = [0; AirtimeUse::ALL.len()];
    for number in 0..200 {
        let text = random::scenario(number);
        let scenario = resolved(&text);
        let (report, rows, world) = run(&scenario, number);
        let end = scenario.end();
        let sent = |node: u32, kind: FrameKind, is_broadcast: bool| -> u64 {
            let is_it = |row: &&Row| {
                row.event == event("frame_sent")
                    && row.node == node as i32
                    && row.frame == kind as u8
                    && (row.peer < 0) == is_broadcast
            };
            // A frame that is on the air at the end counts up to the end.
            rows.iter().filter(is_it).map(|row| (row.airtime as u64).min(end.since(row.time).0)).sum()
        };
        for node in 0..scenario.positions.len() as u32 {
            let used = world.airtime(NodeId(node)).expect("an account");
            assert_eq!(used.total(), end.0, "node {node} of scenario {number}\n{text}");
            for what in AirtimeUse::ALL {
                seen[what as usize] += u64::from(used.of(what) > 0);
            }
            // A frame that its sender's switching off cuts short is shorter than its airtime.
            if used.of(AirtimeUse::Off) > 0 {
                continue;
            }
            let by_frames = [
                (AirtimeUse::Rts, sent(node, FrameKind::Rts, false)),
                (AirtimeUse::Cts, sent(node, FrameKind::Cts, false)),
                (AirtimeUse::Ack, sent(node, FrameKind::Ack, false)),
                (AirtimeUse::Data, sent(node, FrameKind::Data, false)),
                (AirtimeUse::Broadcast, sent(node, FrameKind::Data, true)),
            ];
            for (what, airtime) in by_frames {
                assert_eq!(used.of(what), airtime, "{what:?} of node {node} of scenario {number}\n{text}");
            }
        }
        log_agrees(&rows, &report);
    }
    // No scenario here parks packets.
    let unused: Vec<_> = AirtimeUse::ALL.into_iter().filter(|what| seen[*what as usize] == 0).collect();
    assert_eq!(unused, [AirtimeUse::Parked]);
}

/// The log agrees with the counters.
fn log_agrees(rows: &[Row], report: &RunReport) {
    let count = |name: &str, is_it: &dyn Fn(&Row) -> bool| {
        rows.iter().filter(|row| row.event == event(name) && is_it(row)).count() as u64
    };
    let frames = [report.frames.rts, report.frames.cts, report.frames.data, report.frames.ack];
    for (kind, expected) in frames.into_iter().enumerate() {
        let found = count("frame_sent", &|row| usize::from(row.frame) == kind && row.peer >= 0);
        assert_eq!(found, expected, "{}", FRAMES[kind]);
    }
    assert_eq!(count("frame_sent", &|row| row.peer < 0), report.frames.broadcast);
    assert_eq!(count("frame_lost", &|_| true), report.lost.values().sum::<u64>());
    assert_eq!(count("dropped", &|_| true), report.drops.values().sum::<u64>());
    let sent: u64 = report.flows.iter().map(|flow| flow.segments_sent).sum();
    assert!(count("segment_sent", &|_| true) >= sent);
    assert!(rows.is_sorted_by_key(|row| row.time));
}

#[test]
fn recorded_and_paused_run_equals_plain_one() {
    for number in [1, 3, 6, 7, 10, 23, 42, 235] {
        let scenario = resolved(&random::scenario(number));
        let (measured, _, _) = run(&scenario, number);
        let mut plain = World::new(&scenario, number);
        plain.run_until(scenario.end()).expect("a run that goes on");
        let alone = plain.report(&scenario, number, 0.0);
        assert_eq!(measured.fingerprint, alone.fingerprint, "scenario {number}");
        assert_eq!(measured.events, alone.events, "scenario {number}");
        assert!(alone.airtime.is_empty() && !measured.airtime.is_empty());
    }
}

#[test]
fn pausing_a_thousand_times_changes_no_event_count() {
    for number in 0..40 {
        let scenario = resolved(&random::scenario(number));
        let events = |pauses: u64| {
            let mut world = World::new(&scenario, number);
            for pause in 1..=pauses {
                world.run_until(Time(scenario.end().0 / pauses * pause)).expect("a run that goes on");
            }
            world.run_until(scenario.end()).expect("a run that goes on");
            (world.events(), world.ctx().trace.fingerprint())
        };
        assert_eq!(events(997), events(1), "scenario {number}");
    }
}

#[test]
fn distant_node_is_idle_and_parking_is_accounted() {
    let chain: Vec<String> = (0..8).map(|node| format!("[{}.0, 0.0]", 200 * node)).collect();
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"positions\"\npositions = [{}, [9000.0, 0.0]]\n[routing]\n\
         protocol = \"static\"\n[semi_tcp]\nt_c = 1\nk = 1\n[[flow]]\nfrom = 0\nto = 7\ntransport = \"semi_tcp\"\n",
        chain.join(", ")
    );
    let scenario = resolved(&text);
    let (_, _, world) = run(&scenario, 1);
    let far = world.airtime(NodeId(8)).expect("an account");
    assert_eq!(far.of(AirtimeUse::Idle), scenario.end().0);
    let parked: u64 = (0..8).map(|node| world.airtime(NodeId(node)).expect("an account").of(AirtimeUse::Parked)).sum();
    assert!(parked > 0);
}
