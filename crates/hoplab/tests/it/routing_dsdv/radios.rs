//! Nodes with several radios: updates over all of them, and routes that hold a radio.

use super::lab::{Lab, Step, hops, quick, rfc, with_radios};
use crate::routing_lab::mesh::Mesh;
use hoplab::kernel::NodeId;
use hoplab::net::routing::dsdv::DsdvConfig;

/// Next hop, as a radio, of the route of one node to another.
fn next_hop(lab: &Lab, from: u32, to: u32) -> Option<u32> {
    lab.nodes[from as usize].route(NodeId(to)).map(|route| route.next_hop.0)
}

/// Two nodes with two channels in common, the second radios numbered 2 and 3.
fn parallel(config: &DsdvConfig) -> Lab {
    with_radios(config, &[&[36, 40], &[36, 40]], &[(0, 1), (2, 3)])
}

#[test]
fn relay_bridges_two_channels() {
    let mut lab = with_radios(&quick(), &[&[36], &[36, 40], &[40]], &[(0, 1), (3, 2)]);
    lab.at(30.0, Step::Send(0, 2)).at(30.0, Step::Send(2, 0)).run(31.0);
    assert_eq!([next_hop(&lab, 0, 2), next_hop(&lab, 2, 0)], [Some(1), Some(3)]);
    assert_eq!([next_hop(&lab, 1, 0), next_hop(&lab, 1, 2)], [Some(0), Some(2)]);
    assert_eq!((lab.delivered.len(), lab.nodes[0].known()), (2, 3), "no entries of radios");
    let over: Vec<u32> = lab.sent_by(1).iter().map(|sent| sent.radio).collect();
    assert_eq!(over.iter().filter(|&&radio| radio == 1).count(), over.len() / 2);
    lab.assert_conservation();
}

#[test]
fn link_broken_on_one_radio_is_replaced_by_the_other() {
    let mut lab = parallel(&rfc());
    lab.run(60.0);
    let first = next_hop(&lab, 0, 1).expect("a route");
    let (own, other) = if first == 1 { (0, 3) } else { (2, 1) };
    lab.at(60.5, Step::Break(own, first)).at(61.0, Step::Send(0, 1)).run(70.0);
    assert_eq!((next_hop(&lab, 0, 1), lab.delivered.len()), (Some(other), 1), "the packet waits for the other link");
    lab.assert_conservation();
}

#[test]
fn silent_radio_of_a_neighbor_is_lost_alone() {
    for broken in [(0, 1), (2, 3)] {
        let mut lab = parallel(&quick());
        lab.at(60.0, Step::Break(broken.0, broken.1)).run(200.0);
        let other = if broken.1 == 1 { 3 } else { 1 };
        assert_eq!((next_hop(&lab, 0, 1), hops(&lab, 0, 1)), (Some(other), Some(1)));
        let lost = lab.ctx.trace.counters.routes_lost;
        assert!(lost <= 2, "{lost}: updates on the other channel go on");
        lab.assert_conservation();
    }
}

#[test]
fn every_node_of_a_mesh_of_channels_is_found() {
    for number in 0..6 {
        let mesh = Mesh::new(number);
        let mut lab = with_radios(&quick(), &mesh.lists(), &mesh.links);
        lab.run(120.0);
        let mut expected = 0;
        for (from, to, shortest) in mesh.pairs() {
            // A new number may come by a longer path first.
            let longest = hops(&lab, from, to).map(u16::from);
            assert!(longest.is_some() == shortest.is_some() && longest >= shortest, "mesh {number}, {from} to {to}");
            if shortest.is_some() {
                lab.at(120.0, Step::Send(from, to));
                expected += 1;
            }
        }
        lab.run(121.0);
        assert_eq!(lab.delivered.len(), expected);
        lab.assert_conservation();
    }
}
