//! Test cases of draft-ietf-ccwg-bbr, appendix "BBR Example Test Cases".

use super::bulk::{dumbbell, linux};
use super::path::{Fate, Path, ms};
use crate::kernel::{End, Purpose, RandomStreams, Rate, Span, Time};
use crate::transport::congestion::Bbr3Config;
use crate::transport::congestion::bandwidth_based::bbr3::{Bbr3, Phase};
use crate::transport::congestion::{CongestionKind, Controller};
use crate::transport::stream::{Reading, StreamConfig};
use std::cell::Cell;
use std::rc::Rc;

fn bbr3(path: &Path) -> &Bbr3 {
    match &path.ends[0].controller {
        Controller::Bbr3(bbr3) => bbr3,
        other => panic!("{other:?}"),
    }
}

/// A bulk transfer over 10 Mb/s and 50 ms, with a deep buffer.
fn bulk() -> Path {
    let mut path = dumbbell(CongestionKind::Bbr3, 50, 1000);
    path.keeps_seen = false;
    path.start(None);
    path
}

/// [`bulk`], without PROBE_RTT in its time.
fn patient(fate: impl FnMut(End, u64, &crate::packet::TcpSegment) -> Fate + 'static) -> Path {
    let bbr3 = Bbr3Config { probe_rtt_interval: Span::from_millis(100_000), ..Bbr3Config::default() };
    let config = StreamConfig { bbr3, ..linux() };
    let mut path =
        Path::new(CongestionKind::Bbr3, &config, Reading::default()).with(Span::from_millis(25), 1000).with_fate(fate);
    path.keeps_seen = false;
    path.start(None);
    path
}

/// Runs until the state is this one. Returns when.
fn until(path: &mut Path, phase: Phase) -> Time {
    run_while(path, |bbr3| bbr3.phase() != phase)
}

fn run_while(path: &mut Path, holds: impl Fn(&Bbr3) -> bool) -> Time {
    while holds(bbr3(path)) {
        let at = path.next().expect("an event");
        assert!(at < Time(120_000_000_000), "{:?}", bbr3(path));
        path.step(at);
    }
    path.now
}

/// Supplies `bytes` each `every` ms until `end`, so that the application limits the rate.
fn trickle(path: &mut Path, (bytes, every): (u64, u64), end: Time, mut each: impl FnMut(&Path)) {
    while path.now < end {
        let now = path.now;
        path.ends[0].supply(now, bytes);
        path.carry(0);
        path.run(now + Span::from_millis(every));
        each(path);
    }
}

/// A connection of an application that has supplied nothing yet.
fn limited(delay_ms: u64, fate: impl FnMut(End, u64, &crate::packet::TcpSegment) -> Fate + 'static) -> Path {
    let mut path = Path::new(CongestionKind::Bbr3, &linux(), Reading::default())
        .with(Span::from_millis(delay_ms), 1000)
        .with_fate(fate);
    path.keeps_seen = false;
    path.ends[0].open(Time::ZERO);
    path.carry(0);
    path
}

fn lossy(ratio: f64) -> impl FnMut(End, u64, &crate::packet::TcpSegment) -> Fate {
    let mut stream = RandomStreams::new(3).stream(Purpose::Traffic, 0);
    move |end, number, _| {
        if end == End::Source && number > 20 && stream.unit() < ratio { Fate::Lost } else { Fate::Arrives }
    }
}

#[test]
fn startup_ends_on_a_plateau_and_drain_on_inflight() {
    let mut path = bulk();
    until(&mut path, Phase::Drain);
    let (is_full, is_now, ..) = bbr3(&path).fullness();
    assert!(is_full && is_now);
    assert!((bbr3(&path).bandwidths().0 / 9.6533 - 1.0).abs() < 0.02, "{:?}", bbr3(&path).bandwidths());
    assert_eq!(bbr3(&path).gains(), (0.5, 2.0));
    run_while(&mut path, |bbr3| bbr3.phase() == Phase::Drain);
    let (_, _, round, drained) = bbr3(&path).fullness();
    // The acknowledgment that ends DRAIN may end DOWN, too.
    let phase = bbr3(&path).phase();
    assert!(round <= drained + 3 && matches!(phase, Phase::Down | Phase::Cruise), "{round} {drained} {phase:?}");
    // 41.9 segments, and what an ack has sent since.
    let in_flight = path.ends[0].flight.count();
    assert!(f64::from(in_flight) <= bbr3(&path).volumes().1 + 4.0, "{in_flight}");
}

