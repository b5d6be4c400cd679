use super::receiver::AtpReceiver;
use super::sender::AtpSender;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{AtpConfig, AtpReport, Feedback};
use crate::packet::{SegNo, Segment};

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn report(rate: f64, cumulative: SegNo, newest: Time) -> AtpReport {
    AtpReport { rate, cumulative, newest, blocks: Vec::new() }
}

/// Numbers of the segments that were sent; a star marks retransmissions.
fn sent(sender: &mut AtpSender) -> Vec<String> {
    let star = |again| if again { "*" } else { "" };
    sender.take_sent().map(|segment| format!("{}{}", segment.seq, star(segment.is_retransmission))).collect()
}

/// Lets the sender act until `until`, the end excluded. Returns what it sends, with times in milliseconds.
fn acts(sender: &mut AtpSender, until: Time) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    while let Some(now) = sender.deadline().filter(|due| *due < until) {
        sender.on_deadline(now);
        all.extend(sent(sender).into_iter().map(|segment| (now.since(Time::ZERO).round_micros() / 1000, segment)));
    }
    all
}

/// A sender at 10 packets per second, set by the probe's response after 100 ms.
fn established() -> AtpSender {
    let mut sender = AtpSender::new(&AtpConfig::default(), 1000);
    sender.on_supply(at(0), Supply::Endless);
    assert_eq!(sent(&mut sender), ["0"]);
    sender.on_report(at(100), &report(10.0, 0, at(0)));
    sender
}

#[test]
fn response_to_the_probe_sets_the_rate() {
    let mut sender = established();
    let data = acts(&mut sender, at(450));
    let expected = [(100, "1"), (200, "2"), (300, "3"), (400, "4")].map(|(at, seq)| (at, seq.to_owned()));
    assert_eq!((data, sender.rate()), (expected.to_vec(), Some(10.0)));
}

#[test]
fn probe_is_sent_every_epoch_until_its_response() {
    let mut sender = AtpSender::new(&AtpConfig::default(), 1000);
    sender.on_supply(at(0), Supply::Segments(2));
    sent(&mut sender);
    assert_eq!(acts(&mut sender, at(2_500)), [(1_000, "0".to_owned()), (2_000, "0".to_owned())]);
    assert_eq!(sender.rate(), None);
}

#[test]
fn rate_falls_at_once_and_rises_over_epochs() {
    let mut sender = established();
    for (offered, rate) in [(6.0, 6.0), (7.0, 6.0), (7.5, 6.3), (7.5, 6.3), (63.0, 17.64), (2.0, 2.0)] {
        sender.on_report(at(1_000), &report(offered, 0, at(0)));
        let followed = sender.rate().expect("a rate");
        assert!((followed - rate).abs() < 1e-9, "{offered}: {followed}, not {rate}");
    }
}

#[test]
fn silent_epochs_halve_the_rate_and_then_probe() {
    let mut sender = established();
    // The first epoch is half an epoch and an interval longer.
    acts(&mut sender, at(1_701));
    assert_eq!(sender.rate(), Some(5.0));
    acts(&mut sender, at(2_901));
    assert_eq!(sender.rate(), Some(2.5));
    let last = acts(&mut sender, at(5_500));
    assert_eq!((sender.rate(), sender.counts().timeouts), (None, 1));
    let probes: Vec<_> = last.into_iter().filter(|(_, seq)| seq == "-1").collect();
    assert_eq!(probes.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [4_300, 5_300]);
    // The response says what has arrived: all else is missing, and goes first.
    sender.on_report(at(5_400), &AtpReport { blocks: vec![(3, 5)], ..report(100.0, 1, at(5_300)) });
    let data: Vec<_> = acts(&mut sender, at(5_435)).into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(data, ["2*", "5*", "6*", "7*"]);
}

