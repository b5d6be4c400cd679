//! Nodes with several radios: requests on all of them, routes that hold a radio, and links that break on one.

use crate::lab::{FAILURE, Lab, Setup, Step, is_rerr, is_rrep, is_rreq, messages, ns2, rfc, with_hello, with_radios};
use crate::mesh::Mesh;
use hoplab::kernel::{NodeId, RadioId, Time};
use hoplab::trace::{DropReason, What};

/// A chain of three nodes: hop 0 on channel 36, hop 1 on channel 40. The relay's second radio has number 3.
fn bridge(setup: &Setup) -> Lab {
    with_radios(setup, &[&[36], &[36, 40], &[40]], &[(0, 1), (3, 2)])
}

/// Two nodes with two channels in common, the second radios numbered 2 and 3.
fn parallel(setup: &Setup) -> Lab {
    with_radios(setup, &[&[36, 40], &[36, 40]], &[(0, 1), (2, 3)])
}

/// Next hop, as a radio, of the route of one node to another.
fn next_hop(lab: &Lab, from: u32, to: u32) -> Option<u32> {
    lab.nodes[from as usize].route(NodeId(to)).map(|route| route.next_hop.0)
}

#[test]
fn relay_bridges_two_channels() {
    for setup in [ns2(), rfc()] {
        let mut lab = bridge(&setup);
        lab.at(1.0, Step::Send(0, 2)).at(2.0, Step::Send(2, 0)).run(3.0);
        assert_eq!(lab.delivered.iter().map(|&(_, _, hops)| hops).collect::<Vec<_>>(), [2, 2]);
        let requests: Vec<u32> = messages(&lab, 1, is_rreq).iter().map(|sent| sent.radio).collect();
        assert!(requests.contains(&1) && requests.contains(&3), "the relay repeats a request on both: {requests:?}");
        let replies: Vec<(u32, u32)> = messages(&lab, 1, is_rrep).iter().map(|sent| (sent.radio, sent.to.0)).collect();
        assert_eq!(replies, [(1, 0)]);
        assert_eq!([next_hop(&lab, 0, 2), next_hop(&lab, 2, 0)], [Some(1), Some(3)]);
        assert_eq!([next_hop(&lab, 1, 0), next_hop(&lab, 1, 2)], [Some(0), Some(2)]);
        lab.assert_conservation();
    }
}

#[test]
fn records_name_nodes_not_radios() {
    let mut lab = bridge(&ns2());
    lab.at(1.0, Step::Send(0, 2)).run(2.0);
    let records = lab.ctx.trace.take_records();
    let found = records.iter().filter_map(|record| match record.what {
        What::RouteChanged { dst, next_hop } => Some((record.node.0, dst.0, next_hop.0)),
        _ => None,
    });
    assert_eq!(found.collect::<Vec<_>>(), [(1, 0, 0), (2, 0, 1), (1, 2, 2), (0, 2, 1)]);
}

#[test]
fn link_broken_on_one_radio_is_replaced_by_the_other() {
    for setup in [ns2(), rfc()] {
        let mut lab = parallel(&setup);
        lab.at(1.0, Step::Send(0, 1)).run(1.5);
        let first = next_hop(&lab, 0, 1).expect("a route");
        let own = if first == 1 { 0 } else { 2 };
        lab.at(2.0, Step::Break(own, first)).at(2.1, Step::Send(0, 1)).at(2.2, Step::Send(0, 1)).run(4.0);
        let other = if first == 1 { 3 } else { 1 };
        assert_eq!(next_hop(&lab, 0, 1), Some(other));
        assert_eq!((lab.delivered.len(), lab.dropped(DropReason::LinkFailure)), (2, 1));
        lab.assert_conservation();
    }
}

