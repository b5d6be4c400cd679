//! Whatever happens to proxies, links and paths: the stream arrives whole, and proxies hold no more than they may.

use super::lab::{Lab, Trouble};
use hoplab::kernel::{Purpose, Span, Streams};
use hoplab::transport::proxy::split_tcp::{Flavor, LocalAck, OnFull, SplitTcpConfig, StoreState, WindowMode};

#[test]
fn every_proxy_dies_once_and_the_stream_arrives_whole() {
    let (mut deaths, mut lost, mut repaired) = (0, 0, 0);
    for number in 0..500 {
        // The number replays a failure.
        eprintln!("run {number}");
        let mut chance = Streams::new(number).stream(Purpose::ProxyFailure, 0);
        let config = SplitTcpConfig {
            d_p: 1 + chance.below(5) as u8,
            e2e_every: [1, 10, 50, 100][chance.below(4) as usize],
            w_e2e_mode: [WindowMode::Fixed, WindowMode::Tcp][chance.below(2) as usize],
            flavor: [Flavor::NewReno, Flavor::Reno, Flavor::Tahoe][chance.below(3) as usize],
            local_ack: [LocalAck::Selective, LocalAck::Cumulative][chance.below(2) as usize],
            on_full: [OnFull::Bypass, OnFull::Drop][chance.below(2) as usize],
            use_win: chance.below(3) > 0,
            propagate_min: chance.below(2) == 0,
            forward_then_lack: chance.below(2) == 0,
            store_per_flow: [2, 8, 50][chance.below(3) as usize],
            max_local_tries: [3, 12][chance.below(2) as usize],
            reset_cwnd_on_new_proxy: chance.below(2) == 0,
            ..SplitTcpConfig::default()
        };
        let state = match config.local_ack {
            LocalAck::Selective => [StoreState::PerFlow, StoreState::Aggregate][chance.below(2) as usize],
            LocalAck::Cumulative => StoreState::PerFlow,
        };
        let config = SplitTcpConfig { state, store_total: config.store_per_flow, ..config };
        let hops = 2 + chance.below(11);
        let mut lab = Lab::new(hops, &config, number);
        lab.trouble = Trouble {
            loss: [0.0, 0.01, 0.05][chance.below(3) as usize],
            repeat: [0.0, 0.02][chance.below(2) as usize],
            overtake: [0.0, 0.05][chance.below(2) as usize],
        };
        lab.set_delay(hops - 1, hops, Span::from_millis(10 + u64::from(chance.below(80))));
        lab.supply(200 + chance.below(400));
        // What happens, in order of time: every relay dies and comes back, a link breaks, the path may change.
        let mut plan: Vec<(f64, u32, u32)> = (1..hops).map(|node| (5.0 * chance.unit(), 0, node)).collect();
        for at in 0..plan.len() {
            let (died, _, node) = plan[at];
            plan.push((died + 3.0 * chance.unit(), 1, node));
        }
        let (broken, link) = (4.0 * chance.unit(), chance.below(hops));
        plan.push((broken, 2, link));
        plan.push((broken + 2.0 * chance.unit(), 3, link));
        if hops > 4 && chance.below(2) == 0 {
            plan.push((3.0 * chance.unit(), 4, 0));
        }
        plan.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, what, which) in plan {
            lab.run(at);
            match what {
                0 => {
                    lost += lab.kill(which);
                    deaths += 1;
                }
                1 => lab.revive(which),
                2 => lab.cut(which, which + 1),
                3 => lab.mend(which, which + 1),
                _ => lab.set_path(&[0, hops + 1, hops + 2, 3, 4]),
            }
        }
        lab.finish(5000.0);
        repaired += lab.source.counts().e2e_retransmissions;
        for node in 0..hops + 4 {
            let counts = lab.counts(node);
            assert!(counts.held_max <= u64::from(config.store_per_flow), "run {number}, node {node}: {counts:?}");
        }
    }
    assert!(deaths > 2000 && lost > 500 && repaired > 500, "{deaths} deaths, {lost} lost, {repaired} repaired");
}
