use super::sender::WcpSender;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::Echo;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn sent(sender: &mut WcpSender) -> Vec<String> {
    let star = |again| if again { "*" } else { "" };
    sender.take_sent().map(|segment| format!("{}{}", segment.seq, star(segment.is_retransmission))).collect()
}

/// An acknowledgment of a segment sent at `echo`, with a mark or not; neighborhoods share 200 ms.
fn ack(cumulative: SegNo, echo: u64, is_congested: bool) -> Ack {
    Ack { feedback: Echo::Wcp { is_congested, interval: 0.2 }, ..Ack::plain(cumulative, at(echo)) }
}

/// Lets the sender act until `until`, the end excluded.
fn act(sender: &mut WcpSender, until: u64) -> Vec<String> {
    while let Some(now) = sender.deadline().filter(|due| *due < at(until)) {
        sender.on_deadline(now);
    }
    sent(sender)
}

/// A connection that is open since 100 ms, with an endless file.
fn open() -> WcpSender {
    let mut sender = WcpSender::new(&TcpConfig::default(), 1000, 20);
    sender.on_supply(at(0), Supply::Endless);
    assert_eq!(sent(&mut sender), ["0"]);
    sender.on_ack(at(100), &ack(0, 0, false));
    sender
}

fn rate(sender: &WcpSender) -> f64 {
    sender.rate().expect("a rate")
}

#[test]
fn rate_grows_by_a_segment_per_interval_and_interval() {
    let mut sender = open();
    // One segment in 200 ms at first, and 5 per second more after each 200 ms.
    assert_eq!(rate(&sender), 5.0);
    assert_eq!(act(&mut sender, 299), ["1"]);
    for (millis, expected) in [(301, 10.0), (501, 15.0), (701, 20.0)] {
        act(&mut sender, millis - 1);
        // The timer does not expire meanwhile.
        sender.on_ack(at(millis - 1), &ack(0, millis - 101, false));
        act(&mut sender, millis);
        assert!((rate(&sender) - expected).abs() < 1e-9, "{millis} ms: {}", rate(&sender));
    }
}

#[test]
fn mark_halves_once_per_interval() {
    let mut sender = open();
    act(&mut sender, 301);
    assert_eq!(rate(&sender), 10.0);
    sender.on_ack(at(310), &ack(0, 210, true));
    assert_eq!(rate(&sender), 5.0);
    sender.on_ack(at(320), &ack(0, 220, true));
    assert_eq!(rate(&sender), 5.0, "a second mark in the interval");
    act(&mut sender, 511);
    assert_eq!(rate(&sender), 5.0, "no increase at the end of this interval");
    sender.on_ack(at(520), &ack(0, 420, true));
    assert_eq!(rate(&sender), 2.5);
}

#[test]
fn rate_has_a_minimum() {
    let mut sender = open();
    for round in 1..=9 {
        let now = 100 + 250 * round;
        act(&mut sender, now);
        sender.on_ack(at(now), &ack(0, now - 100, true));
    }
    assert_eq!(rate(&sender), 0.5);
}

#[test]
fn loss_is_repaired_and_changes_no_rate() {
    let mut sender = open();
    act(&mut sender, 290);
    sender.on_ack(at(290), &ack(0, 90, false));
    act(&mut sender, 401);
    let before = rate(&sender);
    let mut selective = ack(0, 399, false);
    (selective.blocks[0], selective.block_count) = ((2, 3), 1);
    sender.on_ack(at(410), &selective);
    assert_eq!((rate(&sender), sender.counts().fast_retransmits), (before, 1));
    let next = act(&mut sender, 520);
    assert_eq!(next.first().map(String::as_str), Some("1*"));
}

#[test]
fn timeout_retransmits_and_changes_no_rate() {
    let mut sender = WcpSender::new(&TcpConfig::default(), 1000, 2);
    sender.on_supply(at(0), Supply::Endless);
    sender.on_ack(at(100), &ack(0, 0, false));
    // The window of two is in flight; the timer is at 300 ms after the acknowledgment.
    let all = act(&mut sender, 1_000);
    assert_eq!(all[..4], ["0", "1", "2", "1*"]);
    assert!(sender.counts().timeouts > 0);
    assert!(rate(&sender) >= 5.0);
}

#[test]
fn finished_flow_has_no_timer() {
    let mut sender = WcpSender::new(&TcpConfig::default(), 1000, 20);
    sender.on_supply(at(0), Supply::Segments(1));
    sender.close();
    sender.on_ack(at(100), &ack(0, 0, false));
    act(&mut sender, 110);
    sender.on_ack(at(200), &ack(1, 100, false));
    assert_eq!(sender.deadline(), None);
}
