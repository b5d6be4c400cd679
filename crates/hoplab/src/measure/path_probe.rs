//! Estimators side by side with what the engine knows of its own air.
//!
//! Two of the estimators send packets of their own and would disturb the rest: each runs in a replication of its own,
//! with the same seed, as one more flow between the ends of a flow that is there.

use super::World;
use crate::app::{AppConfig, INTERVAL, PROBE_BYTES};
use crate::kernel::{Bytes, FlowId, NodeId, Rate, Span, Time};
use crate::mac::observer::{Observer, ObserverKind, ObserverSetup, clean};
use crate::packet::LinkEstimate;
use crate::scenario::{FlowSpec, Resolved, Scheme};
use std::sync::Arc;

/// What is sent along a path to measure it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathProbe {
    /// Pairs of packets: the capacity of the path.
    AdhocProbe,
    /// Datagrams at the data rate of the MAC: what is left on the path at least.
    SaturatingUdp,
}

/// Payload of a datagram of the saturating measurement: the default of IPerf (rt-winf.md section 10).
const UDP_PAYLOAD: u32 = 1470;

impl Resolved {
    /// This scenario with a measurement along the path of one of its flows, as the last flow; none if there is no such
    /// flow. All other flows are what they were.
    pub fn probed(&self, flow: FlowId, how: PathProbe) -> Option<Resolved> {
        let beside = self.flows.get(flow.index())?;
        let (app, segment) = match how {
            PathProbe::AdhocProbe => (AppConfig::AdhocProbe { interval: INTERVAL, samples: PAIRS }, PROBE_BYTES),
            PathProbe::SaturatingUdp => (AppConfig::Cbr { rate: Rate(self.mac.data_rate.0) }, UDP_PAYLOAD),
        };
        let probe = FlowSpec {
            id: FlowId(self.flows.len() as u32),
            app,
            scheme: Scheme::named("udp")?,
            controller: None,
            segment: Bytes(segment),
            start_spread: Span::ZERO,
            stop: None,
            max_packets: None,
            ..beside.clone()
        };
        let mut probed = self.clone();
        probed.flows.push(probe);
        Some(probed)
    }
}

/// Pairs of AdHoc Probe that a value is taken from.
const PAIRS: u32 = 200;

impl World {
    /// Lets rt-Winf and IdleGap listen at every node where they do not yet.
    pub fn listen_everywhere(&mut self, scenario: &Resolved) {
        for node in (0..self.macs.len() as u32).map(NodeId) {
            for kind in [ObserverKind::Winf, ObserverKind::IdleGap] {
                let mac = &self.macs[node.index()];
                if mac.hop().kinds().all(|observer| observer.name() != kind.name()) {
                    let timing = Arc::new(mac.timing().clone());
                    let setup =
                        ObserverSetup { node, timing: &timing, winf: &scenario.winf, idle_gap: &scenario.idle_gap };
                    let observer: Observer = kind.build(&setup);
                    self.observe(node, observer);
                }
            }
        }
    }

    /// What each observer at a node says of its links now, over the window before.
    pub fn links(&self, node: NodeId, window: Span) -> impl Iterator<Item = (&'static str, LinkEstimate)> + '_ {
        self.macs[node.index()].hop().links(self.now(), window)
    }

    /// Eq. 14 for packets of this many bytes at a node, in bytes per second.
    pub fn clean_capacity(&self, node: NodeId, packet: u32) -> f64 {
        clean(self.macs[node.index()].timing(), packet)
    }

    /// Capacity of the path of a flow that sends pairs, by those that have come since `from`.
    pub fn path_capacity(&self, scenario: &Resolved, flow: &FlowSpec, from: Time) -> Option<Rate> {
        let dispersion = self.connection(flow.id).pairs()?.dispersion_since(from)?;
        let bytes = flow.segment.0 + scenario.routing.udp_header.0;
        Some(Rate(f64::from(bytes) * 8.0 / dispersion.secs()))
    }

    /// Payload bits of a flow that have arrived in order so far; of datagrams, distinct ones.
    pub fn delivered_bits(&self, flow: FlowId) -> f64 {
        self.connection(flow).meter().total().in_order as f64 * 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Span = Span::from_millis(1000);

    fn chain(hops: u32, flow: &str) -> Resolved {
        let text = format!(
            "duration = \"12 s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[mac]\ndata_rate = \"11 Mb/s\"\n\
             basic_rate = \"1 Mb/s\"\n[routing]\nprotocol = \"static\"\n[[flow]]\n{flow}\n"
        );
        Resolved::parse(&text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn adhoc_probe_finds_a_path_without_backoff() {
        // rt-winf.md section 9: 5.11 Mb/s on one hop, and the filter finds pairs that drew small backoffs.
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
    fn available_is_the_true_idle_share_in_every_role() {
        // Nodes 0 and 1 exchange, 2 overhears, 3 only senses (550 m), 4 hears nothing of the sender's frames but the
        // receiver's energy.
        for percent in [0, 25, 50, 75, 100] {
            let capacity = chain(1, "app = \"cbr\"\ntransport = \"udp\"\nrate = \"1 b/s\"");
            let capacity = World::new(&capacity, 1).clean_capacity(NodeId(0), 1000);
            let load = if percent == 100 { 1.5 } else { f64::from(percent) / 100.0 };
            let rate = (capacity * load * 8.0 * 0.98).max(1.0);
            let scenario = chain(
                4,
                &format!(
                    "from = 0\nto = 1\napp = \"cbr\"\ntransport = \"udp\"\nsegment = 980\nrate = \"{rate:.0} b/s\""
                ),
            );
            let mut world = World::new(&scenario, 1);
            world.listen_everywhere(&scenario);
            world.keep_air();
            for second in 1..=5u64 {
                world.run_until(Time(second * 1_000_000_000)).expect("a run");
                for node in (0..5).map(NodeId).filter(|_| second > 1) {
                    let idle = world.free(node, SECOND).expect("books");
                    let (_, link) = world.links(node, SECOND).find(|(name, _)| *name == "winf").expect("rt-Winf");
                    let share = link.available / link.capacity;
                    assert!((share - idle).abs() < 0.03, "{percent} % at {node:?}: {share} and truly {idle}");
                    // A packet that finds the air idle goes without backoff, which eq. 14 counts.
                    let busy = 0.8 * load.min(1.0)..load.min(1.0) + 0.02;
                    assert!(node.0 > 1 || busy.contains(&(1.0 - idle)), "{percent} %: {idle}");
                }
            }
        }
    }

    #[test]
    fn a_measurement_leaves_the_other_flows_as_they_are() {
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
        assert!(world.delivered_bits(FlowId(1)) > 1e6);
    }

    #[test]
    fn listening_changes_nothing() {
        let scenario = chain(3, "transport = \"new_reno\"");
        let mut plain = World::new(&scenario, 1);
        plain.run_until(scenario.end()).expect("a run");
        let mut heard = World::new(&scenario, 1);
        heard.listen_everywhere(&scenario);
        heard.keep_air();
        heard.run_until(scenario.end()).expect("a run");
        assert_eq!(plain.ctx.trace.fingerprints(), heard.ctx.trace.fingerprints());
    }
}
