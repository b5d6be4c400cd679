//! Backoff: slots that are counted down on an idle medium before a transmission.
//!
//! The count freezes when the medium becomes busy, with credit for the whole slots that have passed, and resumes after an
//! interframe space (IEEE 802.11-1999 section 9.2.5.2; ns-2.35 `BackoffTimer`).
//!
//! Timers: [`MacTimer::Backoff`], at the end of the count or before.

use crate::kernel::{Key, RadioId, Span, Time, TimerId};
use crate::packet::Category;
use crate::sim::{Ctx, Event, MacTimer};

/// A backoff counter.
///
/// A freeze that is reported afterwards ([`Backoff::freeze_at`]) leaves the timer running. If it fires before the end of the
/// count it is restarted: a busy medium requires no timer operation.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::mac::dcf) struct Backoff {
    state: State,
    category: Category,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// None is pending.
    #[default]
    Off,
    /// The medium is busy.
    Frozen {
        slots: u32,
        /// Fires before the count can be over.
        timer: Option<TimerId>,
    },
    /// Slots are counted.
    Running {
        slots: u32,
        /// When counting begins: after the interframe space.
        from: Time,
        /// When it ends, with its position in the order of scheduling.
        end: Key,
        /// Fires then, or before.
        timer: TimerId,
    },
}

impl Backoff {
    /// None pending, of this category.
    pub(in crate::mac::dcf) fn of(category: Category) -> Backoff {
        Backoff { state: State::Off, category }
    }

    /// Whether the count ends then, unless it freezes.
    pub(in crate::mac::dcf) fn ends_at(&self, at: Time) -> bool {
        matches!(self.state, State::Running { end, .. } if end.time() == at)
    }

    /// Whether slots remain to be counted, now or once the medium is idle.
    #[inline]
    pub(in crate::mac::dcf) fn is_pending(&self) -> bool {
        !matches!(self.state, State::Off)
    }

    /// Whether slots are being counted.
    #[inline]
    pub(in crate::mac::dcf) fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    /// Starts with `slots`, frozen.
    pub(in crate::mac::dcf) fn draw(&mut self, slots: u32) {
        debug_assert!(!self.is_pending(), "a backoff is drawn only when none is pending");
        self.state = State::Frozen { slots, timer: None };
    }

    /// The medium is idle: resumes counting after `ifs`.
    pub(in crate::mac::dcf) fn resume(&mut self, ctx: &mut Ctx, radio: RadioId, ifs: Span, slot: Span) {
        if let State::Frozen { slots, timer } = self.state {
            let from = ctx.now + ifs;
            let end = ctx.events.reserve_key(from + slot * u64::from(slots));
            let timer =
                timer.unwrap_or_else(|| ctx.events.schedule_reserved(end, end.time(), event(radio, self.category)));
            self.state = State::Running { slots, from, end, timer };
        }
    }

    /// The medium is busy: credits the whole slots that have passed.
    pub(in crate::mac::dcf) fn freeze(&mut self, ctx: &mut Ctx, slot: Span) {
        if let State::Running { slots, from, timer, .. } = self.state {
            ctx.events.cancel(timer);
            self.state = State::Frozen { slots: slots_left(slots, from, ctx.now, slot), timer: None };
        }
    }

    /// The medium has been busy since `at`; reported afterwards.
    #[inline]
    pub(in crate::mac::dcf) fn freeze_at(&mut self, at: Time, slot: Span) {
        if let State::Running { slots, from, timer, .. } = self.state {
            self.state = State::Frozen { slots: slots_left(slots, from, at, slot), timer: Some(timer) };
        }
    }

    /// Ends without a transmission.
    pub(in crate::mac::dcf) fn cancel(&mut self, ctx: &mut Ctx) {
        if let State::Running { timer, .. } | State::Frozen { timer: Some(timer), .. } = self.state {
            ctx.events.cancel(timer);
        }
        self.state = State::Off;
    }

    /// The timer has fired. Whether the count is over; otherwise restarts the timer.
    #[inline]
    pub(in crate::mac::dcf) fn on_timer(&mut self, ctx: &mut Ctx, radio: RadioId) -> bool {
        match &mut self.state {
            State::Running { end, timer, .. } if ctx.now < end.time() => {
                *timer = ctx.events.schedule_reserved(*end, end.time(), event(radio, self.category));
                false
            }
            State::Running { .. } => {
                self.state = State::Off;
                true
            }
            State::Frozen { timer, .. } => {
                *timer = None;
                false
            }
            State::Off => unreachable!("a backoff timer is cancelled with its backoff"),
        }
    }
}

