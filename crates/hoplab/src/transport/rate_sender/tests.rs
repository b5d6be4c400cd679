//! Departures, Refs, losses and timeouts of rate-based senders.

use super::*;

fn sender(kind: RcpKind) -> RateSender {
    let mut sender = RateSender::new(kind, &RcpSender::default(), &TcpConfig::default(), 960, 1000);
    sender.on_supply(Time::ZERO, Supply::Endless);
    sender
}

pub(super) fn ms(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

pub(super) fn answer(cumulative: SegNo, echo: Time, rate: f64) -> Ack {
    Ack { feedback: Echo::Rcp(rate), ..Ack::plain(cumulative, echo) }
}

pub(super) fn sent(sender: &mut RateSender) -> Vec<SegNo> {
    sender.take_sent().map(|(segment, _)| segment.seq).collect()
}

#[test]
fn syn_repeats_until_answered_then_rate_paces() {
    let mut sender = sender(RcpKind::Base);
    assert_eq!(sent(&mut sender), [0]);
    assert_eq!(sender.deadline(), Some(ms(500)));
    sender.on_deadline(ms(500));
    assert_eq!(sent(&mut sender), [0]);
    // 100 kB/s: a packet of 1000 bytes every 10 ms, the first at once.
    sender.on_ack(ms(540), &answer(0, ms(500), 1e5));
    let mut times = Vec::new();
    while times.len() < 4 {
        let now = sender.deadline().expect("a turn");
        sender.on_deadline(now);
        times.extend(sent(&mut sender).into_iter().map(|seq| (seq, now)));
    }
    assert_eq!(times, [(1, ms(540)), (2, ms(550)), (3, ms(560)), (4, ms(570))]);
    // Half the rate: the next segment departs later.
    sender.on_ack(ms(580), &answer(1, ms(540), 5e4));
    assert_eq!(sender.departure, Some(ms(590)));
    sender.on_ack(ms(581), &answer(2, ms(541), 1e6));
    assert_eq!(sender.departure, Some(ms(581)));
}

#[test]
fn slow_sender_sends_a_ref_per_round_trip() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
    sender.on_deadline(ms(40));
    assert_eq!(sender.deadline(), Some(ms(140)), "a segment every 100 ms asks too");
    sent(&mut sender);
    sender.on_ack(ms(80), &answer(1, ms(40), 1e4));
    sender.on_deadline(ms(80));
    assert_eq!(sent(&mut sender), [REF], "one Ref per round trip between segments");
}

/// What a sender of `rate` bytes per second emits until 1.1 s, on a path whose first round trip takes 40 ms and
/// each later one `rtt_ms`.
fn emitted(config: &RcpSender, rate: f64, rtt_ms: u64, supply: Supply) -> Vec<(SegNo, u64)> {
    let mut sender = RateSender::new(RcpKind::Base, config, &TcpConfig::default(), 960, 1000);
    sender.on_supply(Time::ZERO, supply);
    sent(&mut sender);
    let mut answers = std::collections::VecDeque::from([(ms(40), answer(0, Time::ZERO, rate))]);
    let (mut arrived, mut emitted) = (0, Vec::new());
    loop {
        let timer = sender.deadline();
        let next = answers.front().map(|(at, _)| *at).into_iter().chain(timer).min();
        let Some(now) = next.filter(|now| *now < ms(1100)) else { return emitted };
        if answers.front().is_some_and(|(at, _)| *at == now) {
            let (_, ack) = answers.pop_front().expect("an answer");
            sender.on_ack(now, &ack);
        } else {
            sender.on_deadline(now);
        }
        for seq in sent(&mut sender) {
            arrived = arrived.max(seq);
            emitted.push((seq, now.0 / 1_000_000));
            answers.push_back((now + Span::from_millis(rtt_ms), answer(arrived, now, rate)));
        }
    }
}

fn clocks() -> [RcpSender; 2] {
    [RefClock::Answered, RefClock::MinRtt].map(|ref_clock| {
        let mut config = RcpSender::default();
        config.rcp.ref_clock = ref_clock;
        config
    })
}

#[test]
fn refs_continue_once_all_that_was_sent_has_arrived() {
    // docs/specs/rcp.md section 4: segments every second, a round trip of 40 ms, a Ref in each.
    for config in clocks() {
        let emitted = emitted(&config, 1e3, 40, Supply::Endless);
        let expected = (80..=1000).step_by(40).map(|at| (REF, at));
        let expected: Vec<_> = [(1, 40)].into_iter().chain(expected).collect();
        assert_eq!(emitted[..25], expected, "{:?}", config.rcp.ref_clock);
        assert!(emitted.contains(&(2, 1040)));
    }
}

