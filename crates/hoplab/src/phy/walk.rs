//! A frame's first or last bit on its way past the hearers.
//!
//! Most hearers only keep account of carrier and reservation, which their receivers do by themselves. The walk goes on
//! by itself past those, and stops where a MAC is to be told.

use super::medium::{FIRST_BITS, Hearer, LAST_BITS, Medium, walk_event};
use super::radio::{Arrival, Radio, Reception};
use super::sinr::Bit;
use crate::kernel::{Key, NodeId, Time};
use crate::packet::Frame;
use crate::trace::Ctx;

/// A walk under way.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    transmission: u32,
    slot: u8,
    next: u32,
    base: Time,
    ticket: Key,
}

/// What a MAC is to be told of a bit that has just passed its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The medium has become busy.
    Busy,
    /// A frame has come that is too weak to disturb the one that is being received.
    Ignored,
    /// The frame that the receiver followed is over.
    Over(Reception),
    /// Energy that made the medium busy is gone; no frame was being received.
    Quiet,
    /// Where interference adds up: a frame for this node has passed unnoticed, and with it, perhaps, the last energy.
    Missed {
        /// Nothing is on the air any longer.
        is_quiet: bool,
    },
}

impl Walk {
    #[inline]
    fn time(&self, hearer: &Hearer) -> Time {
        self.base + hearer.delay()
    }

    /// Moves on. The next hearer's time, if there is one and its place in the order is before `bound`.
    #[inline]
    fn step(&mut self, hearers: &[Hearer], bound: Key) -> Option<Time> {
        self.next += 1;
        let at = self.time(hearers.get(self.next as usize)?);
        (self.ticket.moved(at) < bound).then_some(at)
    }
}

impl Medium {
    /// Begins, or goes on with, the walk of a transmission's first or last bit past its hearers.
    #[inline]
    pub fn begin_walk(&self, transmission: u32, slot: u8) -> Walk {
        let sent = &self.transmissions[transmission as usize];
        Walk {
            transmission,
            slot,
            next: sent.visited[usize::from(slot == LAST_BITS)],
            base: if slot == LAST_BITS { sent.start + sent.frame.airtime } else { sent.start },
            ticket: sent.tickets[usize::from(slot == LAST_BITS)],
        }
    }

    /// Ends a walk for now: what is left of it is scheduled, a transmission that has passed everybody is forgotten.
    #[inline]
    pub fn end_walk(&mut self, ctx: &mut Ctx, walk: &Walk) {
        if let Some(hearer) = self.hearers(walk.transmission).get(walk.next as usize) {
            let at = walk.time(hearer);
            let sent = &mut self.transmissions[walk.transmission as usize];
            sent.visited[usize::from(walk.slot == LAST_BITS)] = walk.next;
            ctx.events.reschedule(walk.ticket, at, walk_event(walk.slot, sent.frame.ta, walk.transmission));
        } else if walk.slot == LAST_BITS {
            self.free.push(walk.transmission);
        }
    }

    /// The frame of a walk.
    #[inline]
    pub fn frame(&self, walk: &Walk) -> Frame {
        self.transmissions[walk.transmission as usize].frame
    }

    /// The hearer to be visited now.
    #[inline]
    pub fn hearer(&self, walk: &Walk) -> NodeId {
        self.hearers(walk.transmission)[walk.next as usize].node
    }

    /// Moves a walk on. The time of the next visit, if there is one by `until` and nothing else comes before it.
    #[inline]
    pub fn step(&self, ctx: &Ctx, walk: &mut Walk, until: Time) -> Option<Time> {
        walk.step(self.hearers(walk.transmission), ctx.events.bound(until))
    }

    /// Visits hearers, each at its time, up to one whose MAC is to be told; the caller does so and steps on. `None`:
    /// something else comes first, or all have been visited.
    #[inline]
    pub fn pass(&mut self, ctx: &mut Ctx, walk: &mut Walk, until: Time) -> Option<(NodeId, Told)> {
        if self.is_plain { self.pass_plainly(ctx, walk, until) } else { self.pass_by_chance(ctx, walk, until) }
    }

