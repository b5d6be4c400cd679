//! WCP's nodes: a packet that crosses the neighborhood of a congested node is marked.
//!
//! # Model
//! A node is congested while the mean of its queue is above a threshold. The neighborhood of a link is its two nodes and their
//! neighbors. Nodes share in their data frames whether they are congested, whether a neighbor is, and the longest mean round-trip
//! time of their links. A segment that leaves over a link with a congested node in its neighborhood is marked, and carries the longest
//! round-trip time of all neighborhoods on its path. Nothing contends with a wire: the neighborhood of a port is the port itself.
//! # Source
//! S. Rangwala, A. Jindal, K.-Y. Jang, K. Psounis, R. Govindan, "Understanding congestion control in multi-hop wireless mesh networks", MobiCom 2008;
//! IEEE/ACM Transactions on Networking, 2011.
//! # Deviations
//! After the paper, whose abstract was at hand: threshold and weight as recalled, the memory is ours. Acknowledgments carry no
//! records and no marks. The mean is updated at each packet that arrives or leaves.
//! # Parameters
//! Table `[wcp]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, PacketKind, PacketView};
use crate::kernel::{FlowId, RadioId, Time};
use crate::packet::explicit::{Feedback, WcpConfig, WcpHeader, WcpRecord};

/// The state of one node.
#[derive(Debug)]
pub struct Wcp {
    config: WcpConfig,
    /// Mean queue, in packets.
    queue: f64,
    flows: Vec<Crossing>,
    /// Scratch space; empty between packets.
    records: Vec<(RadioId, WcpRecord)>,
}

/// A flow that leaves over a link.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    flow: FlowId,
    next_hop: RadioId,
    /// Its mean round-trip time, in seconds.
    rtt: f64,
    last: Time,
}

impl Wcp {
    /// Before the run.
    pub fn new(setup: &FeedbackSetup<'_>) -> Wcp {
        let mut config = setup.explicit.wcp.clone();
        // A wire has no onlookers.
        config.shared &= !setup.is_wire;
        Wcp { config, queue: 0.0, flows: Vec::new(), records: Vec::new() }
    }

    fn on_queue(&mut self, packets: usize) {
        self.queue += self.config.weight * (packets as f64 - self.queue);
    }

    /// A flow's segment leaves over a link.
    fn note_flow(&mut self, now: Time, flow: FlowId, next_hop: RadioId, rtt: f64) {
        let entry = Crossing { flow, next_hop, rtt, last: now };
        match self.flows.iter_mut().find(|known| (known.flow, known.next_hop) == (flow, next_hop)) {
            Some(known) => *known = entry,
            None => self.flows.push(entry),
        }
    }

    /// Longest mean round-trip time of the links, in seconds.
    fn interval(&mut self, now: Time) -> f64 {
        let memory = self.config.memory;
        self.flows.retain(|flow| now.since(flow.last) <= memory);
        let of_link = |link: RadioId| {
            let flows = self.flows.iter().filter(|flow| flow.next_hop == link);
            let (sum, count) = flows.fold((0.0, 0.0), |(sum, count), flow| (sum + flow.rtt, count + 1.0));
            sum / count
        };
        self.flows.iter().map(|flow| of_link(flow.next_hop)).fold(0.0, f64::max)
    }

    /// A segment leaves to `next_hop`, beside neighbors with these records.
    fn stamp(&mut self, now: Time, next_hop: RadioId, records: &[(RadioId, WcpRecord)], header: &mut WcpHeader) {
        let own = WcpRecord {
            is_congested: self.queue > self.config.threshold,
            has_congested_neighbor: records.iter().any(|(_, record)| record.is_congested),
            interval: self.interval(now),
            neighbors_interval: records.iter().map(|(_, record)| record.interval).fold(0.0, f64::max),
        };
        header.is_congested |= own.is_congested || own.has_congested_neighbor;
        header.interval = header.interval.max(own.interval).max(own.neighbors_interval);
        if let Some((_, next)) = records.iter().find(|(radio, _)| *radio == next_hop) {
            header.is_congested |= next.has_congested_neighbor;
            header.interval = header.interval.max(next.neighbors_interval);
        }
        header.record = if self.config.shared { own.encode() } else { 0 };
    }
}

impl FeedbackRouter for Wcp {
    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        self.on_queue(cx.queue_len());
        let Feedback::Wcp(header) = feedback else { return };
        if at == At::Arrival || packet.kind != PacketKind::Segment {
            return;
        }
        if header.rtt > 0.0 {
            self.note_flow(cx.now, packet.flow, packet.next_hop, header.rtt);
        }
        let mut records = std::mem::take(&mut self.records);
        cx.hop.records(cx.now, self.config.memory, &mut |radio, record| {
            records.extend(WcpRecord::decode(record).map(|record| (radio, record)));
        });
        self.stamp(cx.now, packet.next_hop, &records, header);
        records.clear();
        self.records = records;
    }

    fn read(&self, _now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        put("wcp_queue_packets", self.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::packet::explicit::ExplicitConfig;

    const NEXT: RadioId = RadioId(1);

    fn router() -> Wcp {
        let explicit = ExplicitConfig::default();
        Wcp::new(&FeedbackSetup { data_rate: 250_000.0, queue_limit: 50, is_wire: false, explicit: &explicit })
    }

    fn stamped(router: &mut Wcp, records: &[(RadioId, WcpRecord)]) -> WcpHeader {
        let mut header = WcpHeader::default();
        router.stamp(Time::ZERO, NEXT, records, &mut header);
        header
    }

    #[test]
    fn mean_queue_above_threshold_marks() {
        let mut router = router();
        // 8 (1 - 0.98^n) exceeds 4 from n = 35 on.
        for packets in 1..=40 {
            router.on_queue(8);
            assert_eq!(stamped(&mut router, &[]).is_congested, packets >= 35, "after {packets}");
        }
    }

    #[test]
    fn congestion_of_neighbors_of_either_end_marks() {
        let quiet = WcpRecord { interval: 0.1, neighbors_interval: 0.7, ..WcpRecord::default() };
        let congested = WcpRecord { is_congested: true, interval: 0.3, ..WcpRecord::default() };
        let beside = WcpRecord { has_congested_neighbor: true, interval: 0.1, ..WcpRecord::default() };
        let mut router = router();
        for (other, record, is_congested, interval) in [
            (RadioId(5), quiet, false, 0.1),
            (NEXT, quiet, false, 0.7),
            (RadioId(5), congested, true, 0.3),
            (NEXT, congested, true, 0.3),
            // Two hops from this node, and no neighbor of the next one.
            (RadioId(5), beside, false, 0.1),
            (NEXT, beside, true, 0.1),
        ] {
            let header = stamped(&mut router, &[(other, record)]);
            assert_eq!((header.is_congested, header.interval), (is_congested, interval), "{other:?}: {record:?}");
            let own = WcpRecord::decode(header.record).expect("a record");
            assert_eq!(own.has_congested_neighbor, record.is_congested);
        }
    }

    #[test]
    fn interval_is_longest_mean_of_a_link() {
        let mut router = router();
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        for (flow, next_hop, rtt) in [(0, NEXT, 0.1), (1, NEXT, 0.3), (2, RadioId(5), 0.25), (1, NEXT, 0.5)] {
            router.note_flow(at(flow.into()), FlowId(flow), next_hop, rtt);
        }
        assert!((router.interval(at(2_000)) - 0.3).abs() < 1e-12);
        // Flow 0 is forgotten.
        assert!((router.interval(at(2_001)) - 0.5).abs() < 1e-12);
        assert_eq!(router.interval(at(9_000)), 0.0);
    }
}