#[test]
fn startup_ends_on_loss_although_the_application_limits() {
    for (ratio, ends) in [(0.0, false), (0.15, true)] {
        let mut path = limited(25, lossy(ratio));
        path.rate = Rate(100e6);
        trickle(&mut path, (30 * 1448, 10), Time(4_000_000_000), |_| {});
        let (is_full, ..) = bbr3(&path).fullness();
        assert_eq!(is_full, ends, "{ratio}: {:?}", bbr3(&path));
        assert_eq!(bbr3(&path).phase() == Phase::Startup, !ends, "{ratio}");
        assert_eq!(bbr3(&path).flight_bounds().0.is_finite(), ends, "{ratio}");
    }
}

#[test]
fn drain_ends_after_three_rounds() {
    let mut path = bulk();
    until(&mut path, Phase::Drain);
    path.rate = Rate(4e6);
    run_while(&mut path, |bbr3| bbr3.phase() == Phase::Drain);
    let (_, _, round, drained) = bbr3(&path).fullness();
    assert_eq!(round, drained + 4);
}

#[test]
fn up_ends_on_a_plateau_and_down_on_inflight() {
    let mut path = bulk();
    until(&mut path, Phase::Up);
    assert_eq!(bbr3(&path).gains(), (1.25, 2.25));
    let begin = path.now;
    until(&mut path, Phase::Down);
    assert!(bbr3(&path).fullness().1, "full now");
    let length = path.now.since(begin).secs();
    assert!((0.15..0.5).contains(&length), "{length}");
    assert_eq!((path.drops, bbr3(&path).flight_bounds().0.is_infinite()), (0, true));
    assert_eq!(bbr3(&path).gains(), (0.9, 2.0));
    run_while(&mut path, |bbr3| bbr3.phase() == Phase::Down);
    assert_eq!(bbr3(&path).phase(), Phase::Cruise);
    let (in_flight, bdp) = (f64::from(path.ends[0].flight.count()), bbr3(&path).volumes().1);
    assert!(in_flight <= bdp + 4.0, "{in_flight} of {bdp}");
}

#[test]
fn down_ends_in_refill_after_its_time() {
    let mut path = patient(|_, _, _| Fate::Arrives);
    until(&mut path, Phase::Up);
    until(&mut path, Phase::Down);
    // Less than 0.9 of the bandwidth, so that the queue stays.
    path.rate = Rate(8.5e6);
    let begin = path.now;
    let end = run_while(&mut path, |bbr3| bbr3.phase() == Phase::Down);
    assert_eq!(bbr3(&path).phase(), Phase::Refill);
    assert!((2.0..3.2).contains(&end.since(begin).secs()), "{}", end.since(begin).secs());
}

#[test]
fn cycles_last_two_to_three_seconds() {
    let mut path = patient(|_, _, _| Fate::Arrives);
    until(&mut path, Phase::Up);
    let mut begins = Vec::new();
    for _ in 0..8 {
        until(&mut path, Phase::Down);
        begins.push(until(&mut path, Phase::Up).secs());
    }
    assert!(begins.windows(2).all(|pair| (1.9..3.9).contains(&(pair[1] - pair[0]))), "{begins:?}");
}

#[test]
fn probe_rtt_halves_what_is_in_flight() {
    let mut path = bulk();
    let begin = until(&mut path, Phase::ProbeRtt);
    assert!((5.0..5.2).contains(&begin.secs()), "{}", begin.secs());
    assert_eq!(bbr3(&path).gains(), (1.0, 0.5));
    path.run(begin + Span::from_millis(150));
    let (cwnd, _) = path.ends[0].window();
    assert!((cwnd / bbr3(&path).volumes().1 - 0.5).abs() < 0.05, "{cwnd}");
    let end = run_while(&mut path, |bbr3| bbr3.phase() == Phase::ProbeRtt);
    assert!((0.2..0.4).contains(&end.since(begin).secs()), "{}", end.since(begin).secs());
    assert_eq!(bbr3(&path).phase(), Phase::Cruise);
    let next = until(&mut path, Phase::ProbeRtt);
    assert!((4.9..5.4).contains(&next.since(end).secs()), "{}", next.since(end).secs());
}

