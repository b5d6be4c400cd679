//! Nodes with several radios: HELLO messages of each radio, MID messages, MPRs for each radio, and the choice among links.

use crate::lab::{Lab, Step, hops, messages, mprs, next_hop, with_radios};
use crate::mesh::Mesh;
use hoplab::kernel::{NodeId, RadioId};
use hoplab::net::routing::RouteMetric;
use hoplab::net::routing::olsr::OlsrConfig;
use hoplab::net::routing::olsr::message::{Body, LinkType, NeighborType};
use hoplab::trace::DropReason;

fn by_etx() -> OlsrConfig {
    OlsrConfig { metric: RouteMetric::Etx, ..OlsrConfig::default() }
}

/// Two nodes with two channels in common, the second radios numbered 2 and 3.
fn parallel(config: &OlsrConfig) -> Lab {
    with_radios(config, &[&[36, 40], &[36, 40]], &[(0, 1), (2, 3)])
}

#[test]
fn hello_lists_the_links_of_its_radio() {
    // The relay's second radio has number 3.
    let mut lab = with_radios(&OlsrConfig::default(), &[&[36], &[36, 40], &[40]], &[(0, 1), (3, 2)]);
    lab.run(60.0);
    let last = |radio: u32| {
        let sent = lab.sent_by(1).into_iter().filter(|sent| sent.radio == radio);
        let mut hellos = sent.flat_map(|sent| &sent.message.messages).filter_map(|message| match &message.body {
            Body::Hello(hello) => Some(hello),
            _ => None,
        });
        let links = &hellos.next_back().expect("a HELLO message").links;
        links.iter().map(|link| (link.to.0, link.link, link.neighbor)).collect::<Vec<_>>()
    };
    let (here, other) = (LinkType::Sym, LinkType::Unspecified);
    assert_eq!(last(1), [(0, here, NeighborType::Sym), (2, other, NeighborType::Sym)]);
    assert_eq!(last(3), [(0, other, NeighborType::Sym), (2, here, NeighborType::Sym)]);
    assert_eq!([next_hop(&lab, 0, 2), next_hop(&lab, 2, 0), next_hop(&lab, 1, 2)], [Some(1), Some(3), Some(2)]);
    assert_eq!((mprs(&lab, 0), mprs(&lab, 2)), (vec![1], vec![1]));
}

#[test]
fn mid_message_names_the_node_of_further_radios() {
    // Only second radios, 3 to 5, are in range of each other.
    for config in [OlsrConfig::default(), by_etx()] {
        let channels: [&[u16]; 3] = [&[36, 40]; 3];
        let mut lab = with_radios(&config, &channels, &[(3, 4), (4, 5)]);
        lab.at(60.0, Step::Send(0, 2)).run(61.0);
        assert_eq!((hops(&lab, 0, 2), next_hop(&lab, 0, 2), next_hop(&lab, 2, 0)), (Some(2), Some(4), Some(4)));
        assert_eq!((lab.nodes[0].known(), mprs(&lab, 0), lab.delivered.len()), (2, vec![1], 1));
        let mids = |node: u32, origin: u32| {
            let of = messages(&lab, node).filter(move |message| message.origin == NodeId(origin));
            of.filter_map(|message| match &message.body {
                Body::Mid(radios) => Some(radios.to_vec()),
                _ => None,
            })
        };
        // Every 5 s, and over both radios of a sender.
        assert!(mids(0, 0).count() >= 20 && mids(0, 0).all(|radios| radios == [RadioId(3)]));
        assert!(mids(1, 0).count() >= 16, "forwarded by the MPR: {}", mids(1, 0).count());
        lab.assert_conservation();
    }
    let mut single = with_radios(&OlsrConfig::default(), &[&[36], &[36], &[36, 40]], &[(0, 1), (1, 2)]);
    single.run(60.0);
    assert!(messages(&single, 0).all(|message| message.origin == NodeId(2) || !matches!(message.body, Body::Mid(_))));
}

#[test]
fn link_broken_on_one_radio_is_replaced_by_the_other() {
    let mut lab = parallel(&OlsrConfig::default());
    lab.at(60.0, Step::Break(0, 1)).run(60.0);
    assert_eq!(next_hop(&lab, 0, 1), Some(1), "of several links that to the lowest radio");
    lab.run(67.0);
    assert_eq!((next_hop(&lab, 0, 1), hops(&lab, 0, 1)), (Some(3), Some(1)));
    lab.at(80.0, Step::Join(0, 1)).run(90.0);
    assert_eq!(next_hop(&lab, 0, 1), Some(1));
    let counters = &lab.ctx.trace.counters;
    assert_eq!(counters.routes_lost, 0, "there was a route all the time");
}

#[test]
fn packet_that_failed_on_one_radio_takes_the_other() {
    let mut lab = parallel(&OlsrConfig { use_link_layer_feedback: true, ..OlsrConfig::default() });
    lab.at(60.0, Step::Break(0, 1)).at(60.1, Step::Send(0, 1)).run(61.0);
    assert_eq!((lab.delivered.len(), lab.dropped(DropReason::MacRetry), next_hop(&lab, 0, 1)), (1, 0, Some(3)));
    lab.assert_conservation();
}

#[test]
fn etx_takes_the_better_of_parallel_links() {
    // On channel 36 half of the HELLO messages are lost.
    let lossy = |config: &OlsrConfig| {
        let mut lab = parallel(config);
        for period in 0..30 {
            let start = f64::from(4 * period);
            lab.at(start + 2.0, Step::Break(0, 1)).at(start + 4.0, Step::Join(0, 1));
        }
        lab.run(120.5);
        (next_hop(&lab, 0, 1), next_hop(&lab, 1, 0))
    };
    assert_eq!(lossy(&by_etx()), (Some(3), Some(2)));
    assert_eq!(lossy(&OlsrConfig::default()), (Some(1), Some(0)));
}

#[test]
fn etx_of_remote_links_is_that_of_the_best() {
    // 0 - 1 - 3 or 0 - 2 - 3; nodes 1 and 3 have a lossy link on channel 36, and a good one on channel 40 (radios 4 and 5).
    let channels: [&[u16]; 4] = [&[36], &[36, 40], &[36], &[36, 40]];
    let mut lab = with_radios(&by_etx(), &channels, &[(0, 1), (0, 2), (1, 3), (4, 5), (2, 3)]);
    for period in 0..30 {
        let start = f64::from(4 * period);
        for (a, b) in [(1, 3), (2, 3)] {
            lab.at(start + 2.0, Step::Break(a, b)).at(start + 4.0, Step::Join(a, b));
        }
    }
    lab.run(120.5);
    assert_eq!((next_hop(&lab, 0, 3), next_hop(&lab, 1, 3)), (Some(1), Some(5)));
}

#[test]
fn routes_of_a_mesh_of_channels_are_shortest() {
    for config in [OlsrConfig::default(), by_etx()] {
        for number in 0..6 {
            let mesh = Mesh::new(number);
            let mut lab = with_radios(&config, &mesh.lists(), &mesh.links);
            lab.run(90.0);
            for (from, to, expected) in mesh.pairs() {
                assert_eq!(hops(&lab, from, to), expected, "mesh {number}, {from} to {to}");
            }
            lab.assert_conservation();
        }
    }
}
