//! How fast routes spread and what that costs, against ns-2.35.

use super::lab::{chain, hops, ns2, quick};
use hoplab::kernel::Time;
use hoplab::net::routing::dsdv::DsdvConfig;

/// What ns-2.35 does on chains of nodes 200 m apart without traffic, over 40 runs of 600 s with its default radio and
/// MAC: means and half-widths of their 95 % intervals. Its seeds were drawn at random from the whole range: the first
/// draws of regularly spaced ones are regularly spaced too.
const NS2: [Row; 6] = [
    Row { hops: 2, settles: true, known: (26.56, 4.76), updates: (4.567, 0.022), bytes: (254.0, 1.3) },
    Row { hops: 2, settles: false, known: (0.98, 0.17), updates: (4.577, 0.023), bytes: (256.3, 1.3) },
    Row { hops: 4, settles: true, known: (57.88, 9.00), updates: (4.560, 0.014), bytes: (356.2, 2.0) },
    Row { hops: 4, settles: false, known: (2.10, 0.35), updates: (4.565, 0.014), bytes: (365.2, 1.1) },
    Row { hops: 8, settles: true, known: (95.92, 3.15), updates: (4.567, 0.013), bytes: (551.9, 2.8) },
    Row { hops: 8, settles: false, known: (4.64, 0.47), updates: (4.571, 0.011), bytes: (585.0, 1.4) },
];

/// Time until an end of the chain knows the other (mean of both ways); updates, and their bytes with IP, per node and
/// minute from 300 s on.
struct Row {
    hops: u32,
    settles: bool,
    known: (f64, f64),
    updates: (f64, f64),
    bytes: (f64, f64),
}

const RUNS: u64 = 40;

#[test]
fn as_fast_and_as_often_as_ns2() {
    for row in NS2 {
        let config = if row.settles { ns2() } else { quick() };
        let runs: Vec<[f64; 3]> = (1..=RUNS).map(|seed| measure(&config, row.hops, seed)).collect();
        for (what, theirs) in [row.known, row.updates, row.bytes].into_iter().enumerate() {
            let ours = interval(runs.iter().map(|run| run[what]));
            let close = (ours.0 - theirs.0).abs() <= (0.03 * theirs.0).max(ours.1 + theirs.1);
            assert!(close, "{} hops, settles {}, column {what}: {ours:?}, ns-2 {theirs:?}", row.hops, row.settles);
        }
    }
}

fn measure(config: &DsdvConfig, length: u32, seed: u64) -> [f64; 3] {
    let mut lab = chain(config, length, seed);
    let mut known = [None; 2];
    lab.run_while(600.0, |lab| {
        for (known, (from, to)) in known.iter_mut().zip([(0, length), (length, 0)]) {
            if known.is_none() && hops(lab, from, to).is_some() {
                *known = Some(lab.ctx.now.secs());
            }
        }
        true
    });
    let late = lab.sent.iter().filter(|sent| sent.at > Time::from_secs(300.0));
    let (count, bytes) = late.fold((0, 0), |(count, bytes), sent| (count + 1, bytes + sent.bytes));
    let node_minutes = f64::from(length + 1) * 5.0;
    let known = known.map(|at| at.expect("known within ten minutes"));
    [f64::midpoint(known[0], known[1]), f64::from(count) / node_minutes, f64::from(bytes) / node_minutes]
}

/// Mean and half-width of the 95 % interval (Student t for 39 degrees of freedom).
fn interval(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = RUNS as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    (mean, 2.0227 * (variance / n).sqrt())
}
