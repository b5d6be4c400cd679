//! Single connections: setup, close, reset, retries, delayed acknowledgments, marks, zero windows.

use super::path::{Fate, MSS, Path, endpoint, ms};
use crate::kernel::{End, Span, Time};
use crate::packet::{TcpFlags, TcpSegment};
use crate::transport::congestion::CongestionKind::{Cubic, Reno};
use crate::transport::stream::{Reading, SlowStart, State, StreamConfig};

fn reno(config: &StreamConfig) -> Path {
    Path::new(Reno, config, Reading::default())
}

/// Milliseconds at which segments with these flags left the source.
fn times(path: &Path, holds: impl Fn(&TcpSegment) -> bool) -> Vec<u64> {
    path.seen.iter().filter(|seen| holds(&seen.segment)).map(|seen| seen.at.0 / 1_000_000).collect()
}

#[test]
fn short_transfer_closes_both_halves() {
    let mut path = reno(&StreamConfig::default());
    path.start(Some(10_000));
    path.run(ms(1000));
    assert_eq!(path.delivered, [0, 10_000]);
    assert_eq!((path.ends[0].state(), path.ends[1].state()), (State::TimeWait, State::Closed));
    assert!(!path.ends[0].has_aborted() && !path.ends[1].has_aborted());
    assert_eq!(path.next(), None);
    // 1.5 round trips, and 10 kB with headers at 10 Mb/s.
    let expected = 0.075 + (8.0 * (10_000.0 + 7.0 * 52.0) + 8.0 * 172.0) / 10e6;
    let found = path.complete_at.expect("complete").secs();
    assert!((found - expected).abs() < 1e-4, "{found} and not {expected}");
}

#[test]
fn syns_follow_after_1_3_7_seconds_then_abort() {
    let config = StreamConfig { syn_retries: 3, ..StreamConfig::default() };
    let mut path = reno(&config).with_fate(|_, _, _| Fate::Lost);
    path.start(Some(1000));
    path.run(ms(60_000));
    assert_eq!(times(&path, |segment| segment.flags.has(TcpFlags::SYN)), [0, 1000, 3000, 7000]);
    assert!(path.ends[0].has_aborted());
    assert_eq!(path.ends[0].state(), State::Closed);
}

#[test]
fn linear_syns_of_linux() {
    let config = StreamConfig { syn_linear: 4, syn_retries: 8, ..StreamConfig::default() };
    let mut path = reno(&config).with_fate(|_, _, _| Fate::Lost);
    path.start(Some(1000));
    path.run(ms(40_000));
    let seconds: Vec<u64> = times(&path, |_| true).iter().map(|ms| ms / 1000).collect();
    assert_eq!(seconds, [0, 1, 2, 3, 4, 5, 7, 11, 19]);
}

#[test]
fn lost_syn_leaves_a_window_of_one() {
    let mut path = reno(&StreamConfig::default()).with_fate(|_, number, segment| {
        if segment.flags == TcpFlags::SYN && number == 1 { Fate::Lost } else { Fate::Arrives }
    });
    path.start(Some(100_000));
    path.run(ms(1060));
    assert_eq!(times(&path, |segment| segment.len > 0).len(), 1);
    path.run(ms(5000));
    assert_eq!(path.delivered[1], 100_000);
}

#[test]
fn closed_port_refuses_with_a_reset() {
    let config = StreamConfig::default();
    let mut path = reno(&config);
    path.ends[1] = endpoint(End::Sink, Reno, &config, Reading::default());
    path.start(Some(1000));
    path.run(ms(1000));
    let (_, last) = path.lines().pop().expect("packets");
    assert_eq!(last, "< 40 RA seq 0 ack 1 len 0 ecn 0");
    assert!(path.ends[0].has_aborted() && path.seen.len() == 2);
}

#[test]
fn abort_resets_the_other_end() {
    let mut path = reno(&StreamConfig::default());
    path.start(None);
    path.run(ms(500));
    path.ends[0].abort(path.now);
    path.carry(0);
    path.run(ms(1000));
    assert!(path.ends.iter().all(|end| end.state() == State::Closed && end.has_aborted()));
}

#[test]
fn dead_path_doubles_timeouts_then_aborts() {
    let config = StreamConfig { data_retries: 3, ..StreamConfig::default() };
    let mut path = reno(&config).with_fate(|_, number, _| if number > 2 { Fate::Lost } else { Fate::Arrives });
    path.start(Some(1000));
    path.run(ms(30_000));
    assert!(path.ends[0].has_aborted());
    let sent = times(&path, |segment| segment.len > 0 && segment.is_forward());
    let gaps: Vec<u64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // A tail loss probe, then timeouts of 250 ms and its doubles.
    assert_eq!(gaps.len(), 3, "{sent:?}");
    assert!(gaps[1] >= 245 && gaps[2].abs_diff(2 * gaps[1]) <= 12, "{gaps:?}");
}

#[test]
fn acknowledgments_cover_two_segments_after_the_first() {
    let config = StreamConfig { quick_acks: 4, ..StreamConfig::default() };
    let mut path = reno(&config);
    path.start(Some(u64::from(MSS) * 9));
    path.run(ms(1000));
    let acks: Vec<u64> = path
        .seen
        .iter()
        .filter(|seen| !seen.segment.is_forward() && seen.segment.flags == TcpFlags::ACK)
        .map(|seen| (seen.segment.ack - 1) / u64::from(MSS))
        .collect();
    assert_eq!(acks, [1, 2, 3, 4, 6, 8]);
}

