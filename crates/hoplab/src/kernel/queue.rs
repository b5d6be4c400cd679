//! The pending events of a run, in total order: time first, then order of scheduling.
//!
//! Generic in its event, which it stores and never reads. A key of 16 bytes (time, sequence number, slab slot) orders an
//! event. Keys are in two parts: the next few dozen in a sorted list, the rest in a [`TimingWheel`]. Most events of a
//! wireless network are scheduled for the near future and many are cancelled; in a short sorted list both cost a few
//! moves. The events of a chain all fit into the list. Cancelling removes the key: no stale event fires.

use super::time::Time;
use super::timing_wheel::{Position, TimingWheel};

/// A scheduled event that can still be cancelled. Valid until the event fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(u32);

/// Position of an event in the total order: time, then order of scheduling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

/// Pending events, earliest first; equal times in order of scheduling.
#[derive(Debug)]
pub struct EventQueue<E> {
    /// Keys below `horizon`, the earliest last; empty only if `wheel` is.
    near: Vec<u128>,
    /// The list is split when it exceeds this length.
    near_limit: usize,
    /// Keys from `horizon` on.
    wheel: TimingWheel,
    horizon: u128,
    slab: Vec<Entry<E>>,
    /// The first free entry; each names the next one. [`NO_ENTRY`]: none is free.
    free: u32,
    sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    event: E,
    /// Where its key is in the wheel, if it is there; of a free entry, the next one.
    position: Position,
}

const IN_NEAR: Position = Position::NONE;
const NO_ENTRY: u32 = u32::MAX;
const SLOT_BITS: u32 = 24;
const SLOT_MASK: u128 = (1 << SLOT_BITS) - 1;
/// Longest sorted list, unless more keys fall into one tick; measured best between 32 and 64 on chains and a 50-node grid.
const NEAR_LIMIT: usize = 48;
/// Length of the list after a split.
const NEAR_AFTER_SPLIT: usize = 24;
/// An empty list is refilled with at least this many keys, if so many are left.
const NEAR_REFILL: usize = 18;

impl Key {
    /// Time of the event.
    pub fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    /// This position in the order of scheduling, at another time.
    #[inline]
    #[must_use]
    pub fn moved(self, at: Time) -> Key {
        Key((u128::from(at.0) << 64) | (self.0 & u128::from(u64::MAX)))
    }

