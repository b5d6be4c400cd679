//! Pull admission (Cai 2013, section 3.1): offers queue slots to pulled transports, and updates layers that read queue
//! lengths.
//!
//! After each event at a node, a free slot is offered to its pulled ends in round-robin order. So an earlier refusal needs no
//! state.

mod point;
mod release;

pub(super) use point::Pulls;

use super::run::World;
use crate::kernel::{AnyRun, FlowId, NodeId, RunKind};
use crate::packet::Backlog;
use crate::transport::End;
use point::PullPoint;

impl World {
    /// After an event at `node`: pulled ends, handshake, TXOPs and ARP timers follow its queues.
    #[inline]
    pub(in crate::world) fn settle<R: RunKind>(&mut self, node: NodeId) {
        if !R::IS_PLAIN && self.pulls.has_txops {
            self.update_pending(node);
        }
        if !R::IS_PLAIN && self.pulls.is_coupled {
            let radio = self.ctx.radios.first(node);
            if radio.index() < self.macs.len() {
                self.offer(node, false);
                self.update_backlog(node);
                self.nets[node.index()].schedule_arp_checks(&mut self.ctx);
                let (mac, mut cx) = self.mac(radio);
                mac.note_congestion(&mut cx);
            }
        }
    }

    /// After an event of a flow: settles both of its ends.
    #[inline]
    pub(in crate::world) fn settle_ends<R: RunKind>(&mut self, flow: FlowId) {
        if !R::IS_PLAIN && self.pulls.is_coupled {
            let ends = &self.flows[flow.index()];
            let (src, dst) = (ends.src, ends.dst);
            self.settle::<R>(src);
            self.settle::<R>(dst);
        }
    }

    /// Updates the packets that wait at the radios of a node: the Duration of a TXOP covers them.
    #[cold]
    fn update_pending(&mut self, node: NodeId) {
        if node.index() >= self.nets.len() || node.index() >= self.ctx.radios.nodes() {
            return;
        }
        for (radio, pending) in self.ctx.radios.of(node).zip(self.nets[node.index()].queued_by_category(&self.ctx)) {
            self.macs[radio.index()].set_pending(pending);
        }
    }

    /// Updates the backlog of the MACs of a node whose handshakes read it: congestion is the node's, whatever the radio.
    #[inline]
    pub(in crate::world) fn update_backlog(&mut self, node: NodeId) {
        if !self.pulls.is_coupled {
            return;
        }
        for radio in self.ctx.radios.of(node) {
            if self.macs[radio.index()].wants_backlog() {
                let others = self.ctx.radios.of(node).filter(|other| *other != radio);
                let in_macs: u32 = others.map(|other| self.macs[other.index()].data_packets()).sum();
                let delivered = |flow: FlowId| self.flows[flow.index()].connection.meter().total().in_order;
                let at_relays = self.relays.as_ref().map_or(0, |relays| relays.waiting(node, delivered));
                let elsewhere = in_macs + at_relays;
                let backlog = Backlog { elsewhere, ..self.nets[node.index()].backlog(&self.ctx, radio) };
                self.macs[radio.index()].set_backlog(backlog);
            }
        }
    }

    /// The backlog of a node, whether a MAC of it holds data, and what one grant lets through.
    fn pull_state(&self, node: NodeId) -> (Backlog, bool, u32) {
        let radio = self.ctx.radios.first(node);
        let in_service = self.ctx.radios.of(node).any(|radio| self.macs[radio.index()].holds_data());
        (self.nets[node.index()].backlog(&self.ctx, radio), in_service, self.macs[radio.index()].turn().packets())
    }

    /// Offers a slot to the node's own transport, if admission allows. `is_overdue`: one of its timers has just expired.
    pub(in crate::world) fn offer(&mut self, node: NodeId, is_overdue: bool) {
        let Some(point) = self.pulls.index_of(node) else { return };
        if self.nets[node.index()].own_turns.is_some() {
            return self.offer_in_transit(node, point, is_overdue);
        }
        let admission = self.nets[node.index()].link.admission;
        let (backlog, in_service, turn) = self.pull_state(node);
        if !admission.is_slot(&backlog, in_service, is_overdue) {
            return;
        }
        // A packet that routing drops at once, because a route discovery has failed, is followed by one more: that one
        // starts the next discovery, or waits for it. If there is no route at all, the next event offers again.
        for nth in 0..=admission.most_at_once(turn) {
            let may_follow = nth == 0 || admission.may_follow(&self.pull_state(node).0, in_service, turn);
            if !may_follow || !self.offer_in_turn(point) {
                return;
            }
        }
    }

    /// Offers a slot to the sink of `flow`, which may have an acknowledgment: unlike data, it need not wait for an idle node.
    /// If data of the same node is next in turn, it waits until the MAC is free; otherwise it would always be first.
    pub(in crate::world) fn offer_to_sink(&mut self, flow: FlowId) {
        let ends = &self.flows[flow.index()];
        if !ends.connection.is_pulled() {
            return;
        }
        let node = ends.dst;
        // They are short, and pass.
        if self.nets[node.index()].own_turns.is_some() {
            self.offer_to(flow, End::Sink);
            return;
        }
        let (backlog, in_service, turn) = self.pull_state(node);
        if !self.nets[node.index()].link.admission.has_room(&backlog, in_service, turn) {
            return;
        }
        let Some(index) = self.pulls.index_of(node) else { return };
        let PullPoint { ends, turn, .. } = &self.pulls.points[index];
        if !ends.iter().any(|&(_, end)| end == End::Source) {
            self.offer_to(flow, End::Sink);
            return;
        }
        let (next, end) = ends[*turn];
        let is_data_next = end == End::Source && self.flows[next.index()].start <= self.ctx.now;
        if !is_data_next && self.offer_to(flow, End::Sink) {
            let point = &mut self.pulls.points[index];
            let index = point.ends.iter().position(|&(of, end)| of == flow && end == End::Sink);
            point.turn = index.map_or(point.turn, |index| (index + 1) % point.ends.len());
        }
    }

    /// Offers a slot to the ends at a pull point, from the one after the last sender, until one sends. Returns whether one did.
    fn offer_in_turn(&mut self, point: usize) -> bool {
        let (count, turn) = (self.pulls.points[point].ends.len(), self.pulls.points[point].turn);
        for i in (turn..count).chain(0..turn) {
            let (flow, end) = self.pulls.points[point].ends[i];
            if self.offer_to(flow, end) {
                self.pulls.points[point].turn = (i + 1) % count;
                return true;
            }
        }
        false
    }

    fn offer_to(&mut self, flow: FlowId, end: End) -> bool {
        let now = self.ctx.now;
        let has_sent = self.flows[flow.index()].connection.on_slot(end, now, &mut self.outbox.emits);
        if has_sent {
            self.carry_down::<AnyRun>(flow);
        }
        has_sent
    }
}
