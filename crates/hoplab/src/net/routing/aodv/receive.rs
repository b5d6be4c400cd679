//! RREQs and RREPs that arrive: reverse routes, replies and forwarding (RFC 3561 sections 6.5 to 6.7).

use super::agent::Aodv;
use super::message::{AodvMessage, Rrep, Rreq};
use super::rules::{Numbering, SPACING};
use super::send::whole_seconds_left;
use super::state::entry::{State, is_newer};
use crate::kernel::{NodeId, RadioId, Span, Time};
use crate::net::routing::hosts::Served;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{Control, PacketId, Payload};
use crate::trace::DropReason;

impl Aodv {
    /// A RREQ has arrived; `rreq.hops` counts its last hop.
    pub(super) fn on_rreq(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId, rreq: &Rreq) {
        let now = cx.now();
        if self.limits.is_blacklisted(now, from)
            || rreq.origin == self.node
            || !self.rreqs.is_first(now, rreq.origin, rreq.id)
        {
            cx.ctx.consume(packet);
            return;
        }
        let reverse = self.learn_reverse_route(cx, from, rreq);
        let served = self.served(rreq.dst);
        if rreq.dst == self.node || served.is_some() {
            self.reply_as_destination(cx, reverse, rreq, served);
            cx.ctx.consume(packet);
            return;
        }
        let Some(forward) = self.known(now, rreq.dst) else {
            self.forward_rreq(cx, packet, rreq, 0);
            return;
        };
        let known = &self.table[forward];
        if known.has_next_hop() && known.is_seq_known && !is_newer(rreq.dst_seq, known.seq) {
            self.reply_as_relay(cx, forward, reverse, rreq);
            cx.ctx.consume(packet);
        } else {
            let seq = known.seq;
            self.forward_rreq(cx, packet, rreq, seq);
        }
    }

    /// Adds or refreshes the reverse route to a RREQ's originator, and sends the packets that wait for it.
    fn learn_reverse_route(&mut self, cx: &mut RouteCtx<'_>, from: RadioId, rreq: &Rreq) -> usize {
        let now = cx.now();
        if self.rules.learns_neighbors {
            self.learn_neighbor(cx, from, None);
        }
        let life = self.config.reverse_route_life.unwrap_or_else(|| self.minimal_lifetime(rreq.hops));
        let index = self.entry(now, rreq.origin);
        let entry = &mut self.table[index];
        let mut expire = now + life;
        if entry.state != State::Down {
            expire = expire.max(entry.expire);
            entry.expire = expire;
        }
        if !entry.accepts(rreq.origin_seq, rreq.hops) {
            return index;
        }
        self.install(cx, index, rreq.origin_seq, rreq.hops, from, expire);
        let entry = &mut self.table[index];
        if let Some(request) = entry.request.as_deref_mut().filter(|request| request.timeout > Time::ZERO) {
            request.count = 0;
            request.timeout = Time::ZERO;
            entry.last_ttl = rreq.hops;
            entry.expire = now + self.config.active_route_timeout;
        }
        self.flush(cx, index, self.rules.reverse_spacing);
        index
    }

    /// Replies for this node, or for a host behind it. All gateways of a host that has several state the same number in answer
    /// to one request, so that the nearest counts.
    fn reply_as_destination(&mut self, cx: &mut RouteCtx<'_>, reverse: usize, rreq: &Rreq, served: Option<Served>) {
        let seq = if served.is_some_and(|served| served.is_shared) {
            self.rules.numbering.shared(rreq.dst_seq)
        } else {
            self.raise_seq_for_reply(rreq.dst_seq);
            self.seq
        };
        let lifetime = self.config.my_route_timeout;
        self.reply(cx, reverse, rreq, served.map_or(0, |served| served.hops), seq, lifetime);
    }

    fn reply_as_relay(&mut self, cx: &mut RouteCtx<'_>, forward: usize, reverse: usize, rreq: &Rreq) {
        let (hops, seq) = (self.table[forward].hops, self.table[forward].seq);
        let expire = self.table[forward].expire;
        let now = cx.now();
        let lifetime = if self.rules.whole_seconds { whole_seconds_left(now, expire) } else { expire.since(now) };
        self.reply(cx, reverse, rreq, hops, seq, lifetime);
        let (towards_origin, towards_dst) = (self.table[reverse].next_hop, self.table[forward].next_hop);
        if !towards_origin.is_broadcast() {
            self.table[forward].add_precursor(towards_origin);
            self.table[reverse].add_precursor(towards_dst);
        }
    }

