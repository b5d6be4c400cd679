use super::*;

fn sender(kind: RcpKind) -> RateSender {
    let mut sender = RateSender::new(kind, &RcpSender::default(), &TcpConfig::default(), 960, 1000);
    sender.on_supply(Time::ZERO, Supply::Endless);
    sender
}

fn ms(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

fn answer(cumulative: SegNo, echo: Time, rate: f64) -> Ack {
    Ack { feedback: Echo::Rcp(rate), ..Ack::plain(cumulative, echo) }
}

fn sent(sender: &mut RateSender) -> Vec<SegNo> {
    sender.take_sent().map(|(segment, _)| segment.seq).collect()
}

#[test]
fn asks_until_answered_then_paces_at_the_rate() {
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
    // Half the rate: the next segment's turn comes later.
    sender.on_ack(ms(580), &answer(1, ms(540), 5e4));
    assert_eq!(sender.turn, Some(ms(590)));
    sender.on_ack(ms(581), &answer(2, ms(541), 1e6));
    assert_eq!(sender.turn, Some(ms(581)));
}

#[test]
fn slow_senders_refresh_their_rate() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
    sender.on_deadline(ms(40));
    assert_eq!(sender.deadline(), Some(ms(140)), "a segment every 100 ms asks too");
    sent(&mut sender);
    sender.on_ack(ms(80), &answer(1, ms(40), 1e4));
    sender.on_deadline(ms(80));
    assert_eq!(sent(&mut sender), [REF], "one Ref per round trip between segments");
}

/// When a sender of `rate` bytes per second emits what until 1.1 s, on a path whose first round trip takes 40 ms and
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
fn refs_go_on_once_all_that_was_sent_has_arrived() {
    // rcp.md section 4: segments every second, a round trip of 40 ms, a Ref in each.
    for config in clocks() {
        let emitted = emitted(&config, 1e3, 40, Supply::Endless);
        let expected = (80..=1000).step_by(40).map(|at| (REF, at));
        let expected: Vec<_> = [(1, 40)].into_iter().chain(expected).collect();
        assert_eq!(emitted[..25], expected, "{:?}", config.rcp.ref_clock);
        assert!(emitted.contains(&(2, 1040)));
    }
}

#[test]
fn no_answer_puts_a_ref_off() {
    // Later round trips take 100 ms, the least one 40 ms; the segment's answer comes at 140 ms.
    let [answered, least] = clocks().map(|config| {
        let emitted = emitted(&config, 1e3, 100, Supply::Endless);
        let refs = emitted.into_iter().filter(|(seq, _)| *seq == REF);
        refs.map(|(_, at)| at).take(5).collect::<Vec<_>>()
    });
    assert_eq!(least, [80, 120, 160, 200, 240]);
    assert_eq!(answered, [140, 240, 340, 440, 540]);
}

#[test]
fn segments_on_the_way_ask_as_well_as_refs() {
    // A segment every 50 ms, a least round trip of 40 ms, and one of 60 ms: some segment is always on its way.
    let [answered, least] = clocks().map(|config| {
        let emitted = emitted(&config, 2e4, 60, Supply::Endless);
        emitted.iter().filter(|(seq, _)| *seq == REF).count()
    });
    assert_eq!(answered, 0);
    assert!(least >= 25, "{least}");
}

#[test]
fn a_segment_whose_turn_is_near_asks_in_place_of_a_ref() {
    // The first segment is answered at 80 ms, the next leaves 30 or 40 ms later; the least round trip takes 40.
    for (interval_ms, probe) in [(70.0, None), (80.0, Some(ms(80)))] {
        let mut sender = sender(RcpKind::Base);
        let rate = 1e6 / interval_ms;
        sender.on_ack(ms(40), &answer(0, ms(0), rate));
        sender.on_deadline(ms(40));
        sender.on_ack(ms(80), &answer(1, ms(40), rate));
        assert_eq!(sender.probe, probe, "a segment every {interval_ms} ms");
    }
}

