//! FQ-CoDel: a queue per flow, served in turn by bytes, each under CoDel; flows that begin to send come first.
//!
//! # Model
//! A flow whose queue was empty joins the new flows, with a deficit of one `quantum`. The first of the new flows is served, else the first
//! of the old ones. A flow whose deficit is used up gets a quantum and joins the end of the old flows, as does a new flow whose queue is
//! empty; an old flow whose queue is empty leaves. On overflow the flow with the most bytes loses half of them, from its head, but
//! at most 64 packets. A packet that joins others in an A-MPDU is of the first flow in turn that has one for their next hop, else of the
//! flow that owes the fewest bytes, and is charged to it; a flow that owes bytes waits for as many rounds.
//! # Source
//! RFC 8290.
//! # Deviations
//! Each flow and direction has a queue of its own: none share one by a hash, unless `queue.flows` is given.
//! # Parameters
//! `queue.quantum`, `queue.flows`, `queue.target`, `queue.interval`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

use super::codel::{Law, State};
use super::discipline::{QueueCtx, QueueSetup};
use super::managed::{Limits, Line, Manager, Wanted, flow_of};
use super::turns::Turns;
use crate::kernel::{Bytes, RadioId};
use crate::packet::{PacketId, Packets};
use crate::trace::DropReason;
use std::collections::BTreeMap;

/// Most packets that one overflow drops.
const MOST: usize = 64;

/// A queue per flow.
#[derive(Debug)]
pub struct FlowQueues {
    law: Law,
    limits: Limits,
    quantum: i64,
    /// Number of queues that flows share by a hash.
    hashed: Option<u32>,
    slots: BTreeMap<(u32, u32), usize>,
    flows: Vec<FlowQueue>,
    turns: Turns,
    packets: usize,
    bytes: u64,
}

#[derive(Debug, Default)]
struct FlowQueue {
    line: Line,
    state: State,
    deficit: i64,
    is_listed: bool,
}

impl FlowQueues {
    /// Empty queues; a turn has `quantum` bytes.
    pub(super) fn new(law: Law, limits: Limits, quantum: Bytes, hashed: Option<u32>) -> FlowQueues {
        FlowQueues {
            law,
            limits,
            quantum: i64::from(quantum.0),
            hashed,
            slots: BTreeMap::new(),
            flows: Vec::new(),
            turns: Turns::default(),
            packets: 0,
            bytes: 0,
        }
    }

    /// Bytes of all flows.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of the flow that has the most.
    pub(super) fn most(&self) -> u64 {
        self.flows.iter().map(|flow| flow.line.bytes()).max().unwrap_or(0)
    }