#[test]
fn broken_link_leaves_routes_over_the_other_radio() {
    // Node 0 reaches node 1 on channel 36 and node 2 on channel 40 (radio 3 of node 0).
    let mut lab = with_radios(&ns2(), &[&[36, 40], &[36], &[40]], &[(0, 1), (3, 2)]);
    lab.at(1.0, Step::Send(0, 1))
        .at(1.5, Step::Send(0, 2))
        .at(2.0, Step::Break(0, 1))
        .at(2.1, Step::Send(0, 1))
        .run(3.0);
    assert_eq!([next_hop(&lab, 0, 1), next_hop(&lab, 0, 2)], [None, Some(2)]);
    assert_eq!(lab.purges, [(Time::from_secs(2.1) + FAILURE, 0, 1)]);
    lab.assert_conservation();
}

#[test]
fn relay_repairs_a_route_over_its_other_radio() {
    // 0 - 1 - 2 - 3 on channel 36, and a link of nodes 2 and 3 on channel 40 (radios 4 and 5).
    for setup in [ns2(), rfc()] {
        let mut lab = with_radios(&setup, &[&[36], &[36], &[36, 40], &[36, 40]], &[(0, 1), (1, 2), (2, 3)]);
        lab.at(1.0, Step::Send(0, 3)).at(2.0, Step::Break(2, 3)).at(2.0, Step::Join(4, 5));
        lab.at(2.1, Step::Send(0, 3)).run(4.0);
        assert_eq!((lab.delivered.len(), next_hop(&lab, 2, 3)), (2, Some(5)));
        assert_eq!(lab.sent.iter().filter(|sent| is_rerr(&sent.message)).count(), 0);
        lab.assert_conservation();
    }
}

#[test]
fn rerr_is_sent_over_radios_with_precursors_only() {
    // Node 1 has radios 1 (36), 6 (40) and 7 (44): precursors 0 and 4 on channel 36, the destinations 2 and 3 on channel 40.
    let channels: [&[u16]; 6] = [&[36], &[36, 40, 44], &[40], &[40], &[36], &[44]];
    let links = [(0, 1), (4, 1), (6, 2), (2, 3), (7, 5)];
    let rerrs = |setup: &Setup| {
        let (profile, config) = setup.clone();
        let mut lab = with_radios(
            &(profile, hoplab::net::routing::aodv::AodvConfig { local_repair: false, ..config }),
            &channels,
            &links,
        );
        lab.at(1.0, Step::Send(0, 3))
            .at(1.5, Step::Send(4, 3))
            .at(2.0, Step::Break(6, 2))
            .at(2.1, Step::Send(0, 3))
            .run(2.12);
        messages(&lab, 1, is_rerr).iter().map(|sent| (sent.radio, sent.to)).collect::<Vec<_>>()
    };
    assert_eq!(rerrs(&rfc()), [(1, RadioId::BROADCAST)], "two precursors, on one channel");
    let mut all = rerrs(&ns2());
    all.sort_unstable();
    assert_eq!(all, [1, 6, 7].map(|radio| (radio, RadioId::BROADCAST)), "ns-2 has no precursors in mind");
}

#[test]
fn silent_radio_of_a_neighbor_is_lost_alone() {
    let mut lab = parallel(&with_hello(rfc()));
    lab.at(1.0, Step::Send(0, 1)).run(2.0);
    let first = next_hop(&lab, 0, 1).expect("a route");
    let (own, other) = if first == 1 { (0, 3) } else { (2, 1) };
    // HELLO messages on the other channel go on, and bring a route once the first one is lost.
    lab.at(3.0, Step::Break(own, first)).run(3.5);
    assert_eq!(next_hop(&lab, 0, 1), Some(first));
    lab.run(8.0);
    assert_eq!(next_hop(&lab, 0, 1), Some(other));
    lab.assert_conservation();
}

#[test]
fn every_node_of_a_mesh_of_channels_is_found() {
    for (number, setup) in [ns2(), rfc(), ns2(), rfc()].iter().enumerate() {
        let mesh = Mesh::new(number);
        let mut lab = with_radios(setup, &mesh.lists(), &mesh.links);
        let mut expected = 0;
        for (index, (from, to, hops)) in mesh.pairs().enumerate() {
            lab.at(1.0 + index as f64, Step::Send(from, to));
            expected += usize::from(hops.is_some());
        }
        lab.run(200.0);
        assert_eq!(lab.delivered.len(), expected);
        lab.assert_conservation();
    }
}
