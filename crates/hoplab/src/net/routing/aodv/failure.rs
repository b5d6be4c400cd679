//! Broken links: local repair, invalidated routes, and RERRs (RFC 3561 sections 6.11 and 6.12).

use super::agent::{Aodv, REPAIR};
use super::message::{AodvMessage, Unreachable};
use super::rules::{Errors, Numbering, Repair};
use super::state::entry::{State, is_newer};
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{PacketId, Payload};
use crate::trace::DropReason;
use smallvec::SmallVec;

/// Recipients of a RERR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recipients {
    /// All neighbors.
    All,
    /// These radios of neighbors: one by unicast, several by broadcast (RFC 3561 section 6.11).
    Radios(SmallVec<[RadioId; 2]>),
}

/// `LOCAL_ADD_TTL`: hops that are added to the TTL of a local repair.
const LOCAL_ADD_TTL: u8 = 2;

impl Aodv {
    /// A packet could not be sent to its next hop.
    pub(super) fn on_failure(
        &mut self,
        cx: &mut RouteCtx<'_>,
        packet: PacketId,
        next_hop: RadioId,
        reason: DropReason,
    ) {
        let now = cx.now();
        let failed = cx.ctx.packet(packet);
        let dst = failed.dst;
        if let Payload::Control(message) = &failed.payload {
            // The neighbor's RREQ arrives at this node, but no RREP arrives at the neighbor (RFC 3561 section 6.8).
            if self.rules.learns_neighbors && matches!(message.get(), Some(AodvMessage::Rrep(_))) {
                self.limits.blacklist(now, next_hop, now + self.config.blacklist_timeout());
            }
            cx.drop(packet, reason);
            return;
        }
        let Some(index) = self.known(now, dst) else {
            cx.drop(packet, DropReason::LinkFailure);
            return;
        };
        match self.rules.repair {
            Repair::NearDestination => self.repair_near_destination(cx, index, packet, next_hop),
            Repair::ShortRoutes => self.repair_short_route(cx, index, packet, next_hop),
        }
    }

    /// ns-2: repairs the route if the packet has traveled more hops than remain.
    ///
    /// ns-2 schedules the end of a repair so late, by mistake, that a repair never times out.
    fn repair_near_destination(&mut self, cx: &mut RouteCtx<'_>, index: usize, packet: PacketId, next_hop: RadioId) {
        let failed = cx.ctx.packet(packet);
        let travelled = if self.is_own(failed) { 0 } else { failed.hop.count };
        if !self.config.local_repair || travelled <= u16::from(self.table[index].hops) {
            self.give_up(cx, packet, next_hop);
            return;
        }
        self.keep(cx, packet, self.table[index].dst);
        self.note_break(cx, index);
        self.table[index].state = State::InRepair;
        self.request(cx, index);
    }

    /// RFC 3561 section 6.12: repairs the route of a relay if it is short.
    fn repair_short_route(&mut self, cx: &mut RouteCtx<'_>, index: usize, packet: PacketId, next_hop: RadioId) {
        let is_relay = !self.is_own(cx.ctx.packet(packet));
        let entry = &self.table[index];
        let is_short = entry.state == State::Up && entry.hops <= self.config.max_repair_ttl();
        if entry.state == State::InRepair {
            self.keep(cx, packet, entry.dst);
        } else if self.config.local_repair && is_relay && entry.next_hop == next_hop && is_short {
            self.start_repair(cx, index, packet);
            self.lose_neighbor(cx, next_hop);
        } else {
            self.give_up(cx, packet, next_hop);
        }
    }

    /// Buffers the packet, and sends a RREQ whose TTL is little more than the lost route.
    fn start_repair(&mut self, cx: &mut RouteCtx<'_>, index: usize, packet: PacketId) {
        let now = cx.now();
        let travelled = cx.ctx.packet(packet).hop.count;
        self.note_break(cx, index);
        let entry = &mut self.table[index];
        let dst = entry.dst;
        let ttl = entry.hops.max((travelled / 2).min(u16::from(u8::MAX)) as u8);
        let ttl = ttl.saturating_add(LOCAL_ADD_TTL).min(self.config.network_diameter);
        entry.break_route();
        entry.state = State::InRepair;
        self.keep(cx, packet, dst);
        let wait = self.config.node_traversal_time * (2 * u64::from(ttl));
        self.end_discovery(cx, index);
        let timer = cx.set_timer(now + wait, REPAIR, dst);
        self.table[index].request_mut().timer = Some(timer);
        if self.limits.allow_rreq(now).is_ok() {
            self.send_rreq(cx, index, ttl);
        }
    }

    /// A local repair has failed.
    pub(super) fn on_repair_timer(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let now = cx.now();
        let index = self.entry(now, dst);
        let forget_at = now + self.config.delete_period();
        let entry = &mut self.table[index];
        entry.request_mut().timer = None;
        if entry.state != State::InRepair {
            return;
        }
        entry.state = State::Down;
        entry.expire = forget_at;
        let seq = entry.seq;
        let precursors = std::mem::take(&mut entry.precursors);
        self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
        if !precursors.is_empty() {
            self.send_rerr(cx, &[Unreachable { dst, seq }], &Recipients::Radios(precursors), Span::ZERO);
        }
    }

