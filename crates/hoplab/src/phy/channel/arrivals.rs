//! A frame's first or last bit on its way past the receivers.
//!
//! Most receivers only keep account of carrier and reservation, which their receivers do by themselves. The walk goes on
//! by itself past those, and stops where a MAC is to be told.

use super::airtime_probe::AirtimeProbe;
use super::medium::{Medium, Receiver, SIGNAL_ENDS, SIGNAL_STARTS, Transmission, walk_event};
use super::signal::{Met, SignalEnd, SignalStart};
use crate::kernel::{Key, NodeId, Span, Time};
use crate::packet::Frame;
use crate::phy::receiver::NavUpdate;
use crate::phy::receiver::Reception;
use crate::sim::{Ctx, Event, PhyTimer};

/// A walk under way.
#[derive(Clone, Copy, Debug)]
pub struct ArrivalCursor {
    pub(in crate::phy) transmission: u32,
    pub(in crate::phy) slot: PhyTimer,
    pub(in crate::phy) next: u32,
    pub(in crate::phy) base: Time,
    pub(in crate::phy) ticket: Key,
}

/// What a MAC is to be told of a bit that has just passed its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhyIndication {
    /// The medium has become busy.
    Busy,
    /// A frame has come that is too weak to disturb the one that is being received.
    Ignored,
    /// The frame that the receiver followed is over.
    RxEnd(Reception),
    /// Energy that made the medium busy is gone, which was no frame for this station.
    Idle,
    /// Where interference adds up: a frame for this node has passed unnoticed, and with it, perhaps, the last energy.
    Missed {
        /// Nothing is on the air any longer.
        is_quiet: bool,
    },
}

impl ArrivalCursor {
    /// Goes on behind the receiver that it is at.
    #[inline]
    pub fn step(&mut self) {
        self.next += 1;
    }

    /// The delay from which on receivers are visited after `bound`.
    #[inline]
    pub(in crate::phy) fn limit(&self, bound: Key) -> u64 {
        self.ticket.last_before(bound).0.saturating_add(1).saturating_sub(self.base.0)
    }
}

impl Medium {
    /// Begins, or goes on with, the walk of a transmission's first or last bit past its receivers.
    #[inline]
    pub fn begin_walk(&self, transmission: u32, slot: PhyTimer) -> ArrivalCursor {
        let sent = &self.transmissions[transmission as usize];
        ArrivalCursor {
            transmission,
            slot,
            next: sent.visited[usize::from(slot)],
            base: if slot == SIGNAL_ENDS { sent.end() } else { sent.start },
            ticket: sent.tickets[usize::from(slot)],
        }
    }

    /// Until when a walk that goes on at `now` may do so: the ends of what it reserves are not to be overtaken.
    #[inline]
    pub fn horizon(&self, walk: &ArrivalCursor, now: Time, until: Time) -> Time {
        let Some(rule) = self.rule.filter(|_| walk.slot != SIGNAL_STARTS) else { return until };
        // A frame that says no duration reserves nothing where it is read.
        let micros = match self.transmissions[walk.transmission as usize].frame.duration {
            0 => rule.unreadable,
            duration => duration.min(rule.unreadable),
        };
        until.min(now + Span::from_micros(u64::from(micros)))
    }

    /// Ends a walk for now: what is left of it is scheduled, a transmission that has passed everybody is forgotten.
    /// Not if another walk of first bits is next by `company`, with which this one may go on: then that is said.
    #[expect(clippy::inline_always, reason = "a few callers, one of them at every walk of every run")]
    #[inline(always)]
    pub fn end_walk(&mut self, ctx: &mut Ctx, walk: &ArrivalCursor, company: Option<Time>) -> bool {
        let sent = &mut self.transmissions[walk.transmission as usize];
        let receivers = self.places.receivers(sent.receivers);
        let mut next = walk.next as usize;
        if walk.slot == SIGNAL_ENDS && self.is_plain {
            // Who does not follow the frame after its first bit has come by there will not do so before the last one.
            next += receivers[next..]
                .iter()
                .take_while(|receiver| {
                    !self.radios[receiver.node.index()].follows(walk.transmission)
                        && sent.start + receiver.delay() < ctx.now
                })
                .count();
        }
        if let Some(receiver) = receivers.get(next) {
            if walk.slot == SIGNAL_STARTS && self.is_plain && company.is_some_and(|until| is_first_bits(ctx, until)) {
                return true;
            }
            sent.visited[usize::from(walk.slot)] = next as u32;
            let event = walk_event(walk.slot, sent.frame.ta, walk.transmission);
            ctx.events.schedule_reserved(walk.ticket, walk.base + receiver.delay(), event);
        } else if walk.slot == SIGNAL_ENDS {
            self.end_of_walk(walk.transmission);
        }
        false
    }

