//! The pending events of a run, in total order.
//!
//! Keys of 16 bytes (time, then order of scheduling, then the slot of a slab that holds the event) in two parts: the
//! next few dozen in a sorted list, the rest unsorted by moment (see [`super::far`]). Most events of a wireless network
//! are scheduled for the near future and many are cancelled; in a short sorted list either costs a few moves. A chain's
//! events all fit in it. A timer is cancelled by removal.

use super::far::{Far, Place};
use super::time::Time;

/// Which layer of the staircase an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Layer {
    /// Frames on the air.
    Phy,
    /// Channel access and exchanges.
    Mac,
    /// Delays between queue and network layer, and address resolution.
    Link,
    /// Routing protocols' timers.
    Routing,
    /// Router assists' timers.
    Feedback,
    /// Timers of proxies.
    Proxy,
    /// Retransmission and acknowledgment timers.
    Transport,
    /// Traffic sources.
    App,
}

/// Something that will happen: to whom, on which layer, and two numbers that only that layer can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Layer that reads the rest.
    pub layer: Layer,
    /// Which of the owner's timers.
    pub slot: u8,
    /// Node or flow.
    pub owner: u32,
    /// A packet, transmission or count.
    pub arg: u32,
}

/// A scheduled event that may still be cancelled. Whoever holds it forgets it when the event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(u32);

/// Place of an event in the total order: time, then order of scheduling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

/// Pending events, earliest first; equal times in the order in which they were scheduled.
#[derive(Debug)]
pub struct EventQueue {
    /// Keys below `horizon`, the earliest last; empty only if `far` is.
    near: Vec<u128>,
    /// Longer than this the list may not become.
    near_most: usize,
    /// Keys from `horizon` on.
    far: Far,
    horizon: u128,
    slab: Vec<Entry>,
    free: Vec<u32>,
    sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    event: Event,
    /// Where its key is in `far`, if it is there.
    place: Place,
}

const IN_NEAR: Place = Place::NONE;
const SLOT_BITS: u32 = 24;
const SLOT_MASK: u128 = (1 << SLOT_BITS) - 1;
/// Longest sorted list, unless more fall into a moment; measured best between 32 and 64 on chains and on a 50-node grid.
const NEAR_MOST: usize = 48;
/// Length that a list which is too long is brought to.
const NEAR_USUAL: usize = 24;
/// Keys that an empty list is filled with, if so many are left.
const NEAR_LEAST: usize = 18;

impl Key {
    /// When.
    pub fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    /// The same place in the order of scheduling, at another time.
    #[inline]
    #[must_use]
    pub fn moved(self, at: Time) -> Key {
        Key((u128::from(at.0) << 64) | (self.0 & u128::from(u64::MAX)))
    }

    /// The last time at which this place in the order of scheduling comes before `bound`; zero if it never does.
    #[inline]
    pub fn last_before(self, bound: Key) -> Time {
        let order = self.0 & u128::from(u64::MAX);
        Time((bound.0.saturating_sub(order + 1) >> 64) as u64)
    }
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            near: Vec::with_capacity(NEAR_MOST + 1),
            near_most: NEAR_MOST,
            far: Far::default(),
            horizon: u128::MAX,
            slab: Vec::with_capacity(NEAR_MOST),
            free: Vec::new(),
            sequence: 0,
        }
    }
}

impl EventQueue {
    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// Takes the next place in the order of scheduling at time `at`, without an event: for work that may be done at
    /// once if nothing comes before it (see [`EventQueue::bound`]) and scheduled with that place otherwise.
    #[inline]
    pub fn ticket(&mut self, at: Time) -> Key {
        let sequence = self.sequence;
        self.sequence += 1;
        Key((u128::from(at.0) << 64) | (u128::from(sequence) << SLOT_BITS))
    }