#[test]
fn a_request_without_an_answer_is_repeated() {
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
fn a_sender_without_data_asks_for_nothing() {
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
    assert_eq!((sender.probe, sender.turn), (Some(ms(240)), Some(ms(1040))), "it asks again before there is a turn");
}

#[test]
fn a_request_for_a_rate_is_no_segment() {
    use crate::transport::Receiver;
    let mut sender = sender(RcpKind::Base);
    sender.config.rcp.ref_clock = RefClock::MinRtt;
    sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
    sender.on_deadline(ms(40));
    let mut receiver = Receiver::new(&TcpConfig { delayed_ack: false, ..TcpConfig::default() }, true);
    let mut acknowledged =
        |now: Time, segment: &Segment| receiver.on_segment(now, segment).ack.expect("an answer to each").cumulative;
    let segments: Vec<Segment> = sender.take_sent().map(|(segment, _)| segment).collect();
    assert_eq!(segments.len(), 2);
    assert_eq!(acknowledged(ms(50), &segments[0]), 0);
    sender.on_deadline(ms(80));
    let asking: Vec<Segment> = sender.take_sent().map(|(segment, _)| segment).collect();
    assert_eq!(asking.len(), 1);
    assert_eq!(acknowledged(ms(90), &asking[0]), 0, "an answer that acknowledges nothing new");
    assert_eq!(acknowledged(ms(95), &segments[1]), 1);
}

/// A sender of 100 kB/s that has sent segments 0 to 5, and an answer that segments up to 1 and a block have arrived.
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
fn only_news_begins_the_timer_anew() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(85), &gap((3, 4)));
    let timer = sender.timer;
    assert_eq!(timer, Some(ms(85) + sender.rto()));
    sender.on_ack(ms(90), &gap((3, 4)));
    assert_eq!(sender.timer, timer, "the same once more is no news");
    sender.on_ack(ms(95), &gap((3, 5)));
    assert_eq!(sender.timer, Some(ms(95) + sender.rto()), "a block that has grown");
}

#[test]
fn what_is_missing_is_sent_again_in_its_turn() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(81), &gap((3, 5)));
    assert!(sender.missing.is_empty());
    sender.on_ack(ms(85), &gap((3, 6)));
    assert_eq!(sender.turn, Some(ms(90)));
    sender.on_deadline(ms(90));
    let again: Vec<_> = sender.take_sent().map(|(segment, _)| (segment.seq, segment.is_retransmission)).collect();
    assert_eq!(again, [(2, true)]);
}

#[test]
fn a_gap_among_later_segments_is_no_arrival() {
    // rcp.md section 4: three later ones. Of 3, 4 and 5, 4 is on its way too.
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(81), &gap((3, 4)));
    sender.on_deadline(ms(90));
    assert_eq!(sent(&mut sender), [6]);
    sender.on_ack(ms(95), &gap((5, 6)));
    assert!(sender.missing.is_empty(), "two have arrived, the last three numbers above");
    sender.on_ack(ms(99), &gap((5, 7)));
    assert_eq!(sender.missing.iter().copied().collect::<Vec<_>>(), [2], "three above 2, two above 4");
}

