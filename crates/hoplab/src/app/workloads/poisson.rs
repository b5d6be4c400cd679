//! Transfers that arrive as a Poisson process, each over a connection of its own; over UDP, single datagrams.
//!
//! Arrivals, sizes and pairs of nodes do not depend on the transport, nor on what happens in the network.

use super::kind::{Content, DrawnFlow, Setting, Workload};
use crate::kernel::{Rate, Span, exponential};

pub(super) struct PoissonFlows;

impl Workload for PoissonFlows {
    const SUMMARY: &'static str = "transfers that arrive as a Poisson process";
    const KEYS: &'static [&'static str] = &["count", "rate", "load", "size"];
    const NEEDS: &'static [(&'static [&'static str], &'static str)] =
        &[(&["rate", "load"], "rate = \"1 /s\""), (&["size"], "size = \"100 kB\"")];
    const TAKES_DATAGRAMS: bool = true;

    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
        if setting.is_datagrams {
            return datagrams(setting);
        }
        let Some(size) = &setting.keys.size else { return Vec::new() };
        let count = setting.keys.count.map_or(usize::MAX, |count| count as usize).min(setting.most + 1);
        let mut flows = Vec::new();
        let mut at = setting.start;
        while flows.len() < count {
            at += Span::from_secs(exponential(1.0 / setting.arrivals, setting.arrival.unit()));
            if at >= setting.stop {
                break;
            }
            let ends = match setting.pairs {
                [only] => *only,
                pairs => pairs[setting.arrival.below(pairs.len() as u32) as usize],
            };
            flows.push(DrawnFlow { ends, start: at, content: Content::Transfer(size.draw(&mut setting.sizes)) });
        }
        flows
    }
}

/// A flow of datagrams for each pair: parts of a Poisson process are Poisson processes.
fn datagrams(setting: &Setting<'_>) -> Vec<DrawnFlow> {
    let each = setting.arrivals / setting.pairs.len() as f64 * f64::from(setting.segment) * 8.0;
    let flow = |&ends| DrawnFlow { ends, start: setting.start, content: Content::Packets(Rate(each)) };
    setting.pairs.iter().map(flow).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{SizeConfig, WorkloadKeys};
    use super::*;
    use crate::kernel::{Bytes, NodeId, Purpose, RandomStreams, Time};

    fn setting<'a>(keys: &'a WorkloadKeys, pairs: &'a [(NodeId, NodeId)]) -> Setting<'a> {
        let streams = RandomStreams::new(5);
        Setting {
            keys,
            pairs,
            arrivals: 20.0,
            is_datagrams: false,
            segment: 1448,
            start: Time::from_secs(10.0),
            stop: Time::from_secs(510.0),
            most: 100_000,
            arrival: streams.stream(Purpose::WorkloadArrival, 0),
            sizes: streams.stream(Purpose::WorkloadSize, 0),
        }
    }

    #[test]
    fn arrivals_are_ordered_and_use_all_pairs_alike() {
        let keys = WorkloadKeys { size: Some(SizeConfig::Fixed(Bytes(5000))), ..WorkloadKeys::default() };
        let pairs = [0, 1, 2, 3].map(|node| (NodeId(9), NodeId(node)));
        let flows = PoissonFlows::flows(&mut setting(&keys, &pairs));
        // 10,000 arrivals with a deviation of 100.
        assert!((9_600..10_400).contains(&flows.len()), "{}", flows.len());
        assert!(flows.is_sorted_by_key(|flow| flow.start));
        assert!(flows[0].start > Time::from_secs(10.0) && flows[flows.len() - 1].start < Time::from_secs(510.0));
        for pair in pairs {
            let count = flows.iter().filter(|flow| flow.ends == pair).count();
            assert!((2_300..2_700).contains(&count), "{count}");
        }
        assert!(flows.iter().all(|flow| flow.content == Content::Transfer(5000)));
    }

    #[test]
    fn count_ends_the_arrivals() {
        let size = Some(SizeConfig::Fixed(Bytes(1)));
        let keys = WorkloadKeys { size, count: Some(7), ..WorkloadKeys::default() };
        let flows = PoissonFlows::flows(&mut setting(&keys, &[(NodeId(0), NodeId(1))]));
        assert_eq!(flows.len(), 7);
    }
}
