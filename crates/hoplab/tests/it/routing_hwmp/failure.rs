//! Links that break: errors, and paths around them.

use super::lab::{FAILURE, HOP, Step, chain, count, names, network, path};
use hoplab::net::routing::hwmp::HwmpConfig;
use hoplab::net::routing::hwmp::message::{HwmpMessage, Reason};
use hoplab::trace::DropReason;

/// A ring of five: 0 reaches 2 over 1, or over 4 and 3.
const RING: [(u32, u32); 5] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];

#[test]
fn error_ends_the_path_of_the_source() {
    let mut lab = network(&HwmpConfig::default(), 5, &RING);
    lab.at(1.0, Step::Send(0, 2)).at(2.0, Step::Break(1, 2)).at(2.1, Step::Send(0, 2));
    let reported = 2.1 + 2.0 * HOP.secs() + FAILURE.secs();
    lab.run(reported - 1e-6);
    assert_eq!(path(&lab, 0, 2), Some((1, 2)));
    lab.run(reported + 1e-6);
    assert_eq!((path(&lab, 0, 2), path(&lab, 1, 2), lab.dropped(DropReason::MacRetry)), (None, None, 1));
    let errors: Vec<_> = lab.sent.iter().filter(|sent| matches!(sent.message, HwmpMessage::Perr(_))).collect();
    assert_eq!((errors.len(), errors[0].node, errors[0].to.0, errors[0].bytes + 8), (1, 1, 0, 19));
    lab.at(3.0, Step::Send(0, 2)).run(4.0);
    assert_eq!((path(&lab, 0, 2), lab.delivered.len()), (Some((4, 3)), 2), "the long way round");
    lab.assert_conservation();
}

#[test]
fn error_crosses_several_hops() {
    let mut lab = chain(&HwmpConfig::default(), 4);
    lab.at(1.0, Step::Send(0, 4)).at(2.0, Step::Break(3, 4)).at(2.1, Step::Send(0, 4)).run(2.5);
    assert_eq!((0..4).map(|node| path(&lab, node, 4)).collect::<Vec<_>>(), [None; 4]);
    assert_eq!(count(&lab, "perr"), 3);
    assert_eq!(path(&lab, 2, 3), Some((3, 1)), "other paths remain");
}

#[test]
fn packet_without_a_path_at_a_relay_is_reported() {
    let mut lab = chain(&HwmpConfig::default(), 2);
    // The path of the relay to node 2 ends when node 1 cannot reach it; the error of the first packet is lost with the link.
    lab.at(1.0, Step::Send(0, 2)).at(2.0, Step::Break(1, 2)).at(2.1, Step::Send(0, 2));
    lab.at(2.102, Step::Break(0, 1)).at(2.12, Step::Join(0, 1)).at(2.3, Step::Send(0, 2)).run(2.5);
    assert_eq!(lab.dropped(DropReason::NoRoute), 1);
    let reasons = lab.sent_by(1).into_iter().filter_map(|sent| match &sent.message {
        HwmpMessage::Perr(perr) => perr.lost.iter().find(|lost| lost.node.0 == 2).map(|lost| lost.reason),
        _ => None,
    });
    assert_eq!(reasons.collect::<Vec<_>>(), [Reason::DestinationUnreachable, Reason::NoForwardingInformation]);
    assert_eq!(path(&lab, 0, 2), None);
}

#[test]
fn neighbor_without_paths_causes_no_error() {
    let mut lab = chain(&HwmpConfig::default(), 1);
    lab.at(1.0, Step::Send(0, 1)).at(2.0, Step::Break(0, 1)).at(2.1, Step::Send(0, 1)).run(2.5);
    assert_eq!((path(&lab, 0, 1), names(&lab, 0)), (None, vec!["preq"]));
}
