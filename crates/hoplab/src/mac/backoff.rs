//! Counting idle slots down before a transmission.
//!
//! The count pauses whenever the medium becomes busy, with credit for the whole slots that have passed, and goes on
//! after an inter-frame space of idle (IEEE 802.11-1999 section 9.2.5.2; ns-2.35 `BackoffTimer`).

use crate::kernel::{Event, Span, Time, TimerId};
use crate::trace::Ctx;

/// A backoff counter.
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
    },
    Running {
        slots: u32,
        /// When counting begins: after the inter-frame space.
        from: Time,
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
        self.state = State::Paused { slots };
    }

    /// The medium is idle: goes on counting after `space`; `event` marks the end.
    pub(super) fn resume(&mut self, ctx: &mut Ctx, space: Span, slot: Span, event: Event) {
        if let State::Paused { slots } = self.state {
            let from = ctx.now + space;
            let timer = ctx.events.schedule(from + slot * u64::from(slots), event);
            self.state = State::Running { slots, from, timer };
        }
    }

    /// The medium is busy: whole slots that have passed are counted.
    pub(super) fn pause(&mut self, ctx: &mut Ctx, slot: Span) {
        if let State::Running { slots, from, timer } = self.state {
            ctx.events.cancel(timer);
            let passed = (ctx.now.since(from).0 / slot.0) as u32;
            self.state = State::Paused { slots: slots.saturating_sub(passed) };
        }
    }

    /// Nothing is counted any longer.
    pub(super) fn cancel(&mut self, ctx: &mut Ctx) {
        if let State::Running { timer, .. } = self.state {
            ctx.events.cancel(timer);
        }
        self.state = State::Off;
    }

    /// The event has happened.
    pub(super) fn finish(&mut self) {
        self.state = State::Off;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Floor;

    const SLOT: Span = Span::from_micros(20);
    const DIFS: Span = Span::from_micros(50);
    const EVENT: Event = Event { floor: Floor::Mac, slot: 0, owner: 0, arg: 0 };

    #[test]
    fn pauses_with_credit_for_whole_slots() {
        let mut ctx = Ctx::new(1, 0, 1);
        let mut backoff = Backoff::default();
        backoff.draw(10);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        ctx.now = Time(50_000 + 3 * 20_000 + 19_999);
        backoff.pause(&mut ctx, SLOT);
        assert!(ctx.events.is_empty());
        ctx.now = Time(1_000_000);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.next_time(), Some(Time(1_000_000 + 50_000 + 7 * 20_000)));
    }

    #[test]
    fn nothing_is_credited_within_the_space() {
        let mut ctx = Ctx::new(1, 0, 1);
        let mut backoff = Backoff::default();
        backoff.draw(2);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        ctx.now = Time(30_000);
        backoff.pause(&mut ctx, SLOT);
        backoff.resume(&mut ctx, DIFS, SLOT, EVENT);
        assert_eq!(ctx.events.next_time(), Some(Time(30_000 + 50_000 + 40_000)));
        backoff.pause(&mut ctx, SLOT);
        assert!(ctx.events.is_empty() && backoff.is_on());
    }
}
