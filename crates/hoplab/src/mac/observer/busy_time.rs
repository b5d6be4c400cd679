//! Busy time of the medium: the union of carrier sense, NAV (IEEE 802.11-1999 section 9.2.1) and own frames, over any recent
//! window. All observers use it.
//!
//! The total is exact at any time. For windows, totals are stored at regular marks, and interpolated linearly between two
//! marks: the error at the start of a window is at most the distance of two marks.

use crate::kernel::{Span, Time};
use crate::packet::Category;
use std::collections::VecDeque;

/// Time in which the medium was busy.
#[derive(Clone, Debug, Default)]
pub struct BusyTime {
    /// Busy time up to `at`.
    total: Span,
    at: Time,
    /// Busy by carrier sense, without a known end.
    is_open: bool,
    /// Bit i: the node contends with a frame of category i.
    waiting: u8,
    /// End of own frames and exchanges.
    until: Time,
    /// When the NAV expires, which may still change.
    nav_until: Time,
    /// Totals at past multiples of [`MARK`], the last at `marked`.
    marks: VecDeque<Span>,
    marked: Time,
}

/// Distance of marks.
const MARK: Span = Span::from_millis(10);

/// Marks that are stored: the longest window is one less than this many times [`MARK`].
const MARKS: usize = 256;

impl BusyTime {
    /// From now on the medium is busy, until [`BusyTime::close`].
    pub fn open(&mut self, now: Time) {
        self.settle(now);
        self.is_open = true;
    }

    /// Ends what [`BusyTime::open`] has begun.
    pub fn close(&mut self, now: Time) {
        self.settle(now);
        self.is_open = false;
    }

    /// The node begins or ceases to contend with a frame of a category, which counts as busy.
    pub fn wait(&mut self, now: Time, category: Category, is_waiting: bool) {
        self.settle(now);
        let bit = 1 << category as u8;
        self.waiting = if is_waiting { self.waiting | bit } else { self.waiting & !bit };
    }

    /// The medium is busy until `until` at least.
    pub fn cover(&mut self, now: Time, until: Time) {
        self.settle(now);
        self.until = self.until.max(until);
    }

    /// What was reported to last until later ends now, but for carrier and NAV.
    pub fn cut(&mut self, now: Time) {
        self.settle(now);
        self.until = now;
    }

    /// The medium has been busy since `since`; reported afterwards. Of the time before the last report, nothing is added.
    pub fn recall(&mut self, now: Time, since: Time) {
        let since = since.max(self.at);
        let before = self.total(since);
        self.fill(now, since, before);
    }

    /// The medium has been busy since `since`, when the total was `before`; reported afterwards.
    pub fn fill(&mut self, now: Time, since: Time, before: Span) {
        self.settle(now);
        self.total = before + now.since(since);
    }

    /// The NAV expires at `until`, in place of the time before.
    pub fn set_nav(&mut self, now: Time, until: Time) {
        self.settle(now);
        self.nav_until = until;
    }

    /// Whether the medium is busy now.
    pub fn is_busy(&self, now: Time) -> bool {
        self.is_open || self.waiting != 0 || self.until > now || self.nav_until > now
    }

