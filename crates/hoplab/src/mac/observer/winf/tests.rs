//! rt-Winf frame by frame, validated against the numbers of its specification.

use super::literal::eq13;
use super::*;
use crate::kernel::{Bytes, RadioId, Rate};
use crate::mac::MacConfig;

fn winf(config: &WinfConfig) -> Winf {
    let mac = MacConfig { data_rate: Rate(11e6), basic_rate: Rate(1e6), ..MacConfig::default() };
    let timing = Arc::new(Timing::new(&mac));
    Winf::build(config, &ObserverSetup { radio: RadioId(0), timing: &timing })
}

fn frame(winf: &Winf, kind: FrameKind, from: u32, to: u32) -> Frame {
    let timing = &winf.timing;
    let data = timing.data(1500, false);
    let rts = timing.rts_duration(data, timing.unicast);
    let (bytes, airtime, duration) = match kind {
        FrameKind::Rts => (20, timing.rts, rts),
        FrameKind::Cts => (14, timing.cts, timing.cts_duration(rts, timing.cts)),
        FrameKind::Data => (timing.data_bytes(1500), data, timing.data_duration(timing.unicast)),
        FrameKind::Ack => (14, timing.ack, 0),
        _ => unreachable!("frames of 802.11n"),
    };
    Frame {
        bytes,
        airtime,
        modulation: timing.modulation(false),
        duration,
        ..Frame::blank(kind, RadioId(from), RadioId(to))
    }
}

/// One exchange of 1500 bytes from `from` to `to` that begins at `at`, as node 0 sees it; its end.
fn exchange(winf: &mut Winf, mut at: Time, from: u32, to: u32) -> Time {
    for kind in [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack] {
        let is_forward = matches!(kind, FrameKind::Rts | FrameKind::Data);
        let (ta, ra) = if is_forward { (from, to) } else { (to, from) };
        let frame = frame(winf, kind, ta, ra);
        if ta == 0 {
            winf.on_frame(at, Role::Sent, &frame);
        } else {
            winf.on_carrier(at);
            let end = at + frame.airtime;
            winf.on_frame(end, Role::Received, &frame);
            if ra != 0 && frame.duration > 0 {
                winf.on_nav(end, end + Span::from_micros(u64::from(frame.duration)));
            }
            winf.on_idle(end);
        }
        at = at + frame.airtime + winf.timing.sifs;
    }
    Time(at.0 - winf.timing.sifs.0)
}

/// What a TCP acknowledgment puts on the air.
const SHORT: Load = Load {
    bytes: 40,
    packets: 1,
    per_byte: 8.0 / 11e6,
    body: 40.0 * 8.0 / 11e6,
    room: 1.0,
    category: Category::BestEffort,
    follows: false,
};

fn literal() -> WinfConfig {
    WinfConfig { mode: Form::Literal, ..WinfConfig::default() }
}

#[test]
fn exchange_in_each_role_gives_the_specified_capacity() {
    // docs/specs/rt-winf.md section 11, test 1.
    for (from, to, printed) in [(0, 1, 930_731.0), (1, 0, 936_542.0), (1, 2, 930_731.0)] {
        let mut winf = winf(&literal());
        let end = exchange(&mut winf, Time(1_000_000), from, to);
        let capacity = winf.capacity(end, Reader::Node);
        assert!((capacity / printed - 1.0).abs() < 1e-3, "{from} to {to}: {capacity}");
    }
    for (from, to) in [(0, 1), (1, 0), (1, 2)] {
        let mut winf = winf(&WinfConfig::default());
        assert!((winf.capacity(Time::ZERO, Reader::Node) / 564_411.0 - 1.0).abs() < 1e-3);
        let end = exchange(&mut winf, Time(1_000_000), from, to);
        let capacity = winf.capacity(end, Reader::Node);
        assert!((capacity / 564_411.0 - 1.0).abs() < 1e-3, "{from} to {to}: {capacity}");
    }
}

#[test]
fn onlooker_finds_half_available_at_half_load() {
    let mut winf = winf(&WinfConfig::default());
    let mut at = Time(1_000_000);
    while at < Time(3_000_000_000) {
        let end = exchange(&mut winf, at, 1, 2) + winf.timing.difs;
        at = end + end.since(at);
    }
    let now = at;
    let LinkEstimate { capacity, available } = winf.link(now, Span::from_millis(1000)).expect("an estimate");
    assert!((available / capacity - 0.5).abs() < 0.03, "{available} of {capacity}");
}