    fn reply(&mut self, cx: &mut RouteCtx<'_>, reverse: usize, rreq: &Rreq, hops: u8, dst_seq: u32, lifetime: Span) {
        let back = &self.table[reverse];
        if !back.has_next_hop() {
            return;
        }
        let next_hop = back.next_hop;
        let requested_at = rreq.sent_at;
        let rrep = Rrep { hops, dst: rreq.dst, dst_seq, origin: rreq.origin, lifetime, requested_at };
        self.send_rrep(cx, rrep, next_hop);
    }

    /// Forwards a RREQ unless its TTL has expired. `known_seq` is the destination's number in this node's entry.
    fn forward_rreq(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, rreq: &Rreq, known_seq: u32) {
        let forwarded = cx.ctx.packet_mut(packet);
        if forwarded.ttl == 0 {
            cx.ctx.consume(packet);
            return;
        }
        forwarded.src = self.node;
        let dst_seq = if is_newer(known_seq, rreq.dst_seq) { known_seq } else { rreq.dst_seq };
        forwarded.payload = Payload::Control(Control::new(AodvMessage::Rreq(Rreq { dst_seq, ..*rreq })));
        let delay = self.draw_jitter();
        self.note_broadcast(cx.now() + delay);
        cx.send_after(packet, NodeId::BROADCAST, delay);
    }

    /// A RREP has arrived; `rrep.hops` counts its last hop.
    pub(super) fn on_rrep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId, rrep: &Rrep) {
        let now = cx.now();
        let is_for_me = rrep.origin == self.node;
        if self.rules.learns_neighbors {
            self.learn_neighbor(cx, from, None);
        }
        let index = self.entry(now, rrep.dst);
        let is_better = rrep.dst != self.node && self.table[index].accepts(rrep.dst_seq, rrep.hops);
        if is_better {
            self.install(cx, index, rrep.dst_seq, rrep.hops, from, now + rrep.lifetime);
            let entry = &mut self.table[index];
            entry.last_ttl = rrep.hops;
            if let Some(request) = &mut entry.request {
                request.count = 0;
                request.timeout = Time::ZERO;
            }
            if is_for_me {
                let latency = Span(now.since(rrep.requested_at).0 / u64::from(rrep.hops));
                entry.request_mut().record(latency);
            }
            self.flush(cx, index, SPACING);
        }
        if is_for_me {
            cx.ctx.deliver(self.node, packet);
        } else if is_better {
            self.forward_rrep(cx, packet, index, from, rrep);
        } else {
            cx.ctx.consume(packet);
        }
    }

    /// Forwards a RREP along the reverse route.
    fn forward_rrep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, forward: usize, from: RadioId, rrep: &Rrep) {
        let now = cx.now();
        let Some(reverse) = self.known(now, rrep.origin).filter(|&index| self.table[index].has_next_hop()) else {
            cx.drop(packet, DropReason::NoRoute);
            return;
        };
        cx.ctx.packet_mut(packet).payload = Payload::Control(Control::new(AodvMessage::Rrep(*rrep)));
        self.forward(cx, reverse, packet, Span::ZERO);
        let towards_origin = self.table[reverse].next_hop;
        self.table[forward].add_precursor(towards_origin);
        if self.rules.learns_neighbors {
            let neighbor = self.entry(now, cx.owner(from));
            self.table[neighbor].add_precursor(towards_origin);
        }
    }

    /// Raises the own number for a reply to a RREQ that states `known_seq` (RFC 3561 section 6.6.1).
    fn raise_seq_for_reply(&mut self, known_seq: u32) {
        match self.rules.numbering {
            Numbering::Even => {
                self.seq = self.seq.max(known_seq) + 1;
                self.seq += self.seq % 2;
            }
            Numbering::ByOne => {
                if is_newer(known_seq, self.seq) {
                    self.seq = known_seq;
                }
            }
        }
    }
}
