//! A proxy: accepts segments, acknowledges them locally, and forwards them as its own windows allow.

mod flow;

use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{Lack, SegNo, SplitSegment, SplitTag};
use crate::transport::proxy::control::Proxy;
use crate::transport::proxy::packet::{ProxyCounts, ProxyOut, ProxyView, Verdict};
use crate::transport::proxy::split_tcp::config::{OnFull, SplitTcpConfig, StoreState};
use crate::transport::proxy::split_tcp::leg::{Item, Leg, Lifetime, Transmission};
use flow::FlowState;
use std::sync::Arc;

/// A proxy of Split TCP at one node.
#[derive(Debug)]
pub struct SplitProxy {
    node: NodeId,
    config: Arc<SplitTcpConfig>,
    /// Number of failures; acknowledgments of an earlier epoch are ignored.
    epoch: u16,
    /// A leg for each flow, or one for all under [`FlowId::NONE`].
    legs: Vec<(FlowId, Leg)>,
    flows: Vec<FlowState>,
    counts: ProxyCounts,
    /// Timeouts and fast retransmits of legs that are dropped.
    past: (u64, u64),
    /// Items that leave the store in the current event.
    scratch: Vec<Item>,
}

impl SplitProxy {
    /// A proxy with an empty store.
    pub fn new(node: NodeId, config: Arc<SplitTcpConfig>) -> SplitProxy {
        SplitProxy {
            node,
            config,
            epoch: 0,
            legs: Vec::new(),
            flows: Vec::new(),
            counts: ProxyCounts::default(),
            past: (0, 0),
            scratch: Vec::new(),
        }
    }

    fn leg_key(&self, flow: FlowId) -> FlowId {
        match self.config.state {
            StoreState::PerFlow => flow,
            StoreState::Aggregate => FlowId::NONE,
        }
    }

    fn leg(&self, flow: FlowId) -> Option<&Leg> {
        let key = self.leg_key(flow);
        self.legs.iter().find(|(of, _)| *of == key).map(|(_, leg)| leg)
    }

    fn leg_mut(&mut self, flow: FlowId) -> Option<&mut Leg> {
        let key = self.leg_key(flow);
        self.legs.iter_mut().find(|(of, _)| *of == key).map(|(_, leg)| leg)
    }

    fn state(&mut self, flow: FlowId) -> Option<&mut FlowState> {
        self.flows.iter_mut().find(|state| state.flow == flow)
    }

    fn len(&self) -> u32 {
        self.legs.iter().map(|(_, leg)| leg.len() as u32).sum()
    }

    fn is_full(&self, flow: FlowId) -> bool {
        match self.config.state {
            StoreState::PerFlow => self.leg(flow).is_some_and(|leg| leg.len_of(flow) >= self.config.store_per_flow),
            StoreState::Aggregate => self.len() >= self.config.store_total,
        }
    }

    /// Window for segments of this flow, of this proxy or also of those after it.
    fn win(&self, flow: FlowId) -> u32 {
        let leg = self.leg(flow);
        let own = match self.config.state {
            StoreState::PerFlow => self.config.store_per_flow.saturating_sub(leg.map_or(0, |leg| leg.len_of(flow))),
            StoreState::Aggregate => {
                let room = self.config.store_total.saturating_sub(self.len());
                (room / (self.flows.len() as u32).max(1)).max(1)
            }
        };
        let after = leg.map_or(u32::MAX, |leg| leg.win(flow));
        if self.config.propagate_min { own.min(after) } else { own }
    }

    /// Finds or creates the state of a packet's flow, and its leg.
    fn note_flow(&mut self, now: Time, passing: &ProxyView) {
        let flow = passing.flow;
        if self.state(flow).is_none() {
            self.flows.push(FlowState::new(now, passing));
        }
        if self.leg(flow).is_none() {
            let lifetime = Lifetime { transmissions: self.config.max_local_tries, age: self.config.store_ttl };
            self.legs.push((self.leg_key(flow), Leg::new(&self.config, Some(lifetime))));
        }
        if let Some(state) = self.state(flow) {
            state.on_segment(now, passing.split);
        }
    }

