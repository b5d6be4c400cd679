//! Counting idle slots down before a transmission.
//!
//! The count pauses whenever the medium becomes busy, with credit for the whole slots that have passed, and goes on
//! after an inter-frame space of idle (IEEE 802.11-1999 section 9.2.5.2; ns-2.35 `BackoffTimer`).

use crate::kernel::{Key, Span, Time, TimerId};
use crate::sim::{Ctx, Event};

/// A backoff counter.
///
/// A pause that it is told of afterwards ([`Backoff::pause_at`]) leaves its event alone, which is put off when it happens
/// too early, or not needed yet: nothing need be done at the moment at which the medium becomes busy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Off,
    Paused {
        slots: u32,
        /// Happens before the count can be over.
        timer: Option<TimerId>,
    },
    Running {
        slots: u32,
        /// When counting begins: after the inter-frame space.
        from: Time,
        /// When it ends, with its place in the order of scheduling.
        end: Key,
        /// Happens then, or before.
        timer: TimerId,
    },
}

impl Backoff {
    /// Whether slots are to be counted, now or once the medium is idle.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        !matches!(self.state, State::Off)
    }

    /// Whether slots are being counted.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    /// Begins with `slots`, paused.
    pub(super) fn draw(&mut self, slots: u32) {
        debug_assert!(!self.is_on(), "a backoff is drawn only when none is pending");
        self.state = State::Paused { slots, timer: None };
    }

    /// The medium is idle: goes on counting after `space`; `event` marks the end.
    pub(super) fn resume(&mut self, ctx: &mut Ctx, space: Span, slot: Span, event: Event) {
        if let State::Paused { slots, timer } = self.state {
            let from = ctx.now + space;
            let end = ctx.events.reserve_key(from + slot * u64::from(slots));
            let timer = timer.unwrap_or_else(|| ctx.events.schedule_reserved(end, end.time(), event));
            self.state = State::Running { slots, from, end, timer };
        }
    }

    /// The medium is busy: whole slots that have passed are counted.
    pub(super) fn pause(&mut self, ctx: &mut Ctx, slot: Span) {
        if let State::Running { slots, from, timer, .. } = self.state {
            ctx.events.cancel(timer);
            self.state = State::Paused { slots: slots_left(slots, from, ctx.now, slot), timer: None };
        }
    }

    /// The medium has been busy since `at`; told afterwards.
    #[inline]
    pub(super) fn pause_at(&mut self, at: Time, slot: Span) {
        if let State::Running { slots, from, timer, .. } = self.state {
            self.state = State::Paused { slots: slots_left(slots, from, at, slot), timer: Some(timer) };
        }
    }

    /// Nothing is counted any longer.
    pub(super) fn cancel(&mut self, ctx: &mut Ctx) {
        if let State::Running { timer, .. } | State::Paused { timer: Some(timer), .. } = self.state {
            ctx.events.cancel(timer);
        }
        self.state = State::Off;
    }

    /// The event has happened. Whether the count is over; the event is scheduled anew if it goes on.
    #[inline]
    pub(super) fn on_event(&mut self, ctx: &mut Ctx, event: Event) -> bool {
        match &mut self.state {
            State::Running { end, timer, .. } if ctx.now < end.time() => {
                *timer = ctx.events.schedule_reserved(*end, end.time(), event);
                false
            }
            State::Running { .. } => {
                self.state = State::Off;
                true
            }
            State::Paused { timer, .. } => {
                *timer = None;
                false
            }
            State::Off => unreachable!("an event of no backoff"),
        }
    }
}

/// Slots that are left of those counted from `from` to `at`.
#[inline]
fn slots_left(slots: u32, from: Time, at: Time, slot: Span) -> u32 {
    let passed = (at.since(from).0 / slot.0) as u32;
    slots.saturating_sub(passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NodeId;
    use crate::sim::MacTimer;

    const SLOT: Span = Span::from_micros(20);
    const DIFS: Span = Span::from_micros(50);
    const EVENT: Event = Event::Mac { node: NodeId(0), timer: MacTimer::Backoff };
    const OTHER: Event = Event::Mac { node: NodeId(1), timer: MacTimer::Backoff };

    /// So many slots, which are counted from time zero on, after DIFS.
    fn counting(slots: u32) -> (Ctx, Backoff) {
        let (mut ctx, mut backoff) = (Ctx::new(1, 0, 1), Backoff::default());
        backoff.draw(slots);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        (ctx, backoff)
    }

    #[test]
    fn pauses_with_credit_for_whole_slots() {
        let (mut ctx, mut backoff) = counting(10);
        ctx.now = Time(50_000 + 3 * 20_000 + 19_999);
        backoff.pause(&mut ctx, SLOT);
        assert!(ctx.events.is_empty());
        ctx.now = Time(1_000_000);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.next_time(), Some(Time(1_000_000 + 50_000 + 7 * 20_000)));
    }

    #[test]
    fn a_pause_told_afterwards_puts_the_end_off() {
        let (mut ctx, mut backoff) = counting(10);
        backoff.pause_at(Time(50_000 + 3 * 20_000), SLOT);
        assert!(backoff.is_on() && !backoff.is_running());
        ctx.now = Time(200_000);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.len(), 1);
        // What is scheduled for the moment of the end after the count went on comes after the end.
        let end = Time(200_000 + 50_000 + 7 * 20_000);
        ctx.events.schedule(end, OTHER);
        for (at, is_over) in [(Time(50_000 + 10 * 20_000), false), (end, true)] {
            let (key, event) = ctx.events.pop().expect("an event");
            assert_eq!((key.time(), event), (at, EVENT));
            ctx.now = at;
            assert_eq!(backoff.on_event(&mut ctx, EVENT), is_over);
        }
        assert!(!backoff.is_on());
        assert_eq!(ctx.events.len(), 1);
    }

    #[test]
    fn an_event_in_a_pause_means_nothing() {
        let (mut ctx, mut backoff) = counting(2);
        backoff.pause_at(Time(70_000), SLOT);
        ctx.now = ctx.events.pop().expect("an event").0.time();
        assert!(!backoff.on_event(&mut ctx, EVENT) && backoff.is_on());
        ctx.now = Time(1_000_000);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.next_time(), Some(Time(1_000_000 + 50_000 + 20_000)));
        backoff.pause_at(Time(1_000_000), SLOT);
        backoff.cancel(&mut ctx);
        assert!(ctx.events.is_empty() && !backoff.is_on(), "its event goes with it");
    }

    #[test]
    fn nothing_is_credited_within_the_space() {
        let (mut ctx, mut backoff) = counting(2);
        ctx.now = Time(30_000);
        backoff.pause(&mut ctx, SLOT);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.next_time(), Some(Time(30_000 + 50_000 + 40_000)));
        backoff.pause(&mut ctx, SLOT);
        assert!(ctx.events.is_empty() && backoff.is_on());
    }
}