    /// A walk for which a transmission is kept is over.
    #[inline]
    pub(in crate::phy) fn end_of_walk(&mut self, transmission: u32) {
        let sent = &mut self.transmissions[transmission as usize];
        sent.walks -= 1;
        if sent.walks == 0 {
            let receivers = sent.receivers;
            self.places.end(receivers);
            self.free.push(transmission);
        }
    }

    /// The last bit that this walk is at is being told to a MAC.
    #[inline]
    pub fn begin_telling(&mut self, walk: &ArrivalCursor) {
        self.telling = Some((walk.transmission, walk.next));
    }

    /// The telling is over.
    #[inline]
    pub fn end_telling(&mut self) {
        self.telling = None;
    }

    /// The frame of a walk.
    #[inline]
    pub fn frame(&self, walk: &ArrivalCursor) -> Frame {
        self.transmissions[walk.transmission as usize].frame
    }

    /// The receiver to be visited now.
    #[inline]
    pub fn receiver(&self, walk: &ArrivalCursor) -> NodeId {
        self.receivers(walk.transmission)[walk.next as usize].node
    }

    /// The time of a walk's next visit, if there is one by `until` and nothing else comes before it.
    #[inline]
    pub fn next_visit(&self, ctx: &Ctx, walk: &ArrivalCursor, until: Time) -> Option<Time> {
        let delay = self.receivers(walk.transmission).get(walk.next as usize)?.delay();
        (delay.0 < walk.limit(ctx.events.bound(until))).then(|| walk.base + delay)
    }

