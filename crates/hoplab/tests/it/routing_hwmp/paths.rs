//! Discovery of paths on demand, their maintenance, and their end.

use super::lab::{HOP, Lab, Step, TU, chain, count, names, network, path};
use hoplab::kernel::{NodeId, Span};
use hoplab::net::routing::hwmp::HwmpConfig;
use hoplab::net::routing::hwmp::message::{HwmpMessage, Preq};
use hoplab::trace::DropReason;

fn preqs(lab: &Lab, node: u32) -> Vec<&Preq> {
    let all = lab.sent_by(node).into_iter();
    all.filter_map(|sent| if let HwmpMessage::Preq(preq) = &sent.message { Some(preq) } else { None }).collect()
}

#[test]
fn first_packet_waits_for_request_and_reply() {
    let mut lab = chain(&HwmpConfig { max_jitter: Span::ZERO, ..HwmpConfig::default() }, 3);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    // The request and the reply take three hops each, then the packet does.
    let arrival = 1.0 + 9.0 * HOP.secs();
    let [(at, _, 3)] = lab.delivered[..] else { panic!("{:?}", lab.delivered) };
    assert!((at.secs() - arrival).abs() < 1e-9);
    assert_eq!([0, 1, 2, 3].map(|node| names(&lab, node).join(" ")), ["preq", "preq prep", "preq prep", "prep"]);
    assert_eq!((path(&lab, 0, 3), path(&lab, 3, 0), path(&lab, 1, 3)), (Some((1, 3)), Some((2, 3)), Some((2, 2))));
    assert_eq!((path(&lab, 0, 1), path(&lab, 2, 1)), (Some((1, 1)), Some((1, 1))), "neighbors that were heard");
    lab.assert_conservation();
}

#[test]
fn messages_have_the_lengths_of_action_frames() {
    let mut lab = chain(&HwmpConfig::default(), 2);
    lab.at(1.0, Step::Send(0, 2)).run(2.0);
    // Category, action and elements, less LLC and SNAP that frames of the model have.
    let lengths: Vec<_> = lab.sent.iter().map(|sent| (sent.to.is_broadcast(), sent.bytes + 8)).collect();
    assert_eq!(lengths, [(true, 41), (true, 41), (false, 35), (false, 35)]);
    assert!(lab.sent.iter().all(|sent| sent.ttl == 1), "each hop sends a new packet");
}

#[test]
fn request_counts_hops_and_metric() {
    let mut lab = chain(&HwmpConfig::default(), 4);
    lab.at(1.0, Step::Send(0, 4)).run(2.0);
    let travel = |node| preqs(&lab, node).first().map(|preq| (preq.travel.hops, preq.travel.ttl, preq.travel.metric));
    assert_eq!([0, 1, 3].map(travel), [Some((0, 31, 0)), Some((1, 30, 1)), Some((3, 28, 3))]);
    assert!(preqs(&lab, 0)[0].targets[0].is_only && preqs(&lab, 0)[0].targets[0].seq.is_none());
}

#[test]
fn request_ends_at_its_ttl() {
    let config = HwmpConfig { ttl: 3, ..HwmpConfig::default() };
    let mut lab = chain(&config, 5);
    lab.at(1.0, Step::Send(0, 5)).run(1.5);
    assert_eq!([1, 2, 3].map(|node| names(&lab, node).len()), [1, 1, 0]);
}

#[test]
fn relay_answers_unless_only_the_target_may() {
    for (target_only, replies) in [(true, 3), (false, 4)] {
        let config = HwmpConfig { target_only, ..HwmpConfig::default() };
        // Node 4 is a neighbor of node 1, which knows the path to node 3.
        let mut lab = network(&config, 5, &[(0, 1), (1, 2), (2, 3), (1, 4)]);
        lab.at(1.0, Step::Send(0, 3)).run(1.5);
        let before = count(&lab, "prep");
        lab.at(2.0, Step::Send(4, 3)).run(2.5);
        assert_eq!(count(&lab, "prep") - before, replies, "{target_only}");
        let forwarded = preqs(&lab, 2);
        assert!(forwarded.last().is_some_and(|preq| preq.targets[0].is_only), "the target answers, too");
        assert_eq!(path(&lab, 4, 3), Some((1, 3)));
    }
}