    /// Drops flows that were idle for long, that of the current packet included: it is new then.
    fn drop_idle(&mut self, now: Time) {
        let (ttl, known) = (self.config.state_ttl, self.flows.len());
        let legs = &mut self.legs;
        self.flows.retain(|state| {
            let stays = now.since(state.active_at) < ttl || legs.iter().any(|(_, leg)| leg.len_of(state.flow) > 0);
            if !stays {
                for (_, leg) in legs.iter_mut() {
                    leg.reset_win(state.flow);
                }
            }
            stays
        });
        if self.flows.len() == known {
            return;
        }
        let flows = &self.flows;
        let past = &mut self.past;
        self.legs.retain(|(key, leg)| {
            let stays = flows.iter().any(|state| *key == FlowId::NONE || state.flow == *key);
            if !stays {
                past.0 += leg.counts().timeouts;
                past.1 += leg.counts().fast_retransmits;
            }
            stays
        });
    }

    /// Acknowledges a segment to the node that was responsible for it.
    fn acknowledge(&mut self, split: &SplitSegment, flow: FlowId, out: &mut Vec<ProxyOut>) {
        let (node, win) = (self.node, self.win(flow));
        let Some(state) = self.state(flow) else { return };
        let lack = state.acknowledge(node, split, win);
        out.push(ProxyOut::Lack { flow, src: state.src, lack });
        self.counts.lacks += 1;
    }

    /// Drops expired segments and sends what the legs allow.
    fn send(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for (_, leg) in &mut self.legs {
            leg.expire(now, &mut self.scratch);
        }
        self.counts.expired += self.release(out);
        let (node, epoch) = (self.node, self.epoch);
        for (_, leg) in &mut self.legs {
            while let Some(transmission) = leg.poll_send(now) {
                let flow = transmission.item.flow;
                let Some(state) = self.flows.iter().find(|state| state.flow == flow) else {
                    unreachable!("the flow of a stored segment is known");
                };
                self.counts.sent += 1;
                self.counts.resent += u64::from(transmission.is_retransmission);
                out.push(ProxyOut::Segment {
                    flow,
                    src: state.src,
                    dst: state.dst,
                    bytes: transmission.item.bytes,
                    split: tagged(&transmission, node, epoch),
                });
            }
            leg.wait_for_room(now);
        }
    }

    /// Sends window updates for flows whose previous node was advertised no buffer space.
    fn advertise_room(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for index in 0..self.flows.len() {
            let flow = self.flows[index].flow;
            let win = self.win(flow);
            if !self.flows[index].is_update_due(now, win) {
                continue;
            }
            let rto = self.leg(flow).map_or(self.config.initial_rto, Leg::rto);
            let (rto, most) = ((rto, self.config.max_rto), self.config.max_local_tries);
            let state = &mut self.flows[index];
            let lack = state.update(now, self.node, win, rto, most);
            out.push(ProxyOut::Lack { flow, src: state.src, lack });
            self.counts.lacks += 1;
            self.counts.window_updates += 1;
        }
    }

    fn note_held(&mut self) {
        self.counts.held = u64::from(self.len());
        self.counts.held_max = self.counts.held_max.max(self.counts.held);
    }

    /// Records the segments in `scratch` as released.
    fn release(&mut self, out: &mut Vec<ProxyOut>) -> u64 {
        if self.scratch.is_empty() {
            return 0;
        }
        let count = self.scratch.len();
        let held = self.len();
        for (at, item) in self.scratch.drain(..).enumerate() {
            let held = held + (count - 1 - at) as u32;
            out.push(ProxyOut::Released { flow: item.flow, seq: item.segment.seq, held });
        }
        self.note_held();
        count as u64
    }
}