#[test]
fn count_cs_excludes_undecodable_carrier_alone() {
    // docs/specs/rt-winf.md section 5: two overheard RTSs, each with its NAV, one of them within the NAV of the other;
    // one for this node; and 100 ms of noise, once alone, once around the end of a NAV.
    let busy = |count_cs: bool| {
        let mut winf = winf(&WinfConfig { count_cs, ..WinfConfig::default() });
        let rts = winf.timing.rts;
        let receive = |winf: &mut Winf, ms: u64, to: u32, nav_ms: u64| {
            let start = Time(ms * 1_000_000);
            winf.on_carrier(start);
            winf.on_frame(start + rts, Role::Received, &frame(winf, FrameKind::Rts, 1, to));
            if nav_ms > 0 {
                winf.on_nav(start + rts, start + rts + Span::from_millis(nav_ms));
            }
            winf.on_idle(start + rts);
        };
        let noise = |winf: &mut Winf, ms: u64| {
            winf.on_carrier(Time(ms * 1_000_000));
            winf.on_idle(Time((ms + 100) * 1_000_000));
        };
        receive(&mut winf, 10, 2, 50);
        receive(&mut winf, 30, 2, 50);
        receive(&mut winf, 120, 0, 0);
        noise(&mut winf, 200);
        receive(&mut winf, 400, 2, 50);
        noise(&mut winf, 430);
        winf.busy.total(Time(900_000_000))
    };
    let Timing { rts, difs, .. } = *winf(&WinfConfig::default()).timing;
    let nav = Span::from_millis(70 + 50) + rts * 2 + difs * 2;
    let decoded = nav + rts + difs;
    assert_eq!(busy(false), decoded);
    // From 430 ms to the end of the NAV the noise adds nothing.
    assert_eq!(busy(true), decoded + Span::from_millis(100) + difs + Span::from_millis(80) - rts);
}

#[test]
fn capacity_is_found_with_a_hidden_sender() {
    let mut winf = winf(&WinfConfig::default());
    let cts = frame(&winf, FrameKind::Cts, 2, 1);
    let data = frame(&winf, FrameKind::Data, 1, 2);
    let end = Time(1_000_000) + cts.airtime;
    winf.on_frame(end, Role::Received, &cts);
    let ack = frame(&winf, FrameKind::Ack, 2, 1);
    let end = end + winf.timing.sifs * 2 + data.airtime + ack.airtime;
    winf.on_frame(end, Role::Received, &ack);
    assert!((winf.capacity(end, Reader::Node) / 564_411.0 - 1.0).abs() < 2e-3, "{}", winf.capacity(end, Reader::Node));
}

#[test]
fn saturation_leaves_nothing_but_in_literal_mode() {
    // docs/specs/rt-winf.md section 11, test 2: one-way traffic, 15 slots of backoff after each exchange.
    let run = |config: &WinfConfig| {
        let mut winf = winf(config);
        let mut at = Time(1_000_000);
        winf.on_service(at, Category::BestEffort, true);
        while at < Time(4_000_000_000) {
            at = exchange(&mut winf, at, 1, 0) + winf.timing.difs + Span::from_micros(310);
        }
        winf.link(at, Span::from_millis(1000)).expect("an estimate")
    };
    let literal = run(&literal());
    let share = literal.available / literal.capacity;
    assert!((share - 0.268).abs() < 0.002, "{share}");
    let consistent = run(&WinfConfig::default());
    assert!(consistent.available / consistent.capacity < 0.02);
}

#[test]
fn short_packets_leave_the_capacity_of_long_ones() {
    let mut winf = winf(&WinfConfig::default());
    let mut at = Time(1_000_000);
    for _ in 0..20 {
        at = exchange(&mut winf, at, 0, 1) + Span::from_micros(400);
        winf.sample(at, Part::Receiver, [RadioId(1); 2], SHORT, 0.0016, Span::from_micros(600));
    }
    assert!(winf.capacity(at, Reader::Node) > 0.5 * 564_411.0);
    // An idle link keeps its last value.
    assert!(winf.capacity(at + Span::from_millis(60_000), Reader::Node) > 0.5 * 564_411.0);
}