#[test]
fn missing_answer_delays_no_ref() {
    // Later round trips take 100 ms, the minimum is 40 ms; the segment's acknowledgment arrives at 140 ms.
    let [answered, least] = clocks().map(|config| {
        let emitted = emitted(&config, 1e3, 100, Supply::Endless);
        let refs = emitted.into_iter().filter(|(seq, _)| *seq == REF);
        refs.map(|(_, at)| at).take(5).collect::<Vec<_>>()
    });
    assert_eq!(least, [80, 120, 160, 200, 240]);
    assert_eq!(answered, [140, 240, 340, 440, 540]);
}

#[test]
fn segment_in_flight_replaces_a_ref() {
    // A segment every 50 ms, a minimum round trip of 40 ms, and one of 60 ms: a segment is always in flight.
    let [answered, least] = clocks().map(|config| {
        let emitted = emitted(&config, 2e4, 60, Supply::Endless);
        emitted.iter().filter(|(seq, _)| *seq == REF).count()
    });
    assert_eq!(answered, 0);
    assert!(least >= 25, "{least}");
}

#[test]
fn imminent_segment_replaces_a_ref() {
    // The first segment is acknowledged at 80 ms, the next leaves 30 or 40 ms later; the minimum round trip is 40 ms.
    for (interval_ms, probe) in [(70.0, None), (80.0, Some(ms(80)))] {
        let mut sender = sender(RcpKind::Base);
        let rate = 1e6 / interval_ms;
        sender.on_ack(ms(40), &answer(0, ms(0), rate));
        sender.on_deadline(ms(40));
        sender.on_ack(ms(80), &answer(1, ms(40), rate));
        assert_eq!(sender.prober.deadline, probe, "a segment every {interval_ms} ms");
    }
}

#[test]
fn request_without_an_answer_is_repeated() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e3));
    sender.on_deadline(ms(40));
    sender.on_ack(ms(80), &answer(1, ms(40), 1e3));
    sender.on_deadline(ms(80));
    assert_eq!(sent(&mut sender), [0, 1, REF]);
    assert_eq!(sender.deadline(), Some(ms(580)));
    sender.on_deadline(ms(580));
    assert_eq!(sent(&mut sender), [REF]);
}

#[test]
fn sender_without_data_sends_no_refs() {
    for config in clocks() {
        let emitted = emitted(&config, 1e3, 40, Supply::Segments(1));
        assert_eq!(emitted, [(1, 40)], "all has arrived when the first Ref is due");
    }
    let mut sender = RateSender::new(RcpKind::Base, &RcpSender::default(), &TcpConfig::default(), 960, 1000);
    sender.on_supply(Time::ZERO, Supply::Segments(1));
    sender.on_ack(ms(40), &answer(0, ms(0), 1e3));
    sender.on_deadline(ms(40));
    sender.on_ack(ms(80), &answer(1, ms(40), 1e3));
    assert_eq!(sender.deadline(), None);
    sender.on_supply(ms(200), Supply::Segments(1));
    assert_eq!(
        (sender.prober.deadline, sender.departure),
        (Some(ms(240)), Some(ms(1040))),
        "it asks again before the departure"
    );
}

#[test]
fn ref_is_acked_but_acknowledges_nothing_new() {
    use crate::transport::Receiver;
    let mut sender = sender(RcpKind::Base);
    sender.config.rcp.ref_clock = RefClock::MinRtt;
    sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
    sender.on_deadline(ms(40));
    let mut receiver = Receiver::new(&TcpConfig { delayed_ack: false, ..TcpConfig::default() }, true);
    let mut acknowledged = |now: Time, segment: &Segment| {
        receiver.on_segment(now, segment).ack.expect("an acknowledgment of each").cumulative
    };
    let segments: Vec<Segment> = sender.take_sent().map(|(segment, _)| segment).collect();
    assert_eq!(segments.len(), 2);
    assert_eq!(acknowledged(ms(50), &segments[0]), 0);
    sender.on_deadline(ms(80));
    let asking: Vec<Segment> = sender.take_sent().map(|(segment, _)| segment).collect();
    assert_eq!(asking.len(), 1);
    assert_eq!(acknowledged(ms(90), &asking[0]), 0, "acknowledges nothing new");
    assert_eq!(acknowledged(ms(95), &segments[1]), 1);
}

