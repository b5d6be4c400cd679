//! Broken links: local repair, giving routes up, and telling others.

use super::message::{AodvMessage, Unreachable};
use super::rfc::common_recipient;
use super::table::{State, is_newer};
use super::{Aodv, RouteCtx, RouteOut};
use crate::kernel::{NodeId, Span};
use crate::packet::{PacketId, Payload};
use crate::trace::DropReason;

impl Aodv {
    /// A packet could not be sent to its next hop, for this `reason`.
    pub(super) fn on_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason) {
        let failed = cx.ctx.packet(packet);
        let (dst, forwards) = (failed.dst, failed.hop.count);
        if let Payload::Control(message) = &failed.payload {
            if self.is_rfc() && matches!(message.get(), Some(AodvMessage::Rrep(_))) {
                self.blacklist(cx.ctx.now, next_hop);
            }
            cx.ctx.drop(self.node, packet, reason);
            return;
        }
        let Some(place) = self.known(cx.ctx.now, dst) else {
            cx.ctx.drop(self.node, packet, DropReason::LinkFailure);
            return;
        };
        if self.is_rfc() {
            self.on_failure_rfc(cx, place, packet, next_hop);
        } else if self.constants.local_repair && forwards > u16::from(self.table[place].hops) {
            // ns-2's repair timer is set so late by mistake that a repair in effect never times out.
            self.keep(cx, packet, dst);
            self.note_break(cx, place);
            self.table[place].state = State::InRepair;
            self.request_ns2(cx, place);
        } else {
            cx.ctx.drop(self.node, packet, DropReason::LinkFailure);
            cx.out.push(RouteOut::Purge { next_hop, reason: DropReason::LinkFailure });
            self.lose_neighbor(cx, next_hop);
        }
    }

    /// Counts a route that was in use and is no more. One that ends unused is not counted: nobody misses it.
    pub(super) fn note_break(&self, cx: &mut RouteCtx<'_>, place: usize) {
        let entry = &self.table[place];
        if entry.state == State::Up {
            cx.ctx.route_lost(self.node, entry.dst);
        }
    }

    fn on_failure_rfc(&mut self, cx: &mut RouteCtx<'_>, place: usize, packet: PacketId, next_hop: NodeId) {
        let is_relay = cx.ctx.packet(packet).origin() != self.node;
        let entry = &self.table[place];
        let (dst, state) = (entry.dst, entry.state);
        if state == State::InRepair {
            self.keep(cx, packet, dst);
        } else if self.constants.local_repair && is_relay && entry.next_hop == next_hop && self.is_repairable(place) {
            self.repair_rfc(cx, place, packet);
            self.lose_neighbor(cx, next_hop);
        } else {
            cx.ctx.drop(self.node, packet, DropReason::LinkFailure);
            cx.out.push(RouteOut::Purge { next_hop, reason: DropReason::LinkFailure });
            self.lose_neighbor(cx, next_hop);
        }
    }

    /// Gives up all routes through a neighbor, and tells whom it concerns: all neighbors (ns2), or those that have
    /// used them (rfc).
    pub(super) fn lose_neighbor(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let is_rfc = self.is_rfc();
        let forget_at = cx.ctx.now + self.constants.delete_period();
        if !is_rfc {
            self.seq += 2;
        }
        let mut lines = Vec::new();
        let mut to = None;
        for place in (0..self.table.len()).rev() {
            if is_rfc {
                self.age(place, cx.ctx.now);
            }
            let entry = &mut self.table[place];
            entry.remove_precursor(neighbor);
            if !entry.has_next_hop() || entry.next_hop != neighbor {
                continue;
            }
            let was_up = entry.state == State::Up;
            entry.break_route();
            if was_up {
                cx.ctx.route_lost(self.node, entry.dst);
            }
            let line = Unreachable { dst: entry.dst, seq: entry.seq };
            if is_rfc {
                entry.expire = forget_at;
                if entry.precursors.is_empty() {
                    continue;
                }
                to = common_recipient(std::mem::take(&mut entry.precursors), to);
            }
            lines.push(line);
        }
        if !lines.is_empty() {
            self.send_rerr(cx, &lines, to.unwrap_or(NodeId::BROADCAST), Span::ZERO);
        }
    }

    /// A neighbor says what it can no longer reach.
    pub(super) fn on_rerr(&mut self, cx: &mut RouteCtx<'_>, lines: &[Unreachable], from: NodeId) {
        let is_rfc = self.is_rfc();
        let forget_at = cx.ctx.now + self.constants.delete_period();
        let mut concerns_me = false;
        let mut passed_on = Vec::new();
        let mut to = None;
        for line in lines {
            let Some(place) = self.known(cx.ctx.now, line.dst) else { continue };
            let entry = &mut self.table[place];
            // RFC 3561 section 6.11 does not compare sequence numbers here; ns-2 does.
            let is_current = is_rfc || !is_newer(entry.seq, line.seq);
            if !entry.has_next_hop() || entry.next_hop != from || !is_current {
                continue;
            }
            concerns_me = true;
            if entry.state == State::Up {
                cx.ctx.route_lost(self.node, entry.dst);
            }
            if is_rfc {
                entry.break_route();
                if is_newer(line.seq, entry.seq) {
                    entry.seq = line.seq;
                }
                entry.expire = forget_at;
            } else {
                entry.seq = line.seq;
                entry.invalidate();
            }
            let seq = entry.seq;
            if !entry.precursors.is_empty() {
                passed_on.push(Unreachable { dst: line.dst, seq });
                to = common_recipient(std::mem::take(&mut entry.precursors), to);
            }
        }
        if concerns_me && !is_rfc {
            cx.out.push(RouteOut::Purge { next_hop: from, reason: DropReason::LinkFailure });
        }
        if !passed_on.is_empty() {
            let delay = self.draw_jitter();
            let to = if is_rfc { to.unwrap_or(NodeId::BROADCAST) } else { NodeId::BROADCAST };
            self.send_rerr(cx, &passed_on, to, delay);
        }
    }
}
