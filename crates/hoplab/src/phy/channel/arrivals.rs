//! The arrival path: signal starts and ends reach the receivers of a frame one after the other, in order of delay.
//!
//! One event represents a signal start at all receivers of a frame, and one its end. Each receiver is reached at its exact
//! time. The passage continues without a new event as long as no other event of the run precedes it; otherwise its rest is
//! scheduled.
//!
//! Stations whose slots coincide often transmit at the same moment: their signals reach their receivers in turns, a few at
//! a time. An event per turn would be a quarter of all events of a dense network. Where the preceding event is of the same
//! kind, the passage takes its place in the queue and continues with it; each such turn counts as an event.

use super::air::Air;
use super::nav_lists::NavLists;
use super::probe::ArrivalProbe;
use super::signal::{Edge, Visit};
use crate::kernel::{Key, RadioId, Time};
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{Action, PhyIndication, Radio};
use crate::phy::reception::ReceptionModel;
use crate::sim::{Ctx, Event, PhyTimer};

/// Progress of a signal start or end over the receivers.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    transmission: u32,
    /// Index of the next receiver.
    next: u32,
    /// When the signal starts or ends at the sender.
    base: Time,
    /// Its position in the order of scheduling.
    key: Key,
    until: Time,
    /// Changes to another transmission, each of which replaces an event.
    turns: u64,
}

impl Passage {
    /// Turns so far.
    #[inline]
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The transmission whose signal was indicated last.
    #[inline]
    pub fn transmission(&self) -> u32 {
        self.transmission
    }

    /// Reaches receivers one after the other, each at its time, until one needs more than its radio, or the next event is
    /// earlier.
    #[expect(clippy::inline_always, reason = "one caller per kind and model")]
    #[inline(always)]
    fn go_on(
        &mut self,
        ctx: &mut Ctx,
        receivers: &[Receiver],
        radios: &mut [Radio],
        nav_lists: &mut NavLists,
        mut reach: impl FnMut(&mut Radio, &Receiver, Time) -> Option<Action>,
    ) -> Option<(RadioId, Action)> {
        let bound = ctx.events.bound(self.until);
        let limit = self.key.last_before(bound).0.saturating_add(1).saturating_sub(self.base.0);
        let pending = receivers.get(self.next as usize..).unwrap_or(&[]);
        let mut rest = pending.iter();
        let found = loop {
            let Some(receiver) = rest.as_slice().first().filter(|receiver| receiver.delay().0 < limit) else {
                break None;
            };
            rest.next();
            let radio = &mut radios[receiver.radio.index()];
            match reach(radio, receiver, self.base.later(receiver.delay())) {
                None => {}
                Some(Action::Await(cause)) if !nav_lists.join(self.transmission, cause, radio, receiver) => {}
                Some(action) => break Some((receiver.radio, action)),
            }
        };
        let reached = pending.len() - rest.len();
        self.next += reached as u32;
        if let Some(last) = pending[..reached].last() {
            ctx.now = self.base + last.delay();
        }
        found
    }
}

impl Air {
    /// A signal edge begins or continues to reach receivers, up to `until`.
    #[inline]
    pub(super) fn begin_passage<E: Edge>(&self, id: u32, until: Time) -> Passage {
        let sent = self.transmissions.get(id);
        let timer = usize::from(E::TIMER);
        let (next, key) = (sent.next[timer], sent.keys[timer]);
        Passage { transmission: id, next, base: E::base(sent), key, until, turns: 0 }
    }

    /// Advances the passage to the next receiver whose MAC is to be called. `None`: another event is earlier, or all have been
    /// reached.
    #[expect(clippy::inline_always, reason = "one frequent caller, whose passage stays in registers")]
    #[inline(always)]
    pub(super) fn advance<E: Edge, M: ReceptionModel, P: ArrivalProbe>(
        &mut self,
        model: &mut M,
        ctx: &mut Ctx,
        passage: &mut Passage,
        probe: &mut P,
    ) -> Option<(RadioId, PhyIndication)> {
        if E::TIMER == PhyTimer::SignalEnd {
            self.indicated = None;
        }
        loop {
            let id = passage.transmission;
            let Air { radios, index, transmissions, nav_lists, .. } = self;
            let sent = transmissions.get(id);
            let receivers = index.receivers(sent.receivers);
            let (signal, listed) = (sent.signal(id), E::listed(sent, receivers, nav_lists));
            let found = passage.go_on(ctx, receivers, radios, nav_lists, |radio, receiver, now| {
                E::reach(radio, &Visit { signal, listed, receiver, now }, transmissions, model, probe)
            });
            match found {
                Some((radio, Action::Indicate(indication))) => {
                    if E::TIMER == PhyTimer::SignalEnd {
                        self.indicated = Some((id, passage.next - 1));
                    }
                    return Some((radio, indication));
                }
                Some((_, Action::Await(cause))) => self.schedule_nav_expiry(ctx, id, cause),
                None => *passage = self.stop::<E, M>(ctx, passage)?,
            }
        }
    }

    /// The passage has stopped. Returns the passage that continues in its place, if there is one of the same kind.
    #[expect(clippy::inline_always, reason = "one frequent caller, whose passage stays in registers")]
    #[inline(always)]
    fn stop<E: Edge, M: ReceptionModel>(&mut self, ctx: &mut Ctx, passage: &Passage) -> Option<Passage> {
        let id = passage.transmission;
        let sent = self.transmissions.get(id);
        let receivers = self.index.receivers(sent.receivers);
        let is_end = E::TIMER == PhyTimer::SignalEnd;
        let mut next = passage.next;
        if is_end && !M::ADDS_INTERFERENCE {
            // A radio that is not locked on the frame although its start has reached it will not be at its end.
            let is_unaffected = |receiver: &&Receiver| {
                !self.radios[receiver.radio.index()].is_locked_on(id) && sent.start + receiver.delay() < ctx.now
            };
            let rest = receivers.get(next as usize..).unwrap_or(&[]);
            next += rest.iter().take_while(is_unaffected).count() as u32;
        }
        if let Some(receiver) = receivers.get(next as usize) {
            let key = passage.key.moved(passage.base + receiver.delay());
            return self.suspend::<E>(ctx, Passage { next, ..*passage }, key);
        }
        if is_end {
            self.end_passage(id);
        }
        None
    }

    /// Schedules the rest of a passage, in exchange for an earlier one of the same kind, if there is one.
    #[inline(never)]
    fn suspend<E: Edge>(&mut self, ctx: &mut Ctx, passage: Passage, key: Key) -> Option<Passage> {
        let sent = self.transmissions.get_mut(passage.transmission);
        sent.next[usize::from(E::TIMER)] = passage.next;
        let event = sent.event(E::TIMER, passage.transmission);
        let is_edge = |event: &Event| matches!(event, Event::Phy { timer, .. } if *timer == E::TIMER);
        if let Some(Event::Phy { transmission, .. }) = ctx.events.exchange(key, event, passage.until, is_edge) {
            let turns = passage.turns + 1;
            return Some(Passage { turns, ..self.begin_passage::<E>(transmission, passage.until) });
        }
        self.note_pause(ctx, key, passage.until);
        ctx.events.schedule_reserved(key, key.time(), event);
        None
    }
}