    /// Drops the packet and all queued ones for the next hop, and gives up all routes through it.
    fn give_up(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId) {
        cx.drop(packet, DropReason::LinkFailure);
        cx.purge(next_hop, DropReason::LinkFailure);
        self.lose_neighbor(cx, next_hop);
    }

    /// Counts the loss of a valid route. One that expires unused is not counted.
    fn note_break(&self, cx: &mut RouteCtx<'_>, index: usize) {
        let entry = &self.table[index];
        if entry.state == State::Up {
            cx.route_lost(entry.dst);
        }
    }

    /// Gives up all routes through a radio of a neighbor, and sends a RERR for them.
    pub(super) fn lose_neighbor(&mut self, cx: &mut RouteCtx<'_>, neighbor: RadioId) {
        let forget_at = cx.now() + self.config.delete_period();
        if self.rules.numbering == Numbering::Even {
            self.seq += 2;
        }
        let mut lost = Vec::new();
        let mut to = Recipients::of(self.rules.errors);
        for index in (0..self.table.len()).rev() {
            self.age(index, cx.now());
            let entry = &mut self.table[index];
            entry.remove_precursor(neighbor);
            if !entry.has_next_hop() || entry.next_hop != neighbor {
                continue;
            }
            let was_up = entry.state == State::Up;
            entry.break_route();
            if was_up {
                cx.route_lost(entry.dst);
            }
            let unreachable = Unreachable { dst: entry.dst, seq: entry.seq };
            if self.rules.errors == Errors::Precursors {
                entry.expire = forget_at;
                if entry.precursors.is_empty() {
                    continue;
                }
                to.add(std::mem::take(&mut entry.precursors));
            }
            lost.push(unreachable);
        }
        if !lost.is_empty() {
            self.send_rerr(cx, &lost, &to, Span::ZERO);
        }
    }

    /// A RERR of a neighbor has arrived.
    pub(super) fn on_rerr(&mut self, cx: &mut RouteCtx<'_>, received: &[Unreachable], neighbor: NodeId) {
        let errors = self.rules.errors;
        let forget_at = cx.now() + self.config.delete_period();
        let mut is_affected = false;
        let mut forwarded = Vec::new();
        let mut to = Recipients::of(errors);
        for line in received {
            let Some(index) = self.known(cx.now(), line.dst) else { continue };
            let entry = &mut self.table[index];
            // RFC 3561 section 6.11 does not compare sequence numbers here; ns-2 does.
            let is_current = errors == Errors::Precursors || !is_newer(entry.seq, line.seq);
            if !entry.has_next_hop() || cx.owner(entry.next_hop) != neighbor || !is_current {
                continue;
            }
            is_affected = true;
            if entry.state == State::Up {
                cx.route_lost(entry.dst);
            }
            match errors {
                Errors::Precursors => {
                    entry.break_route();
                    if is_newer(line.seq, entry.seq) {
                        entry.seq = line.seq;
                    }
                    entry.expire = forget_at;
                }
                Errors::Broadcast => {
                    entry.seq = line.seq;
                    entry.invalidate();
                }
            }
            let seq = entry.seq;
            if !entry.precursors.is_empty() {
                forwarded.push(Unreachable { dst: line.dst, seq });
                to.add(std::mem::take(&mut entry.precursors));
            }
        }
        if is_affected && errors == Errors::Broadcast {
            for radio in cx.ctx.radios.of(neighbor) {
                cx.purge(radio, DropReason::LinkFailure);
            }
        }
        if !forwarded.is_empty() {
            let delay = self.draw_jitter();
            self.send_rerr(cx, &forwarded, &to, delay);
        }
    }
}

impl Recipients {
    /// Those of a RERR without destinations yet.
    fn of(errors: Errors) -> Recipients {
        match errors {
            Errors::Broadcast => Recipients::All,
            Errors::Precursors => Recipients::Radios(SmallVec::new()),
        }
    }

    /// Adds the precursors of one more route.
    fn add(&mut self, precursors: SmallVec<[RadioId; 2]>) {
        if let Recipients::Radios(radios) = self {
            for precursor in precursors {
                if !radios.contains(&precursor) {
                    radios.push(precursor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precursors_of_several_routes_are_counted_once() {
        let mut to = Recipients::of(Errors::Precursors);
        to.add(SmallVec::from_slice(&[RadioId(4)]));
        to.add(SmallVec::from_slice(&[RadioId(4), RadioId(5)]));
        assert_eq!(to, Recipients::Radios(SmallVec::from_slice(&[RadioId(4), RadioId(5)])));
        let mut to = Recipients::of(Errors::Broadcast);
        to.add(SmallVec::from_slice(&[RadioId(4)]));
        assert_eq!(to, Recipients::All);
    }
}
