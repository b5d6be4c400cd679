//! Senders that only count losses, as the patch for ns-2 does (docs/specs/rcp.md section 4).

use super::tests::{answer, ms, sent};
use super::*;

/// A sender that only counts losses, with a window of 2 that it ignores, after a first rate of 100 kB/s.
fn counting(kind: RcpKind) -> RateSender {
    let mut config = RcpSender::default();
    config.rcp.recovery = Recovery::Count;
    let mut sender = RateSender::new(kind, &config, &TcpConfig::default(), 960, 2);
    sender.on_supply(Time::ZERO, Supply::Endless);
    sender.on_ack(ms(40), &answer(0, ms(0), 1e5));
    sent(&mut sender);
    sender
}

#[test]
fn counting_sender_never_stops_nor_retransmits() {
    let mut sender = counting(RcpKind::Base);
    let mut emitted = Vec::new();
    for _ in 0..500 {
        let now = sender.deadline().expect("a departure");
        sender.on_deadline(now);
        emitted.extend(sent(&mut sender).into_iter().filter(|seq| *seq != REF));
    }
    // Five seconds without any acknowledgment.
    assert_eq!(emitted, (1..=emitted.len() as SegNo).collect::<Vec<_>>());
    assert!(emitted.len() > 400 && sender.counts().timeouts == 0, "{}", emitted.len());
}

#[test]
fn window_of_counting_winf_sender_opens_at_timeout() {
    // Eq. 26: 100 kB/s times 40 ms are four packets of 992 bytes.
    let mut sender = counting(RcpKind::Winf);
    while sender.segments.in_flight() < 4 {
        sender.on_deadline(sender.deadline().expect("a departure"));
    }
    assert_eq!((sender.departure, sender.segments.in_flight()), (None, 4));
    // The third arrives, the first two are lost: they leave the window, too.
    let mut block = answer(0, ms(60), 1e5);
    (block.blocks[0], block.block_count) = ((3, 4), 1);
    sender.on_ack(ms(100), &block);
    assert_eq!((sender.segments.in_flight(), sender.segments.missing()), (1, vec![]));
    let timer = sender.timer.expect("a timeout");
    while sender.timer == Some(timer) {
        sender.on_deadline(sender.deadline().expect("an event"));
    }
    assert_eq!(sender.counts().timeouts, 1);
    assert!(sender.segments.missing().is_empty() && sender.departure.is_some());
}

#[test]
fn counted_file_ends_though_its_last_segments_are_lost() {
    let mut config = RcpSender::default();
    config.rcp.recovery = Recovery::Count;
    let mut sender = RateSender::new(RcpKind::Base, &config, &TcpConfig::default(), 960, 1000);
    sender.on_supply(Time::ZERO, Supply::Segments(3));
    sender.close();
    sender.on_ack(ms(40), &answer(0, ms(0), 1e5));
    while let Some(now) = sender.deadline() {
        assert!(now < ms(5000), "the flow never ends");
        sender.on_deadline(now);
    }
    assert!(sender.is_done());
}