#[test]
fn failed_route_leaves_only_probes() {
    let mut sender = established();
    acts(&mut sender, at(450));
    sender.on_route_failure(at(450));
    assert_eq!((sent(&mut sender), sender.rate()), (vec!["-1".to_owned()], None));
    sender.on_route_failure(at(460));
    assert!(sent(&mut sender).is_empty());
    assert_eq!(acts(&mut sender, at(1_500)), [(1_450, "-1".to_owned())]);
    sender.on_report(at(1_500), &report(50.0, 4, at(1_450)));
    assert_eq!(sender.rate(), Some(50.0));
    assert_eq!(acts(&mut sender, at(1_510)), [(1_500, "5".to_owned())]);
}

#[test]
fn finished_flow_is_silent() {
    let mut sender = AtpSender::new(&AtpConfig::default(), 1000);
    sender.on_supply(at(0), Supply::Segments(2));
    sender.close();
    sender.on_report(at(100), &report(10.0, 0, at(0)));
    sent(&mut sender);
    acts(&mut sender, at(400));
    sender.on_report(at(1_100), &report(10.0, 2, at(200)));
    assert_eq!(sender.deadline(), None);
}

fn segment(seq: SegNo, sent_at: Time, delay: f64) -> Segment {
    Segment {
        seq,
        payload: if seq > 0 { 1000 } else { 0 },
        sent_at,
        first_sent: sent_at,
        is_retransmission: false,
        is_ect: false,
        has_cwr: false,
        feedback: Feedback::Atp(delay),
    }
}

#[test]
fn receiver_reports_once_per_epoch_what_has_arrived() {
    let mut receiver = AtpReceiver::new(&AtpConfig::default());
    let probe = receiver.on_segment(at(50), &segment(0, at(0), 0.02));
    assert_eq!(probe.report, Some(report(50.0, 0, at(0))));
    for (seq, delivered) in [(1, 1), (2, 1), (4, 0), (6, 0), (4, 0)] {
        let received = receiver.on_segment(at(100), &segment(seq, at(60 + seq as u64), 0.04));
        assert_eq!((received.delivered, received.report), (delivered, None), "segment {seq}");
    }
    assert_eq!(receiver.deadline(), Some(at(1_050)));
    let sent = receiver.on_deadline(at(1_050)).expect("a report");
    assert_eq!((sent.cumulative, sent.newest, sent.blocks), (2, at(66), vec![(4, 5), (6, 7)]));
    let mean = (0..5).fold(0.02, |mean, _| 0.85 * mean + 0.15 * 0.04);
    assert!((sent.rate - 1.0 / mean).abs() < 1e-9, "{}", sent.rate);
    // Nothing arrives: no report, and no timer until something does.
    assert_eq!(receiver.deadline(), Some(at(2_050)));
    assert_eq!((receiver.on_deadline(at(2_050)), receiver.deadline()), (None, None));
    assert_eq!(receiver.on_segment(at(3_000), &segment(3, at(2_900), 0.04)).delivered, 2);
    assert_eq!(receiver.deadline(), Some(at(4_000)));
}

#[test]
fn probe_replaces_the_mean_delay() {
    let mut receiver = AtpReceiver::new(&AtpConfig::default());
    receiver.on_segment(at(10), &segment(1, at(0), 0.5));
    let probe = receiver.on_segment(at(50), &segment(-1, at(40), 0.1));
    assert_eq!(probe.report.map(|report| report.rate), Some(10.0));
}

#[test]
fn report_has_the_lowest_blocks() {
    let config = AtpConfig { blocks: 2, ..AtpConfig::default() };
    let mut receiver = AtpReceiver::new(&config);
    for seq in [2, 4, 6, 8] {
        receiver.on_segment(at(10), &segment(seq, at(0), 0.01));
    }
    let report = receiver.on_deadline(at(1_010)).expect("a report");
    assert_eq!(report.blocks, [(2, 3), (4, 5)]);
    let mut sender = AtpSender::new(&config, 1000);
    sender.on_supply(at(0), Supply::Endless);
    sender.on_report(at(100), &self::report(100.0, 0, at(0)));
    acts(&mut sender, at(200));
    sent(&mut sender);
    sender.on_report(at(201), &AtpReport { newest: at(190), ..report });
    let again: Vec<_> = acts(&mut sender, at(231)).into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(again, ["1*", "3*", "11"], "segments above the last block are not judged");
}
