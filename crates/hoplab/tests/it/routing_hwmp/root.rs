//! The tree of a root.

use super::lab::{Step, TU, chain, count, path};
use hoplab::net::routing::hwmp::{HwmpConfig, RootMode};

fn with_root(root: u32, root_mode: RootMode) -> HwmpConfig {
    HwmpConfig { root: Some(root), root_mode, ..HwmpConfig::default() }
}

#[test]
fn requests_of_the_root_leave_paths_in_both_directions() {
    let mut lab = chain(&with_root(0, RootMode::PreqWithPrep), 3);
    lab.run(0.5);
    assert_eq!((1..=3).map(|node| path(&lab, node, 0)).collect::<Vec<_>>(), [Some((0, 1)), Some((1, 2)), Some((2, 3))]);
    assert_eq!((1..=3).map(|node| path(&lab, 0, node)).collect::<Vec<_>>(), [Some((1, 1)), Some((1, 2)), Some((1, 3))]);
    // One request per node, and a reply per hop to the root.
    assert_eq!((count(&lab, "preq"), count(&lab, "prep")), (4, 6));
    lab.run(0.5 + 2000.0 * TU.secs());
    assert_eq!(count(&lab, "preq"), 8);
}

#[test]
fn unanswered_requests_leave_paths_to_the_root_only() {
    let mut lab = chain(&with_root(0, RootMode::Preq), 2);
    lab.run(0.5);
    assert_eq!((path(&lab, 2, 0), path(&lab, 0, 2), count(&lab, "prep")), (Some((1, 2)), None, 0));
}

#[test]
fn announcements_are_confirmed_by_single_requests() {
    let mut lab = chain(&with_root(0, RootMode::Rann), 3);
    lab.run(0.5);
    assert_eq!((path(&lab, 3, 0), path(&lab, 0, 3)), (Some((2, 3)), Some((1, 3))));
    let individual = lab.sent.iter().filter(|sent| !sent.to.is_broadcast());
    assert_eq!(individual.count(), 6 + 6, "requests to the root, and replies");
    assert_eq!(count(&lab, "rann"), 4);
    // The next announcement is earlier than the confirmation interval.
    lab.run(0.5 + 1000.0 * TU.secs());
    assert_eq!((count(&lab, "rann"), count(&lab, "prep")), (8, 6));
}

#[test]
fn packet_takes_the_tree_while_a_direct_path_is_found() {
    let mut lab = chain(&with_root(2, RootMode::PreqWithPrep), 4);
    lab.at(0.5, Step::Send(0, 4)).run(1.0);
    let arrivals: Vec<_> = lab.delivered.iter().map(|&(at, _, hops)| (at.secs() < 0.509, hops)).collect();
    assert_eq!(arrivals, [(true, 4)], "without a wait");
    assert_eq!(path(&lab, 0, 4), Some((1, 4)));
}
