//! What nodes learn from packets for others (RFC 4728 sections 3.3.1, 3.4.3 and 8.2.5).

use super::lab::{Step, hops, network, plain, replies, requests};
use hoplab::kernel::Span;
use hoplab::net::routing::dsr::DsrConfig;

fn promiscuous() -> DsrConfig {
    DsrConfig { promiscuous: true, ..plain() }
}

/// A chain of 3 hops, and node 4 beside node 1.
const BESIDE: [(u32, u32); 4] = [(0, 1), (1, 2), (2, 3), (1, 4)];

#[test]
fn bystander_learns_routes_in_both_directions() {
    for (config, found) in [(promiscuous(), [Some(2), Some(3)]), (plain(), [Some(2), None])] {
        let mut lab = network(&config, 5, &BESIDE);
        lab.at(1.0, Step::Send(0, 3)).run(2.0);
        // From the RREQ it has a route to the source in any case.
        assert_eq!([0, 3].map(|dst| hops(&lab, 4, dst)), found);
        lab.at(2.0, Step::Send(4, 3)).run(3.0);
        assert_eq!(requests(&lab, 4).is_empty(), found[1].is_some());
        assert_eq!(lab.delivered.len(), 2);
    }
}

#[test]
fn bystander_learns_of_broken_links() {
    let mut lab = network(&promiscuous(), 5, &BESIDE);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(2, 3)).at(2.1, Step::Send(0, 3)).run(2.2);
    assert_eq!((hops(&lab, 4, 3), hops(&lab, 4, 2)), (None, Some(2)));
}

#[test]
fn node_that_overhears_its_packet_shortens_the_route() {
    let mut lab = network(&promiscuous(), 4, &[(0, 1), (1, 2), (2, 3)]);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Join(0, 2));
    lab.at(2.1, Step::Send(0, 3)).at(2.2, Step::Send(0, 3)).at(2.9, Step::Send(0, 3)).run(3.0);
    let lengths: Vec<_> = lab.delivered.iter().map(|&(.., hops)| hops).collect();
    assert_eq!(lengths, [3, 3, 2, 2]);
    assert_eq!(replies(&lab, 2).last(), Some(&(vec![0, 2, 3], 24 + 12)), "gratuitous");
    lab.assert_conservation();
}

#[test]
fn gratuitous_replies_have_a_holdoff() {
    let mut lab = network(&promiscuous(), 4, &[(0, 1), (1, 2), (2, 3)]);
    lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Join(0, 2));
    // All leave before the first reply.
    for k in 0..4 {
        lab.at(2.1 + 0.0005 * f64::from(k), Step::Send(0, 3));
    }
    lab.run(3.0);
    let gratuitous = replies(&lab, 2).into_iter().filter(|(path, _)| *path == [0, 2, 3]).count();
    assert_eq!(gratuitous, 1);
}

#[test]
fn reply_from_a_cache_is_cancelled_when_a_shorter_route_is_used() {
    let (reply_delay, nonpropagating_timeout) = (Span::from_millis(20), Span::from_millis(200));
    let config = DsrConfig { reply_delay, nonpropagating_timeout, ..DsrConfig::rfc() };
    let mut lab = network(&config, 5, &[(1, 3), (2, 4), (4, 3)]);
    lab.at(1.0, Step::Send(2, 3)).at(1.5, Step::Send(1, 3));
    // A neighbor of nodes 1 and 2, which are 1 and 2 hops from the target.
    lab.at(1.9, Step::Join(0, 1)).at(1.9, Step::Join(0, 2)).at(2.0, Step::Send(0, 3)).run(3.0);
    assert!(replies(&lab, 1).iter().any(|(path, _)| *path == [0, 1, 3]));
    assert!(replies(&lab, 2).is_empty(), "a route of 3 hops is not needed");
    assert_eq!(lab.delivered.len(), 3);
}