    /// The next packet, if it has at most `most` bytes; a longer one stays the first of its flow.
    pub(super) fn next_within(&mut self, cx: &mut QueueCtx<'_>, most: u32) -> Option<PacketId> {
        loop {
            let slot = self.turns.first()?;
            let flow = &mut self.flows[slot];
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                self.turns.pass();
                continue;
            }
            let before = (flow.line.len(), flow.line.bytes());
            let Some(item) = flow.state.next(&self.law, &mut flow.line, Wanted::First, cx) else {
                flow.is_listed = !self.turns.rest();
                self.recount(slot, before);
                continue;
            };
            let fits = item.bytes <= most;
            if fits {
                flow.deficit -= i64::from(item.bytes);
            } else {
                flow.line.put_back(item);
            }
            self.recount(slot, before);
            return fits.then_some(item.id);
        }
    }

    /// The queue whose packet joins others to a neighbor: the first in turn, else the one that owes the fewest bytes.
    fn joining(&self, next_hop: RadioId, packets: &Packets) -> Option<usize> {
        let mut found: Option<usize> = None;
        for slot in self.turns.iter() {
            let flow = &self.flows[slot];
            if flow.line.first_to(next_hop, packets).is_none() {
                continue;
            }
            if flow.deficit > 0 {
                return Some(slot);
            }
            if found.is_none_or(|other| flow.deficit > self.flows[other].deficit) {
                found = Some(slot);
            }
        }
        found
    }

    /// Index of the queue of a packet.
    fn slot(&mut self, (flow, src): (u32, u32)) -> usize {
        let key = match self.hashed {
            None => (flow, src),
            Some(queues) => {
                let mixed = (u64::from(flow) << 32 | u64::from(src)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (((mixed >> 32) % u64::from(queues)) as u32, 0)
            }
        };
        let next = self.flows.len();
        let slot = *self.slots.entry(key).or_insert(next);
        if slot == next {
            self.flows.push(FlowQueue::default());
        }
        slot
    }

    /// Drops from the flow with the most bytes.
    pub(super) fn drop_from_fattest(&mut self, cx: &mut QueueCtx<'_>) {
        // Of equal flows the first counts.
        let most = self.most();
        let Some(fattest) = self.flows.iter_mut().find(|flow| flow.line.bytes() == most) else { return };
        let before = fattest.line.bytes();
        for _ in 0..MOST {
            let Some(item) = fattest.line.pop() else { break };
            cx.drop(item.id, DropReason::QueueFull);
            self.packets -= 1;
            self.bytes -= u64::from(item.bytes);
            if 2 * (before - fattest.line.bytes()) >= before {
                break;
            }
        }
    }

    /// Counts what has left a line of `before` packets and bytes.
    fn recount(&mut self, slot: usize, (packets, bytes): (usize, u64)) {
        let line = &self.flows[slot].line;
        self.packets -= packets - line.len();
        self.bytes -= bytes - line.bytes();
    }
}

impl Manager for FlowQueues {
    const SUMMARY: &'static str = "a queue per flow under CoDel, served in turn; flows that begin to send come first";
    const KEYS: &'static [&'static str] = &["quantum", "flows", "target", "interval", "ecn"];
    const LIMIT: u32 = 10_240;

    fn build(setup: &QueueSetup<'_>) -> FlowQueues {
        let quantum = setup.config.quantum.unwrap_or(Bytes(1514));
        FlowQueues::new(Law::of(setup), Limits::of(setup), quantum, setup.config.flows)
    }

    fn arrive(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId) -> Result<(), DropReason> {
        let arrived = cx.packets.get(packet.0);
        let (bytes, key) = (arrived.bytes, flow_of(arrived));
        let slot = self.slot(key);
        let flow = &mut self.flows[slot];
        flow.line.push(packet, bytes);
        self.packets += 1;
        self.bytes += u64::from(bytes);
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = self.quantum;
            self.turns.join(slot);
        }
        if self.limits.are_exceeded(self.packets, self.bytes) {
            self.drop_from_fattest(cx);
        }
        Ok(())
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.next_within(cx, u32::MAX)
    }

    fn next_for(&mut self, cx: &mut QueueCtx<'_>, next_hop: RadioId, most: u32) -> Option<PacketId> {
        while let Some(slot) = self.joining(next_hop, cx.packets) {
            let flow = &mut self.flows[slot];
            let before = (flow.line.len(), flow.line.bytes());
            let item = flow.state.next(&self.law, &mut flow.line, Wanted::Joining { next_hop, most }, cx);
            let is_too_long = item.is_none() && flow.line.first_to(next_hop, cx.packets).is_some();
            flow.deficit -= item.map_or(0, |item| i64::from(item.bytes));
            self.recount(slot, before);
            if item.is_some() || is_too_long {
                return item.map(|item| item.id);
            }
        }
        None
    }

    fn peek(&self) -> Option<PacketId> {
        self.turns.iter().find_map(|slot| self.flows[slot].line.peek())
    }

    fn len(&self) -> usize {
        self.packets
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.flows.iter().for_each(|flow| flow.line.visit(visit));
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        let mut purged = Vec::new();
        for slot in 0..self.flows.len() {
            let line = &mut self.flows[slot].line;
            let before = (line.len(), line.bytes());
            purged.extend(line.purge(next_hop, packets));
            self.recount(slot, before);
        }
        purged
    }
}

