//! A proxy: takes segments over, acknowledges them to who answered for them before, sends them on.

use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Lack, SegNo, SplitSegment, SplitTag};
use crate::transport::proxy::split_tcp::arrivals::Arrivals;
use crate::transport::proxy::split_tcp::config::{OnFull, SplitTcpConfig, StoreState};
use crate::transport::proxy::split_tcp::leg::{Item, Leg, Patience, Sending};
use crate::transport::proxy::{Proxy, ProxyCounts, ProxyOut, ProxyView, Verdict};
use std::sync::Arc;

/// A proxy of Split TCP at one node.
#[derive(Debug)]
pub struct SplitProxy {
    node: NodeId,
    config: Arc<SplitTcpConfig>,
    /// Its life; another one begins when it has failed.
    epoch: u16,
    /// One for each flow, or one for all under [`FlowId::NONE`].
    legs: Vec<(FlowId, Leg)>,
    flows: Vec<FlowState>,
    counts: ProxyCounts,
    /// Losses found by legs that are gone.
    past: (u64, u64),
    scratch: Vec<Item>,
}

/// What a proxy knows of a flow.
#[derive(Debug)]
struct FlowState {
    flow: FlowId,
    src: NodeId,
    dst: NodeId,
    arrivals: Arrivals,
    /// The last segment that came: who answered for it before.
    last: SplitSegment,
    /// Room that it was last told of.
    told: u32,
    /// When it is told again that there is room, and how often it has been.
    tell_at: Option<Time>,
    told_again: u32,
    active_at: Time,
}

/// A flow that was told of no room hears of it again once there is this much.
const ROOM_WORTH_TELLING: u32 = 2;

impl SplitProxy {
    /// A proxy that holds nothing.
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

    /// Segments of this flow that can still be taken, by this proxy or by those after it.
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

    /// Makes sure that there is state for the flow of a packet.
    fn meet(&mut self, now: Time, passing: &ProxyView) {
        let flow = passing.flow;
        if self.state(flow).is_none() {
            self.flows.push(FlowState {
                flow,
                src: passing.src,
                dst: passing.dst,
                arrivals: Arrivals::default(),
                last: passing.split,
                told: u32::MAX,
                tell_at: None,
                told_again: 0,
                active_at: now,
            });
        }
        if self.leg(flow).is_none() {
            let patience = Patience { tries: self.config.max_local_tries, age: self.config.store_ttl };
            self.legs.push((self.leg_key(flow), Leg::new(&self.config, Some(patience))));
        }
        if let Some(state) = self.state(flow) {
            state.active_at = now;
            state.last = passing.split;
            state.tell_at = None;
            state.told_again = 0;
        }
    }