#[test]
fn literal_mode_leaves_nothing_without_rts() {
    // docs/specs/rt-winf.md section 11, test 5, and eq. 12 of section 3: 7.40 Mb/s for 1500 bytes.
    assert_eq!(eq13(500_000.0, 0.25), 1.0 - 125_000.0);
    for (config, mbps, left) in [
        (literal(), 7.40, 0.0..1e-9),
        (WinfConfig { overhead: Overhead::Exchange, ..WinfConfig::default() }, 7.40, 0.98..1.0),
        (WinfConfig::default(), 6.06, 0.98..1.0),
    ] {
        let mut winf = winf(&config);
        let (data, ack) = (frame(&winf, FrameKind::Data, 0, 1), frame(&winf, FrameKind::Ack, 1, 0));
        for n in 0..4 {
            let start = Time(1_000_000_000 + n * 250_000_000);
            winf.on_frame(start, Role::Sent, &data);
            let end = start + data.airtime + winf.timing.sifs + ack.airtime;
            winf.on_frame(end, Role::Received, &ack);
        }
        let now = Time(2_000_000_000);
        let LinkEstimate { capacity, available } = winf.link(now, Span::from_millis(1000)).expect("an estimate");
        assert!((capacity * 8e-6 - mbps).abs() < 0.01, "{mbps}: {capacity}");
        assert!(left.contains(&(available / capacity)), "{mbps}: {available} of {capacity}");
    }
}

#[test]
fn backoff_overhead_takes_its_share_between_exchanges() {
    // docs/specs/rt-winf.md section 4: eq. 1's 7.45 Mb/s, times 1 - (DIFS + backoff) / T_m.
    let config = WinfConfig { overhead: Overhead::Backoff, ..WinfConfig::default() };
    let after = |pause: Span| {
        let mut winf = winf(&config);
        let mut at = Time(1_000_000);
        let mut period = Span::ZERO;
        while at < Time(5_000_000_000) {
            let began = at;
            at = exchange(&mut winf, at, 0, 1) + pause;
            period = at.since(began);
        }
        (winf.capacity(at, Reader::Node) * 8e-6, 1.0 - 360e-6 / period.secs())
    };
    for pause in [360, 2_000, 50_000] {
        let (mbps, share) = after(Span::from_micros(pause));
        assert!((mbps / (7.45 * share) - 1.0).abs() < 2e-3, "{pause} us: {mbps} Mb/s, {share}");
    }
}

#[test]
fn acknowledgments_leave_half_of_the_capacity() {
    // docs/specs/rt-winf.md section 11, test 6: segments one way, acknowledgments of 40 bytes the other.
    let of = |both: bool| {
        let mut winf = winf(&WinfConfig::default());
        let mut at = Time(1_000_000);
        while at < Time(2_000_000_000) {
            at = exchange(&mut winf, at, 0, 1) + Span::from_micros(360);
            if both {
                let time = 40.0 / (clean(&winf.timing, 40));
                at += Span::from_secs(time);
                winf.sample(at, Part::Receiver, [RadioId(1); 2], SHORT, time, Span::from_secs(time));
            }
        }
        winf.capacity(at, Reader::Node)
    };
    assert!(of(true) >= 0.5 * of(false));
}

#[test]
fn clean_link_capacity_equals_equation_14() {
    // docs/specs/rt-winf.md section 3, the table.
    let rates = |data, basic, packet, threshold| {
        let config = MacConfig {
            data_rate: Rate(data),
            basic_rate: Rate(basic),
            rts_threshold: Bytes(threshold),
            ..MacConfig::default()
        };
        clean(&Timing::new(&config), packet) * 8e-6
    };
    for (packet, with, without) in [(1500, 4.52, 6.06), (512, 2.11, 3.24), (188, 0.88, 1.46), (40, 0.20, 0.35)] {
        assert!((rates(11e6, 1e6, packet, 0) - with).abs() < 0.006, "{packet}");
        assert!((rates(11e6, 1e6, packet, 3000) - without).abs() < 0.006, "{packet}");
    }
    assert!((rates(11e6, 2e6, 1500, 0) - 4.87).abs() < 0.006);
}

