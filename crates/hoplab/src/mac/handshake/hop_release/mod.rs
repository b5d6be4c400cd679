//! Release by overhearing: the next packet for a hop waits until that hop is heard to send the last one on.
//!
//! # Model
//! A long packet, data, that a next hop has acknowledged is on its way there. The next long one for this hop is parked until the hop is
//! overheard to send a long packet to another node, and some exchanges more: so that packet has left the range of carrier sense. A
//! packet for its last hop and short ones, acknowledgments, contend at once. A node that holds packets of others answers no further
//! RTS for a long one. At its retry limit a packet is tried again, with the first window. See `docs/protocols/hop_release.md`.
//! # Source
//! Scheuermann, Lochert and Mauve, "Implicit hop-by-hop congestion control in wireless multihop networks", Ad Hoc Networks 6
//! (2008): release by overhearing. Holding, requeue and further exchanges are ours.
//! # Deviations
//! From CXCC: no request for acknowledgment (RFA). Silence of the next hop ends the wait after a time; ACKs of the MAC stay.
//! # Parameters
//! Table `[hop_release]`.

mod next_hop;
mod rules;

pub use rules::HopReleaseRules;

use super::policy::{Decision, HandshakePolicy, LocalState, RtsBits, RtsResponse, Taken};
use super::setup::{EngineHandshake, HandshakeSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::timing::Timing;
use crate::packet::{Backlog, Category, Frame, FrameKind};
use next_hop::{NextHop, Waits};

/// The policy at one node.
#[derive(Clone, Debug)]
pub struct HopRelease {
    radio: RadioId,
    rules: HopReleaseRules,
    waits: Waits,
    /// Packets of one grant.
    turn: u32,
    /// Length from which on a packet is long; the same of a data frame, and the Duration of its RTS.
    long_from: u32,
    long_frame: u32,
    long_duration: u16,
    /// Neighbors that were sent long packets, or heard to send any.
    hops: Vec<NextHop>,
    /// The data packets that the MAC has taken last, by access category.
    taken: [Option<Service>; Category::COUNT],
    /// Category of the last own frame.
    serving: Category,
    backlog: Backlog,
}

/// A data packet in the MAC.
#[derive(Clone, Copy, Debug)]
struct Service {
    packet: Taken,
    is_long: bool,
    /// Times that it was tried again.
    again: u32,
}

impl Service {
    /// Whether it waits for the one before it: a long packet that its next hop sends on.
    fn waits(&self) -> bool {
        self.is_long && self.packet.dst != self.packet.next
    }
}

impl HopRelease {
    fn hop(&mut self, id: RadioId) -> &mut NextHop {
        let place = self.hops.iter().position(|hop| hop.id == id).unwrap_or_else(|| {
            self.hops.push(NextHop::new(id));
            self.hops.len() - 1
        });
        &mut self.hops[place]
    }

    /// Until when a packet of this hop waits.
    fn until(&mut self, now: Time, next: RadioId) -> Option<Time> {
        let waits = self.waits;
        self.hops.iter_mut().find(|hop| hop.id == next)?.until(now, &waits)
    }

    fn service(&self, local: &LocalState) -> Option<&Service> {
        self.taken[local.category as usize].as_ref().filter(|service| local.data == Some(service.packet.next))
    }

    /// Long packets of other nodes that this one holds, and not for `to`.
    fn held_for_others(&self, local: &LocalState, to: RadioId) -> u32 {
        let is_other = |service: &&Service| service.is_long && !service.packet.is_own && service.packet.next != to;
        let in_mac = self.service(local).filter(is_other).map_or(0, |_| local.packets);
        self.backlog.transit.except(to) + self.backlog.elsewhere + in_mac
    }

    /// Whether a frame is sent for a long packet.
    fn is_for_long(&self, frame: &Frame) -> bool {
        match frame.kind {
            FrameKind::Rts => frame.duration >= self.long_duration,
            FrameKind::Data | FrameKind::Aggregate => frame.bytes >= self.long_frame && !frame.is_broadcast(),
            _ => false,
        }
    }
}

impl HandshakePolicy for HopRelease {
    fn respond(&mut self, _now: Time, rts: &Frame, local: &LocalState) -> RtsResponse {
        let most = self.rules.hold.saturating_mul(self.turn);
        if self.rules.hold > 0 && self.is_for_long(rts) && self.held_for_others(local, rts.ta) >= most {
            return RtsResponse::Silence;
        }
        RtsResponse::Cts { order: false }
    }

    fn response_airtime(&self, timing: &Timing) -> Span {
        timing.cts
    }

    fn on_backlog(&mut self, backlog: Backlog) {
        self.backlog = backlog;
    }

    fn on_taken(&mut self, packet: &Taken) {
        let is_long = packet.bytes >= self.long_from;
        self.taken[packet.category as usize] = Some(Service { packet: *packet, is_long, again: 0 });
    }

    fn passes(&self, bytes: u32) -> bool {
        bytes < self.long_from
    }

    fn decide(&mut self, now: Time, local: &LocalState, _is_first: bool) -> Decision {
        self.serving = local.category;
        let Some(next) = self.service(local).filter(|service| service.waits()).map(|service| service.packet.next)
        else {
            return Decision::Contend;
        };
        self.until(now, next).map_or(Decision::Contend, |until| Decision::Park { until })
    }

    fn decides_without_rts(&self) -> bool {
        true
    }

    fn rts_bits(&mut self, local: &LocalState) -> RtsBits {
        self.serving = local.category;
        RtsBits::default()
    }

    fn data_order(&mut self, local: &LocalState) -> bool {
        self.serving = local.category;
        false
    }

    fn on_frame(&mut self, now: Time, frame: &Frame) -> bool {
        if frame.ta == self.radio || frame.ra == self.radio || !self.is_for_long(frame) {
            return false;
        }
        let waits = self.waits;
        self.hop(frame.ta).on_heard(now, frame, &waits)
    }

    fn may_unpark(&mut self, now: Time, local: &LocalState) -> bool {
        local.data.is_none_or(|next| self.until(now, next).is_none())
    }

    fn parked_until(&mut self, now: Time, local: &LocalState) -> Option<Time> {
        local.data.and_then(|next| self.until(now, next))
    }

    fn on_acknowledged(&mut self, now: Time, by: RadioId, _order: bool) {
        let Some(service) = self.taken[self.serving as usize].filter(|service| service.packet.next == by) else {
            return;
        };
        if service.waits() {
            self.hop(by).on_sent(now, service.packet.dst, service.packet.hops_left);
        }
    }

    fn repeats(&mut self, category: Category) -> bool {
        let most = self.rules.requeue;
        self.taken[category as usize].as_mut().is_some_and(|service| {
            service.again += 1;
            service.again <= most
        })
    }

    fn swaps(&self) -> bool {
        self.rules.swap
    }

    fn withheld(&mut self, now: Time, put: &mut dyn FnMut(RadioId)) {
        let waits = self.waits;
        self.hops.iter_mut().filter_map(|hop| hop.until(now, &waits).map(|_| hop.id)).for_each(put);
    }
}

impl EngineHandshake for HopRelease {
    const PAGE: &'static str = "hop_release";
    type Rules = HopReleaseRules;

    fn build(rules: &HopReleaseRules, setup: &HandshakeSetup<'_>) -> HopRelease {
        let (timing, turn) = (setup.timing, setup.turn);
        let long_from = rules.long_from(turn.longest_packet());
        HopRelease {
            radio: setup.radio,
            waits: Waits::new(rules, turn.exchange(timing), turn.packets() > 1),
            turn: turn.packets(),
            long_from,
            long_frame: timing.data_bytes(long_from),
            long_duration: timing.rts_duration(timing.data(long_from, false), timing.unicast),
            rules: rules.clone(),
            hops: Vec::new(),
            taken: [None; Category::COUNT],
            serving: Category::default(),
            backlog: Backlog::default(),
        }
    }
}

#[cfg(test)]
mod tests;
