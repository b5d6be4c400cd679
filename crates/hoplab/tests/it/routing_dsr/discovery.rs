//! Route discovery: RREQs and RREPs (RFC 4728 section 8.2).

use super::lab::{HOP, Step, at, chain, hops, network, plain, replies, requests, rreqs};
use hoplab::kernel::{Span, Time};
use hoplab::net::routing::dsr::DsrConfig;
use hoplab::trace::DropReason;

#[test]
fn request_of_one_hop_precedes_that_of_the_network() {
    let mut lab = chain(&plain(), 3);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    assert_eq!(requests(&lab, 0), at(&[(1.0, 1), (1.03, 255)]));
    assert_eq!((rreqs(&lab, 1).len(), rreqs(&lab, 2).len()), (1, 1), "the first one is not forwarded");
    let path: Vec<u32> = rreqs(&lab, 2)[0].path.iter().map(|node| node.0).collect();
    assert_eq!(path, [0, 1, 2]);
    // IP 20, DSR 4, RREP 4 with padding, and 4 per hop; a source route of 4, and 4 per relay.
    assert_eq!(replies(&lab, 3), [(vec![0, 1, 2, 3], 24 + 4 + 12 + 4 + 8)]);
    assert_eq!(lab.sent.iter().filter(|sent| sent.bytes == 24 + 8 + 8).count(), 1, "the RREQ of node 2");
    assert_eq!((lab.delivered.len(), lab.delivered[0].2), (1, 3));
    assert_eq!(
        (hops(&lab, 0, 3), hops(&lab, 3, 0), hops(&lab, 1, 3), hops(&lab, 2, 0)),
        (Some(3), Some(3), Some(2), Some(2))
    );
    lab.assert_conservation();
}

#[test]
fn neighbor_is_found_by_the_first_request() {
    let mut lab = chain(&plain(), 1);
    lab.at(1.0, Step::Send(0, 1)).run(2.0);
    assert_eq!(requests(&lab, 0), at(&[(1.0, 1)]));
    assert_eq!(replies(&lab, 1), [(vec![0, 1], 24 + 8)], "to a neighbor without a source route");
    assert_eq!(lab.delivered.len(), 1);
}

#[test]
fn relays_forward_after_up_to_ten_milliseconds() {
    let mut lab = chain(&plain(), 3);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    let sent_at = |node| lab.sent_by(node)[0].at;
    let delay = sent_at(1).since(Time::from_secs(1.03) + HOP);
    assert!(delay > Span::ZERO && delay < Span::from_millis(10), "{delay:?}");
    let delay = sent_at(3).since(sent_at(2) + HOP);
    assert!(delay > Span::ZERO && delay < Span::from_millis(10), "of the RREP {delay:?}");
}

#[test]
fn wait_doubles_until_packets_time_out() {
    let mut lab = network(&plain(), 3, &[(0, 1)]);
    lab.at(1.0, Step::Send(0, 2)).run(100.0);
    let waits = [(1.0, 1), (1.03, 255), (1.53, 255), (2.53, 255), (4.53, 255), (8.53, 255), (16.53, 255), (26.53, 255)];
    assert_eq!(requests(&lab, 0), at(&waits));
    assert_eq!(lab.dropped(DropReason::RouteTimeout), 1);
    lab.assert_conservation();
}

#[test]
fn discovery_fails_after_the_last_request() {
    let mut lab = network(&DsrConfig { max_request_retries: 2, ..plain() }, 3, &[(0, 1)]);
    lab.at(1.0, Step::Send(0, 2)).run(20.0);
    assert_eq!(requests(&lab, 0), at(&[(1.0, 1), (1.03, 255), (1.53, 255), (2.53, 255)]));
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
}

#[test]
fn relay_replies_from_its_cache_later_for_a_longer_route() {
    let config = DsrConfig { promiscuous: false, ..DsrConfig::rfc() };
    // 4 - 1, and a chain from 0 over 1 to 3.
    let mut lab = network(&config, 5, &[(0, 1), (1, 2), (2, 3), (4, 1)]);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Send(4, 3)).run(3.0);
    assert_eq!(requests(&lab, 4), at(&[(2.0, 1)]), "the neighbor knows a route");
    assert_eq!(replies(&lab, 1).last(), Some(&(vec![4, 1, 2, 3], 24 + 16)));
    let sent = lab.sent_by(1);
    let delay = sent[sent.len() - 1].at.since(Time::from_secs(2.0) + HOP).secs();
    // Of 3 hops: 3 ms (3 - 1 + r).
    assert!((0.006..0.009).contains(&delay), "{delay}");
    assert_eq!((lab.delivered.len(), lab.delivered[1].2), (2, 3));
}

#[test]
fn cached_route_that_repeats_a_node_is_no_reply() {
    let config = DsrConfig { promiscuous: false, ..DsrConfig::rfc() };
    let mut lab = chain(&config, 3);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(1, 2)).at(2.1, Step::Send(1, 3)).run(3.0);
    // Node 0 has a path over node 1, where the RREQ comes from.
    assert!(replies(&lab, 0).is_empty());
    assert_eq!(lab.delivered.len(), 1);
}

#[test]
fn target_replies_to_every_copy_and_the_shortest_path_is_used() {
    let mut lab = network(&plain(), 5, &[(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)]);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Send(0, 4)).run(3.0);
    let mut paths: Vec<_> = replies(&lab, 4).into_iter().map(|(path, _)| path).collect();
    paths.sort();
    assert_eq!(paths, [vec![0, 1, 4], vec![0, 2, 3, 4]]);
    assert_eq!(lab.delivered.last().map(|&(.., hops)| hops), Some(2));
}
