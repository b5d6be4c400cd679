//! One line of packets, first in, first out, under the rule of a discipline: RED, CoDel, PIE.

use super::discipline::{QueueCtx, QueueSetup, RadioPart};
use super::managed::{Limits, Line, Manager, Wanted};
use super::parameters::QueueParameters;
use crate::kernel::RadioId;
use crate::packet::{PacketId, Packets};
use crate::trace::DropReason;
use std::fmt::Debug;

/// When one line drops or marks packets.
pub trait Rule: Debug + Sized {
    /// What it does, in one line.
    const SUMMARY: &'static str;

    /// Keys of `[queue]` in addition to `kind`, `limit` and `limit_bytes`.
    const KEYS: &'static [&'static str];

    /// Packets that may wait, unless `limit` is given.
    const LIMIT: u32 = 1_000;

    /// See [`EngineDiscipline::radio_part`](super::discipline::EngineDiscipline::radio_part).
    fn radio_part(config: &QueueParameters) -> RadioPart {
        let _ = config;
        RadioPart::None
    }

    /// The rule of an empty line.
    fn build(setup: &QueueSetup<'_>) -> Self;

    /// A packet arrives, before the limits of the line decide.
    fn on_arrival(&mut self, _cx: &QueueCtx<'_>, _line: &Line) {}

    /// The limits refused the packet.
    fn on_overflow(&mut self) {}

    /// Whether an arriving packet is dropped; a packet that is marked instead is not.
    fn drops(&mut self, _cx: &mut QueueCtx<'_>, _line: &Line, _packet: PacketId) -> bool {
        false
    }

    /// Takes the packet that is wanted; others of those may be dropped before.
    fn next(&mut self, cx: &mut QueueCtx<'_>, line: &mut Line, wanted: Wanted) -> Option<PacketId>;
}

/// One line of packets under a rule.
#[derive(Debug)]
pub struct Single<R> {
    rule: R,
    limits: Limits,
    line: Line,
}

#[cfg(test)]
impl<R> Single<R> {
    pub(super) fn rule(&self) -> &R {
        &self.rule
    }

    pub(super) fn rule_mut(&mut self) -> &mut R {
        &mut self.rule
    }
}

impl<R: Rule> Manager for Single<R> {
    const SUMMARY: &'static str = R::SUMMARY;
    const KEYS: &'static [&'static str] = R::KEYS;
    const LIMIT: u32 = R::LIMIT;

    fn radio_part(config: &QueueParameters) -> RadioPart {
        R::radio_part(config)
    }

    fn build(setup: &QueueSetup<'_>) -> Single<R> {
        Single { rule: R::build(setup), limits: Limits::of(setup), line: Line::default() }
    }

    fn arrive(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId) -> Result<(), DropReason> {
        self.rule.on_arrival(cx, &self.line);
        let bytes = cx.packets.get(packet.0).bytes;
        if self.limits.refuse(&self.line, bytes) {
            self.rule.on_overflow();
            return Err(DropReason::QueueFull);
        }
        if self.rule.drops(cx, &self.line, packet) {
            return Err(DropReason::Early);
        }
        self.line.push(packet, bytes);
        Ok(())
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.rule.next(cx, &mut self.line, Wanted::First)
    }

    fn next_for(&mut self, cx: &mut QueueCtx<'_>, next_hop: RadioId, most: u32) -> Option<PacketId> {
        self.rule.next(cx, &mut self.line, Wanted::Joining { next_hop, most })
    }

    fn peek(&self) -> Option<PacketId> {
        self.line.peek()
    }

    fn len(&self) -> usize {
        self.line.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.line.visit(visit);
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        self.line.purge(next_hop, packets)
    }
}