#[test]
fn lonely_segment_is_acknowledged_after_the_timeout() {
    let config = StreamConfig { quick_acks: 0, ..StreamConfig::default() };
    let mut path = reno(&config);
    path.ends[0].open(Time::ZERO);
    path.ends[0].supply(Time::ZERO, 100);
    path.carry(0);
    path.run(ms(300));
    let arrival = 75.0 + 0.1;
    let (at, line) = path.lines().pop().expect("an acknowledgment");
    assert_eq!(line, "< 52 A seq 1 ack 101 len 0 ecn 0");
    assert!((at - arrival - 40.0).abs() < 0.3, "{at}");
}

#[test]
fn both_directions_carry_data_and_close_alone() {
    let mut path = reno(&StreamConfig::default());
    path.start(Some(30_000));
    path.run(ms(60));
    let now = path.now;
    path.ends[1].supply(now, 200_000);
    path.carry(1);
    path.run(ms(3000));
    assert_eq!(path.delivered, [200_000, 30_000]);
    assert_eq!(path.ends[1].state(), State::Closed);
    assert_eq!(path.ends[0].state(), State::TimeWait);
}

#[test]
fn mark_halves_the_window_once_per_round_trip() {
    let config = StreamConfig { ecn: true, slow_start: SlowStart::Standard, ..StreamConfig::default() };
    let mut path = Path::new(Reno, &config, Reading::default()).with(Span::from_millis(25), 1000).with_fate(
        |end, number, segment| {
            if end == End::Source && segment.len > 0 && (20..24).contains(&number) {
                Fate::Marked
            } else {
                Fate::Arrives
            }
        },
    );
    path.start(Some(300_000));
    path.run(ms(5000));
    assert_eq!(path.delivered[1], 300_000);
    assert_eq!(path.seen.iter().filter(|seen| seen.segment.is_retransmission).count(), 0);
    let cwr = times(&path, |segment| segment.flags == TcpFlags::ACK.with(TcpFlags::CWR));
    assert_eq!(cwr.len(), 1);
    let echoes: Vec<u64> = times(&path, |segment| {
        segment.flags.has(TcpFlags::ECE) && !segment.flags.has(TcpFlags::SYN) && !segment.is_forward()
    });
    // From the mark to the arrival of CWR: a round trip.
    assert!(echoes.len() > 4 && echoes[echoes.len() - 1] - echoes[0] < 80, "{echoes:?}");
    assert!(path.ends[0].window().1 < 30.0, "{:?}", path.ends[0].window());
}

#[test]
fn ecn_needs_both_ends() {
    let on = StreamConfig { ecn: true, ..StreamConfig::default() };
    let off = StreamConfig::default();
    let mut path = Path::new(Cubic, &on, Reading::default());
    path.ends[1] = endpoint(End::Sink, Cubic, &off, Reading::default());
    path.ends[1].listen();
    path.start(Some(10_000));
    path.run(ms(1000));
    assert!(path.seen.iter().all(|seen| !seen.segment.is_ect));
    assert_eq!(path.delivered[1], 10_000);
}

#[test]
fn closed_window_is_probed_and_opens() {
    let config = StreamConfig { receive_buffer: crate::kernel::Bytes(30_000), ..StreamConfig::default() };
    let reading = Reading { from: ms(4000), rate: None };
    let mut path = Path::new(Cubic, &config, reading);
    path.start(Some(100_000));
    path.run(ms(3999));
    let probes: Vec<u64> = path
        .seen
        .iter()
        .filter(|seen| {
            let segment = &seen.segment;
            segment.is_forward() && segment.len == 0 && segment.seq + 1 == path.delivered[1] + 1
        })
        .map(|seen| seen.at.0 / 1_000_000)
        .collect();
    assert!(probes.len() >= 3, "{probes:?}");
    let gaps: Vec<u64> = probes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps[1].abs_diff(2 * gaps[0]) < 20, "{probes:?}");
    path.run(ms(8000));
    assert_eq!(path.delivered[1], 100_000);
    let opens = path.seen.iter().find(|seen| seen.at >= ms(4000)).expect("an announcement");
    assert!(!opens.segment.is_forward() && opens.segment.window > 20_000 && opens.at == ms(4000), "{opens:?}");
}

#[test]
fn slow_reader_sets_the_rate() {
    let config = StreamConfig { receive_buffer: crate::kernel::Bytes(64_000), ..StreamConfig::default() };
    let reading = Reading { from: Time::ZERO, rate: Some(125_000.0) };
    let mut path = Path::new(Cubic, &config, reading);
    path.start(None);
    path.run(ms(10_000));
    let rate = path.delivered[1] as f64 * 8.0 / 10.0;
    assert!((0.95e6..1.1e6).contains(&rate), "{rate}");
}

#[test]
fn stop_of_an_endless_supply_delivers_what_was_sent() {
    let mut path = reno(&StreamConfig::default());
    path.start(None);
    path.run(ms(700));
    let now = path.now;
    path.ends[0].close(now);
    path.carry(0);
    path.run(ms(3000));
    assert_eq!(path.ends[0].state(), State::TimeWait);
    assert!(path.delivered[1] > 100_000);
}