/// A sender of 100 kB/s that has sent segments 0 to 5, and an acknowledgment of segments up to 1 and a block.
fn after_six() -> (RateSender, impl Fn((SegNo, SegNo)) -> Ack) {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e5));
    for at in [40, 50, 60, 70, 80] {
        sender.on_deadline(ms(at));
    }
    assert_eq!(sent(&mut sender), [0, 1, 2, 3, 4, 5]);
    let gap = |block| {
        let mut gap = answer(1, ms(60), 1e5);
        (gap.blocks[0], gap.block_count) = (block, 1);
        gap
    };
    (sender, gap)
}

#[test]
fn only_a_first_report_restarts_the_timer() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(85), &gap((3, 4)));
    let timer = sender.timer;
    assert_eq!(timer, Some(ms(85) + sender.rto()));
    sender.on_ack(ms(90), &gap((3, 4)));
    assert_eq!(sender.timer, timer, "a repeated block reports nothing");
    sender.on_ack(ms(95), &gap((3, 5)));
    assert_eq!(sender.timer, Some(ms(95) + sender.rto()), "a block that has grown");
}

#[test]
fn missing_segment_is_retransmitted_at_the_next_departure() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(81), &gap((3, 5)));
    assert!(!sender.segments.has_missing());
    sender.on_ack(ms(85), &gap((3, 6)));
    assert_eq!(sender.departure, Some(ms(90)));
    sender.on_deadline(ms(90));
    let again: Vec<_> = sender.take_sent().map(|(segment, _)| (segment.seq, segment.is_retransmission)).collect();
    assert_eq!(again, [(2, true)]);
}

#[test]
fn segment_is_missing_after_three_later_arrivals() {
    // docs/specs/rcp.md section 4: three later ones. Of 3, 4 and 5, 4 is in flight too.
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(81), &gap((3, 4)));
    sender.on_deadline(ms(90));
    assert_eq!(sent(&mut sender), [6]);
    sender.on_ack(ms(95), &gap((5, 6)));
    assert!(!sender.segments.has_missing(), "two have arrived, the last three numbers above");
    sender.on_ack(ms(99), &gap((5, 7)));
    assert_eq!(sender.segments.missing(), [2], "three above 2, two above 4");
}

#[test]
fn retransmission_is_missing_after_three_newer_arrivals() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(85), &gap((3, 6)));
    for at in [90, 100, 110, 120, 130] {
        sender.on_deadline(ms(at));
    }
    assert_eq!(sent(&mut sender), [2, 6, 7, 8, 9]);
    sender.on_ack(ms(131), &gap((6, 7)));
    sender.on_ack(ms(132), &gap((8, 9)));
    assert!(!sender.segments.has_missing(), "of those new since then, two have arrived");
    sender.on_ack(ms(133), &gap((9, 10)));
    assert_eq!(sender.segments.missing(), [2]);
}

#[test]
fn winf_limits_flight_to_a_round_trip_of_its_rate() {
    // docs/specs/rcp-winf.md section 2, test 3.
    let mut sender = RateSender::new(RcpKind::Winf, &RcpSender::default(), &TcpConfig::default(), 1500, 1000);
    sender.on_supply(Time::ZERO, Supply::Endless);
    sender.on_link(Some(LinkEstimate { capacity: 2e5, available: 1e5 }));
    sender.on_ack(ms(100), &answer(0, ms(0), 9e5));
    assert_eq!((sender.rate, sender.max_in_flight()), (Some(2e5), 13));
    assert!((sender.interval().expect("a rate").secs() - 0.00766).abs() < 1e-9);
    sender.config.winf.eq27 = Some(crate::packet::explicit::Form::Literal);
    assert!((sender.interval().expect("a rate").secs() - 0.0075).abs() < 1e-9);
}