    /// The same where no chance takes part and nothing is added up: receivers alone decide.
    #[inline]
    fn pass_plainly(&mut self, ctx: &mut Ctx, walk: &mut Walk, until: Time) -> Option<(NodeId, Told)> {
        // Nothing is scheduled on the way, so the bound stands.
        let bound = ctx.events.bound(until);
        let sent = &self.transmissions[walk.transmission as usize];
        let hearers = self.places.hearers(sent.frame.ta, &sent.hearers);
        let id = walk.transmission;
        if walk.slot == FIRST_BITS {
            let threshold = if sent.is_cut { f64::INFINITY } else { self.rx_threshold };
            let (airtime, ratio) = (sent.frame.airtime, self.capture_ratio);
            walk_by(ctx, walk, hearers, bound, |now, hearer| {
                let radio = &mut self.radios[hearer.node.index()];
                if radio.is_off() {
                    return None;
                }
                match radio.on_arrival(now, id, hearer.power, airtime, threshold, ratio) {
                    Arrival::Followed => radio.watched.then_some(Told::Busy),
                    Arrival::Ignored => Some(Told::Ignored),
                    Arrival::Collided => None,
                }
            })
        } else {
            walk_by(ctx, walk, hearers, bound, |now, hearer| {
                last_bit(&mut self.radios[hearer.node.index()], now, id, &sent.frame, hearer.node)
            })
        }
    }

    #[inline(never)]
    fn pass_by_chance(&mut self, ctx: &mut Ctx, walk: &mut Walk, until: Time) -> Option<(NodeId, Told)> {
        loop {
            if let Some(told) = self.visit(ctx.now, walk) {
                return Some((self.hearer(walk), told));
            }
            ctx.now = self.step(ctx, walk, until)?;
        }
    }

    /// Visits the next hearer of a walk, which does not move on. What its MAC is to be told, if anything.
    pub fn visit(&mut self, now: Time, walk: &Walk) -> Option<Told> {
        let hearer = self.hearers(walk.transmission)[walk.next as usize];
        let sent = &self.transmissions[walk.transmission as usize];
        let (frame, count, is_cut) = (sent.frame, sent.count, sent.is_cut);
        let visit = Visit { now, hearer, transmission: walk.transmission, frame, count, is_cut };
        if walk.slot == FIRST_BITS {
            self.first_bit(&visit)
        } else if self.sinr.is_some() {
            self.leave(&visit)
        } else {
            last_bit(&mut self.radios[hearer.node.index()], now, walk.transmission, &frame, hearer.node)
        }
    }

    /// Whether the next hearer of a walk of last bits follows the frame and cannot read it.
    pub fn is_unreadable(&self, now: Time, walk: &Walk) -> bool {
        let radio = &self.radios[self.hearer(walk).index()];
        walk.slot == LAST_BITS && radio.follows(walk.transmission) && radio.outcome(now) != Reception::Clean
    }

    #[inline]
    fn hearers(&self, transmission: u32) -> &[Hearer] {
        let sent = &self.transmissions[transmission as usize];
        self.places.hearers(sent.frame.ta, &sent.hearers)
    }

    /// The first bit of a frame reaches a hearer.
    fn first_bit(&mut self, visit: &Visit) -> Option<Told> {
        let node = visit.hearer.node;
        let mut power = visit.hearer.power;
        if let Some(fading) = &self.fading {
            power *= fading.factor(visit.frame.ta, node, visit.count);
            if power < self.cs_threshold && self.sinr.is_none() {
                return None;
            }
        }
        if self.sinr.is_some() {
            return self.join(visit, power);
        }
        let threshold = if visit.is_cut { f64::INFINITY } else { self.rx_threshold };
        let radio = &mut self.radios[node.index()];
        if radio.is_off() {
            return None;
        }
        let (airtime, ratio) = (visit.frame.airtime, self.capture_ratio);
        match radio.on_arrival(visit.now, visit.transmission, power, airtime, threshold, ratio) {
            Arrival::Followed => {
                if let Some(errors) = &mut self.errors
                    && radio.is_readable()
                    && errors.spoils(visit.now, &visit.frame, power, node, visit.count)
                {
                    radio.add_noise();
                }
                radio.watched.then_some(Told::Busy)
            }
            Arrival::Ignored => Some(Told::Ignored),
            Arrival::Collided => None,
        }
    }

