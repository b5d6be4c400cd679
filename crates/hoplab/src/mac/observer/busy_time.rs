//! How long the medium was busy: the union of what is sensed, reserved and sent, over any recent window.
//!
//! The total is exact at any moment. For windows, totals are kept at regular marks; between two marks it is taken to
//! have grown evenly, so that a window's edge is off by at most one mark's length.

use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Time in which the medium was busy.
#[derive(Clone, Debug, Default)]
pub struct BusyTime {
    /// Busy time up to `at`.
    total: Span,
    at: Time,
    /// Something without a known end is going on.
    is_open: bool,
    /// The node waits with a frame to send.
    is_waiting: bool,
    /// Something with a known end is.
    until: Time,
    /// Something else is, whose end may still move.
    reserved: Time,
    /// Totals at past multiples of [`MARK`], the last at `marked`.
    marks: VecDeque<Span>,
    marked: Time,
}

/// Distance of marks.
const MARK: Span = Span::from_millis(10);

/// Marks that are kept: windows may be one less than this many times [`MARK`] long.
const MARKS: usize = 256;

impl BusyTime {
    /// From now on the medium is busy, until [`BusyTime::close`].
    pub fn open(&mut self, now: Time) {
        self.settle(now);
        self.is_open = true;
    }

    /// What began with [`BusyTime::open`] is over.
    pub fn close(&mut self, now: Time) {
        self.settle(now);
        self.is_open = false;
    }

    /// From now on the node waits with a frame to send, which counts as busy, or no longer.
    pub fn wait(&mut self, now: Time, is_waiting: bool) {
        self.settle(now);
        self.is_waiting = is_waiting;
    }

    /// The medium is busy until `until` at least.
    pub fn cover(&mut self, now: Time, until: Time) {
        self.settle(now);
        self.until = self.until.max(until);
    }

    /// The medium has turned out to be busy from `since` on, when its busy time was `before`.
    pub fn fill(&mut self, now: Time, since: Time, before: Span) {
        self.settle(now);
        self.total = before + now.since(since);
    }

    /// The reservation ends at `until`; replaces what was said of it before.
    pub fn reserve(&mut self, now: Time, until: Time) {
        self.settle(now);
        self.reserved = until;
    }

    /// Whether the medium is busy now.
    pub fn is_busy(&self, now: Time) -> bool {
        self.is_open || self.is_waiting || self.until > now || self.reserved > now
    }

    /// Busy time since the beginning of the run.
    pub fn total(&self, now: Time) -> Span {
        let busy = if self.is_open || self.is_waiting { now } else { self.until.max(self.reserved).min(now) };
        self.total + busy.since(self.at)
    }

    /// Share of the last `window` that was busy; of a run shorter than that, of all of it.
    pub fn share(&self, now: Time, window: Span) -> f64 {
        let window = window.0.min(now.0).min(MARK.0 * (MARKS as u64 - 1));
        if window == 0 {
            return f64::from(u8::from(self.is_busy(now)));
        }
        let busy = self.total(now).saturating_sub(self.total_before(Time(now.0 - window)));
        (busy.secs() / Span(window).secs()).min(1.0)
    }

    /// Busy time up to a past moment.
    fn total_before(&self, past: Time) -> Span {
        if past >= self.at {
            return self.total(past);
        }
        let last = self.marked;
        if past >= last {
            return between(past, (last, self.at_mark(last)), (self.at, self.total));
        }
        let low = Time(past.0 / MARK.0 * MARK.0);
        let high = low + MARK;
        between(past, (low, self.at_mark(low)), (high, self.at_mark(high)))
    }

    /// Total at a mark; marks too old are taken as the oldest.
    fn at_mark(&self, mark: Time) -> Span {
        if mark == Time::ZERO {
            return Span::ZERO;
        }
        let back = (self.marked.since(mark).0 / MARK.0) as usize;
        let Some(place) = self.marks.len().checked_sub(1 + back) else {
            return self.marks.front().copied().unwrap_or(Span::ZERO);
        };
        self.marks[place]
    }

    fn settle(&mut self, now: Time) {
        debug_assert!(now >= self.at, "time runs forward");
        let mut next = self.marked + MARK;
        if now >= next {
            // After a long silence only the last marks are worth recording.
            let span = MARK.0 * MARKS as u64;
            if now.0 - next.0 > span {
                next = Time((now.0 - span) / MARK.0 * MARK.0);
                self.marks.clear();
            }
            while next <= now {
                let total = self.total(next);
                if self.marks.len() == MARKS {
                    self.marks.pop_front();
                }
                self.marks.push_back(total);
                self.marked = next;
                next += MARK;
            }
        }
        self.total = self.total(now);
        self.at = now;
    }
}