#[test]
fn every_segment_arrives_under_random_loss() {
    use crate::transport::Receiver;
    for seed in 1..60u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut chance = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % 100
        };
        let kind = if seed % 2 == 0 { RcpKind::Base } else { RcpKind::Winf };
        let window = 1 + (seed as u32 % 30);
        let mut sender = RateSender::new(kind, &RcpSender::default(), &TcpConfig::default(), 960, window);
        let mut receiver = Receiver::new(&TcpConfig::default(), true);
        let loss = seed % 5 * 8;
        let mut now = Time::ZERO;
        sender.on_supply(now, Supply::Segments(150));
        sender.close();
        // Acknowledgments in flight, each due after 20 ms.
        let mut answers: std::collections::VecDeque<(Time, Ack)> = std::collections::VecDeque::new();
        let mut events = 0;
        while !sender.is_done() {
            events += 1;
            assert!(events < 200_000, "seed {seed}: no end");
            for (segment, _) in sender.take_sent().collect::<Vec<_>>() {
                if chance() >= loss {
                    let ack = receiver.on_segment(now, &segment).ack.expect("an acknowledgment at once");
                    if chance() >= loss {
                        answers.push_back((now + Span::from_millis(20), ack));
                    }
                }
            }
            assert!(sender.segments.in_flight() <= window, "seed {seed}: {} in flight", sender.segments.in_flight());
            let timer = sender.deadline();
            match answers.front() {
                Some((at, _)) if timer.is_none_or(|timer| *at <= timer) => {
                    let (at, mut ack) = answers.pop_front().expect("an answer");
                    now = at;
                    ack.feedback = Echo::Rcp(1e4 + 1e3 * chance() as f64);
                    sender.on_ack(now, &ack);
                }
                _ => {
                    now = timer.unwrap_or_else(|| panic!("seed {seed}: asleep with work left"));
                    sender.on_deadline(now);
                }
            }
        }
        assert_eq!((receiver.rcv_nxt(), sender.deadline()), (151, None));
    }
}

#[test]
fn first_sent_of_a_ref_is_its_own_time() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
    sent(&mut sender);
    let mut times = Vec::new();
    while times.len() < 3 {
        let now = sender.deadline().expect("a Ref");
        sender.on_deadline(now);
        let refs = sender.take_sent().filter(|(segment, _)| segment.seq == REF);
        times.extend(refs.map(|(segment, _)| (segment.first_sent, now)));
    }
    assert!(times.iter().all(|(first_sent, now)| first_sent == now), "{times:?}");
}

#[test]
fn timeout_restarts_the_timer() {
    let (mut sender, _) = after_six();
    sender.time_out(ms(500));
    assert_eq!(sender.timer, Some(ms(500) + sender.rto()));
}

#[test]
fn only_refs_are_sent_after_three_consecutive_timeouts() {
    let (mut sender, gap) = after_six();
    while sender.counts().timeouts < 3 {
        sender.on_deadline(sender.deadline().expect("a timer"));
    }
    sent(&mut sender);
    for _ in 0..20 {
        sender.on_deadline(sender.deadline().expect("a Ref"));
        assert_eq!(sent(&mut sender), [REF]);
    }
    assert_eq!(sender.counts().timeouts, 3);
    let now = sender.deadline().expect("a Ref");
    sender.on_ack(now, &gap((3, 4)));
    sender.on_deadline(now);
    assert_eq!(sent(&mut sender)[0], 2);
}

#[test]
fn only_a_finite_positive_rate_is_followed() {
    let mut base = sender(RcpKind::Base);
    for nothing in [f64::INFINITY, 0.0] {
        base.on_ack(ms(40), &answer(0, ms(0), nothing));
        assert_eq!(base.rate(), None);
    }
    // The capacity of its own links limits Winf only.
    let narrow = Some(LinkEstimate { capacity: 2e4, available: 1e4 });
    base.on_link(narrow);
    base.on_ack(ms(50), &answer(0, ms(0), 1e5));
    let mut winf = sender(RcpKind::Winf);
    winf.on_link(narrow);
    winf.on_ack(ms(50), &answer(0, ms(0), 1e5));
    assert_eq!((base.rate(), winf.rate()), (Some(1e5), Some(2e4)));
}

#[test]
fn no_segment_departs_before_the_syn_is_acked() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(-1, ms(0), 1e5));
    assert_eq!((sender.segments.una, sender.departure), (0, None));
}

#[test]
fn packet_per_round_trip_needs_no_refs() {
    for (rate, ref_clock, probe) in [
        (1e4, RefClock::Answered, None),
        (1e4, RefClock::MinRtt, None),
        // The segments at 100 and 201 ms request a rate.
        (9.9e3, RefClock::Answered, None),
        (9.9e3, RefClock::MinRtt, Some(ms(200))),
    ] {
        let mut sender = sender(RcpKind::Base);
        sender.config.rcp.ref_clock = ref_clock;
        sender.on_ack(ms(100), &answer(0, ms(0), rate));
        sender.on_deadline(ms(100));
        assert_eq!(sender.prober.deadline, probe, "{rate} bytes per second");
    }
}
