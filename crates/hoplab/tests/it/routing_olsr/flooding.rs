//! When messages are sent, what is in them, and which nodes forward them.

use super::lab::{chain, messages, mprs, network, tcs};
use hoplab::kernel::Span;
use hoplab::net::routing::RouteMetric;
use hoplab::net::routing::olsr::OlsrConfig;
use hoplab::net::routing::olsr::message::Body;

#[test]
fn lone_node_sends_hello_only_within_intervals_of_the_rfc() {
    let mut lab = network(&OlsrConfig::default(), 30, &[], 1);
    lab.run(600.0);
    let mut gaps = Vec::new();
    for node in 0..30 {
        let sent = lab.sent_by(node);
        // IP and UDP, the headers of the packet and of the message, and an empty list.
        assert!(sent.iter().all(|sent| sent.bytes == 28 + 4 + 12 + 4 && sent.ttl == 1 && sent.to.is_broadcast()));
        assert!(sent[0].at.secs() < 0.5);
        gaps.extend(sent.windows(2).map(|two| two[1].at.since(two[0].at).secs()));
    }
    assert!(gaps.iter().all(|gap| (1.5..=2.0).contains(gap)));
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((mean - 1.75).abs() < 0.005, "{mean}");
}

#[test]
fn delayed_messages_keep_their_interval_in_the_mean() {
    let config = OlsrConfig { jitter_in_interval: false, ..OlsrConfig::default() };
    let mut lab = network(&config, 10, &[], 1);
    lab.run(600.9);
    for node in 0..10 {
        let sent = lab.sent_by(node);
        assert_eq!(sent.len(), 301, "one per 2 s, each delayed by up to 0.5 s");
        for (count, sent) in sent.iter().enumerate() {
            let delay = sent.at.secs() - 2.0 * count as f64;
            assert!((0.0..=0.5).contains(&delay), "{delay}");
        }
    }
}

#[test]
fn only_multipoint_relays_send_and_forward_tc() {
    // A star of six leaves: the center is the only relay, and no leaf forwards.
    let links: Vec<_> = (1..7).map(|leaf| (0, leaf)).collect();
    let mut lab = network(&OlsrConfig::default(), 7, &links, 2);
    lab.run(100.0);
    for leaf in 1..7 {
        assert_eq!(mprs(&lab, leaf), [0]);
        assert_eq!((tcs(&lab, leaf, 0), tcs(&lab, leaf, leaf)), (0, 0));
    }
    // Per 4.75 s in the mean.
    assert!((18..24).contains(&tcs(&lab, 0, 0)), "{}", tcs(&lab, 0, 0));
    let longest = messages(&lab, 0).filter_map(|message| match &message.body {
        Body::Tc(tc) => Some(tc.to.len()),
        _ => None,
    });
    assert_eq!(longest.max(), Some(6), "all leaves have selected it");
}

#[test]
fn each_relay_of_a_chain_forwards_a_message_once() {
    let mut lab = chain(&OlsrConfig::default(), 5, 3);
    lab.run(100.0);
    let created = tcs(&lab, 2, 2);
    assert!(created > 15);
    for relay in [1, 3, 4] {
        let forwarded = tcs(&lab, relay, 2);
        assert!((created - 2..=created).contains(&forwarded), "{relay}: {forwarded} of {created}");
    }
    assert_eq!((tcs(&lab, 0, 2), tcs(&lab, 5, 2)), (0, 0), "ends have no selectors");
    let hops = messages(&lab, 4).filter(|message| message.origin.0 == 2).map(|message| (message.hops, message.ttl));
    assert!(hops.into_iter().all(|pair| pair == (2, 253)));
    lab.assert_conservation();
}

#[test]
fn redundancy_adds_links_to_tc() {
    let ends = |redundancy| {
        let config = OlsrConfig { tc_redundancy: Some(redundancy), ..OlsrConfig::default() };
        let mut lab = chain(&config, 3, 1);
        lab.run(60.0);
        (tcs(&lab, 0, 0) > 0, tcs(&lab, 1, 1) > 0)
    };
    assert_eq!((ends(0), ends(1), ends(2)), ((false, true), (true, true), (true, true)));
}

#[test]
fn relay_without_selectors_stops_after_the_holding_time() {
    let mut lab = chain(&OlsrConfig::default(), 2, 1);
    lab.at(50.0, super::lab::Step::Break(0, 1)).run(50.0);
    let before = tcs(&lab, 1, 1);
    // Both selectors are gone 6 s after the last HELLO message of each that says so, before 65 s.
    lab.run(200.0);
    let last = lab.sent_by(1).into_iter().rfind(|sent| {
        sent.message.messages.iter().any(|message| matches!(&message.body, Body::Tc(tc) if tc.to.is_empty()))
    });
    let last = last.expect("an empty TC message").at.secs();
    assert!(tcs(&lab, 1, 1) > before + 1 && (66.0..80.0).contains(&last), "{last}");
}

#[test]
fn messages_of_short_intervals_are_valid_for_three() {
    let config = OlsrConfig {
        hello_interval: Span::from_millis(400),
        tc_interval: Span::from_millis(1_000),
        metric: RouteMetric::Etx,
        ..OlsrConfig::default()
    };
    let mut lab = chain(&config, 3, 1);
    lab.run(10.0);
    for message in messages(&lab, 1) {
        let validity = message.validity.span();
        let expected = if matches!(message.body, Body::Hello(_)) { 1_200 } else { 3_000 };
        let least = Span::from_millis(expected);
        assert!(validity >= least && validity.secs() < 1.07 * least.secs(), "{validity}");
    }
}
