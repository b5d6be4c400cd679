//! RCP's routers: one rate for every flow.
//!
//! # Model
//! A node's controller offers one rate R to all flows through its queue. Every few milliseconds it changes R by the spare
//! capacity and the queue length, in proportion to R. A segment leaves with the minimum of the rates on its route.
//! # Source
//! Dukkipati 2006; the RCP patch for ns-2.35 (docs/specs/rcp.md section 3). RCP-Winf: Barreto 2015, eqs. 28 to 31
//! (docs/specs/rcp-winf.md).
//! # Deviations
//! The mean round-trip time is at least one millisecond, and its gain at most one. One controller per node for
//! everything that passes its queue; acknowledgments and other traffic count as load.
//! # Parameters
//! Tables `[rcp]`, `[rcp_winf]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, PacketKind, PacketView};
use crate::kernel::{Span, Time};
use crate::packet::LinkEstimate;
use crate::packet::explicit::{
    Feedback, FirstCapacity, RcpConfig, RcpHeader, RcpKind, RcpWinfConfig, Stamp, TrafficRule,
};

/// RCP's controller of one node.
#[derive(Debug)]
pub struct Rcp {
    config: RcpConfig,
    /// Variant of the protocol whose headers it reads.
    kind: RcpKind,
    winf: Option<RcpWinfConfig>,
    /// Capacity of the links, in bytes per second.
    link: LinkEstimate,
    /// Capacity of the interface, in bytes per second.
    interface: f64,
    /// Rate offered to every flow, in bytes per second.
    rate: f64,
    /// Mean round-trip time, in seconds.
    avg_rtt: f64,
    /// Length of the slot that runs, in seconds, and its end.
    slot: f64,
    slot_end: Time,
    /// Bytes that arrived in it, and those that count for the next.
    arrived: f64,
    spill: f64,
    /// Bytes with a round-trip time, and the sum of these times weighted by bytes.
    weighed: f64,
    weighted_rtts: f64,
    /// Mean round-trip time of the last slot that had any, in seconds.
    last_rtt: f64,
}

const SLOT: u8 = 0;

/// Averaging time of rt-Winf.
const WINDOW: Span = Span::from_millis(1000);

/// Minimum of the mean round-trip time, in seconds.
const LEAST_RTT: f64 = 0.001;

impl Rcp {
    /// With the capacity of the interface, or the one that the scenario gives.
    pub fn base(setup: &FeedbackSetup<'_>) -> Rcp {
        Rcp::new(setup, RcpKind::Base, None)
    }

    /// RCP-Winf; at a wire, whose capacity is known, the rule of RCP.
    pub fn winf(setup: &FeedbackSetup<'_>) -> Rcp {
        Rcp::new(setup, RcpKind::Winf, (!setup.is_wire).then(|| setup.explicit.rcp_winf.clone()))
    }

    fn new(setup: &FeedbackSetup<'_>, kind: RcpKind, winf: Option<RcpWinfConfig>) -> Rcp {
        let config = setup.explicit.rcp.clone();
        let capacity = config.capacity.filter(|_| !setup.is_wire).map_or(setup.data_rate, |rate| rate.0 / 8.0);
        let avg_rtt = config.initial_rtt.secs();
        Rcp {
            rate: config.initial_share * capacity,
            avg_rtt,
            slot: avg_rtt.min(config.slot.secs()),
            slot_end: Time::ZERO,
            arrived: 0.0,
            spill: 0.0,
            weighed: 0.0,
            weighted_rtts: 0.0,
            last_rtt: 0.0,
            link: LinkEstimate { capacity, available: capacity },
            interface: capacity,
            config,
            kind,
            winf,
        }
    }

    /// Starts with the estimate of rt-Winf before its first sample (docs/specs/rcp-winf.md).
    fn open(&mut self, link: Option<LinkEstimate>) {
        if let (Some(_), Some(link)) = (&self.winf, link) {
            self.link = link;
            self.rate = self.config.initial_share * link.capacity;
        }
    }

    fn on_arrival(&mut self, now: Time, bytes: f64, header: Option<&mut RcpHeader>) {
        if let Some(header) = header {
            if header.rtt > 0.0 {
                self.weighted_rtts += header.rtt * bytes;
                self.weighed += bytes;
            }
            if let Some(winf) = &self.winf
                && winf.mode.is_literal_for(winf.eq31)
                && header.rate > self.link.capacity
            {
                header.rate = self.link.capacity;
            }
        }
        // What is still being sent when the slot ends counts for the next.
        let sending = bytes / self.link.capacity;
        let beyond = (now + Span::from_secs(sending)).since(self.slot_end).secs();
        let share = (beyond / sending).clamp(0.0, 1.0);
        self.arrived += bytes * (1.0 - share);
        self.spill += bytes * share;
    }

