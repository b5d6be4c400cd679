//! Which neighbors are selected, and which routes follow.

use super::lab::{chain, hops, mprs, network, next_hop};
use hoplab::net::routing::RouteMetric;
use hoplab::net::routing::olsr::OlsrConfig;

/// A grid of `side` by `side`, numbered row by row; each node has up to four neighbors.
fn grid(side: u32) -> Vec<(u32, u32)> {
    let across = (0..side * side).filter(|node| node % side + 1 < side).map(|node| (node, node + 1));
    let down = (0..side * (side - 1)).map(|node| (node, node + side));
    across.chain(down).collect()
}

fn variants() -> [OlsrConfig; 4] {
    [
        OlsrConfig::default(),
        OlsrConfig { jitter_in_interval: false, ..OlsrConfig::default() },
        OlsrConfig { metric: RouteMetric::Etx, ..OlsrConfig::default() },
        OlsrConfig { tc_redundancy: Some(2), ..OlsrConfig::default() },
    ]
}

#[test]
fn routes_of_a_grid_are_shortest() {
    for config in variants() {
        let mut lab = network(&config, 25, &grid(5), 1);
        lab.run(40.0);
        for (a, b) in (0..25_u32).flat_map(|a| (0..25).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let steps = (a % 5).abs_diff(b % 5) + (a / 5).abs_diff(b / 5);
            assert_eq!(hops(&lab, a, b), Some(steps as u16), "{a} to {b}, {config:?}");
        }
        assert!(lab.nodes.iter().all(|node| node.known() == 24));
    }
}

#[test]
fn route_is_known_after_the_messages_it_needs() {
    let mut lab = chain(&OlsrConfig::default(), 3, 1);
    lab.run(1.0);
    assert_eq!(hops(&lab, 0, 2), None, "one message of each node says nothing of links that work both ways");
    lab.run(6.0);
    assert_eq!((hops(&lab, 0, 1), hops(&lab, 0, 2)), (Some(1), Some(2)));
    lab.run(15.0);
    assert_eq!((hops(&lab, 0, 3), next_hop(&lab, 0, 3)), (Some(3), Some(1)));
}

#[test]
fn neighbor_that_reaches_most_is_selected() {
    // From 0: 1 reaches 4, 5, 6; 2 reaches 4, 5; 3 reaches 6 and, alone, 7.
    let links = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, 6), (2, 4), (2, 5), (3, 6), (3, 7)];
    let mut lab = network(&OlsrConfig::default(), 8, &links, 1);
    lab.run(20.0);
    assert_eq!(mprs(&lab, 0), [1, 3], "3 for node 7, then 1 for 4 and 5 (as many as 2, but of the higher degree)");
    assert_eq!((hops(&lab, 0, 7), next_hop(&lab, 0, 7)), (Some(2), Some(3)));
}

#[test]
fn unwilling_nodes_relay_nothing() {
    let config = OlsrConfig { willingness: 0, ..OlsrConfig::default() };
    let mut lab = chain(&config, 2, 1);
    lab.run(40.0);
    assert_eq!((mprs(&lab, 0).len(), hops(&lab, 0, 1), hops(&lab, 0, 2)), (0, Some(1), None));
    let always = OlsrConfig { willingness: 7, ..OlsrConfig::default() };
    let mut lab = network(&always, 4, &grid(2), 1);
    lab.run(20.0);
    assert_eq!(mprs(&lab, 0), [1, 2], "all that are always willing");
}

#[test]
fn etx_avoids_links_that_lose_messages() {
    // 0 - 1 - 2 and the direct link 0 - 2, which is there a third of the time.
    let config = OlsrConfig { metric: RouteMetric::Etx, ..OlsrConfig::default() };
    let mut lab = network(&config, 3, &[(0, 1), (1, 2)], 1);
    for cycle in 0..30 {
        let at = 6.0 * f64::from(cycle);
        lab.at(at, super::lab::Step::Join(0, 2)).at(at + 2.0, super::lab::Step::Break(0, 2));
    }
    let (mut over_relay, mut samples) = (0, 0);
    for second in 60..180 {
        lab.run(f64::from(second));
        samples += 1;
        over_relay += u32::from(next_hop(&lab, 0, 2) == Some(1));
    }
    assert!(over_relay > samples * 9 / 10, "{over_relay} of {samples}");
    let plain = OlsrConfig::default();
    let mut lab = network(&plain, 3, &[(0, 1), (1, 2), (0, 2)], 1);
    lab.run(60.0);
    assert_eq!(next_hop(&lab, 0, 2), Some(2));
}