impl Proxy for SplitProxy {
    fn on_segment(&mut self, now: Time, passing: &ProxyView, out: &mut Vec<ProxyOut>) -> Verdict {
        let ProxyView { flow, split, .. } = *passing;
        let is_near_destination = passing.hops_left.is_some_and(|left| left < u16::from(self.config.tail_min));
        let is_due = split.tag.hops >= self.config.d_p && !is_near_destination;
        if !is_due && !passing.is_crossing {
            return Verdict::PassOn;
        }
        self.drop_idle(now);
        let seq = split.segment.seq;
        let is_stored = self.leg(flow).is_some_and(|leg| leg.holds(flow, seq));
        let has_arrived = self.state(flow).is_some_and(|state| state.arrivals.has(seq));
        let is_duplicate = is_stored || has_arrived && !split.tag.is_e2e_rtx;
        if !is_duplicate && self.is_full(flow) {
            return match self.config.on_full {
                OnFull::Bypass => {
                    self.counts.bypassed += 1;
                    Verdict::Bypass
                }
                OnFull::Drop => {
                    self.counts.refused += 1;
                    Verdict::Keep
                }
            };
        }
        self.note_flow(now, passing);
        if let Some(state) = self.state(flow) {
            state.arrivals.note(seq);
            state.arrivals.note_number(&split.tag);
        }
        if is_duplicate {
            self.counts.duplicates += 1;
            self.acknowledge(&split, flow, out);
            return Verdict::Keep;
        }
        let item = Item {
            flow,
            segment: split.segment,
            content: split.content,
            bytes: passing.bytes,
            travelled: split.tag.travelled.saturating_add(passing.forwards),
            is_e2e_rtx: split.tag.is_e2e_rtx,
            is_last: split.tag.is_last,
        };
        if let Some(leg) = self.leg_mut(flow) {
            leg.push(now, item);
        }
        self.counts.taken += 1;
        self.note_held();
        out.push(ProxyOut::Accepted { flow, seq, held: self.len() });
        // In the paper the reverse order performs worse (Kopparty 2002, section III, note 8).
        if self.config.forward_then_lack {
            self.send(now, out);
            self.acknowledge(&split, flow, out);
        } else {
            self.acknowledge(&split, flow, out);
            self.send(now, out);
        }
        Verdict::Keep
    }

    fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, out: &mut Vec<ProxyOut>) {
        if lack.epoch != self.epoch {
            return;
        }
        let mut released = std::mem::take(&mut self.scratch);
        if let Some(leg) = self.leg_mut(flow) {
            leg.on_lack(now, flow, lack, &mut released);
        }
        self.scratch = released;
        self.counts.released += self.release(out);
        if let Some(state) = self.state(flow) {
            state.active_at = now;
        }
        self.send(now, out);
        self.advertise_room(now, out);
    }

    fn deadline(&self) -> Option<Time> {
        let legs = self.legs.iter().filter_map(|(_, leg)| leg.deadline());
        let flows = self.flows.iter().filter_map(FlowState::deadline);
        legs.chain(flows).min()
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for (_, leg) in &mut self.legs {
            if leg.deadline().is_some_and(|at| at <= now) {
                leg.on_deadline(now);
            }
        }
        self.send(now, out);
        self.advertise_room(now, out);
    }

    fn on_route(&mut self, now: Time, dst: NodeId, out: &mut Vec<ProxyOut>) {
        if !self.config.kick_on_route {
            return;
        }
        for index in 0..self.flows.len() {
            if self.flows[index].dst == dst {
                let flow = self.flows[index].flow;
                if let Some(leg) = self.leg_mut(flow) {
                    leg.retransmit_oldest();
                }
            }
        }
        self.send(now, out);
    }

    fn fail(&mut self) -> u32 {
        let lost = self.len();
        self.counts.lost += u64::from(lost);
        self.counts.failures += 1;
        for (_, leg) in self.legs.drain(..) {
            self.past.0 += leg.counts().timeouts;
            self.past.1 += leg.counts().fast_retransmits;
        }
        self.flows.clear();
        self.note_held();
        lost
    }

    fn recover(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
    }

    fn wants_hops_left(&self) -> bool {
        self.config.tail_min > 0
    }

    fn counts(&self) -> ProxyCounts {
        let now = self.legs.iter().map(|(_, leg)| leg.counts());
        let (timeouts, fast) =
            now.fold(self.past, |(timeouts, fast), leg| (timeouts + leg.timeouts, fast + leg.fast_retransmits));
        ProxyCounts { timeouts, fast_retransmits: fast, ..self.counts }
    }

    fn held(&self) -> Vec<(FlowId, SegNo)> {
        self.legs.iter().flat_map(|(_, leg)| leg.items()).map(|item| (item.flow, item.segment.seq)).collect()
    }
}

/// A segment as node `resp` sends it.
pub(in crate::transport::proxy::split_tcp) fn tagged(
    transmission: &Transmission,
    resp: NodeId,
    epoch: u16,
) -> SplitSegment {
    let Item { segment, content, travelled, is_e2e_rtx, is_last, .. } = transmission.item;
    let tag = SplitTag {
        resp,
        hops: 0,
        is_e2e_rtx,
        is_local_rtx: transmission.is_retransmission,
        is_bypass: false,
        is_last,
        epoch,
        number: transmission.number,
        oldest: transmission.oldest,
        travelled,
    };
    SplitSegment { segment, content, tag }
}

#[cfg(test)]
mod tests;
