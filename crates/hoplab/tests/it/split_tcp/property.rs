//! Under random failures of proxies, links and paths the stream arrives whole, and proxies stay within their limits.

use super::lab::{Faults, Lab};
use hoplab::kernel::{Purpose, RandomStreams, Span};
use hoplab::transport::proxy::split_tcp::{Flavor, LocalAck, OnFull, SplitTcpConfig, StoreState, WindowMode};

#[test]
fn stream_is_whole_after_each_proxy_failed_once() {
    let (mut failures, mut lost, mut retransmitted) = (0, 0, 0);
    for number in 0..500 {
        // The number reproduces a failed run.
        eprintln!("run {number}");
        let mut stream = RandomStreams::new(number).stream(Purpose::ProxyFailure, 0);
        let config = SplitTcpConfig {
            d_p: 1 + stream.below(5) as u8,
            e2e_every: [1, 10, 50, 100][stream.below(4) as usize],
            w_e2e_mode: [WindowMode::Fixed, WindowMode::Tcp][stream.below(2) as usize],
            flavor: [Flavor::NewReno, Flavor::Reno, Flavor::Tahoe][stream.below(3) as usize],
            local_ack: [LocalAck::Selective, LocalAck::Cumulative][stream.below(2) as usize],
            on_full: [OnFull::Bypass, OnFull::Drop][stream.below(2) as usize],
            use_win: stream.below(3) > 0,
            propagate_min: stream.below(2) == 0,
            forward_then_lack: stream.below(2) == 0,
            store_per_flow: [2, 8, 50][stream.below(3) as usize],
            max_local_tries: [3, 12][stream.below(2) as usize],
            reset_cwnd_on_new_proxy: stream.below(2) == 0,
            ..SplitTcpConfig::default()
        };
        let state = match config.local_ack {
            LocalAck::Selective => [StoreState::PerFlow, StoreState::Aggregate][stream.below(2) as usize],
            LocalAck::Cumulative => StoreState::PerFlow,
        };
        let config = SplitTcpConfig { state, store_total: config.store_per_flow, ..config };
        let hops = 2 + stream.below(11);
        let mut lab = Lab::new(hops, &config, number);
        lab.faults = Faults {
            loss: [0.0, 0.01, 0.05][stream.below(3) as usize],
            duplicate: [0.0, 0.02][stream.below(2) as usize],
            reorder: [0.0, 0.05][stream.below(2) as usize],
        };
        lab.set_delay(hops - 1, hops, Span::from_millis(10 + u64::from(stream.below(80))));
        lab.supply(200 + stream.below(400));
        // The events in order of time: every relay fails and recovers, a link breaks, the path may change.
        let mut plan: Vec<(f64, u32, u32)> = (1..hops).map(|node| (5.0 * stream.unit(), 0, node)).collect();
        for at in 0..plan.len() {
            let (failed, _, node) = plan[at];
            plan.push((failed + 3.0 * stream.unit(), 1, node));
        }
        let (broken, link) = (4.0 * stream.unit(), stream.below(hops));
        plan.push((broken, 2, link));
        plan.push((broken + 2.0 * stream.unit(), 3, link));
        if hops > 4 && stream.below(2) == 0 {
            plan.push((3.0 * stream.unit(), 4, 0));
        }
        plan.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, what, which) in plan {
            lab.run(at);
            match what {
                0 => {
                    lost += lab.fail(which);
                    failures += 1;
                }
                1 => lab.recover(which),
                2 => lab.cut(which, which + 1),
                3 => lab.restore(which, which + 1),
                _ => lab.set_path(&[0, hops + 1, hops + 2, 3, 4]),
            }
        }
        lab.finish(5000.0);
        retransmitted += lab.source.counts().e2e_retransmissions;
        for node in 0..hops + 4 {
            let counts = lab.counts(node);
            assert!(counts.held_max <= u64::from(config.store_per_flow), "run {number}, node {node}: {counts:?}");
        }
    }
    assert!(
        failures > 2000 && lost > 500 && retransmitted > 500,
        "{failures} failures, {lost} lost, {retransmitted} retransmitted"
    );
}