fn between(at: Time, low: (Time, Span), high: (Time, Span)) -> Span {
    let length = high.0.since(low.0).0;
    if length == 0 {
        return low.1;
    }
    let rise = u128::from(high.1.saturating_sub(low.1).0) * u128::from(at.since(low.0).0) / u128::from(length);
    low.1 + Span(rise as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn overlapping_causes_count_once() {
        let mut clock = BusyTime::default();
        clock.cover(ms(10), ms(30));
        clock.open(ms(20));
        clock.reserve(ms(25), ms(60));
        clock.close(ms(40));
        assert_eq!(clock.total(ms(50)), Span::from_millis(40));
        assert_eq!(clock.total(ms(90)), Span::from_millis(50));
        assert!(clock.is_busy(ms(59)) && !clock.is_busy(ms(60)));
    }

    #[test]
    fn a_reservation_may_be_forgotten() {
        let mut clock = BusyTime::default();
        clock.reserve(ms(0), ms(100));
        clock.reserve(ms(30), ms(30));
        assert!(!clock.is_busy(ms(31)));
        assert_eq!(clock.total(ms(100)), Span::from_millis(30));
    }

    #[test]
    fn a_frame_makes_it_busy_until_its_end() {
        let mut clock = BusyTime::default();
        clock.cover(ms(10), ms(30));
        assert!(clock.is_busy(ms(29)) && !clock.is_busy(ms(30)));
        assert_eq!((clock.share(ms(20), Span::ZERO), clock.share(ms(30), Span::ZERO)), (1.0, 0.0));
    }

    #[test]
    fn any_one_cause_makes_it_busy() {
        let causes: [fn(&mut BusyTime); 4] = [
            |clock| clock.open(ms(10)),
            |clock| clock.wait(ms(10), true),
            |clock| clock.cover(ms(10), ms(20)),
            |clock| clock.reserve(ms(10), ms(20)),
        ];
        for (place, begin) in causes.into_iter().enumerate() {
            let mut clock = BusyTime::default();
            begin(&mut clock);
            assert!(clock.is_busy(ms(15)), "cause {place}");
        }
    }

    #[test]
    fn a_window_reaches_back_as_far_as_marks_are_kept() {
        let mut clock = BusyTime::default();
        let kept = 10 * (MARKS as u64 - 1);
        clock.open(ms(60_000 - kept));
        clock.close(ms(60_000));
        assert_eq!(clock.share(ms(60_000), Span::from_millis(10_000)), 1.0);
    }

    #[test]
    fn marks_stay_in_place_through_days_of_silence() {
        let mut clock = BusyTime::default();
        let start = 200_000_000;
        clock.open(ms(start));
        clock.close(ms(start + 100));
        assert_eq!(clock.share(ms(start + 100), Span::from_millis(50)), 1.0);
    }

    #[test]
    fn shares_of_windows() {
        let mut clock = BusyTime::default();
        // Busy in the first 3 ms of every 10, from 0 to 5 s; idle afterwards.
        for n in 0..500 {
            clock.cover(ms(10 * n), ms(10 * n + 3));
            if n > 100 {
                assert!((clock.share(ms(10 * n), Span::from_millis(500)) - 0.3).abs() < 0.021, "{n}");
            }
        }
        assert!((clock.share(ms(5000), Span::from_millis(1000)) - 0.3).abs() < 0.011);
        assert!((clock.share(ms(5500), Span::from_millis(1000)) - 0.15).abs() < 0.011);
        assert_eq!(clock.share(ms(60_000), Span::from_millis(1000)), 0.0);
        clock.open(ms(60_000));
        assert_eq!(clock.share(ms(60_250), Span::from_millis(1000)), 0.25);
        assert_eq!(clock.share(ms(62_250), Span::from_millis(1000)), 1.0);
    }

    #[test]
    fn windows_agree_with_a_plain_count() {
        // Busy by a fixed irregular pattern, in steps of 1 ms.
        let is_busy = |step: u64| (step * step * 7 + step * 13) % 11 < 5;
        let mut clock = BusyTime::default();
        let mut history = Vec::new();
        for step in 0..4000u64 {
            if is_busy(step) {
                clock.cover(ms(step), ms(step + 1));
            }
            history.push(is_busy(step));
            if step > 1000 && step % 97 == 0 {
                let window = 700usize;
                let now = step as usize;
                let busy = history[now - window..now].iter().filter(|busy| **busy).count();
                let share = clock.share(ms(step), Span::from_millis(window as u64));
                assert!((share - busy as f64 / window as f64).abs() < 0.011, "{step}: {share}");
            }
        }
    }
}