#[test]
fn what_was_sent_again_is_missing_again_after_three_that_were_new_then() {
    let (mut sender, gap) = after_six();
    sender.on_ack(ms(85), &gap((3, 6)));
    for at in [90, 100, 110, 120, 130] {
        sender.on_deadline(ms(at));
    }
    assert_eq!(sent(&mut sender), [2, 6, 7, 8, 9]);
    sender.on_ack(ms(131), &gap((6, 7)));
    sender.on_ack(ms(132), &gap((8, 9)));
    assert!(sender.missing.is_empty(), "of those new since then, two have arrived");
    sender.on_ack(ms(133), &gap((9, 10)));
    assert_eq!(sender.missing.iter().copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn winf_keeps_a_rates_worth_of_a_round_trip_in_flight() {
    // rcp-winf.md, test 3.
    let mut sender = RateSender::new(RcpKind::Winf, &RcpSender::default(), &TcpConfig::default(), 1500, 1000);
    sender.on_supply(Time::ZERO, Supply::Endless);
    sender.on_link(Some(LinkEstimate { capacity: 2e5, available: 1e5 }));
    sender.on_ack(ms(100), &answer(0, ms(0), 9e5));
    assert_eq!((sender.rate, sender.limit()), (Some(2e5), 13));
    assert!((sender.interval().expect("a rate").secs() - 0.00766).abs() < 1e-9);
    sender.config.winf.eq27 = Some(crate::packet::Form::Literal);
    assert!((sender.interval().expect("a rate").secs() - 0.0075).abs() < 1e-9);
}

#[test]
fn everything_arrives_whatever_is_lost() {
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
        // Answers on the way, each due after 20 ms.
        let mut answers: std::collections::VecDeque<(Time, Ack)> = std::collections::VecDeque::new();
        let mut events = 0;
        while !sender.is_done() {
            events += 1;
            assert!(events < 200_000, "seed {seed}: no end");
            for (segment, _) in sender.take_sent().collect::<Vec<_>>() {
                if chance() >= loss {
                    let ack = receiver.on_segment(now, &segment).ack.expect("an answer at once");
                    if chance() >= loss {
                        answers.push_back((now + Span::from_millis(20), ack));
                    }
                }
            }
            assert!(sender.in_flight() <= window, "seed {seed}: {} in flight", sender.in_flight());
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
fn each_request_for_a_rate_is_sent_for_the_first_time() {
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
fn silence_begins_the_timer_anew_before_anything_is_sent_again() {
    let (mut sender, _) = after_six();
    sender.time_out(ms(500));
    assert_eq!(sender.timer, Some(ms(500) + sender.rto()));
}

#[test]
fn after_three_timeouts_in_a_row_only_refs_are_sent() {
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
fn only_a_rate_that_lets_something_out_is_followed() {
    let mut base = sender(RcpKind::Base);
    for nothing in [f64::INFINITY, 0.0] {
        base.on_ack(ms(40), &answer(0, ms(0), nothing));
        assert_eq!(base.rate(), None);
    }
    // The capacity of its own links is Winf's business only.
    let narrow = Some(LinkEstimate { capacity: 2e4, available: 1e4 });
    base.on_link(narrow);
    base.on_ack(ms(50), &answer(0, ms(0), 1e5));
    let mut winf = sender(RcpKind::Winf);
    winf.on_link(narrow);
    winf.on_ack(ms(50), &answer(0, ms(0), 1e5));
    assert_eq!((base.rate(), winf.rate()), (Some(1e5), Some(2e4)));
}

#[test]
fn nothing_leaves_before_the_syn_is_answered() {
    let mut sender = sender(RcpKind::Base);
    sender.on_ack(ms(40), &answer(-1, ms(0), 1e5));
    assert_eq!((sender.una, sender.turn), (0, None));
}

#[test]
fn a_packet_per_round_trip_needs_no_refs() {
    for (rate, ref_clock, probe) in [
        (1e4, RefClock::Answered, None),
        (1e4, RefClock::MinRtt, None),
        // The segments at 100 and 201 ms ask.
        (9.9e3, RefClock::Answered, None),
        (9.9e3, RefClock::MinRtt, Some(ms(200))),
    ] {
        let mut sender = sender(RcpKind::Base);
        sender.config.rcp.ref_clock = ref_clock;
        sender.on_ack(ms(100), &answer(0, ms(0), rate));
        sender.on_deadline(ms(100));
        assert_eq!(sender.probe, probe, "{rate} bytes per second");
    }
}