#[test]
fn normalised_samples_count_as_full_packets() {
    // 40 bytes measured alone: 0.20 Mb/s, and 4.52 as if they had been 1500; printed (eq. 1) 0.58 and 7.45.
    for (mode, normalise, mbps) in [
        (Form::Consistent, false, 0.20),
        (Form::Consistent, true, 4.52),
        (Form::Literal, false, 0.58),
        (Form::Literal, true, 7.45),
    ] {
        let mut winf = winf(&WinfConfig { mode, normalise, ..WinfConfig::default() });
        let (data, ack) = (winf.timing.data(40, false), winf.timing.ack);
        let whole = 40.0 / clean(&winf.timing, 40);
        winf.sample(Time(1_000_000), Part::Sender, [RadioId(1); 2], SHORT, whole, data + ack);
        let capacity = winf.capacity(Time(2_000_000), Reader::Node) * 8e-6;
        assert!((capacity - mbps).abs() < 0.006, "{mode:?} {normalise}: {capacity}");
    }
}

#[test]
fn literal_mode_starts_at_the_data_rate() {
    // docs/specs/rt-winf.md section 4: users fall back to the rate of the PHY.
    assert_eq!(winf(&literal()).capacity(Time::ZERO, Reader::Node), 11e6 / 8.0);
}

#[test]
fn backoff_overhead_adds_at_most_the_backoff() {
    let mut winf = winf(&WinfConfig::default());
    let (at, time, extra) = (Time(1_000_000), 1e-3, Span::from_micros(360));
    assert_eq!(winf.with_backoff(at, Part::Sender, extra, time), time);
    for pause in [Span::ZERO, Span::from_micros(500)] {
        assert!((winf.with_backoff(at + pause, Part::Sender, extra, time) - (time + 360e-6)).abs() < 1e-12, "{pause}");
    }
}

#[test]
fn samples_without_bytes_or_time_are_ignored() {
    let mut winf = winf(&literal());
    let ends = [RadioId(1); 2];
    winf.sample(Time(1_000_000), Part::Sender, ends, Load { bytes: 0, ..SHORT }, 1e-3, Span::from_millis(1));
    winf.sample(Time(1_000_000), Part::Sender, ends, SHORT, 0.0, Span::from_millis(1));
    assert_eq!(winf.capacity(Time(1_000_000), Reader::Node), 11e6 / 8.0);
}

#[test]
fn broadcast_is_not_an_exchange() {
    let mut winf = winf(&literal());
    let data = Frame { ra: RadioId::BROADCAST, ..frame(&winf, FrameKind::Data, 0, 1) };
    winf.on_frame(Time(1_000_000), Role::Sent, &data);
    let ack = frame(&winf, FrameKind::Ack, 1, 0);
    winf.on_frame(Time(1_000_000) + data.airtime * 2, Role::Received, &ack);
    assert_eq!(winf.capacity(Time(9_000_000), Reader::Node), 11e6 / 8.0);
}

/// Capacity after an overheard CTS of node 2 for node 1, a short broadcast by node 1 if there is one, and the ACK of node 2
/// `later` than the CTS.
fn overheard(with_broadcast: bool, later: Span) -> f64 {
    let mut winf = winf(&literal());
    let cts = frame(&winf, FrameKind::Cts, 2, 1);
    winf.on_frame(Time(1_000_000), Role::Received, &cts);
    if with_broadcast {
        let data = frame(&winf, FrameKind::Data, 1, 2);
        winf.on_frame(Time(1_100_000), Role::Received, &Frame { ra: RadioId::BROADCAST, bytes: 100, ..data });
    }
    let ack = frame(&winf, FrameKind::Ack, 2, 1);
    winf.on_frame(Time(1_000_000) + later, Role::Received, &ack);
    winf.capacity(Time(9_000_000), Reader::Node)
}

#[test]
fn overheard_exchange_ignores_broadcasts_and_missing_data() {
    let Timing { sifs, ack, .. } = *winf(&literal()).timing;
    let whole = sifs * 2 + ack + winf(&literal()).timing.data(1500, false);
    let capacity = overheard(false, whole);
    assert!((capacity / 930_731.0 - 1.0).abs() < 2e-3, "{capacity}");
    assert_eq!(overheard(true, whole), capacity);
    assert_eq!(overheard(false, sifs * 2 + ack), 11e6 / 8.0);
}
