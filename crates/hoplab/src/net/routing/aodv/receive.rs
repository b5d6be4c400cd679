//! What a node does with requests and replies.

use super::message::{AodvMessage, Rrep, Rreq};
use super::send::whole_seconds_left;
use super::table::{State, is_newer};
use super::{Aodv, RouteCtx, RouteOut, SPACING};
use crate::kernel::{NodeId, Span, Time};
use crate::packet::{Control, PacketId, Payload};
use crate::trace::DropReason;

impl Aodv {
    pub(super) fn on_rreq(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId, rreq: &Rreq) {
        let now = cx.ctx.now;
        if self.is_rfc() && self.is_blacklisted(now, from)
            || rreq.origin == self.node
            || !self.seen.is_first(now, rreq.origin, rreq.id)
        {
            cx.ctx.consume(packet);
            return;
        }
        let reverse = self.learn_way_back(cx, from, rreq);
        if rreq.dst == self.node {
            self.reply_as_destination(cx, reverse, rreq);
            cx.ctx.consume(packet);
            return;
        }
        let Some(forward) = self.known(now, rreq.dst) else {
            self.relay_rreq(cx, packet, rreq, 0);
            return;
        };
        let known = &self.table[forward];
        if known.has_next_hop() && known.is_seq_known && !is_newer(rreq.dst_seq, known.seq) {
            self.reply_as_relay(cx, forward, reverse, rreq);
            cx.ctx.consume(packet);
        } else {
            let seq = known.seq;
            self.relay_rreq(cx, packet, rreq, seq);
        }
    }

    /// Makes or refreshes the route to a request's origin, and sends what has waited for it.
    fn learn_way_back(&mut self, cx: &mut RouteCtx<'_>, from: NodeId, rreq: &Rreq) -> usize {
        let now = cx.ctx.now;
        if self.is_rfc() {
            self.learn_neighbor(cx, from, None);
        }
        let life = self.constants.reverse_route_life.unwrap_or_else(|| self.minimal_lifetime(rreq.hops));
        let place = self.entry(now, rreq.origin);
        let entry = &mut self.table[place];
        let mut expire = now + life;
        if entry.state != State::Down {
            expire = expire.max(entry.expire);
            entry.expire = expire;
        }
        if !entry.accepts(rreq.origin_seq, rreq.hops) {
            return place;
        }
        self.install(cx, place, rreq.origin_seq, rreq.hops, from, expire);
        let entry = &mut self.table[place];
        if let Some(request) = entry.request.as_deref_mut().filter(|request| request.timeout > Time::ZERO) {
            request.count = 0;
            request.timeout = Time::ZERO;
            entry.last_ttl = rreq.hops;
            entry.expire = now + self.constants.active_route_timeout;
        }
        let spacing = if self.is_rfc() { SPACING } else { Span::ZERO };
        self.flush(cx, place, spacing);
        place
    }

    fn reply_as_destination(&mut self, cx: &mut RouteCtx<'_>, reverse: usize, rreq: &Rreq) {
        self.raise_seq_for_reply(rreq.dst_seq);
        let lifetime = self.constants.my_route_timeout;
        self.reply(cx, reverse, rreq, 0, self.seq, lifetime);
    }

    fn reply_as_relay(&mut self, cx: &mut RouteCtx<'_>, forward: usize, reverse: usize, rreq: &Rreq) {
        let (hops, seq) = (self.table[forward].hops, self.table[forward].seq);
        let expire = self.table[forward].expire;
        let now = cx.ctx.now;
        let lifetime = if self.is_rfc() { expire.since(now) } else { whole_seconds_left(now, expire) };
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

    /// Sends a request on, unless it has gone far enough. `known_seq` is what this node knows of the destination.
    fn relay_rreq(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, rreq: &Rreq, known_seq: u32) {
        let relayed = cx.ctx.packet_mut(packet);
        if relayed.ttl == 0 {
            cx.ctx.consume(packet);
            return;
        }
        relayed.src = self.node;
        let dst_seq = if is_newer(known_seq, rreq.dst_seq) { known_seq } else { rreq.dst_seq };
        relayed.payload = Payload::Control(Control::new(AodvMessage::Rreq(Rreq { dst_seq, ..*rreq })));
        let delay = self.draw_jitter();
        self.note_broadcast(cx.ctx.now + delay);
        cx.out.push(RouteOut::Send { packet, next_hop: NodeId::BROADCAST, delay });
    }

    pub(super) fn on_rrep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId, rrep: &Rrep) {
        let now = cx.ctx.now;
        let is_for_me = rrep.origin == self.node;
        if self.is_rfc() {
            self.learn_neighbor(cx, from, None);
        }
        let place = self.entry(now, rrep.dst);
        let is_news = rrep.dst != self.node && self.table[place].accepts(rrep.dst_seq, rrep.hops);
        if is_news {
            self.install(cx, place, rrep.dst_seq, rrep.hops, from, now + rrep.lifetime);
            let entry = &mut self.table[place];
            entry.last_ttl = rrep.hops;
            if let Some(request) = &mut entry.request {
                request.count = 0;
                request.timeout = Time::ZERO;
            }
            if is_for_me {
                let latency = Span(now.since(rrep.requested_at).0 / u64::from(rrep.hops));
                entry.request_mut().record(latency);
            }
            self.flush(cx, place, SPACING);
        }
        if is_for_me {
            cx.ctx.deliver(self.node, packet);
        } else if is_news {
            self.relay_rrep(cx, packet, place, from, rrep);
        } else {
            cx.ctx.consume(packet);
        }
    }

    /// Sends a reply on along the way back to the node that asked.
    fn relay_rrep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, forward: usize, from: NodeId, rrep: &Rrep) {
        let now = cx.ctx.now;
        let Some(reverse) = self.known(now, rrep.origin).filter(|&place| self.table[place].has_next_hop()) else {
            cx.ctx.drop(self.node, packet, DropReason::NoRoute);
            return;
        };
        cx.ctx.packet_mut(packet).payload = Payload::Control(Control::new(AodvMessage::Rrep(*rrep)));
        self.forward(cx, reverse, packet, Span::ZERO);
        let towards_origin = self.table[reverse].next_hop;
        self.table[forward].add_precursor(towards_origin);
        if self.is_rfc() {
            let neighbor = self.entry(now, from);
            self.table[neighbor].add_precursor(towards_origin);
        }
    }

    /// The own sequence number with which this node answers a request that knew it by `known_seq`.
    fn raise_seq_for_reply(&mut self, known_seq: u32) {
        if self.is_rfc() {
            if is_newer(known_seq, self.seq) {
                self.seq = known_seq;
            }
        } else {
            self.seq = self.seq.max(known_seq) + 1;
            self.seq += self.seq % 2;
        }
    }
}