    /// A frame joins the sum at a receiver.
    fn join(&mut self, visit: &Visit, power: f64) -> Option<Told> {
        let sinr = self.sinr.as_mut()?;
        let (now, node) = (visit.now, visit.hearer.node);
        let radio = &mut self.radios[node.index()];
        let was_busy = radio.is_receiving();
        let heard = sinr.on_first_bit(&visit.bit(), power, radio.is_sending(now) || radio.is_off());
        if radio.is_off() {
            return None;
        }
        if heard.is_locked {
            radio.follow(visit.transmission);
            if visit.is_cut {
                radio.spoil(visit.transmission);
            }
            if let Some(errors) = &mut self.errors
                && power >= self.rx_threshold
                && errors.spoils(now, &visit.frame, power, node, visit.count)
            {
                radio.add_noise();
            }
        }
        radio.has_carrier = heard.is_busy;
        (heard.is_busy && !was_busy && radio.watched).then_some(Told::Busy)
    }

    /// A frame leaves the sum at a receiver: its last bit has passed.
    fn leave(&mut self, visit: &Visit) -> Option<Told> {
        let sinr = self.sinr.as_mut()?;
        let radio = &mut self.radios[visit.hearer.node.index()];
        let was_busy = radio.is_receiving();
        let (reception, is_busy) = sinr.on_last_bit(&visit.bit());
        let is_for_it = visit.frame.ra == visit.hearer.node;
        if radio.is_off() {
            return is_for_it.then_some(Told::Missed { is_quiet: false });
        }
        radio.has_carrier = is_busy;
        let is_quiet = was_busy && !is_busy;
        match reception {
            // What happened at this node itself weighs more: it was sending, or noise was drawn for it.
            Some(reception) => Some(Told::Over(match radio.outcome(visit.now) {
                Reception::Clean => reception,
                own => own,
            })),
            None if is_for_it => Some(Told::Missed { is_quiet }),
            None => is_quiet.then_some(Told::Quiet),
        }
    }
}

/// A bit at one hearer, with what chance and sums need to know of its frame.
struct Visit {
    now: Time,
    hearer: Hearer,
    transmission: u32,
    frame: Frame,
    count: u64,
    is_cut: bool,
}

impl Visit {
    fn bit(&self) -> Bit<'_> {
        let (now, node) = (self.now, self.hearer.node);
        Bit { now, node, transmission: self.transmission, frame: &self.frame, count: self.count }
    }
}

/// The last bit of a frame has passed a receiver that compares frames in pairs.
#[inline]
fn last_bit(radio: &mut Radio, now: Time, transmission: u32, frame: &Frame, node: NodeId) -> Option<Told> {
    if !radio.follows(transmission) {
        return None;
    }
    if frame.ra != node && !frame.is_broadcast() && radio.pass_by(now, frame.duration) {
        return None;
    }
    Some(Told::Over(radio.outcome(now)))
}

/// Lets a bit pass hearers by `visit` until one is to be told, or the bound is reached.
#[inline]
fn walk_by(
    ctx: &mut Ctx,
    walk: &mut Walk,
    hearers: &[Hearer],
    bound: Key,
    mut visit: impl FnMut(Time, &Hearer) -> Option<Told>,
) -> Option<(NodeId, Told)> {
    let mut now = ctx.now;
    loop {
        let hearer = &hearers[walk.next as usize];
        if let Some(told) = visit(now, hearer) {
            ctx.now = now;
            return Some((hearer.node, told));
        }
        if let Some(at) = walk.step(hearers, bound) {
            now = at;
        } else {
            ctx.now = now;
            return None;
        }
    }
}
