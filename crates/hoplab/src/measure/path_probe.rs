//! Bandwidth estimators compared with ground truth.
//!
//! Observers estimate without sending. Two estimators send probe packets and would change the results of others: each runs
//! in a separate replication with the same seed, as one more flow between the ends of an existing flow.

use super::view::RunView;
use crate::app::{AdhocProbe, AppConfig, Cbr, INTERVAL, PROBE_BYTES};
use crate::kernel::{Bytes, FlowId, Rate, Span, Time};
use crate::scenario::{FlowSpec, Resolved, Transport};

/// An active estimator: what it sends along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathProbe {
    /// Pairs of packets: the capacity of the path.
    AdhocProbe,
    /// Datagrams at the data rate of the MAC: a lower bound of the available bandwidth.
    SaturatingUdp,
}

/// Payload of a datagram of the saturating measurement: the default of IPerf (docs/specs/rt-winf.md section 10).
const UDP_PAYLOAD: u32 = 1470;

impl Resolved {
    /// This scenario with a probe along the path of one of its flows, as the last flow; `None` if there is no such flow.
    /// The other flows are unchanged.
    pub fn probed(&self, flow: FlowId, how: PathProbe) -> Option<Resolved> {
        let beside = self.flows.get(flow.index())?;
        let (app, segment) = match how {
            PathProbe::AdhocProbe => {
                (AppConfig::AdhocProbe(AdhocProbe { interval: INTERVAL, samples: PAIRS }), PROBE_BYTES)
            }
            PathProbe::SaturatingUdp => (AppConfig::Cbr(Cbr::at(Rate(self.mac.data_rate.0))), UDP_PAYLOAD),
        };
        let probe = FlowSpec {
            id: FlowId(self.flows.len() as u32),
            app,
            transport: Transport::named("udp")?,
            controller: None,
            segment: Bytes(segment),
            start_spread: Span::ZERO,
            stop: None,
            max_packets: None,
            bytes: None,
            read_from: None,
            read_rate: None,
            ..beside.clone()
        };
        let mut probed = self.clone();
        probed.flows.push(probe);
        Some(probed)
    }
}

/// Number of pairs in an estimate of AdHoc Probe.
const PAIRS: u32 = 200;

impl RunView<'_> {
    /// Capacity of the path of a flow that sends pairs, by those that have arrived since `from`.
    pub fn path_capacity(&self, scenario: &Resolved, flow: &FlowSpec, from: Time) -> Option<Rate> {
        let dispersion = self.connection(flow.id).pairs()?.dispersion_since(from)?;
        let bytes = flow.segment.0 + scenario.routing.udp_header.0;
        Some(Rate(f64::from(bytes) * 8.0 / dispersion.secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NodeId;
    use crate::world::World;

    const SECOND: Span = Span::from_millis(1000);

    fn chain(hops: u32, flow: &str) -> Resolved {
        let text = format!(
            "duration = \"12 s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[mac]\ndata_rate = \"11 Mb/s\"\n\
             basic_rate = \"1 Mb/s\"\n[routing]\nprotocol = \"static\"\n[[flow]]\n{flow}\n"
        );
        Resolved::parse(&text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn adhoc_probe_finds_path_capacity_without_backoff() {
        // docs/specs/rt-winf.md section 9: 5.11 Mb/s on one hop, and the filter finds pairs that drew small backoffs.
        let of = |hops: u32| {
            let scenario = chain(hops, "app = \"adhoc_probe\"\ntransport = \"udp\"\ninterval = \"50 ms\"");
            let mut world = World::new(&scenario, 1);
            world.run_until(scenario.end()).expect("a run");
            let report = world.report(&scenario, 1, 0.0);
            report.flows[0].capacity_bps.expect("whole pairs") * 1e-6
        };
        let found = [1, 2, 3, 4].map(of);
        assert!((4.9..5.15).contains(&found[0]), "{found:?}");
        for (hops, capacity) in (1..).zip(found) {
            let share = capacity * f64::from(hops.min(4)) / found[0];
            assert!((0.8..1.25).contains(&share), "{hops} hops: {found:?}");
        }
    }

    #[test]
    fn available_share_matches_idle_share_in_every_role() {
        // Nodes 0 and 1 exchange, 2 overhears, 3 only senses (550 m), 4 senses only the receiver's frames.
        for percent in [0, 25, 50, 75, 100] {
            let capacity = chain(1, "app = \"cbr\"\ntransport = \"udp\"\nrate = \"1 b/s\"");
            let capacity = World::new(&capacity, 1).view().clean_capacity(NodeId(0), 1000);
            let load = if percent == 100 { 1.5 } else { f64::from(percent) / 100.0 };
            let rate = (capacity * load * 8.0 * 0.98).max(1.0);
            let scenario = chain(
                4,
                &format!(
                    "from = 0\nto = 1\napp = \"cbr\"\ntransport = \"udp\"\nsegment = 980\nrate = \"{rate:.0} b/s\""
                ),
            );
            let mut world = World::new(&scenario, 1);
            world.observe_everywhere(&scenario);
            world.account_free_air();
            for second in 1..=5u64 {
                world.run_until(Time(second * 1_000_000_000)).expect("a run");
                for node in (0..5).map(NodeId).filter(|_| second > 1) {
                    let idle = world.free_share(node, SECOND).expect("an account");
                    let (_, link) =
                        world.view().links(node, SECOND).find(|(name, _)| *name == "winf").expect("rt-Winf");
                    let share = link.available / link.capacity;
                    assert!((share - idle).abs() < 0.03, "{percent} % at {node:?}: {share} and truly {idle}");
                    // A packet that arrives on an idle medium is sent without backoff, which eq. 14 counts.
                    let busy = 0.8 * load.min(1.0)..load.min(1.0) + 0.02;
                    assert!(node.0 > 1 || busy.contains(&(1.0 - idle)), "{percent} %: {idle}");
                }
            }
        }
    }

    #[test]
    fn probe_leaves_other_flows_unchanged() {
        let scenario = chain(2, "transport = \"new_reno\"\nstart = \"1 s\"");
        let probed = scenario.probed(FlowId(0), PathProbe::SaturatingUdp).expect("a flow");
        assert_eq!((probed.flows.len(), &probed.flows[0]), (2, &scenario.flows[0]));
        let probe = &probed.flows[1];
        assert_eq!(
            (probe.src, probe.dst, probe.start, probe.segment.0),
            (NodeId(0), NodeId(2), Time(1_000_000_000), 1470)
        );
        assert!(scenario.probed(FlowId(1), PathProbe::AdhocProbe).is_none());
        let mut world = World::new(&probed, 1);
        world.run_until(probed.end()).expect("a run");
        assert!(world.view().delivered_bits(FlowId(1)) > 1e6);
    }

    #[test]
    fn observers_change_no_event() {
        let scenario = chain(3, "transport = \"new_reno\"");
        let mut plain = World::new(&scenario, 1);
        plain.run_until(scenario.end()).expect("a run");
        let mut heard = World::new(&scenario, 1);
        heard.observe_everywhere(&scenario);
        heard.account_free_air();
        heard.run_until(scenario.end()).expect("a run");
        assert_eq!(plain.ctx.trace.fingerprints(), heard.ctx.trace.fingerprints());
    }
}
