//! First bits of two frames on their way at the same time.
//!
//! Stations that count slots in step often begin to send at the same moment. The bits of both frames then pass their
//! hearers by turns, few at a time; with an event for each turn those are a quarter of all events of a dense network.
//! Here both walks go on together, in the order that events would have.

use super::ledger::NoLedger;
use super::medium::{FIRST_BITS, Hearer, Medium};
use super::walk::{FirstBit, Told, Walk};
use crate::kernel::{Event, Floor, NodeId, Time};
use crate::trace::Ctx;

/// One of the two.
#[derive(Clone, Copy)]
struct Stream<'a> {
    bit: FirstBit,
    walk: Walk,
    /// The delay from which on an event comes before it.
    limit: u64,
    rest: &'a [Hearer],
    /// Hearers in all.
    count: u32,
}

impl<'a> Stream<'a> {
    /// Its next hearer and when the bit is there, if no event comes before.
    #[inline]
    fn next(&self) -> Option<(Time, &'a Hearer)> {
        let hearer = self.rest.first().filter(|hearer| hearer.delay().0 < self.limit)?;
        Some((self.walk.base.later(hearer.delay()), hearer))
    }

    /// Whether its visit at `now` comes before one of another walk.
    #[inline]
    fn is_before(&self, now: Time, other: &Stream<'_>, then: Time) -> bool {
        self.walk.ticket.moved(now) < other.walk.ticket.moved(then)
    }
}

impl Medium {
    /// Whether another walk of first bits is what comes before the next visit of this one.
    #[inline]
    pub fn has_company(&self, ctx: &Ctx, walk: &Walk, until: Time) -> bool {
        let is_walk = |event: Event| event.floor == Floor::Phy && event.slot == FIRST_BITS;
        walk.slot == FIRST_BITS
            && self.is_plain
            && (walk.next as usize) < self.hearers(walk.transmission).len()
            && ctx.events.peek().is_some_and(|(at, event)| at <= until && is_walk(event))
    }

    /// Lets two walks, of which the first is next, visit hearers, each at its time, up to one whose MAC is to be told: then
    /// the first walk stays there. Counts turns. `None`: an event comes first, or all have been visited.
    pub fn pass_together(
        &mut self,
        ctx: &mut Ctx,
        walks: &mut [Walk; 2],
        until: Time,
        turns: &mut u64,
    ) -> Option<(NodeId, Told)> {
        let bound = ctx.events.bound(until);
        let bits = walks.map(|walk| self.first_bit_of(walk.transmission));
        let Medium { radios, places, transmissions, .. } = self;
        let stream = |walk: Walk, bit| {
            let sent = &transmissions[walk.transmission as usize];
            let hearers = places.hearers(sent.frame.ta, &sent.hearers);
            let rest = hearers.get(walk.next as usize..).unwrap_or(&[]);
            Stream { bit, walk, limit: walk.limit(bound), rest, count: hearers.len() as u32 }
        };
        let mut streams = [stream(walks[0], bits[0]), stream(walks[1], bits[1])];
        let mut is_second = false;
        let told = loop {
            let [first, second] = &mut streams;
            let (stream, other) = if is_second { (second, first) } else { (first, second) };
            let turn = other.next().map(|(at, _)| at);
            let told = loop {
                let Some((now, hearer)) = stream.next() else { break None };
                if turn.is_some_and(|then| other.is_before(then, stream, now)) {
                    break None;
                }
                ctx.now = now;
                let radio = &mut radios[hearer.node.index()];
                if let Some(told) = stream.bit.pass(radio, now, hearer, transmissions, &mut NoLedger) {
                    break Some((hearer.node, told));
                }
                stream.rest = &stream.rest[1..];
            };
            if told.is_some() || turn.is_none() {
                break told;
            }
            is_second = !is_second;
            *turns += 1;
        };
        for (walk, stream) in walks.iter_mut().zip(&streams) {
            walk.next = stream.count - stream.rest.len() as u32;
        }
        if is_second {
            walks.reverse();
        }
        told
    }
}