#[test]
fn discovery_without_a_reply_ends_after_retries() {
    let config = HwmpConfig { max_preq_retries: 2, ..HwmpConfig::default() };
    let mut lab = network(&config, 3, &[(0, 1)]);
    lab.at(1.0, Step::Send(0, 2)).run(20.0);
    let times: Vec<_> = lab.sent_by(0).iter().map(|sent| sent.at.secs()).collect();
    let wait = 2.0 * 500.0 * TU.secs();
    let expected = [1.0, 1.0 + wait, 1.0 + 3.0 * wait];
    assert_eq!(times.len(), expected.len());
    assert!(times.iter().zip(expected).all(|(at, wanted)| (at - wanted).abs() < 1e-9), "{times:?}");
    assert_eq!((lab.dropped(DropReason::NoRoute), lab.nodes[0].path(NodeId(2))), (1, None));
    lab.assert_conservation();
}

#[test]
fn requests_keep_their_minimum_interval() {
    let mut lab = network(&HwmpConfig::default(), 4, &[(0, 1), (0, 2), (0, 3)]);
    lab.at(1.0, Step::Send(0, 1)).at(1.01, Step::Send(0, 2)).at(1.02, Step::Send(0, 3)).run(2.0);
    let requests: Vec<_> = preqs(&lab, 0).iter().map(|preq| preq.targets.len()).collect();
    assert_eq!(requests, [1, 2], "the second one has the targets of both");
    let sent = lab.sent_by(0)[1].at.secs();
    assert!((sent - (1.0 + 100.0 * TU.secs())).abs() < 1e-9, "{sent}");
    assert_eq!(lab.delivered.len(), 3);
}

#[test]
fn path_in_use_is_requested_again() {
    let mut lab = chain(&HwmpConfig::default(), 2);
    for tenth in 0..100 {
        lab.at(1.0 + 0.1 * f64::from(tenth), Step::Send(0, 2));
    }
    lab.run(12.0);
    // At 1 s, and at the first packet of each 2000 TU after the reply.
    assert_eq!((preqs(&lab, 0).len(), lab.delivered.len()), (5, 100));
    assert!(preqs(&lab, 0)[1].targets[0].seq.is_some());
    let quiet = HwmpConfig { maintenance_interval: Span::ZERO, ..HwmpConfig::default() };
    let mut lab = chain(&quiet, 2);
    for tenth in 0..100 {
        lab.at(1.0 + 0.1 * f64::from(tenth), Step::Send(0, 2));
    }
    lab.run(12.0);
    assert_eq!((preqs(&lab, 0).len(), lab.delivered.len()), (1, 100));
}

#[test]
fn path_is_replaced_by_a_shorter_one_that_appears() {
    let mut lab = network(&HwmpConfig::default(), 4, &[(0, 1), (1, 2), (2, 3)]);
    lab.at(1.0, Step::Send(0, 3)).at(1.5, Step::Join(0, 3)).at(3.2, Step::Send(0, 3));
    lab.at(3.5, Step::Send(0, 3)).run(5.0);
    assert_eq!(path(&lab, 0, 3), Some((3, 1)));
    assert_eq!(lab.delivered.iter().map(|&(.., hops)| hops).collect::<Vec<_>>(), [3, 3, 1]);
}

#[test]
fn unused_path_ends_after_its_lifetime() {
    let mut lab = chain(&HwmpConfig::default(), 2);
    lab.at(1.0, Step::Send(0, 2)).run(1.0 + 5000.0 * TU.secs());
    assert!(path(&lab, 0, 2).is_some());
    lab.run(1.1 + 5000.0 * TU.secs());
    assert_eq!((0..3).map(|node| path(&lab, node, 2)).collect::<Vec<_>>(), [None; 3]);
    let counters = &lab.ctx.trace.counters;
    assert_eq!(counters.routes_changed, counters.routes_lost);
}

#[test]
fn lifetime_is_not_renewed_where_use_does_not_renew() {
    let config = HwmpConfig { renew_on_use: false, maintenance_interval: Span::ZERO, ..HwmpConfig::default() };
    let mut lab = chain(&config, 1);
    lab.at(1.0, Step::Send(0, 1)).at(6.0, Step::Send(0, 1)).at(6.2, Step::Send(0, 1)).run(7.0);
    assert_eq!((preqs(&lab, 0).len(), lab.delivered.len()), (2, 3));
}

#[test]
fn full_buffer_drops_the_new_packet() {
    let config = HwmpConfig { buffer_limit: 2, ..HwmpConfig::default() };
    let mut lab = network(&config, 2, &[]);
    for _ in 0..3 {
        lab.at(1.0, Step::Send(0, 1));
    }
    lab.run(1.5);
    assert_eq!(lab.dropped(DropReason::RouteBuffer), 1);
}