    /// Visits receivers, each at its time, up to one whose MAC is to be told; the walk stays there, and the caller steps on.
    /// `None`: something else comes first, or all have been visited.
    #[inline]
    pub fn pass<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &mut ArrivalCursor,
        until: Time,
        ledger: &mut L,
    ) -> Option<(NodeId, PhyIndication)> {
        if !self.is_plain {
            self.pass_by_chance(ctx, walk, until, ledger)
        } else if walk.slot == SIGNAL_STARTS {
            self.pass_first_bits(ctx, walk, until, ledger)
        } else {
            self.pass_last_bits(ctx, walk, until, ledger)
        }
    }

    /// Where no chance takes part and nothing is added up receivers alone decide.
    #[inline]
    fn pass_first_bits<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &mut ArrivalCursor,
        until: Time,
        ledger: &mut L,
    ) -> Option<(NodeId, PhyIndication)> {
        let bit = self.first_bit_of(walk.transmission);
        loop {
            let sent = &self.transmissions[walk.transmission as usize];
            let receivers = self.places.receivers(sent.receivers);
            // Nothing is scheduled on the way, so the bound stands.
            let bound = ctx.events.bound(until);
            let (node, met) = walk_by(ctx, walk, receivers, bound, |now, receiver| {
                bit.pass(&mut self.radios[receiver.node.index()], now, receiver, &self.transmissions, ledger)
            })?;
            match met {
                Met::PhyIndication(told) => return Some((node, told)),
                Met::Waits => {
                    let receiver = receivers[walk.next as usize];
                    self.expect_release_of_ignored(ctx, walk.transmission, &receiver);
                }
            }
            walk.step();
        }
    }

    /// What receivers need of the first bit of a transmission.
    #[inline]
    pub(in crate::phy) fn first_bit_of(&self, id: u32) -> SignalStart {
        let sent = &self.transmissions[id as usize];
        let airtime = sent.frame.airtime;
        let rule = self.rule.filter(|_| self.has_many(id));
        SignalStart {
            transmission: id,
            airtime,
            threshold: if sent.is_cut { f64::INFINITY } else { self.rx_threshold },
            ratio: self.capture_ratio,
            listed: rule.map(|rule| (rule, rule.passing_over(airtime))),
        }
    }

    #[inline]
    fn pass_last_bits<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &mut ArrivalCursor,
        until: Time,
        ledger: &mut L,
    ) -> Option<(NodeId, PhyIndication)> {
        if self.has_many(walk.transmission) {
            return self.pass_many_last_bits(ctx, walk, until, ledger);
        }
        let id = walk.transmission;
        let sent = &self.transmissions[id as usize];
        let receivers = self.places.receivers(sent.receivers);
        let bound = ctx.events.bound(until);
        let bit = SignalEnd::of(id, &sent.frame);
        walk_by(ctx, walk, receivers, bound, |now, receiver| {
            match bit.pass(&mut self.radios[receiver.node.index()], now, receiver.node, None, ledger) {
                NavUpdate::RxEnd(reception) => Some(PhyIndication::RxEnd(reception)),
                NavUpdate::Quiet => Some(PhyIndication::Idle),
                NavUpdate::Unnoticed | NavUpdate::Awaited(_) => None,
            }
        })
    }

    /// The same, with lists of those who wait for the end of what the frame has reserved.
    #[inline(never)]
    fn pass_many_last_bits<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &mut ArrivalCursor,
        until: Time,
        ledger: &mut L,
    ) -> Option<(NodeId, PhyIndication)> {
        let id = walk.transmission;
        loop {
            let sent = &mut self.transmissions[id as usize];
            let listed = sent.listed(self.rule);
            let Transmission { frame, receivers, waiting, .. } = sent;
            let receivers = self.places.receivers(*receivers);
            let bound = ctx.events.bound(until);
            let bit = SignalEnd::of(id, frame);
            let (node, passing) = walk_by(ctx, walk, receivers, bound, |now, receiver| {
                let radio = &mut self.radios[receiver.node.index()];
                let passing = bit.pass(radio, now, receiver.node, Some(listed), ledger);
                let is_more = match passing {
                    NavUpdate::Unnoticed => false,
                    NavUpdate::Awaited(reservation) => waiting[reservation as usize].join(radio, receiver),
                    NavUpdate::Quiet | NavUpdate::RxEnd(_) => true,
                };
                is_more.then_some(passing)
            })?;
            match passing {
                NavUpdate::RxEnd(reception) => return Some((node, PhyIndication::RxEnd(reception))),
                NavUpdate::Quiet => return Some((node, PhyIndication::Idle)),
                NavUpdate::Awaited(reservation) => self.schedule_release(ctx, id, reservation),
                NavUpdate::Unnoticed => {}
            }
            walk.step();
        }
    }

    #[inline(never)]
    fn pass_by_chance<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &mut ArrivalCursor,
        until: Time,
        ledger: &mut L,
    ) -> Option<(NodeId, PhyIndication)> {
        loop {
            ctx.now = self.next_visit(ctx, walk, until)?;
            if let Some(told) = self.visit(ctx, walk, ledger) {
                return Some((self.receiver(walk), told));
            }
            walk.step();
        }
    }

    #[inline]
    pub(in crate::phy) fn receivers(&self, transmission: u32) -> &[Receiver] {
        let sent = &self.transmissions[transmission as usize];
        self.places.receivers(sent.receivers)
    }
}

/// Lets a bit pass receivers by `visit` until one is to be told, or the bound is reached.
#[inline]
fn walk_by<T>(
    ctx: &mut Ctx,
    walk: &mut ArrivalCursor,
    receivers: &[Receiver],
    bound: Key,
    mut visit: impl FnMut(Time, &Receiver) -> Option<T>,
) -> Option<(NodeId, T)> {
    let limit = walk.limit(bound);
    let mut rest = receivers.get(walk.next as usize..).unwrap_or(&[]).iter();
    let mut last = None;
    let told = loop {
        let Some(receiver) = rest.as_slice().first().filter(|receiver| receiver.delay().0 < limit) else { break None };
        let now = walk.base.later(receiver.delay());
        if let Some(told) = visit(now, receiver) {
            ctx.now = now;
            break Some((receiver.node, told));
        }
        last = rest.next();
    };
    walk.next = (receivers.len() - rest.len()) as u32;
    if told.is_none()
        && let Some(last) = last
    {
        ctx.now = walk.base + last.delay();
    }
    told
}

/// Whether a walk of first bits is next by `until`.
#[inline]
fn is_first_bits(ctx: &Ctx, until: Time) -> bool {
    let is_walk = |event| matches!(event, Event::Phy { timer: SIGNAL_STARTS, .. });
    ctx.events.peek().is_some_and(|(at, event)| at <= until && is_walk(event))
}
