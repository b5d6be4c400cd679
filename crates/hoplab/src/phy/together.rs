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
    base: Time,
    /// The delay from which on an event comes before it.
    limit: u64,
    hearers: &'a [Hearer],
    next: usize,
    /// Of visits at the same moment its own is the first.
    is_older: bool,
}

impl Stream<'_> {
    /// When its next visit is, if no event comes before.
    #[inline]
    fn next_at(&self) -> Option<Time> {
        let hearer = self.hearers.get(self.next).filter(|hearer| hearer.delay().0 < self.limit)?;
        Some(self.base.later(hearer.delay()))
    }

    /// The delay from which on something comes before it: an event, or a visit of another one at `then`.
    #[inline]
    fn limit_before(&self, then: Option<Time>) -> u64 {
        let turn = then.map_or(u64::MAX, |then| (then.0 + u64::from(self.is_older)).saturating_sub(self.base.0));
        turn.min(self.limit)
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
        let mut ignoring = walks.map(|walk| self.take_ignoring(walk.transmission));
        let Medium { radios, places, transmissions, .. } = self;
        let stream = |which: usize| {
            let (walk, other) = (walks[which], walks[1 - which]);
            let sent = &transmissions[walk.transmission as usize];
            Stream {
                bit: bits[which],
                base: walk.base,
                limit: walk.limit(bound),
                hearers: places.hearers(sent.frame.ta, &sent.hearers),
                next: walk.next as usize,
                is_older: walk.ticket.moved(Time::ZERO) < other.ticket.moved(Time::ZERO),
            }
        };
        let mut streams = [stream(0), stream(1)];
        let mut which = 0;
        let told = loop {
            let then = streams[1 - which].next_at();
            let Stream { bit, base, hearers, next, .. } = streams[which];
            let limit = streams[which].limit_before(then);
            let mut rest = hearers[next..].iter();
            let told = loop {
                let Some(hearer) = rest.as_slice().first().filter(|hearer| hearer.delay().0 < limit) else {
                    break None;
                };
                let now = base.later(hearer.delay());
                ctx.now = now;
                let radio = &mut radios[hearer.node.index()];
                let told = bit.pass(radio, now, hearer, transmissions, &mut ignoring[which], &mut NoLedger);
                if let Some(told) = told {
                    break Some((hearer.node, told));
                }
                rest.next();
            };
            streams[which].next = hearers.len() - rest.len();
            if told.is_some() || then.is_none() {
                break told;
            }
            which = 1 - which;
            *turns += 1;
        };
        for (walk, stream) in walks.iter_mut().zip(&streams) {
            walk.next = stream.next as u32;
        }
        for (walk, ignoring) in walks.iter().zip(ignoring) {
            self.keep_ignoring(ctx, walk.transmission, ignoring);
        }
        if which == 1 {
            walks.reverse();
        }
        told
    }
}