#[cfg(test)]
mod tests {
    use super::super::managed::Managed;
    use super::super::managed::bench::Bench;
    use super::super::parameters::QueueParameters;
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ecn;

    /// The flows of the packets that leave, after packets of these flows and lengths have arrived at once.
    fn order(arrivals: &[(u32, u32, usize)]) -> String {
        let mut bench = Bench::<Managed<FlowQueues>>::new(&QueueParameters::default(), 1000);
        let mut flows = Vec::new();
        for &(flow, bytes, count) in arrivals {
            for _ in 0..count {
                bench.arrive(Time::ZERO, flow, bytes, Ecn::NotEct);
                flows.push(flow);
            }
        }
        let left = std::iter::from_fn(|| bench.next(Time::ZERO));
        left.map(|id| if flows[id as usize] == 0 { 'A' } else { 'B' }).collect()
    }

    #[test]
    fn flows_take_turns_by_bytes() {
        assert_eq!(order(&[(0, 1500, 4), (1, 100, 1)]), "AABAA");
        assert_eq!(order(&[(0, 1500, 3), (1, 500, 6)]), "AABBBBABB");
    }

    #[test]
    fn overflow_drops_half_of_the_fattest_flow() {
        let mut bench = Bench::<Managed<FlowQueues>>::new(&QueueParameters::default(), 20);
        for i in 0..21 {
            bench.arrive(Time::ZERO, u32::from(i >= 15), 1500, Ecn::NotEct);
        }
        let dropped: Vec<u32> = bench.dropped.iter().map(|dropped| dropped.packet.0).collect();
        assert_eq!(dropped, [0, 1, 2, 3, 4, 5, 6, 7]);
        let left: Vec<u32> = std::iter::from_fn(|| bench.next(Time::ZERO)).collect();
        assert_eq!((left.iter().filter(|id| **id < 15).count(), left.len()), (7, 13));
    }

    #[test]
    fn flow_whose_packets_join_others_waits_for_as_many_rounds() {
        let mut bench = Bench::<Managed<FlowQueues>>::new(&QueueParameters::default(), 1000);
        for flow in [0, 1] {
            for _ in 0..6 {
                bench.arrive_for(RadioId(1 + flow), Time::ZERO, flow, 1500, Ecn::NotEct);
            }
        }
        let mut joined = vec![bench.next(Time::ZERO)];
        joined.extend((0..3).map(|_| bench.joining(Time::ZERO, RadioId(1), 1500)));
        assert_eq!(joined, [0, 1, 2, 3].map(Some));
        assert_eq!(bench.joining(Time::ZERO, RadioId(1), 1499), None);
        // The other flow sends four packets as well before the first one goes on.
        let rest: Vec<u32> = (0..5).filter_map(|_| bench.next(Time::ZERO)).collect();
        assert_eq!(rest, [6, 7, 8, 9, 4]);
    }

    #[test]
    fn flows_to_one_neighbor_join_in_turn() {
        let mut bench = Bench::<Managed<FlowQueues>>::new(&QueueParameters::default(), 1000);
        for flow in [0, 1] {
            for _ in 0..4 {
                bench.arrive(Time::ZERO, flow, 1500, Ecn::NotEct);
            }
        }
        let joined: Vec<u32> = (0..9).filter_map(|_| bench.joining(Time::ZERO, RadioId(1), 1500)).collect();
        assert_eq!(joined, [0, 1, 4, 5, 2, 6, 3, 7]);
        assert_eq!(bench.next(Time::ZERO), None);
    }

    #[test]
    fn hashed_flows_share_queues() {
        let config = QueueParameters { flows: Some(1), ..QueueParameters::default() };
        let mut bench = Bench::<Managed<FlowQueues>>::new(&config, 1000);
        for flow in [0, 0, 1] {
            bench.arrive(Time::ZERO, flow, 1500, Ecn::NotEct);
        }
        assert_eq!(std::iter::from_fn(|| bench.next(Time::ZERO)).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