#[test]
fn probe_rtt_is_skipped_after_idle_time() {
    let mut path = limited(25, |_, _, _| Fate::Arrives);
    let now = path.now;
    path.ends[0].supply(now, 3_000_000);
    path.carry(0);
    path.run(ms(4_000));
    assert_eq!(path.delivered[1], 3_000_000);
    path.run(ms(12_000));
    let mut phases = Vec::new();
    trickle(&mut path, (30 * 1448, 500), ms(14_000), |path| phases.push(bbr3(path).phase()));
    assert!(!phases.contains(&Phase::ProbeRtt) && bbr3(&path).fullness().0, "{phases:?}");
}

#[test]
fn probe_rtt_during_startup_returns_to_startup() {
    let mut path = limited(25, |_, _, _| Fate::Arrives);
    path.rate = Rate(100e6);
    let mut phases = Vec::new();
    trickle(&mut path, (4 * 1448, 10), ms(7_000), |path| phases.push(bbr3(path).phase()));
    phases.dedup();
    assert_eq!(phases, [Phase::Startup, Phase::ProbeRtt, Phase::Startup]);
}

/// In UP, with an application that limits the rate, and a switch for losses.
fn limited_up() -> (Path, Rc<Cell<bool>>) {
    let is_lossy = Rc::new(Cell::new(false));
    let switch = Rc::clone(&is_lossy);
    let mut path =
        patient(
            move |end, number, _| {
                if end == End::Source && switch.get() && number % 10 == 0 { Fate::Lost } else { Fate::Arrives }
            },
        );
    until(&mut path, Phase::Up);
    path.ends[0].snd.supplied = path.ends[0].snd.nxt;
    let end = path.now + Span::from_millis(500);
    trickle(&mut path, (10 * 1448, 50), end, |_| {});
    (path, is_lossy)
}

#[test]
fn up_lasts_while_the_application_limits() {
    let (mut path, _) = limited_up();
    let end = path.now + Span::from_millis(4000);
    trickle(&mut path, (10 * 1448, 50), end, |path| assert_eq!(bbr3(path).phase(), Phase::Up));
}

#[test]
fn loss_ends_up_although_the_application_limits() {
    let (mut path, is_lossy) = limited_up();
    is_lossy.set(true);
    let end = path.now + Span::from_millis(300);
    trickle(&mut path, (10 * 1448, 50), end, |_| {});
    assert!(matches!(bbr3(&path).phase(), Phase::Down | Phase::Cruise), "{:?}", bbr3(&path));
}

#[test]
fn limited_samples_in_refill_leave_the_bandwidth() {
    let mut path = bulk();
    until(&mut path, Phase::Refill);
    let before = bbr3(&path).bandwidths().0;
    let until_sent = path.ends[0].snd.nxt;
    path.ends[0].snd.supplied = until_sent;
    path.run(path.now + Span::from_millis(400));
    assert!(bbr3(&path).bandwidths().0 >= 0.99 * before, "{:?}", bbr3(&path).bandwidths());
    let now = path.now;
    path.ends[0].supply_endless(now);
    path.carry(0);
    until(&mut path, Phase::Up);
}

#[test]
fn aggregated_acks_widen_the_window() {
    // A link that delivers its acks in batches of 40 ms.
    let mut path = Path::new(CongestionKind::Bbr3, &linux(), Reading::default())
        .with(Span::from_millis(25), 1000)
        .with_fate(|end, _, segment| {
            if end == End::Source {
                return Fate::Arrives;
            }
            let next = Time((segment.sent_at.0 / 40_000_000 + 1) * 40_000_000);
            Fate::Late(next.since(segment.sent_at))
        });
    path.keeps_seen = false;
    path.start(None);
    until(&mut path, Phase::Cruise);
    let (extra, bdp) = bbr3(&path).volumes();
    let (cwnd, _) = path.ends[0].window();
    assert!(extra > 15.0 && cwnd > 2.0 * bdp, "{extra}, {bdp}, {cwnd}");
    let before = (path.delivered[1], path.now);
    path.run(path.now + Span::from_millis(1500));
    let rate = (path.delivered[1] - before.0) as f64 * 8e-6 / path.now.since(before.1).secs();
    // A batch acknowledges more than the link carries in the time of a sample; the rate of sending bounds the sample.
    assert!(rate > 9.0 && (9.4..14.5).contains(&bbr3(&path).bandwidths().0), "{rate}, {:?}", bbr3(&path).bandwidths());
}

