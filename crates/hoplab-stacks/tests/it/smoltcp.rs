//! Flows that smoltcp carries: goodput, determinism, handshake and FIN, repair.

use crate::common::{chain, check_fingerprints, check_repair, mean_goodput_of, run, world};
use hoplab::kernel::NodeId;
use hoplab::trace::What;

/// Goodput in kb/s as on the page of smoltcp, where intervals of ten seeds are.
#[test]
fn goodput_is_that_of_the_page() {
    for (hops, expected, allowed) in
        [(1, [1372.6, 1372.6], 0.005), (2, [667.8, 667.8], 0.005), (4, [274.9, 280.4], 0.05)]
    {
        for (transport, expected) in ["smoltcp_reno", "smoltcp_cubic"].into_iter().zip(expected) {
            let mean = mean_goodput_of(3, hops, transport, "window = 32\n");
            assert!((mean / expected - 1.0).abs() < allowed, "{transport}, {hops} hops: {mean}, expected {expected}");
        }
    }
}

#[test]
fn runs_repeat_to_the_byte() {
    check_fingerprints(&[("smoltcp_reno", 0x5b57_f9e5_6a84_0181), ("smoltcp_cubic", 0xb1d4_41f0_92c7_8c7a)]);
}

#[test]
fn lost_packets_are_repaired() {
    for transport in ["smoltcp_reno", "smoltcp_cubic"] {
        check_repair(transport, "");
    }
}

/// SYN, acknowledgment, data, FIN, acknowledgment of the source: RFC 9293 section 3.5 and 3.6.
#[test]
fn connection_has_a_handshake_and_two_fins() {
    let (scenario, mut world) = world(&chain(1, 20, "smoltcp_reno", "bytes = \"100 B\"\n"), 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    let records = world.take_records();
    let sent = |node| {
        let sent = records.iter().filter(|record| record.node == NodeId(node));
        sent.filter_map(|record| if let What::Originated { bytes, .. } = record.what { Some(bytes) } else { None })
            .collect::<Vec<_>>()
    };
    let (source, sink) = (sent(0), sent(1));
    // Headers of 40 bytes; a SYN has options.
    assert!(source[0] > 44 && sink[0] > 44, "{source:?} {sink:?}");
    assert!(source[1..].contains(&140), "{source:?}");
    assert!(source.len() <= 5 && sink.len() <= 4, "{source:?} {sink:?}");
    let flow = &world.report(&scenario, 1, 0.0).flows[0];
    assert!(flow.fct_s.flatten().is_some() && flow.aborted_by.is_none());
}

#[test]
fn window_limits_what_is_in_flight() {
    let delay = |window| run(&chain(1, 30, "smoltcp_cubic", &format!("window = {window}\n")), 1).flows[0].delay_mean_s;
    assert!(delay(4) < delay(16));
}
