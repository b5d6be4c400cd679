//! Bulk transfers, losses and completion times against Linux 6.18 (`end-to-end-oracle.json`), with its tolerances.

use super::path::{Fate, Path, ms};
use crate::kernel::{Bytes, End, Purpose, RandomStreams, Rate, Span, Time};
use crate::transport::congestion::CongestionKind::{self, Cubic, Reno};
use crate::transport::stream::{Reading, SlowStart, StreamConfig};

pub(super) fn linux() -> StreamConfig {
    StreamConfig {
        slow_start: SlowStart::Hystart,
        first_growth: 0.05,
        receive_buffer: Bytes(32_000_000),
        ..StreamConfig::default()
    }
}

/// Goodput in Mb/s and mean wait in ms from 10 to 40 s, and drops in all.
pub(super) fn bulk(mut path: Path) -> (f64, f64, f64) {
    path.keeps_seen = false;
    path.now = ms(500);
    path.start(None);
    path.run(ms(10_000));
    let before = path.delivered[1];
    (path.waits, path.wait_from) = (Vec::new(), ms(10_000));
    path.run(ms(40_000));
    let goodput = (path.delivered[1] - before) as f64 * 8.0 / 30e6;
    let wait = path.waits.iter().sum::<f64>() / path.waits.len() as f64 * 1e3;
    (goodput, wait, path.drops as f64)
}

pub(super) fn dumbbell(kind: CongestionKind, rtt: u64, limit: usize) -> Path {
    Path::new(kind, &linux(), Reading::default()).with(Span::from_millis(rtt / 2), limit)
}

/// Round-trip time in ms, limit, goodput in Mb/s with its relative tolerance, wait in ms, drops.
type Row = (CongestionKind, u64, usize, (f64, f64), f64, f64);

const ROWS: &[Row] = &[
    (Reno, 20, 4, (7.926, 0.1), 1.51, 243.0),
    (Cubic, 20, 4, (8.928, 0.1), 1.61, 116.0),
    (Reno, 20, 17, (9.595, 0.05), 10.6, 125.0),
    (Reno, 50, 10, (8.314, 0.05), 3.41, 68.0),
    (Cubic, 50, 42, (9.653, 0.03), 38.8, 18.0),
    (Reno, 50, 83, (9.653, 0.03), 65.2, 139.0),
    (Reno, 50, 167, (9.653, 0.03), 148.5, 217.0),
    (Reno, 100, 21, (8.485, 0.05), 7.02, 52.0),
    (Cubic, 100, 21, (9.523, 0.05), 11.5, 53.0),
    (Cubic, 100, 83, (9.653, 0.03), 72.3, 52.0),
];

#[test]
fn bulk_rows_match_linux() {
    let mut wrong = Vec::new();
    for &(kind, rtt, limit, (goodput, share), wait, drops) in ROWS {
        let (our, our_wait, our_drops) = bulk(dumbbell(kind, rtt, limit));
        let is_right = (our / goodput - 1.0).abs() <= share
            && (our_wait - wait).abs() <= (0.15 * wait).max(1.5)
            && (drops / 2.0 - 10.0..=drops * 2.0 + 10.0).contains(&our_drops);
        let line = format!(
            "{kind:?} {rtt} ms limit {limit}: {our:.2} ({goodput}) Mb/s, {our_wait:.2} ({wait}) ms, {our_drops} ({drops})"
        );
        if !is_right {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn random_loss_limits_the_rate_as_in_linux() {
    for (kind, ratio, expected) in [(Cubic, 0.001, 7.973), (Reno, 0.01, 2.671)] {
        let mean = (1..=5)
            .map(|seed| {
                let mut stream = RandomStreams::new(seed).stream(Purpose::Traffic, 0);
                let path = dumbbell(kind, 50, 167).with_fate(move |end, _, _| {
                    if end == End::Source && stream.unit() < ratio { Fate::Lost } else { Fate::Arrives }
                });
                bulk(path).0
            })
            .sum::<f64>()
            / 5.0;
        assert!((mean / expected - 1.0).abs() < 0.12, "{kind:?} {ratio}: {mean} and not {expected}");
    }
}

#[test]
fn completion_times_match_linux() {
    let rows = [
        (20, vec![(10_000, 0.038_775, 0.03), (100_000, 0.122_69, 0.03), (1_000_000, 0.868_56, 0.15)]),
        (100, vec![(10_000, 0.158_77, 0.03), (1_000_000, 1.2099, 0.15)]),
    ];
    for (rtt, sizes) in rows {
        for (bytes, expected, share) in sizes {
            let limit = if rtt == 20 { 17 } else { 83 };
            let mut path = dumbbell(Cubic, rtt, limit);
            path.start(Some(bytes));
            path.run(ms(20_000));
            let found = path.complete_at.map_or(f64::NAN, Time::secs);
            assert!((found / expected - 1.0).abs() <= share, "{rtt} ms, {bytes} B: {found} and not {expected}");
        }
    }
}

#[test]
fn two_writes_delay_the_last_segment_as_in_linux() {
    // Linux's row of 100 kB at 100 ms: 0.47262 s. Its sender wrote 64 KiB, then the rest: segment 46 has 376 bytes, and the
    // short last segment waits for its acknowledgment (Minshall). A single write takes 0.400 s.
    let mut path = dumbbell(Cubic, 100, 83);
    path.expected = 100_000;
    path.ends[0].open(path.now);
    path.ends[0].supply(path.now, 65_536);
    path.carry(0);
    while path.seen.last().is_none_or(|seen| seen.segment.len != 376) {
        let at = path.next().expect("an event");
        path.step(at);
    }
    path.ends[0].supply(path.now, 100_000 - 65_536);
    path.carry(0);
    path.run(ms(20_000));
    let found = path.complete_at.map_or(f64::NAN, Time::secs);
    assert!((found / 0.472_62 - 1.0).abs() < 0.005, "{found}");
}

#[test]
fn hystart_of_linux_leaves_slow_start_at_64() {
    let mut path = dumbbell(Cubic, 50, 167);
    path.start(None);
    while path.ends[0].window().1.is_infinite() {
        let at = path.next().expect("an event");
        path.step(at);
    }
    let (cwnd, _) = path.ends[0].window();
    assert!((56.0..=72.0).contains(&cwnd), "{cwnd} at {}", path.now);
    assert!((path.now.secs() - 0.23).abs() < 0.02, "{}", path.now);
    // Then 5 % per round trip until the first loss: 95 segments at 1 s, 137 at 2 s, 179 at 3 s.
    for (at, expected) in [(1000, 95.0), (2000, 137.0), (3000, 179.0)] {
        path.run(ms(at));
        let (cwnd, _) = path.ends[0].window();
        assert!((cwnd / expected - 1.0).abs() < 0.1, "{cwnd} and not {expected} at {at} ms");
    }
}

#[test]
fn repair_behind_a_long_queue_needs_no_timeout() {
    // The queue grows while the retransmission waits in it: SACKs of what was sent before still arrive.
    for (rate, lost) in [(0.6e6, 40), (0.6e6, 80), (1e6, 60), (2e6, 80)] {
        let mut path = dumbbell(Reno, 40, 100).losing_data(&[lost]);
        path.rate = Rate(rate);
        path.start(None);
        path.run(ms(10_000));
        assert_eq!(path.ends[0].counts.timeouts, 0, "{rate} b/s, segment {lost} lost");
    }
}