#[test]
fn window_has_four_segments_at_a_tiny_bdp() {
    let mut path = dumbbell(CongestionKind::Bbr3, 2, 1000);
    path.rate = Rate(1e6);
    path.keeps_seen = false;
    path.start(None);
    until(&mut path, Phase::Cruise);
    let before = (path.delivered[1], path.now);
    let mut least = f64::INFINITY;
    while path.now < ms(12_000) {
        let at = path.next().expect("an event");
        path.step(at);
        least = least.min(path.ends[0].window().0);
    }
    let rate = (path.delivered[1] - before.0) as f64 * 8e-6 / path.now.since(before.1).secs();
    assert!(least >= 4.0 && (0.93..0.966).contains(&rate), "{least}, {rate} Mb/s");
}

#[test]
fn tenfold_bandwidth_is_found() {
    let mut path = bulk();
    until(&mut path, Phase::Cruise);
    path.rate = Rate(100e6);
    let begin = path.now;
    let end = run_while(&mut path, |bbr3| bbr3.bandwidths().0 < 90.0);
    assert!(end.since(begin).secs() < 12.0, "{}", end.since(begin).secs());
}

#[test]
fn bandwidth_falls_to_a_tenth() {
    let mut path = dumbbell(CongestionKind::Bbr3, 50, 420);
    path.rate = Rate(100e6);
    path.keeps_seen = false;
    path.start(None);
    until(&mut path, Phase::Cruise);
    assert!((bbr3(&path).bandwidths().0 / 96.5 - 1.0).abs() < 0.03, "{:?}", bbr3(&path).bandwidths());
    path.rate = Rate(10e6);
    let begin = path.now;
    // A round takes half a second with a full queue, and the next REFILL forgets the bound.
    let short = run_while(&mut path, |bbr3| bbr3.bandwidths().1 > 50.0).since(begin).secs();
    let long = run_while(&mut path, |bbr3| bbr3.bandwidths().0 > 10.0).since(begin).secs();
    assert!(short < 4.0 && long < 12.0, "{short} s, {long} s");
}

#[test]
fn loss_ends_up_and_scales_the_long_bound() {
    let mut path = dumbbell(CongestionKind::Bbr3, 50, 21);
    path.keeps_seen = false;
    path.start(None);
    let mut bounds = Vec::new();
    for _ in 0..12 {
        until(&mut path, Phase::Up);
        until(&mut path, Phase::Down);
        bounds.push(bbr3(&path).flight_bounds().0);
    }
    // 42 segments fill the path, 21 wait.
    assert!(bounds[3..].iter().all(|bound| (30.0..70.0).contains(bound)), "{bounds:?}");
    let drops = path.drops;
    path.run(path.now + Span::from_millis(20_000));
    assert!(path.drops - drops < 200, "{}", path.drops - drops);
}

#[test]
fn policer_is_obeyed() {
    // 5 Mb/s and a burst of 50 kB, at a link of 100 Mb/s.
    let (mut tokens, mut last) = (50e3, Time::ZERO);
    let mut path = Path::new(CongestionKind::Bbr3, &linux(), Reading::default())
        .with(Span::from_millis(25), 1000)
        .with_fate(move |end, _, segment| {
            if end == End::Sink {
                return Fate::Arrives;
            }
            tokens = (tokens + segment.sent_at.since(last).secs() * 5e6 / 8.0).min(50e3);
            last = segment.sent_at;
            let bytes = f64::from(segment.bytes());
            if tokens < bytes {
                return Fate::Lost;
            }
            tokens -= bytes;
            Fate::Arrives
        });
    path.rate = Rate(100e6);
    path.start(None);
    path.run(ms(10_000));
    let (before, sent) = (path.delivered[1], path.seen.len());
    path.run(ms(40_000));
    let rate = (path.delivered[1] - before) as f64 * 8e-6 / 30.0;
    let after: Vec<_> = path.seen[sent..].iter().filter(|seen| seen.segment.is_forward()).collect();
    let lost = after.iter().filter(|seen| seen.is_lost).count() as f64 / after.len() as f64;
    assert!(rate > 4.0 && lost < 0.1, "{rate} Mb/s, {lost}");
}