    /// Busy time since the beginning of the run.
    pub fn total(&self, now: Time) -> Span {
        let busy = if self.is_open || self.waiting != 0 { now } else { self.until.max(self.nav_until).min(now) };
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

    /// Total at a mark; of marks that are no longer stored, at the oldest one.
    fn at_mark(&self, mark: Time) -> Span {
        if mark == Time::ZERO {
            return Span::ZERO;
        }
        let back = (self.marked.since(mark).0 / MARK.0) as usize;
        let Some(index) = self.marks.len().checked_sub(1 + back) else {
            return self.marks.front().copied().unwrap_or(Span::ZERO);
        };
        self.marks[index]
    }

    fn settle(&mut self, now: Time) {
        debug_assert!(now >= self.at, "time runs forward");
        let mut next = self.marked + MARK;
        if now >= next {
            // After a long idle time only the last marks are stored.
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
        clock.set_nav(ms(25), ms(60));
        clock.close(ms(40));
        assert_eq!(clock.total(ms(50)), Span::from_millis(40));
        assert_eq!(clock.total(ms(90)), Span::from_millis(50));
        assert!(clock.is_busy(ms(59)) && !clock.is_busy(ms(60)));
    }

    #[test]
    fn nav_reset_ends_the_busy_time() {
        let mut clock = BusyTime::default();
        clock.set_nav(ms(0), ms(100));
        clock.set_nav(ms(30), ms(30));
        assert!(!clock.is_busy(ms(31)));
        assert_eq!(clock.total(ms(100)), Span::from_millis(30));
    }

    #[test]
    fn frame_makes_the_medium_busy_until_its_end() {
        let mut clock = BusyTime::default();
        clock.cover(ms(10), ms(30));
        assert!(clock.is_busy(ms(29)) && !clock.is_busy(ms(30)));
        assert_eq!((clock.share(ms(20), Span::ZERO), clock.share(ms(30), Span::ZERO)), (1.0, 0.0));
    }

    #[test]
    fn each_cause_makes_the_medium_busy() {
        let causes: [fn(&mut BusyTime); 4] = [
            |clock| clock.open(ms(10)),
            |clock| clock.wait(ms(10), Category::Video, true),
            |clock| clock.cover(ms(10), ms(20)),
            |clock| clock.set_nav(ms(10), ms(20)),
        ];
        for (index, begin) in causes.into_iter().enumerate() {
            let mut clock = BusyTime::default();
            begin(&mut clock);
            assert!(clock.is_busy(ms(15)), "cause {index}");
        }
    }

    #[test]
    fn node_waits_until_no_category_does() {
        let mut clock = BusyTime::default();
        clock.wait(ms(10), Category::Video, true);
        clock.wait(ms(20), Category::BestEffort, true);
        clock.wait(ms(30), Category::Video, false);
        clock.wait(ms(50), Category::BestEffort, false);
        assert_eq!(clock.total(ms(90)), Span::from_millis(40));
    }

    #[test]
    fn cut_ends_frames_and_leaves_the_nav() {
        for (nav_until, expected) in [(10, 10), (40, 40)] {
            let mut clock = BusyTime::default();
            clock.cover(ms(0), ms(100));
            clock.set_nav(ms(5), ms(nav_until));
            clock.cut(ms(10));
            assert_eq!(clock.total(ms(90)), Span::from_millis(expected));
        }
    }

    #[test]
    fn recalled_time_counts_once_and_from_the_last_report_on() {
        let mut clock = BusyTime::default();
        clock.cover(ms(10), ms(20));
        clock.recall(ms(30), ms(15));
        assert_eq!(clock.total(ms(30)), Span::from_millis(20));
        clock.recall(ms(50), ms(25));
        assert_eq!(clock.total(ms(60)), Span::from_millis(40), "from 30 ms on");
    }

    #[test]
    fn window_is_limited_by_the_marks_stored() {
        let mut clock = BusyTime::default();
        let kept = 10 * (MARKS as u64 - 1);
        clock.open(ms(60_000 - kept));
        clock.close(ms(60_000));
        assert_eq!(clock.share(ms(60_000), Span::from_millis(10_000)), 1.0);
    }

    #[test]
    fn marks_stay_aligned_after_days_of_idle_time() {
        let mut clock = BusyTime::default();
        let start = 200_000_000;
        clock.open(ms(start));
        clock.close(ms(start + 100));
        assert_eq!(clock.share(ms(start + 100), Span::from_millis(50)), 1.0);
    }

    #[test]
    fn share_is_that_of_the_window() {
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
    fn share_equals_a_count_of_steps() {
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