    /// The last time at which this position in the order of scheduling precedes `bound`; zero if there is none.
    #[inline]
    pub fn last_before(self, bound: Key) -> Time {
        let order = self.0 & u128::from(u64::MAX);
        Time((bound.0.saturating_sub(order + 1) >> 64) as u64)
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue {
            near: Vec::with_capacity(NEAR_LIMIT + 1),
            near_limit: NEAR_LIMIT,
            wheel: TimingWheel::default(),
            horizon: u128::MAX,
            slab: Vec::with_capacity(NEAR_LIMIT),
            free: NO_ENTRY,
            sequence: 0,
        }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Number of pending events.
    pub fn len(&self) -> usize {
        self.near.len() + self.wheel.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// Reserves the next position in the order of scheduling at time `at`, without an event: for work that is executed at
    /// once if no event precedes it (see [`EventQueue::bound`]), and scheduled under the reserved key otherwise.
    #[inline]
    pub fn reserve_key(&mut self, at: Time) -> Key {
        let sequence = self.sequence;
        self.sequence += 1;
        Key((u128::from(at.0) << 64) | (u128::from(sequence) << SLOT_BITS))
    }

    /// Schedules `event` at `at`, after all events already scheduled for that time.
    #[inline]
    pub fn schedule(&mut self, at: Time, event: E) -> TimerId {
        let key = self.reserve_key(at);
        self.schedule_reserved(key, at, event)
    }

    /// Schedules `event` at `at` under a reserved key: its position in the order of scheduling is kept.
    #[inline]
    pub fn schedule_reserved(&mut self, key: Key, at: Time, event: E) -> TimerId {
        if self.free == NO_ENTRY {
            self.grow(event);
        }
        // The caller's code writes the event, field by field, where it stays: an argument in memory would be read as a
        // whole too soon after its fields were written, which stalls processors.
        let timer = self.insert(key.moved(at));
        self.slab[timer.0 as usize].event = event;
        timer
    }

    /// The earliest key that is pending or later than `until`: work that precedes it may be executed at once.
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

    /// The earliest event and its time.
    #[inline]
    pub fn peek(&self) -> Option<(Time, E)> {
        self.first().map(|key| (Key(key).time(), self.slab[slot_of(key)].event))
    }

    /// Removes and returns the earliest event with its key.
    #[inline]
    pub fn pop(&mut self) -> Option<(Key, E)> {
        self.fire().map(|(key, fired)| (key, *self.event(fired)))
    }

    /// Removes the earliest event. [`EventQueue::event`] reads it until another event is scheduled.
    #[inline]
    pub fn fire(&mut self) -> Option<(Key, TimerId)> {
        let first = self.near.pop()?;
        if self.near.is_empty() {
            self.wheel.advance_to(first);
            self.refill();
        }
        let slot = slot_of(first) as u32;
        self.release(slot);
        Some((Key(first & !SLOT_MASK), TimerId(slot)))
    }

    /// An event that is pending or the last to have fired.
    #[inline]
    pub fn event(&self, timer: TimerId) -> &E {
        &self.slab[timer.0 as usize].event
    }

    /// Schedules `event` under a reserved key and takes the earliest event in its place, if that precedes it, is due by
    /// `until` and `fits`: as [`EventQueue::schedule_reserved`] and [`EventQueue::pop`], at a fraction of their cost.
    /// `None`: nothing has changed.
    #[inline]
    pub fn exchange(&mut self, key: Key, event: E, until: Time, fits: impl FnOnce(&E) -> bool) -> Option<E> {
        let first = *self.near.last()?;
        let slot = slot_of(first);
        let key = key.0 | slot as u128;
        let taken = self.slab[slot].event;
        if Key(first).time() > until || key < first || key >= self.horizon || !fits(&taken) {
            return None;
        }
        self.slab[slot].event = event;
        sink(&mut self.near, key);
        Some(taken)
    }

    /// Pending events and their times, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Time, E)> {
        self.near.iter().chain(self.wheel.iter()).map(|&key| (Key(key).time(), self.slab[slot_of(key)].event))
    }

    /// Removes a pending event. The caller guarantees that it has not fired.
    pub fn cancel(&mut self, timer: TimerId) {
        let position = self.slab[timer.0 as usize].position;
        if position == IN_NEAR {
            let is_it = |&key: &u128| slot_of(key) == timer.0 as usize;
            let index = self.near.iter().rposition(is_it).expect("cancelled an event that is not pending");
            self.near.remove(index);
            if self.near.is_empty() {
                self.refill();
            }
        } else {
            let key = self.wheel.remove(position, position_writer(&mut self.slab));
            debug_assert_eq!(slot_of(key), timer.0 as usize, "cancelled an event that is not pending");
        }
        self.release(timer.0);
    }

    #[inline]
    fn first(&self) -> Option<u128> {
        self.near.last().copied()
    }

    /// Takes a free entry for an event to come, and inserts its key.
    #[inline]
    fn insert(&mut self, key: Key) -> TimerId {
        // What is rare ends in a call: the rest then saves no registers for it.
        let slot = self.free;
        let full = key.0 | u128::from(slot);
        if full >= self.horizon {
            return self.insert_far(full);
        }
        if self.near.len() == self.near.capacity() {
            return self.insert_with_room(key);
        }
        self.take(slot);
        self.near.push(full);
        sink(&mut self.near, full);
        if self.near.len() > self.near_limit { self.split(full) } else { TimerId(slot) }
    }

    /// Takes an entry, the first free one.
    #[inline]
    fn take(&mut self, slot: u32) {
        let entry = &mut self.slab[slot as usize];
        self.free = entry.position.next_free();
        entry.position = IN_NEAR;
    }

    /// Frees an entry.
    #[inline]
    fn release(&mut self, slot: u32) {
        self.slab[slot as usize].position = Position::of_free(self.free);
        self.free = slot;
    }

    /// Makes room in the list, then inserts the key.
    #[cold]
    #[inline(never)]
    fn insert_with_room(&mut self, key: Key) -> TimerId {
        self.near.reserve(1);
        self.insert(key)
    }

    /// Allocates an entry.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, event: E) {
        assert!(self.slab.len() < SLOT_MASK as usize, "more than 16 million pending events");
        let slot = self.slab.len() as u32;
        self.slab.push(Entry { event, position: Position::of_free(self.free) });
        self.free = slot;
    }

    /// Inserts a complete key into the wheel.
    #[inline(never)]
    fn insert_far(&mut self, key: u128) -> TimerId {
        self.take(slot_of(key) as u32);
        self.wheel.insert(key, position_writer(&mut self.slab));
        TimerId(slot_of(key) as u32)
    }

    /// Moves the later part of the list to the wheel after an insertion. Returns the id of the inserted event.
    #[cold]
    #[inline(never)]
    fn split(&mut self, inserted: u128) -> TimerId {
        let count = self.near.len() - NEAR_AFTER_SPLIT;
        self.horizon = self.near[count - 1];
        self.near_limit = NEAR_LIMIT;
        self.wheel.advance_to(self.near[self.near.len() - 1]);
        for key in self.near.drain(..count) {
            self.wheel.insert(key, position_writer(&mut self.slab));
        }
        TimerId(slot_of(inserted) as u32)
    }