    /// Schedules `event` at `at`, after everything already scheduled for that moment.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: Event) -> TimerId {
        let key = self.ticket(at);
        self.schedule_at(key, event)
    }

    /// Schedules `event` at a place taken before, moved to `at` (its order of scheduling is kept).
    pub fn reschedule(&mut self, ticket: Key, at: Time, event: Event) -> TimerId {
        self.schedule_at(ticket.moved(at), event)
    }

    /// Place in the order before which nothing is pending, and no time is after `until`.
    #[inline]
    pub fn bound(&self, until: Time) -> Key {
        let last = (u128::from(until.0) << 64) | u128::from(u64::MAX);
        Key(self.first().map_or(last, |first| first.min(last)))
    }

    /// Time of the earliest event.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.first().map(|key| Key(key).time())
    }

    /// The earliest event, and when it happens.
    #[inline]
    pub fn peek(&self) -> Option<(Time, Event)> {
        self.first().map(|key| (Key(key).time(), self.slab[slot_of(key)].event))
    }

    /// Takes the earliest event out, with its place in the order.
    #[inline]
    pub fn pop(&mut self) -> Option<(Key, Event)> {
        let first = self.near.pop()?;
        if self.near.is_empty() {
            self.far.begin_at(first);
            self.refill();
        }
        let slot = slot_of(first);
        self.free.push(slot as u32);
        Some((Key(first & !SLOT_MASK), self.slab[slot].event))
    }

    /// Pending events, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = Event> {
        self.near.iter().chain(self.far.iter()).map(|&key| self.slab[slot_of(key)].event)
    }

    /// Takes a pending event out. The caller guarantees that it has not happened yet.
    pub fn cancel(&mut self, timer: TimerId) {
        let place = self.slab[timer.0 as usize].place;
        if place == IN_NEAR {
            let is_it = |&key: &u128| slot_of(key) == timer.0 as usize;
            let place = self.near.iter().rposition(is_it).expect("cancelled an event that is not pending");
            self.near.remove(place);
            if self.near.is_empty() {
                self.refill();
            }
        } else {
            let key = self.far.remove(place, told_to(&mut self.slab));
            debug_assert_eq!(slot_of(key), timer.0 as usize, "cancelled what is not pending");
        }
        self.free.push(timer.0);
    }

    #[inline]
    fn first(&self) -> Option<u128> {
        self.near.last().copied()
    }

    #[inline]
    fn schedule_at(&mut self, key: Key, event: Event) -> TimerId {
        let slot = self.free.pop().unwrap_or_else(|| self.grow());
        self.slab[slot as usize] = Entry { event, place: IN_NEAR };
        let key = key.0 | u128::from(slot);
        if key < self.horizon {
            let mut place = self.near.len();
            self.near.push(key);
            while place > 0 && self.near[place - 1] < key {
                self.near[place] = self.near[place - 1];
                place -= 1;
            }
            self.near[place] = key;
            if self.near.len() > self.near_most {
                self.spill();
            }
        } else {
            self.push_far(key);
        }
        TimerId(slot)
    }

    /// One more slot.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        assert!(self.slab.len() < SLOT_MASK as usize, "more than 16 million pending events");
        self.slab.push(Entry { event: Event { layer: Layer::Phy, slot: 0, owner: 0, arg: 0 }, place: IN_NEAR });
        self.slab.len() as u32 - 1
    }

    #[inline(never)]
    fn push_far(&mut self, key: u128) {
        self.far.insert(key, told_to(&mut self.slab));
    }

    /// Moves the later part of the list away.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        let count = self.near.len() - NEAR_USUAL;
        self.horizon = self.near[count - 1];
        self.near_most = NEAR_MOST;
        self.far.begin_at(self.near[self.near.len() - 1]);
        for key in self.near.drain(..count) {
            self.far.insert(key, told_to(&mut self.slab));
        }
    }

    /// Moves the earliest moments to the empty list.
    #[inline(never)]
    fn refill(&mut self) {
        self.horizon = self.far.take_first(NEAR_LEAST, &mut self.near, told_to(&mut self.slab));
        for &key in &self.near {
            self.slab[slot_of(key)].place = IN_NEAR;
        }
        self.near.sort_unstable_by(|a, b| b.cmp(a));
        self.near_most = NEAR_MOST.max(2 * self.near.len());
    }
}

/// Notes where keys of [`Far`] are.
#[inline]
fn told_to(slab: &mut [Entry]) -> impl FnMut(u128, Place) {
    |key, place| slab[slot_of(key)].place = place
}

#[inline]
fn slot_of(key: u128) -> usize {
    (key & SLOT_MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(arg: u32) -> Event {
        Event { layer: Layer::App, slot: 0, owner: 0, arg }
    }

    #[test]
    fn equal_times_come_out_in_order_of_scheduling() {
        let mut queue = EventQueue::default();
        for arg in 0..100 {
            queue.schedule(Time(7), event(arg));
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, e)| e.arg).collect();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_ticket_keeps_its_place() {
        let mut queue = EventQueue::default();
        let ticket = queue.ticket(Time(1));
        queue.schedule(Time(5), event(1));
        assert!(ticket.moved(Time(5)) < queue.bound(Time(5)));
        assert!(ticket.moved(Time(6)) > queue.bound(Time(9)), "another event comes first");
        assert!(ticket.moved(Time(5)) > queue.bound(Time(4)), "not by then");
        assert!(ticket.moved(Time::NEVER) < EventQueue::default().bound(Time::NEVER));
        assert_eq!(ticket.last_before(queue.bound(Time(9))), Time(5), "scheduled before that event");
        assert_eq!(queue.ticket(Time(0)).last_before(queue.bound(Time(9))), Time(4), "scheduled after it");
        assert_eq!(ticket.last_before(EventQueue::default().bound(Time::NEVER)), Time::NEVER);
        queue.reschedule(ticket, Time(5), event(0));
        assert_eq!(queue.pop().map(|(key, e)| (key.time(), e.arg)), Some((Time(5), 0)));
    }

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(
            scale in proptest::sample::select(vec![1, 1_000, 100_000, 1_000_000_000]),
            goes_on: bool,
            steps in proptest::collection::vec((0u8..6, 0u64..500), 1..1500),
        ) {
            let mut now = 0;
            let mut queue = EventQueue::default();
            let mut model: Vec<(u64, u32, TimerId)> = Vec::new();
            for (count, (what, at)) in steps.into_iter().enumerate() {
                let count = count as u32;
                match what {
                    0..=2 => {
                        let at = now + at * scale;
                        let id = queue.schedule(Time(at), event(count));
                        model.push((at, count, id));
                    }
                    3 if !model.is_empty() => {
                        let (_, _, id) = model.remove(at as usize % model.len());
                        queue.cancel(id);
                    }
                    _ => {
                        model.sort_by_key(|&(at, count, _)| (at, count));
                        let expected = if model.is_empty() { None } else { Some(model.remove(0)) };
                        let got = queue.pop().map(|(key, e)| (key.time().0, e.arg));
                        prop_assert_eq!(got, expected.map(|(at, count, _)| (at, count)));
                        if goes_on {
                            now = got.map_or(now, |(at, _)| at);
                        }
                    }
                }
                prop_assert_eq!(queue.len(), model.len());
                prop_assert_eq!(queue.iter().count(), model.len());
                prop_assert_eq!(queue.next_time().map(|at| at.0), model.iter().map(|&(at, _, _)| at).min());
            }
        }
    }
}