fn event(radio: RadioId, category: Category) -> Event {
    Event::Mac { radio, timer: MacTimer::Backoff(category) }
}

/// Slots that are left at `at` if counting began at `from`.
#[inline]
fn slots_left(slots: u32, from: Time, at: Time, slot: Span) -> u32 {
    let passed = (at.since(from).0 / slot.0) as u32;
    slots.saturating_sub(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Span = Span::from_micros(20);
    const DIFS: Span = Span::from_micros(50);
    const ME: RadioId = RadioId(0);
    const OTHER: RadioId = RadioId(1);

    /// So many slots, counted from time zero on, after DIFS.
    fn counting(slots: u32) -> (Ctx, Backoff) {
        let (mut ctx, mut backoff) = (Ctx::new(1, 0, 1), Backoff::default());
        backoff.draw(slots);
        backoff.resume(&mut ctx, ME, DIFS, SLOT);
        (ctx, backoff)
    }

    #[test]
    fn freeze_credits_whole_slots() {
        let (mut ctx, mut backoff) = counting(10);
        ctx.now = Time(50_000 + 3 * 20_000 + 19_999);
        backoff.freeze(&mut ctx, SLOT);
        assert!(ctx.events.is_empty());
        ctx.now = Time(1_000_000);
        backoff.resume(&mut ctx, ME, DIFS, SLOT);
        assert_eq!(ctx.events.next_time(), Some(Time(1_000_000 + 50_000 + 7 * 20_000)));
    }

    #[test]
    fn freeze_reported_afterwards_delays_the_end() {
        let (mut ctx, mut backoff) = counting(10);
        backoff.freeze_at(Time(50_000 + 3 * 20_000), SLOT);
        assert!(backoff.is_pending() && !backoff.is_running());
        ctx.now = Time(200_000);
        backoff.resume(&mut ctx, ME, DIFS, SLOT);
        assert_eq!(ctx.events.len(), 1);
        // An event that is scheduled for the time of the end, after the count has resumed, fires after the end.
        let end = Time(200_000 + 50_000 + 7 * 20_000);
        ctx.events.schedule(end, event(OTHER, Category::BestEffort));
        for (at, is_over) in [(Time(50_000 + 10 * 20_000), false), (end, true)] {
            let (key, next) = ctx.events.pop().expect("an event");
            assert_eq!((key.time(), next), (at, event(ME, Category::BestEffort)));
            ctx.now = at;
            assert_eq!(backoff.on_timer(&mut ctx, ME), is_over);
        }
        assert!(!backoff.is_pending());
        assert_eq!(ctx.events.len(), 1);
    }

    #[test]
    fn timer_of_frozen_backoff_ends_nothing() {
        let (mut ctx, mut backoff) = counting(2);
        backoff.freeze_at(Time(70_000), SLOT);
        ctx.now = ctx.events.pop().expect("an event").0.time();
        assert!(!backoff.on_timer(&mut ctx, ME) && backoff.is_pending());
        ctx.now = Time(1_000_000);
        backoff.resume(&mut ctx, ME, DIFS, SLOT);
        assert_eq!(ctx.events.next_time(), Some(Time(1_000_000 + 50_000 + 20_000)));
        backoff.freeze_at(Time(1_000_000), SLOT);
        backoff.cancel(&mut ctx);
        assert!(ctx.events.is_empty() && !backoff.is_pending(), "its timer is cancelled with it");
    }

    #[test]
    fn freeze_within_ifs_credits_no_slot() {
        let (mut ctx, mut backoff) = counting(2);
        ctx.now = Time(30_000);
        backoff.freeze(&mut ctx, SLOT);
        backoff.resume(&mut ctx, ME, DIFS, SLOT);
        assert_eq!(ctx.events.next_time(), Some(Time(30_000 + 50_000 + 40_000)));
        backoff.freeze(&mut ctx, SLOT);
        assert!(ctx.events.is_empty() && backoff.is_pending());
    }
}
