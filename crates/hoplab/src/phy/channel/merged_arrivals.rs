//! First bits of two frames on their way at the same time.
//!
//! Stations that count slots in step often begin to send at the same moment. The bits of both frames then pass their
//! receivers by turns, few at a time; with an event for each turn those are a quarter of all events of a dense network.
//! Here both walks go on together, in the order that events would have.

use super::airtime_probe::NoProbe;
use super::arrivals::{ArrivalCursor, PhyIndication};
use super::medium::{Medium, Receiver};
use super::signal::{Met, SignalStart};
use crate::kernel::{NodeId, Time};
use crate::sim::Ctx;

/// One of the two.
#[derive(Clone, Copy)]
struct Stream<'a> {
    bit: SignalStart,
    base: Time,
    /// The delay from which on an event comes before it.
    limit: u64,
    receivers: &'a [Receiver],
    next: usize,
    /// Of visits at the same moment its own is the first.
    is_older: bool,
}

impl Stream<'_> {
    /// When its next visit is, if no event comes before.
    #[inline]
    fn next_at(&self) -> Option<Time> {
        let receiver = self.receivers.get(self.next).filter(|receiver| receiver.delay().0 < self.limit)?;
        Some(self.base.later(receiver.delay()))
    }

    /// The delay from which on something comes before it: an event, or a visit of another one at `then`.
    #[inline]
    fn limit_before(&self, then: Option<Time>) -> u64 {
        let turn = then.map_or(u64::MAX, |then| (then.0 + u64::from(self.is_older)).saturating_sub(self.base.0));
        turn.min(self.limit)
    }
}

impl Medium {
    /// Lets two walks, of which the first is next, visit receivers, each at its time, up to one whose MAC is to be told: then
    /// the first walk stays there. Counts turns. `None`: an event comes first, or all have been visited.
    pub fn pass_together(
        &mut self,
        ctx: &mut Ctx,
        walks: &mut [ArrivalCursor; 2],
        until: Time,
        turns: &mut u64,
    ) -> Option<(NodeId, PhyIndication)> {
        let bound = ctx.events.bound(until);
        let bits = walks.map(|walk| self.first_bit_of(walk.transmission));
        let mut ignoring = walks.map(|walk| self.take_ignoring(walk.transmission));
        let mut are_new = [false; 2];
        let Medium { radios, places, transmissions, .. } = self;
        let stream = |which: usize| {
            let (walk, other) = (walks[which], walks[1 - which]);
            let sent = &transmissions[walk.transmission as usize];
            Stream {
                bit: bits[which],
                base: walk.base,
                limit: walk.limit(bound),
                receivers: places.receivers(sent.receivers),
                next: walk.next as usize,
                is_older: walk.ticket.moved(Time::ZERO) < other.ticket.moved(Time::ZERO),
            }
        };
        let mut streams = [stream(0), stream(1)];
        let mut which = 0;
        let told = loop {
            let then = streams[1 - which].next_at();
            let Stream { bit, base, receivers, next, .. } = streams[which];
            let limit = streams[which].limit_before(then);
            let mut rest = receivers[next..].iter();
            let told = loop {
                let Some(receiver) = rest.as_slice().first().filter(|receiver| receiver.delay().0 < limit) else {
                    break None;
                };
                let now = base.later(receiver.delay());
                ctx.now = now;
                let radio = &mut radios[receiver.node.index()];
                match bit.pass(radio, now, receiver, transmissions, &mut NoProbe) {
                    Some(Met::PhyIndication(told)) => break Some((receiver.node, told)),
                    Some(Met::Waits) => are_new[which] |= ignoring[which].join(radio, receiver),
                    None => {}
                }
                rest.next();
            };
            streams[which].next = receivers.len() - rest.len();
            if told.is_some() || then.is_none() {
                break told;
            }
            which = 1 - which;
            *turns += 1;
        };
        for (walk, stream) in walks.iter_mut().zip(&streams) {
            walk.next = stream.next as u32;
        }
        for ((walk, list), is_new) in walks.iter().zip(ignoring).zip(are_new) {
            self.keep_ignoring(ctx, walk.transmission, list, is_new);
        }
        if which == 1 {
            walks.reverse();
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Watts};
    use crate::mobility::Trajectory;
    use crate::packet::{Frame, FrameKind};
    use crate::phy::{AccessWait, NavRule, RadioConfig, SIGNAL_ENDS};
    use crate::sim::Event;
    use proptest::prelude::*;

    /// Lets two nodes send, one a little after the other, and says what receivers and events have come to.
    fn collide(places: &[(u32, u32)], apart: u64, is_together: bool) -> (String, u64) {
        let ways = places.iter().map(|&(x, y)| Trajectory::still(f64::from(x), f64::from(y))).collect();
        let config = RadioConfig::default();
        let mut medium = Medium::new(ways, &config, &vec![Watts(0.28); places.len()], 1);
        for node in (0..places.len() as u32).map(NodeId) {
            medium.set_nav_rule(node, NavRule::new(Span::from_micros(364)));
            medium.radio_mut(node).awaits =
                [AccessWait::Nothing, AccessWait::Quiet, AccessWait::Reservation][node.index() % 3];
        }
        let mut ctx = Ctx::new(1, 0, 5);
        let mut turns = 0;
        let mut told = Vec::new();
        let mut ends = |medium: &mut Medium, node: NodeId, now: Time| {
            medium.radio_mut(node).release();
            told.push((node, now));
        };
        for (count, sender) in [NodeId(0), NodeId(1)].into_iter().enumerate() {
            ctx.now = Time(1_000 + apart * count as u64);
            let frame = Frame {
                airtime: Span::from_micros(352),
                duration: 800,
                ..Frame::blank(FrameKind::Rts, sender, NodeId(2 + sender.0))
            };
            medium.send(&mut ctx, frame);
            assert!(medium.take_fresh(&mut ctx, Time::ZERO).is_none(), "it is scheduled");
        }
        while let Some((key, event)) = ctx.events.pop() {
            ctx.now = key.time();
            turns += 1;
            let Event::Phy { timer, transmission, .. } = event else { panic!("{event:?}") };
            if timer > SIGNAL_ENDS {
                while medium.pass_release(&mut ctx, transmission, timer, Time::NEVER).is_some() {}
                continue;
            }
            let mut walk = medium.begin_walk(transmission, timer);
            while let Some((node, _)) = medium.pass(&mut ctx, &mut walk, Time::NEVER, &mut NoProbe) {
                ends(&mut medium, node, ctx.now);
                walk.step();
            }
            if medium.end_walk(&mut ctx, &walk, is_together.then_some(Time::NEVER)) {
                let Some((_, Event::Phy { timer, transmission, .. })) = ctx.events.pop() else {
                    panic!("the other walk")
                };
                let mut walks = [medium.begin_walk(transmission, timer), walk];
                turns += 1;
                assert_eq!(medium.pass_together(&mut ctx, &mut walks, Time::NEVER, &mut turns), None);
                for walk in &walks {
                    medium.end_walk(&mut ctx, walk, None);
                }
            }
        }
        (format!("{:?} {told:?}", medium.radios), turns)
    }

    proptest! {
        #[test]
        fn two_walks_together_do_what_they_do_by_turns(
            places in proptest::collection::vec((0u32..600, 0u32..600), 4..60),
            apart in 0u64..3_000,
        ) {
            prop_assert_eq!(collide(&places, apart, true), collide(&places, apart, false));
        }
    }
}
