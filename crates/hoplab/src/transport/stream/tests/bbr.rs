//! BBRv1 against Linux 6.18 (`end-to-end-oracle.json`), with its tolerances.

use super::bulk::{bulk, dumbbell};
use super::path::{Fate, Path, ms};
use crate::kernel::{End, Purpose, RandomStreams, Time};
use crate::transport::congestion::bandwidth_based::bbr::Mode;
use crate::transport::congestion::{CongestionKind::Bbr, Controller};

/// Round-trip time in ms, limit, goodput in Mb/s with its relative tolerance, wait in ms, drops.
type Row = (u64, usize, (f64, f64), f64, f64);

const ROWS: &[Row] = &[
    (20, 4, (9.4785, 0.05), 3.40, 1973.0),
    (20, 17, (9.4817, 0.03), 9.00, 52.0),
    (20, 67, (9.4811, 0.03), 8.91, 0.0),
    (50, 10, (9.4167, 0.05), 3.63, 905.0),
    (50, 21, (9.4215, 0.05), 8.70, 149.0),
    (50, 42, (9.4214, 0.03), 8.92, 88.0),
    (50, 83, (9.4214, 0.03), 8.53, 8.0),
    (50, 167, (9.4211, 0.03), 8.44, 0.0),
    (100, 333, (9.4003, 0.03), 9.13, 0.0),
];

#[test]
fn bulk_rows_match_linux() {
    let mut wrong = Vec::new();
    for &(rtt, limit, (goodput, share), wait, drops) in ROWS {
        let (our, our_wait, our_drops) = bulk(dumbbell(Bbr, rtt, limit));
        let is_right = (our / goodput - 1.0).abs() <= share
            && (our_wait - wait).abs() <= (0.15 * wait).max(1.5)
            && (drops / 2.0 - 10.0..=drops * 2.0 + 10.0).contains(&our_drops);
        let line = format!(
            "{rtt} ms limit {limit}: {our:.3} ({goodput}) Mb/s, {our_wait:.2} ({wait}) ms, {our_drops} ({drops})"
        );
        if !is_right {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn random_loss_does_not_limit_the_rate() {
    for (ratio, expected) in [(0.001, 9.4125), (0.01, 9.3221)] {
        let mean = (1..=5)
            .map(|seed| {
                let mut stream = RandomStreams::new(seed).stream(Purpose::Traffic, 0);
                let path = dumbbell(Bbr, 50, 42).with_fate(move |end, _, _| {
                    if end == End::Source && stream.unit() < ratio { Fate::Lost } else { Fate::Arrives }
                });
                bulk(path).0
            })
            .sum::<f64>()
            / 5.0;
        assert!((mean / expected - 1.0).abs() < 0.03, "{ratio}: {mean} and not {expected}");
    }
}

#[test]
fn completion_times_match_linux() {
    for (rtt, limit, sizes) in [
        (20, 17, [(10_000, 0.038_801, 0.03), (100_000, 0.161_18, 0.03), (1_000_000, 0.869_72, 0.15)]),
        (100, 83, [(10_000, 0.158_79, 0.03), (100_000, 0.464_66, 0.03), (1_000_000, 1.4088, 0.15)]),
    ] {
        for (bytes, expected, share) in sizes {
            let mut path = dumbbell(Bbr, rtt, limit);
            path.start(Some(bytes));
            path.run(ms(20_000));
            let found = path.complete_at.map_or(f64::NAN, Time::secs);
            assert!(
                (found - expected).abs() <= (share * expected).max(0.002),
                "{rtt} ms, {bytes} B: {found} and not {expected}"
            );
        }
    }
}

fn model(path: &Path) -> (Mode, f64, f64) {
    match &path.ends[0].controller {
        Controller::Bbr(bbr) => bbr.model(),
        other => panic!("{other:?}"),
    }
}

/// When state or gain change: time in s, state, gain, bandwidth in Mb/s, cwnd.
fn changes(path: &mut Path, until: Time) -> Vec<(f64, Mode, f64, f64, f64)> {
    let mut found: Vec<(f64, Mode, f64, f64, f64)> = Vec::new();
    while let Some(at) = path.next().filter(|&at| at <= until) {
        path.step(at);
        let (mode, gain, bandwidth) = model(path);
        if found.last().is_none_or(|last| (last.1, last.2) != (mode, gain)) {
            found.push((at.secs(), mode, gain, bandwidth * 8e-6, path.ends[0].window().0));
        }
    }
    found
}

#[test]
fn states_follow_the_timeline_of_linux() {
    let mut path = dumbbell(Bbr, 50, 167);
    path.start(None);
    let found = changes(&mut path, Time(26_000_000_000));
    let at = |mode: Mode| found.iter().find(|line| line.1 == mode).map_or(f64::NAN, |line| line.0);
    let is_near = |value: f64, expected: f64, tolerance: f64| (value - expected).abs() <= tolerance;
    assert!(is_near(at(Mode::Drain), 0.6453, 0.06), "{}", at(Mode::Drain));
    assert!(is_near(at(Mode::ProbeBw), 0.7857, 0.06), "{}", at(Mode::ProbeBw));
    assert!(is_near(at(Mode::ProbeRtt), 10.0559, 0.1), "{}", at(Mode::ProbeRtt));
    let after = found.iter().skip_while(|line| line.1 != Mode::ProbeRtt).nth(1).expect("a state after PROBE_RTT");
    assert!(is_near(after.0 - at(Mode::ProbeRtt), 0.25, 0.05), "{after:?}");
    // Between PROBE_BW's first cycle and PROBE_RTT.
    let steady = || found.iter().filter(|line| line.1 == Mode::ProbeBw && (1.5..9.5).contains(&line.0));
    let ups: Vec<f64> = steady().filter(|line| line.2 > 1.0).map(|line| line.0).collect();
    assert!(ups.len() > 10 && ups.windows(2).all(|pair| is_near(pair[1] - pair[0], 0.42, 0.03)), "{ups:?}");
    let order: Vec<f64> = steady().map(|line| line.2).skip_while(|gain| *gain < 1.1).collect();
    assert!(order.chunks_exact(3).all(|gains| gains == [1.25, 0.75, 1.0]), "{order:?}");
    for &(at, _, _, bandwidth, cwnd) in steady() {
        assert!(is_near(bandwidth, 9.6609, 0.19) && is_near(cwnd, 95.0, 6.0), "{bandwidth} Mb/s, {cwnd} at {at}");
    }
}