    fn on_departure(&self, header: &mut RcpHeader) {
        let most = match &self.winf {
            Some(winf) if winf.stamp == Stamp::Capacity => self.link.capacity,
            _ => self.rate,
        };
        header.rate = header.rate.min(most);
    }

    /// Ends a slot; `queue` bytes wait now.
    fn decide(&mut self, queue: f64, link: Option<LinkEstimate>) {
        if let (Some(_), Some(link)) = (&self.winf, link) {
            // Less than a packet per second would stop the clock.
            self.link = LinkEstimate { capacity: link.capacity.max(1500.0), ..link };
        }
        let capacity = self.link.capacity;
        let (utilization, first, traffic, packets, nominal) = match &self.winf {
            None => {
                let RcpConfig { utilization, min_packets_per_rtt, nominal_packet, .. } = self.config;
                (utilization, capacity, self.arrived / self.slot, min_packets_per_rtt, nominal_packet)
            }
            Some(winf) => {
                let traffic = if winf.mode.is_literal_for(winf.eq28) {
                    capacity
                } else {
                    match winf.traffic {
                        TrafficRule::Queue => self.arrived / self.slot,
                        TrafficRule::Channel => capacity - self.link.available,
                    }
                };
                let first = match winf.first_capacity {
                    FirstCapacity::Estimate => capacity,
                    FirstCapacity::Interface => self.interface,
                };
                (winf.utilization, first, traffic, winf.min_packets_per_rtt, winf.mtu)
            }
        };
        self.average_rtt();
        let aim = utilization * capacity;
        let RcpConfig { alpha, beta, .. } = self.config;
        let lack = alpha * (utilization * first - traffic) - beta * queue / self.avg_rtt;
        let rate = self.rate * (1.0 + self.slot / self.avg_rtt * lack / aim);
        let least = (packets * f64::from(nominal.0) / self.avg_rtt).min(aim);
        self.rate = rate.clamp(least, aim);
        self.slot = self.avg_rtt.min(self.config.slot.secs());
        self.arrived = self.spill;
        (self.spill, self.weighed, self.weighted_rtts) = (0.0, 0.0, 0.0);
    }

    /// Rises fast, falls slowly.
    fn average_rtt(&mut self) {
        if self.weighed > 0.0 {
            self.last_rtt = self.weighted_rtts / self.weighed;
        }
        let mean = self.last_rtt;
        let fast = self.slot / self.avg_rtt;
        let gain =
            if mean >= self.avg_rtt { fast } else { self.rate / self.link.capacity * (mean / self.avg_rtt) * fast };
        self.avg_rtt = (self.avg_rtt + gain.clamp(0.0, 1.0) * (mean - self.avg_rtt)).max(LEAST_RTT);
    }
}

impl FeedbackRouter for Rcp {
    fn read(&self, _now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        put("router_capacity_bps", self.link.capacity * 8.0);
        put("router_rate_bps", self.rate * 8.0);
    }