    /// Moves the earliest ticks of the wheel to the empty list.
    #[inline(never)]
    fn refill(&mut self) {
        self.horizon = self.wheel.take_first(NEAR_REFILL, &mut self.near, position_writer(&mut self.slab));
        for &key in &self.near {
            self.slab[slot_of(key)].position = IN_NEAR;
        }
        self.near.sort_unstable_by(|a, b| b.cmp(a));
        self.near_limit = NEAR_LIMIT.max(2 * self.near.len());
    }
}

/// Inserts `key` into a sorted list, the earliest last, in place of the last key.
#[inline]
fn sink(mut near: &mut [u128], key: u128) {
    while let [rest @ .., before, last] = near {
        if *before >= key {
            break;
        }
        *last = *before;
        let length = rest.len() + 1;
        near = &mut near[..length];
    }
    if let Some(last) = near.last_mut() {
        *last = key;
    }
}

/// Records the positions of keys in the wheel.
#[inline]
fn position_writer<E>(slab: &mut [Entry<E>]) -> impl FnMut(u128, Position) {
    |key, position| slab[slot_of(key)].position = position
}

#[inline]
fn slot_of(key: u128) -> usize {
    (key & SLOT_MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_fire_in_order_of_scheduling() {
        let mut queue = EventQueue::default();
        for number in 0..100 {
            queue.schedule(Time(7), number);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, number)| number).collect();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn reserved_key_keeps_its_position() {
        let empty = EventQueue::<u32>::default();
        let mut queue = EventQueue::default();
        let key = queue.reserve_key(Time(1));
        queue.schedule(Time(5), 1);
        assert!(key.moved(Time(5)) < queue.bound(Time(5)));
        assert!(key.moved(Time(6)) > queue.bound(Time(9)), "another event comes first");
        assert!(key.moved(Time(5)) > queue.bound(Time(4)), "later than the limit");
        assert!(key.moved(Time::NEVER) < empty.bound(Time::NEVER));
        assert_eq!(key.last_before(queue.bound(Time(9))), Time(5), "scheduled before that event");
        assert_eq!(queue.reserve_key(Time(0)).last_before(queue.bound(Time(9))), Time(4), "scheduled after it");
        assert_eq!(key.last_before(empty.bound(Time::NEVER)), Time::NEVER);
        queue.schedule_reserved(key, Time(5), 0);
        assert_eq!(queue.pop().map(|(key, number)| (key.time(), number)), Some((Time(5), 0)));
    }

    proptest! {
        #[test]
        fn queue_agrees_with_sorted_list(
            scale in proptest::sample::select(vec![1, 1_000, 100_000, 1_000_000_000]),
            advances: bool,
            steps in proptest::collection::vec((0u8..7, 0u64..500), 1..1500),
        ) {
            let mut now = 0;
            let mut queue = EventQueue::default();
            let mut model: Vec<(u64, u32, TimerId)> = Vec::new();
            for (count, (what, at)) in steps.into_iter().enumerate() {
                let count = count as u32;
                match what {
                    0..=2 => {
                        let at = now + at * scale;
                        let id = queue.schedule(Time(at), count);
                        model.push((at, count, id));
                    }
                    3 if !model.is_empty() => {
                        let (_, _, id) = model.remove(at as usize % model.len());
                        queue.cancel(id);
                    }
                    4 => {
                        model.sort_by_key(|&(at, count, _)| (at, count));
                        let key = queue.reserve_key(Time(now + at * scale));
                        let until = Time(now + 250 * scale);
                        let taken = queue.exchange(key, count, until, |number| number % 2 == 0);
                        if let Some(number) = taken {
                            let (then, first, id) = model.remove(0);
                            prop_assert_eq!(number, first);
                            prop_assert!(then <= until.0 && then <= now + at * scale && number % 2 == 0);
                            // The event has taken the other one's slot.
                            model.push((now + at * scale, count, id));
                        } else if let Some(&(then, first, _)) = model.first() {
                            // Only an event that belongs into the wheel is not exchanged.
                            let fits = then <= until.0.min(now + at * scale) && first % 2 == 0;
                            prop_assert!(!fits || queue.horizon <= key.0);
                        }
                    }
                    _ => {
                        model.sort_by_key(|&(at, count, _)| (at, count));
                        let expected = if model.is_empty() { None } else { Some(model.remove(0)) };
                        let got = queue.pop().map(|(key, number)| (key.time().0, number));
                        prop_assert_eq!(got, expected.map(|(at, count, _)| (at, count)));
                        if advances {
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
