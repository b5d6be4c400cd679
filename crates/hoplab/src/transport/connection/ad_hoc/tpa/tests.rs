use super::sender::TpaSender;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::Echo;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn sent(sender: &mut TpaSender) -> Vec<String> {
    let star = |again| if again { "*" } else { "" };
    sender.take_sent().map(|segment| format!("{}{}", segment.seq, star(segment.is_retransmission))).collect()
}

/// An acknowledgment after `cumulative`, and of the later segments in `others`, sent 100 ms before it arrives.
fn ack(now: Time, cumulative: SegNo, others: &[SegNo]) -> Ack {
    let map = others.iter().fold(0, |map, seq| map | 1 << (seq - cumulative - 1));
    Ack { feedback: Echo::Arrived(map), ..Ack::plain(cumulative, Time(now.0 - 100_000_000)) }
}

fn acknowledge(sender: &mut TpaSender, millis: u64, cumulative: SegNo, others: &[SegNo]) -> Vec<String> {
    sender.on_ack(at(millis), &ack(at(millis), cumulative, others));
    sent(sender)
}

/// A connection that is open since 100 ms, with an endless file: segments 1 and 2 are in flight.
fn open() -> TpaSender {
    let mut sender = TpaSender::new(&TcpConfig::default(), 1000, 20);
    sender.on_supply(at(0), Supply::Endless);
    assert_eq!(sent(&mut sender), ["0"]);
    assert_eq!(acknowledge(&mut sender, 100, 0, &[]), ["1", "2"]);
    sender
}

#[test]
fn lost_segment_is_sent_again_after_the_block() {
    let mut sender = open();
    // Segment 1 is lost; segment 2 arrives.
    assert_eq!(acknowledge(&mut sender, 200, 0, &[2]), ["3"]);
    let due = sender.deadline().expect("a timer");
    assert_eq!(due, at(100) + Span::from_secs(0.1 + 4.0 * 0.0375));
    sender.on_deadline(due);
    assert_eq!((sent(&mut sender), sender.window()), (vec![], 1), "segment 3 is in flight");
    assert_eq!(acknowledge(&mut sender, 400, 0, &[2, 3]), ["4"]);
    for seq in 4..11 {
        let others: Vec<SegNo> = (2..=seq).collect();
        acknowledge(&mut sender, 400 + 100 * (seq as u64 - 3), 0, &others);
    }
    assert_eq!(acknowledge(&mut sender, 1_300, 0, &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), ["1*"]);
    assert_eq!(acknowledge(&mut sender, 1_400, 11, &[]), Vec::<String>::new());
    assert_eq!(acknowledge(&mut sender, 1_500, 12, &[]), ["13", "14"], "the next block");
    assert_eq!(sender.counts().timeouts, 1);
}

#[test]
fn late_acknowledgment_saves_a_retransmission() {
    let mut sender = open();
    acknowledge(&mut sender, 200, 0, &[2]);
    sender.on_deadline(sender.deadline().expect("a timer"));
    for seq in 3..=12 {
        assert!(acknowledge(&mut sender, 300 + 10 * seq as u64, seq, &[]).iter().all(|seq| !seq.ends_with('*')));
    }
    assert_eq!(sender.counts().timeouts, 1);
}

#[test]
fn acknowledgments_end_congestion() {
    let mut sender = open();
    acknowledge(&mut sender, 200, 0, &[2]);
    sender.on_deadline(sender.deadline().expect("a timer"));
    let mut windows = Vec::new();
    for seq in 3..=6 {
        let others: Vec<SegNo> = (2..=seq).collect();
        acknowledge(&mut sender, 400 + 10 * seq as u64, 0, &others);
        windows.push(sender.window());
    }
    assert_eq!(windows, [1, 1, 2, 2]);
    sender.on_path(4);
    assert_eq!(sender.window(), 3);
}

#[test]
fn failed_route_freezes_with_bounded_backoff() {
    let mut sender = open();
    sender.on_route_failure(at(150));
    assert_eq!((sent(&mut sender), sender.window()), (vec!["3".to_owned()], 1));
    let mut gaps = Vec::new();
    let mut last = at(150);
    for _ in 0..5 {
        let due = sender.deadline().expect("a timer");
        gaps.push(due.since(last).round_micros() / 1000);
        last = due;
        sender.on_deadline(due);
        sender.on_route_failure(due);
        assert_eq!(sent(&mut sender).len(), 1);
    }
    // 100 ms and four deviations of 50 ms.
    assert_eq!(gaps, [300, 600, 1_200, 1_200, 1_200]);
    // The first sample on the new route replaces the mean.
    let now = last + Span::from_millis(100);
    sender.on_ack(now, &Ack { echo: Time(now.0 - 500_000_000), ..ack(now, 1, &[]) });
    assert_eq!(sender.srtt(), Some(Span::from_millis(500)));
}

#[test]
fn timeouts_in_a_row_freeze_without_a_report() {
    let mut sender = open();
    for _ in 0..3 {
        sender.on_deadline(sender.deadline().expect("a timer"));
        sent(&mut sender);
    }
    assert_eq!(sender.counts().timeouts, 4, "two in flight, then one at a time");
    let due = sender.deadline().expect("a timer");
    sender.on_deadline(due);
    assert_eq!(sender.deadline().expect("a timer").since(due), Span::from_millis(600), "frozen: the timeout doubles");
}

#[test]
fn unusual_round_trips_restart_the_mean() {
    let mut sender = open();
    for seq in 1..=8 {
        acknowledge(&mut sender, 200 + 50 * seq as u64, seq, &[]);
    }
    for (seq, is_reset) in [(9, false), (10, false), (11, true)] {
        let now = at(2_000 + 100 * seq as u64);
        sender.on_ack(now, &Ack { echo: Time(now.0 - 900_000_000), ..ack(now, seq, &[]) });
        assert_eq!(sender.srtt() == Some(Span::from_millis(900)), is_reset, "segment {seq}");
    }
}

#[test]
fn finished_flow_has_no_timer() {
    let mut sender = TpaSender::new(&TcpConfig::default(), 1000, 20);
    sender.on_supply(at(0), Supply::Segments(3));
    sender.close();
    assert_eq!(sent(&mut sender), ["0"]);
    assert_eq!(acknowledge(&mut sender, 100, 0, &[]), ["1", "2"]);
    assert_eq!(acknowledge(&mut sender, 200, 1, &[]), ["3"]);
    acknowledge(&mut sender, 210, 2, &[]);
    acknowledge(&mut sender, 300, 3, &[]);
    assert_eq!((sender.deadline(), sent(&mut sender)), (None, vec![]));
}