    /// Flows that have been idle for long go, that of the packet at hand included: it is new then.
    fn forget_idle(&mut self, now: Time) {
        let (ttl, known) = (self.config.state_ttl, self.flows.len());
        let legs = &mut self.legs;
        self.flows.retain(|state| {
            let stays = now.since(state.active_at) < ttl || legs.iter().any(|(_, leg)| leg.len_of(state.flow) > 0);
            if !stays {
                for (_, leg) in legs.iter_mut() {
                    leg.forget_room(state.flow);
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

    /// Acknowledges a segment to who answered for it before.
    fn acknowledge(&mut self, split: &SplitSegment, flow: FlowId, out: &mut Vec<ProxyOut>) {
        let (node, win) = (self.node, self.win(flow));
        let Some(state) = self.state(flow) else { return };
        state.told = win;
        let lack = state.arrivals.lack(node, split, win);
        out.push(ProxyOut::Lack { flow, src: state.src, lack });
        self.counts.lacks += 1;
    }

    /// Sends what the legs allow, without what is worth no other attempt, however its loss was found.
    fn send(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for (_, leg) in &mut self.legs {
            leg.give_up(now, &mut self.scratch);
        }
        self.counts.expired += self.let_go(out);
        let (node, epoch) = (self.node, self.epoch);
        for (_, leg) in &mut self.legs {
            while let Some(sending) = leg.poll_send(now) {
                let flow = sending.item.flow;
                let Some(state) = self.flows.iter().find(|state| state.flow == flow) else {
                    unreachable!("a flow of which something is held is known");
                };
                self.counts.sent += 1;
                self.counts.resent += u64::from(sending.is_again);
                out.push(ProxyOut::Segment {
                    flow,
                    src: state.src,
                    dst: state.dst,
                    bytes: sending.item.bytes,
                    split: tagged(&sending, node, epoch),
                });
            }
            leg.wait_for_room(now);
        }
    }

    /// Tells the flows that know of no room that there is some.
    fn tell_of_room(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for at in 0..self.flows.len() {
            let flow = self.flows[at].flow;
            let win = self.win(flow);
            let rto = self.leg(flow).map_or(self.config.initial_rto, Leg::rto);
            let (node, most) = (self.node, self.config.max_local_tries);
            let state = &mut self.flows[at];
            let is_news = state.told == 0 && win >= ROOM_WORTH_TELLING;
            let is_due = state.tell_at.is_some_and(|at| at <= now);
            if !is_news && !is_due {
                continue;
            }
            state.told = win;
            state.told_again += 1;
            // What is lost is told again, until data comes or nobody seems to care.
            let wait = Span(rto.0.saturating_mul(1 << state.told_again.min(20))).0.min(self.config.max_rto.0);
            state.tell_at = (state.told_again < most).then(|| now + Span(wait));
            let lack = Lack { seq: None, ..state.arrivals.lack(node, &state.last, win) };
            out.push(ProxyOut::Lack { flow, src: state.src, lack });
            self.counts.lacks += 1;
            self.counts.window_updates += 1;
        }
    }

    fn note_held(&mut self) {
        self.counts.held = u64::from(self.len());
        self.counts.held_max = self.counts.held_max.max(self.counts.held);
    }

    /// Records the segments in `scratch` as no longer held.
    fn let_go(&mut self, out: &mut Vec<ProxyOut>) -> u64 {
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
        let is_near_the_end = passing.hops_left.is_some_and(|left| left < u16::from(self.config.tail_min));
        if split.tag.hops < self.config.d_p || is_near_the_end {
            return Verdict::PassOn;
        }
        self.forget_idle(now);
        let seq = split.segment.seq;
        let is_stored = self.leg(flow).is_some_and(|leg| leg.holds(flow, seq));
        let was_here = self.state(flow).is_some_and(|state| state.arrivals.has(seq));
        let is_duplicate = is_stored || was_here && !split.tag.is_e2e_rtx;
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
        self.meet(now, passing);
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
        out.push(ProxyOut::Took { flow, seq, held: self.len() });
        // The paper found the reverse order worse (Kopparty 2002, section III, note 8).
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
        self.counts.released += self.let_go(out);
        if let Some(state) = self.state(flow) {
            state.active_at = now;
        }
        self.send(now, out);
        self.tell_of_room(now, out);
    }

    fn deadline(&self) -> Option<Time> {
        let legs = self.legs.iter().filter_map(|(_, leg)| leg.deadline());
        let flows = self.flows.iter().filter_map(|state| state.tell_at);
        legs.chain(flows).min()
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        for (_, leg) in &mut self.legs {
            if leg.deadline().is_some_and(|at| at <= now) {
                leg.on_deadline(now);
            }
        }
        self.send(now, out);
        self.tell_of_room(now, out);
    }

    fn on_route(&mut self, now: Time, dst: NodeId, out: &mut Vec<ProxyOut>) {
        if !self.config.kick_on_route {
            return;
        }
        for at in 0..self.flows.len() {
            if self.flows[at].dst == dst {
                let flow = self.flows[at].flow;
                if let Some(leg) = self.leg_mut(flow) {
                    leg.kick();
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
pub(in crate::transport::proxy::split_tcp) fn tagged(sending: &Sending, resp: NodeId, epoch: u16) -> SplitSegment {
    let Item { segment, content, travelled, is_e2e_rtx, is_last, .. } = sending.item;
    let tag = SplitTag {
        resp,
        hops: 0,
        is_e2e_rtx,
        is_local_rtx: sending.is_again,
        is_bypass: false,
        is_last,
        epoch,
        number: sending.number,
        oldest: sending.oldest,
        travelled,
    };
    SplitSegment { segment, content, tag }
}

#[cfg(test)]
mod tests;
