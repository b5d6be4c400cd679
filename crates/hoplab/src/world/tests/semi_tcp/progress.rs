//! Every flow makes progress: with neighbors that leave or never respond, saturated relays, and plain stations.

use super::delivered_by;
use crate::kernel::{FlowId, Time};
use crate::scenario::Resolved;
use crate::world::World;

#[test]
fn lost_arp_request_does_not_stall_source() {
    // Node 2 is hidden from node 0: its frames collide with the first ARP requests of node 0, and only a timer repeats
    // those.
    let text = "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
                [[flow]]\nfrom = 3\nto = 1\napp = \"cbr\"\nrate = \"150 kb/s\"\ntransport = \"udp\"\n\
                [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"1 s\"\n";
    let scenario = Resolved::parse(text, "arp.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    for seed in 0..10 {
        let mut world = World::new(&scenario, seed);
        world.run_until(scenario.end()).expect("a run without error");
        let delivered = world.ctx().trace.counters.data(FlowId(1)).delivered;
        assert!(delivered > 20, "seed {seed}: {delivered} segments");
    }
}

/// A congested neighbor that leaves stalls no flow permanently. While it is away, the relay before it always has transit
/// traffic to send, and its own source, which is pulled when the queue is empty, sends nothing.
#[test]
fn departed_congested_neighbor_stalls_no_flow() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"16 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n[[node]]\nid = 3\nradio_off = [[\"5 s\", \"10 s\"]]\n\
             [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 2\nto = 0\ntransport = \"semi_tcp\"\nsegment = 512\n"
        );
        let scenario = Resolved::parse(&text, "leaves.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 0..2 {
            let delivered = delivered_by(&scenario, flow, &[5.0, 10.0, 16.0]);
            assert!(delivered[0] > 20, "{preset}: flow {flow} before: {delivered:?}");
            assert!(delivered[2] > delivered[1] + 20, "{preset}: flow {flow} resumes: {delivered:?}");
        }
    }
}

/// A packet for a neighbor that never replies to ARP is held permanently. It counts as pending while a reply is possible,
/// and stalls neither its node's own source nor transit traffic.
#[test]
fn unanswered_arp_stalls_no_flow() {
    for preset in ["paper", "cai2013"] {
        // Node 1 between 0 and 3, and next to it node 2, whose radio is off: one datagram waits for its address.
        let text = format!(
            "duration = \"12 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [200, 0], [200, 200], [400, 0]]\n\
             [routing]\nprotocol = \"static\"\n[semi_tcp]\npreset = \"{preset}\"\n[[node]]\nid = 2\nradio_off = [[\"0 s\", \"20 s\"]]\n\
             [[flow]]\nfrom = 1\nto = 2\napp = \"cbr\"\nrate = \"1 kb/s\"\ntransport = \"udp\"\nsegment = 512\nmax_packets = 1\n\
             [[flow]]\nfrom = 1\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n\
             [[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n"
        );
        let scenario = Resolved::parse(&text, "gone.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 1..3 {
            let delivered = delivered_by(&scenario, flow, &[2.0, 12.0]);
            assert!(delivered[1] > delivered[0] + 200, "{preset}, flow {flow}: {delivered:?}");
        }
    }
}

/// Routing messages overtake parked data: a second flow finds a route over a saturated chain. Its requests may collide for
/// seconds: half of the seeds find one within 5 s, this one among them.
#[test]
fn route_is_found_over_saturated_chain() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"20 s\"\nseed = 12\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\nprotocol = \"aodv\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n\
             [[flow]]\nfrom = 0\nto = 7\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 6\nto = 1\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"5 s\"\n"
        );
        let scenario = Resolved::parse(&text, "late.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let late = delivered_by(&scenario, 1, &[5.0, 10.0, 20.0]);
        assert!(late[0] == 0 && late[1] > 0 && late[2] > late[1], "{preset}: {late:?}");
    }
}

/// A node that is source of one flow and sink of another: its acknowledgments, which need not wait, alternate with its data.
#[test]
fn acks_do_not_starve_data_of_their_node() {
    for preset in ["paper", "cai2013"] {
        let text = format!(
            "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
             [semi_tcp]\npreset = \"{preset}\"\n[[flow]]\nfrom = 0\nto = 3\ntransport = \"semi_tcp\"\nsegment = 512\n\
             [[flow]]\nfrom = 2\nto = 0\ntransport = \"semi_tcp\"\nsegment = 512\n"
        );
        let scenario = Resolved::parse(&text, "both.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        for flow in 0..2 {
            let delivered = delivered_by(&scenario, flow, &[5.0, 10.0]);
            assert!(delivered[0] > 20 && delivered[1] > delivered[0] + 20, "{preset}, flow {flow}: {delivered:?}");
        }
    }
}

/// Every other node has a plain 802.11 MAC: some refuse RTS, others do not recognize refusals, and their queues overflow.
/// Every flow makes progress, also late in the run; fairness is not tested.
#[test]
fn mixed_handshakes_serve_every_flow() {
    for (number, (kind, nodes)) in [("chain", 5), ("parallel", 10), ("cross", 9), ("spindle", 7)].iter().enumerate() {
        for preset in ["paper", "cai2013"] {
            let mut text = format!(
                "duration = \"60 s\"\n[topology]\nkind = \"{kind}\"\nhops = 4\n[routing]\nprotocol = \"aodv\"\n\
                 [semi_tcp]\npreset = \"{preset}\"\n"
            );
            for id in (1 - number % 2..*nodes).step_by(2) {
                text += &format!("[[node]]\nid = {id}\nhandshake = \"plain\"\n");
            }
            text += "[[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\nstart = \"0.5 s\"\n";
            text += "[[flow]]\ntransport = \"new_reno\"\nsegment = 512\nstart = \"0.5 s\"\n";
            if *kind == "chain" {
                text += "from = \"last\"\nto = \"first\"\n";
            }
            let scenario = Resolved::parse(&text, "mixed.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut world = World::new(&scenario, number as u64);
            let mut delivered = Vec::new();
            for tenth in 1..=600 {
                let outcome = world.run_until(Time::from_secs(f64::from(tenth) * 0.1)).and_then(|()| world.audit());
                assert!(outcome.is_ok(), "{outcome:?}\n{text}");
                world.assert_no_source_stalled(scenario.semi_tcp.pull().max_outstanding, number as u64, &text);
                if tenth % 300 == 0 {
                    delivered.push([0, 1].map(|flow| world.ctx().trace.counters.data(FlowId(flow)).delivered));
                }
            }
            let (half, whole) = (delivered[0], delivered[1]);
            assert!(whole.iter().all(|&count| count > 0), "{delivered:?}\n{text}");
            assert!(whole.iter().sum::<u64>() > half.iter().sum::<u64>() + 10, "{delivered:?}\n{text}");
        }
    }
}
