//! Route maintenance: RERRs and salvaging (RFC 4728 sections 3.4 and 8.3).

use super::lab::{FAILURE, HOP, Step, chain, errors, hops, network, plain, requests, rreqs};
use hoplab::kernel::{NodeId, Time};
use hoplab::net::routing::dsr::DsrConfig;
use hoplab::net::routing::dsr::message::Rerr;
use hoplab::trace::DropReason;

fn rerr(from: u32, to: u32, dst: u32, salvage: u8) -> Rerr {
    Rerr { from: NodeId(from), to: NodeId(to), dst: NodeId(dst), salvage }
}

#[test]
fn relay_reports_a_broken_link_to_the_source() {
    let mut lab = chain(&plain(), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(2, 3)).at(2.1, Step::Send(0, 4)).run(2.2);
    let broken_at = Time::from_secs(2.1) + HOP * 2 + FAILURE;
    assert_eq!(errors(&lab, 2), [(broken_at, 1, rerr(2, 3, 0, 0))]);
    assert_eq!(errors(&lab, 1), [(broken_at + HOP, 0, rerr(2, 3, 0, 0))], "forwarded along the route");
    assert_eq!([0, 1, 2].map(|node| hops(&lab, node, 3)), [None; 3]);
    assert_eq!([0, 1].map(|node| hops(&lab, node, 2)), [Some(2), Some(1)], "up to the broken link");
    assert_eq!(lab.dropped(DropReason::LinkFailure), 1);
    let counters = &lab.ctx.trace.counters;
    assert_eq!((counters.routes_changed, counters.routes_lost), (1, 1), "of the source");
    lab.assert_conservation();
}

#[test]
fn packets_in_the_queue_cause_one_error_for_each_source() {
    let mut lab = network(&plain(), 5, &[(0, 1), (4, 1), (1, 2), (2, 3)]);
    lab.at(1.0, Step::Send(0, 3)).at(1.5, Step::Send(4, 3)).at(2.0, Step::Break(1, 2));
    for (at, src) in [(2.1, 0), (2.101, 4), (2.102, 0), (2.103, 4)] {
        lab.at(at, Step::Send(src, 3));
    }
    lab.run(2.2);
    let to: Vec<_> = errors(&lab, 1).into_iter().map(|(_, to, _)| to).collect();
    assert_eq!(to, [0, 4]);
    assert_eq!(lab.dropped(DropReason::LinkFailure), 4);
    lab.assert_conservation();
}

/// 0 - 1 - 2 - 3, and a detour 1 - 4 - 5 - 3.
const DETOUR: [(u32, u32); 6] = [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (5, 3)];

#[test]
fn relay_salvages_a_packet_over_another_route() {
    let mut lab = network(&plain(), 6, &DETOUR);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    lab.at(2.0, Step::Break(1, 2)).at(2.1, Step::Send(0, 3)).run(2.3);
    let lengths: Vec<_> = lab.delivered.iter().map(|&(.., hops)| hops).collect();
    assert_eq!(lengths, [3, 4]);
    assert_eq!(errors(&lab, 1).iter().map(|&(_, to, error)| (to, error)).collect::<Vec<_>>(), [(0, rerr(1, 2, 0, 0))]);
    assert_eq!(lab.dropped(DropReason::LinkFailure), 0);
    lab.assert_conservation();
}

#[test]
fn error_about_a_salvaged_packet_goes_to_the_node_that_salvaged_it() {
    let mut lab = network(&plain(), 6, &DETOUR);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    lab.at(2.0, Step::Break(1, 2)).at(2.0, Step::Break(4, 5)).at(2.1, Step::Send(0, 3)).run(2.3);
    assert_eq!(errors(&lab, 1).first().map(|&(_, to, error)| (to, error)), Some((0, rerr(1, 2, 0, 0))));
    assert_eq!(errors(&lab, 4).first().map(|&(_, to, error)| (to, error)), Some((1, rerr(4, 5, 1, 1))));
    assert_eq!(lab.dropped(DropReason::LinkFailure), 1);
    lab.assert_conservation();
}

#[test]
fn salvaging_can_be_disabled() {
    let mut lab = network(&DsrConfig { max_salvage: 0, ..plain() }, 6, &DETOUR);
    lab.at(1.0, Step::Send(0, 3)).run(2.0);
    lab.at(2.0, Step::Break(1, 2)).at(2.1, Step::Send(0, 3)).run(2.3);
    assert_eq!((lab.delivered.len(), lab.dropped(DropReason::LinkFailure)), (1, 1));
}

#[test]
fn source_keeps_its_packet_and_discovers_anew() {
    let mut lab = chain(&plain(), 2);
    lab.at(1.0, Step::Send(0, 2)).at(2.0, Step::Break(0, 1)).at(2.1, Step::Send(0, 2)).at(2.103, Step::Send(0, 2));
    lab.at(2.5, Step::Join(0, 1)).run(4.0);
    assert_eq!(lab.delivered.len(), 3);
    assert_eq!(requests(&lab, 0)[2..].iter().map(|&(_, ttl)| ttl).collect::<Vec<_>>(), [1, 255, 255]);
    lab.assert_conservation();
}

#[test]
fn next_request_carries_the_error_to_the_neighbors() {
    let mut lab = chain(&plain(), 3);
    lab.at(1.0, Step::Send(0, 3))
        .at(2.0, Step::Break(1, 2))
        .at(2.1, Step::Send(0, 3))
        .at(2.2, Step::Send(0, 3))
        .run(2.3);
    let sent = rreqs(&lab, 0);
    let carried: Vec<_> = sent.iter().filter_map(|rreq| rreq.error).collect();
    assert_eq!(carried, [rerr(1, 2, 0, 0)], "once");
    assert_eq!(sent.iter().position(|rreq| rreq.error.is_some()), Some(2));
}