    fn start(&mut self, cx: &mut FeedbackCtx<'_>) {
        self.open(cx.hop.router_link(cx.now, WINDOW));
        self.slot_end = cx.set_first_timer(SLOT, Span::from_secs(self.slot));
    }

    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        let kind = self.kind;
        let header = match feedback {
            Feedback::Rcp(header) if packet.kind == PacketKind::Segment && header.kind == kind => Some(header),
            _ => None,
        };
        match (at, header) {
            (At::Arrival, header) => self.on_arrival(cx.now, f64::from(packet.bytes), header),
            (At::Departure, Some(header)) => self.on_departure(header),
            (At::Departure, None) => {}
        }
    }

    fn on_timer(&mut self, cx: &mut FeedbackCtx<'_>, _slot: u8) {
        let queue = cx.queue_bytes() as f64;
        let link = if self.winf.is_some() { cx.hop.router_link(cx.now, WINDOW) } else { None };
        self.decide(queue, link);
        self.slot_end = cx.now + Span::from_secs(self.slot);
        cx.set_timer(self.slot_end, SLOT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::explicit::{ExplicitConfig, Form};

    fn router(explicit: &ExplicitConfig, build: fn(&FeedbackSetup<'_>) -> Rcp) -> Rcp {
        build(&FeedbackSetup { data_rate: 1e6, queue_limit: 50, is_wire: false, explicit })
    }

    /// Rate after one slot of `slot` with this traffic and queue, while the mean round trip stays at `rtt`.
    fn step(
        rcp: &mut Rcp,
        rate: f64,
        slot: f64,
        rtt: f64,
        traffic: f64,
        queue: f64,
        link: Option<LinkEstimate>,
    ) -> f64 {
        (rcp.rate, rcp.slot, rcp.avg_rtt, rcp.last_rtt) = (rate, slot, rtt, rtt);
        rcp.arrived = slot * traffic;
        rcp.decide(queue, link);
        rcp.rate
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1.0)
    }

    #[test]
    fn vectors_of_the_specification() {
        // docs/specs/rcp.md section 6, cases 1 to 3.
        let explicit = ExplicitConfig::default();
        let mut rcp = router(&explicit, Rcp::base);
        assert!(close(step(&mut rcp, 5e4, 0.01, 0.1, 5e5, 0.0, None), 51_000.0));
        assert!(close(step(&mut rcp, 5e4, 0.01, 0.1, 1e6, 20_000.0, None), 49_600.0));
        assert!(close(step(&mut rcp, 101.0, 0.01, 0.1, 1e6, 1e9, None), 100.0));
        assert!(close(step(&mut rcp, 1e6, 0.01, 0.1, 0.0, 0.0, None), 1e6));
    }

    #[test]
    fn the_least_rate_of_the_path() {
        let explicit = ExplicitConfig::default();
        let rcp = Rcp { rate: 5e4, ..router(&explicit, Rcp::base) };
        let leaves = |rate| {
            let mut header = RcpHeader { kind: RcpKind::Base, rtt: 0.0, rate };
            rcp.on_departure(&mut header);
            header.rate
        };
        assert_eq!((leaves(f64::INFINITY), leaves(2e4), leaves(8e4)), (5e4, 2e4, 5e4));
    }

    #[test]
    fn a_packet_across_the_end_of_a_slot_is_split() {
        let explicit = ExplicitConfig::default();
        let mut rcp = router(&explicit, Rcp::base);
        rcp.slot_end = Time(10_250_000);
        rcp.on_arrival(Time(10_000_000), 1000.0, None);
        assert!(close(rcp.arrived, 250.0) && close(rcp.spill, 750.0));
        rcp.on_arrival(Time(9_000_000), 1000.0, None);
        assert!(close(rcp.arrived, 1250.0));
    }

    #[test]
    fn the_mean_round_trip_rises_fast_and_falls_slowly() {
        let explicit = ExplicitConfig::default();
        let mean = |sample| {
            let mut rcp = router(&explicit, Rcp::base);
            (rcp.avg_rtt, rcp.slot, rcp.last_rtt, rcp.rate) = (0.1, 0.01, sample, 0.05 * 1e6);
            rcp.average_rtt();
            rcp.avg_rtt
        };
        assert!(close(mean(0.2), 0.11) && close(mean(0.05), 0.099_875));
    }

    #[test]
    fn winf_begins_with_its_share_of_what_a_clean_link_carries() {
        // docs/specs/rcp-winf.md section 1: 0.05 C, C being eq. 14's value before any sample.
        let explicit = ExplicitConfig::default();
        for (build, rate) in [(Rcp::base as fn(&FeedbackSetup<'_>) -> Rcp, 5e4), (Rcp::winf, 2.8e4)] {
            let mut rcp = router(&explicit, build);
            rcp.open(Some(LinkEstimate { capacity: 5.6e5, available: 5.6e5 }));
            assert!(close(rcp.rate, rate), "{}", rcp.rate);
        }
    }

    #[test]
    fn winf_aims_below_its_capacity() {
        // docs/specs/rcp-winf.md section 2, tests 1 and 2.
        let mut explicit = ExplicitConfig::default();
        explicit.rcp_winf.utilization = 0.95;
        let link = |capacity| Some(LinkEstimate { capacity, available: 0.0 });
        let mut rcp = router(&explicit, Rcp::winf);
        assert!((step(&mut rcp, 1e5, 0.02, 0.1, 2e5, 0.0, link(5e5)) - 104_631.58).abs() < 0.01);
        explicit.rcp_winf.mode = Form::Literal;
        let mut rcp = router(&explicit, Rcp::winf);
        let mut rate = 0.95 * 5.6e5;
        let first = step(&mut rcp, rate, 0.05, 0.05, 0.0, 0.0, link(5.6e5));
        assert!((first / rate - (1.0 - 0.021_052_6)).abs() < 1e-6);
        let mut steps = 0;
        while rate > 3000.0 {
            rate = step(&mut rcp, rate, 0.05, 0.05, 0.0, 0.0, link(5.6e5));
            steps += 1;
        }
        assert_eq!((steps, rate), (244, 3000.0));
    }

    #[test]
    fn interface_as_first_capacity_keeps_printed_rate_up() {
        // Barreto 2015, eq. 28 with the capacity for the traffic: the rate rises to the limit of eq. 29.
        let mut explicit = ExplicitConfig::default();
        explicit.rcp_winf.eq28 = Some(Form::Literal);
        let link = Some(LinkEstimate { capacity: 5e5, available: 0.0 });
        let mut rcp = router(&explicit, Rcp::winf);
        assert!(step(&mut rcp, 1e5, 0.02, 0.1, 2e5, 0.0, link) < 1e5);
        explicit.rcp_winf.first_capacity = FirstCapacity::Interface;
        let mut rcp = router(&explicit, Rcp::winf);
        let expected = 1e5 * (1.0 + 0.2 * 0.4 * (0.96 * 1e6 - 5e5) / (0.96 * 5e5));
        assert!(close(step(&mut rcp, 1e5, 0.02, 0.1, 2e5, 0.0, link), expected));
        assert!(close(step(&mut rcp, 4.75e5, 0.02, 0.1, 2e5, 0.0, link), 0.96 * 5e5));
        // A queue still lowers it.
        assert!(step(&mut rcp, 4e5, 0.02, 0.1, 2e5, 75_000.0, link) < 4e5);
    }

    #[test]
    fn eq31_as_rule_offers_the_capacity() {
        let mut explicit = ExplicitConfig::default();
        for (stamp, expected) in [(Stamp::Rate, 5e4), (Stamp::Capacity, 1e6)] {
            explicit.rcp_winf.stamp = stamp;
            let rcp = Rcp { rate: 5e4, ..router(&explicit, Rcp::winf) };
            let mut header = RcpHeader { kind: RcpKind::Winf, rtt: 0.0, rate: f64::INFINITY };
            rcp.on_departure(&mut header);
            assert_eq!(header.rate, expected);
        }
    }

    #[test]
    fn many_flows_come_to_share_a_link() {
        // docs/specs/rcp.md section 6, case 7, as a fluid: N flows at the rate that was offered one round trip ago.
        for flows in [1.0, 4.0, 20.0] {
            let explicit = ExplicitConfig::default();
            let mut rcp = router(&explicit, Rcp::base);
            let (capacity, rtt, slot) = (1e6, 0.05, 0.01);
            (rcp.avg_rtt, rcp.last_rtt, rcp.slot) = (rtt, rtt, slot);
            let mut offers = vec![rcp.rate; 5];
            let mut queue: f64 = 0.0;
            for _ in 0..400 {
                let traffic = flows * offers.remove(0);
                queue = (queue + (traffic - capacity) * slot).max(0.0);
                rcp.arrived = traffic * slot;
                rcp.decide(queue, None);
                offers.push(rcp.rate);
            }
            assert!((rcp.rate * flows / capacity - 1.0).abs() < 0.01, "{flows} flows: {}", rcp.rate);
            assert!(queue < 0.05 * capacity * rtt, "{flows} flows: {queue} bytes");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
        #[test]
        fn offers_stay_between_their_bounds(
            is_winf: bool,
            literal: bool,
            steps in proptest::collection::vec(
                (0.0f64..2.0, 0u64..20_000_000, 0.0f64..80_000.0, 0.0f64..1e7, 40.0f64..1500.0, 0.0f64..2e6),
                1..60,
            ),
        ) {
            let mut explicit = ExplicitConfig::default();
            explicit.rcp_winf.mode = if literal { Form::Literal } else { Form::Consistent };
            let build: fn(&FeedbackSetup<'_>) -> Rcp = if is_winf { Rcp::winf } else { Rcp::base };
            let mut rcp = router(&explicit, build);
            let kind = rcp.kind;
            let mut now = Time::ZERO;
            for (rtt, wait, queue, rate, bytes, capacity) in steps {
                now += Span(wait);
                let mut header = RcpHeader { kind, rtt, rate };
                rcp.on_arrival(now, bytes, Some(&mut header));
                let link = LinkEstimate { capacity, available: capacity / 2.0 };
                rcp.decide(queue, is_winf.then_some(link));
                let share = if is_winf { explicit.rcp_winf.utilization } else { 1.0 };
                let most = share * rcp.link.capacity;
                proptest::prop_assert!(rcp.rate > 0.0 && rcp.rate <= most * (1.0 + 1e-12), "{} of {most}", rcp.rate);
                proptest::prop_assert!(rcp.avg_rtt >= LEAST_RTT && rcp.avg_rtt.is_finite());
                proptest::prop_assert!(rcp.slot > 0.0 && rcp.slot <= rcp.config.slot.secs());
                rcp.on_departure(&mut header);
                proptest::prop_assert!(header.rate <= rate && header.rate <= rcp.rate, "routers only lower");
            }
        }
    }
}
