//! Transport that is pulled: it sends when the node below it has room, not when it wants to.
//!
//! A node's ends of such flows are asked in turn, after the event that has made room. What is asked here needs no
//! packet of the past to remember it: whenever a node has room and an end has something, it is asked.

use super::World;
use crate::kernel::{FlowId, NodeId};
use crate::transport::End;

/// The ends at one node that wait to be asked.
#[derive(Debug)]
pub(super) struct PullPoint {
    node: NodeId,
    ends: Vec<(FlowId, End)>,
    /// The end that is asked first the next time: the one after the last that sent.
    turn: usize,
}

impl World {
    pub(super) fn add_pull(&mut self, node: NodeId, flow: FlowId, end: End) {
        match self.pulls.binary_search_by_key(&node, |point| point.node) {
            Ok(place) => self.pulls[place].ends.push((flow, end)),
            Err(place) => self.pulls.insert(place, PullPoint { node, ends: vec![(flow, end)], turn: 0 }),
        }
    }

    /// After an event at `node`: whoever depends on its queue is asked or told.
    #[inline]
    pub(super) fn settle(&mut self, node: NodeId) {
        if self.is_coupled {
            self.offer(node, false);
            self.tell_backlog(node);
            self.nets[node.index()].link.look_again(&mut self.ctx);
            let (mac, mut cx) = self.mac(node);
            mac.note_congestion(&mut cx);
        }
    }

    /// The same at both ends of a flow.
    #[inline]
    pub(super) fn settle_ends(&mut self, flow: FlowId) {
        if self.is_coupled {
            let ends = &self.flows[flow.index()];
            let (src, dst) = (ends.src, ends.dst);
            self.settle(src);
            self.settle(dst);
        }
    }

    /// Tells a MAC that wants to know what waits above it.
    #[inline]
    pub(super) fn tell_backlog(&mut self, node: NodeId) {
        if self.is_coupled && self.macs[node.index()].wants_backlog() {
            let backlog = self.nets[node.index()].backlog(&self.ctx);
            self.macs[node.index()].set_backlog(backlog);
        }
    }

    /// Lets the node's own transport send, if this is the moment. `is_overdue`: a timer of it has just ended.
    pub(super) fn offer(&mut self, node: NodeId, is_overdue: bool) {
        let Ok(place) = self.pulls.binary_search_by_key(&node, |point| point.node) else { return };
        let admission = self.nets[node.index()].link.admission;
        let in_service = self.macs[node.index()].holds_data();
        if !admission.is_slot(&self.nets[node.index()].backlog(&self.ctx), in_service, is_overdue) {
            return;
        }
        // A packet that routing drops at once, because it has given a search up, is followed by one more: that one starts
        // the next search, or waits for it. Where there is no route at all, the next event is waited for.
        let most = if admission.fills() { admission.t_c } else { 1 };
        for nth in 0..=most {
            let backlog = self.nets[node.index()].backlog(&self.ctx);
            let has_room = if admission.fills() {
                admission.has_room(&backlog, in_service)
            } else {
                admission.is_slot(&backlog, in_service, false)
            };
            let may_follow = backlog.unresolved == 0 && has_room;
            if !(may_follow || nth == 0) || !self.ask_in_turn(place) {
                return;
            }
        }
    }

    /// The sink of `flow` may just have made an acknowledgment: unlike data, it need not wait for an idle node. Where data
    /// of the same node is next in turn it waits all the same, until the MAC asks: else it would always be first.
    pub(super) fn offer_answer(&mut self, flow: FlowId) {
        let ends = &self.flows[flow.index()];
        if !ends.connection.is_pulled() {
            return;
        }
        let node = ends.dst.index();
        let backlog = self.nets[node].backlog(&self.ctx);
        if !self.nets[node].link.admission.has_room(&backlog, self.macs[node].holds_data()) {
            return;
        }
        let Ok(place) = self.pulls.binary_search_by_key(&NodeId(node as u32), |point| point.node) else { return };
        if !self.pulls[place].ends.iter().any(|&(_, end)| end == End::Source) {
            self.ask(flow, End::Sink);
            return;
        }
        let PullPoint { ends, turn, .. } = &self.pulls[place];
        let (next, end) = ends[*turn];
        let is_data_next = end == End::Source && self.flows[next.index()].start <= self.ctx.now;
        if !is_data_next && self.ask(flow, End::Sink) {
            let point = &mut self.pulls[place];
            let asked = point.ends.iter().position(|&(of, end)| of == flow && end == End::Sink);
            point.turn = asked.map_or(point.turn, |place| (place + 1) % point.ends.len());
        }
    }

    /// Asks the ends at a node, beginning after the last that sent, until one sends. Whether one did.
    fn ask_in_turn(&mut self, place: usize) -> bool {
        let (count, turn) = (self.pulls[place].ends.len(), self.pulls[place].turn);
        for i in (turn..count).chain(0..turn) {
            let (flow, end) = self.pulls[place].ends[i];
            if self.ask(flow, end) {
                self.pulls[place].turn = (i + 1) % count;
                return true;
            }
        }
        false
    }

    fn ask(&mut self, flow: FlowId, end: End) -> bool {
        let now = self.ctx.now;
        let has_sent = self.flows[flow.index()].connection.on_slot(end, now, &mut self.emits);
        if has_sent {
            self.carry_down(flow);
        }
        has_sent
    }
}
