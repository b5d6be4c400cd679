//! End of slow start without a loss: HyStart++ (RFC 9406), or HyStart as CUBIC of Linux has it.

use super::config::SlowStart;
use crate::kernel::{Span, Time};

/// Samples of a round before it is judged.
const MIN_SAMPLES: u32 = 8;
const MIN_THRESHOLD: Span = Span::from_millis(4);
const MAX_THRESHOLD: Span = Span::from_millis(16);
/// Growth in conservative slow start is a quarter.
const CSS_DIVISOR: u32 = 4;
/// Rounds of conservative slow start.
const CSS_ROUNDS: u32 = 5;
/// Largest growth per acknowledgment of an unpaced sender, in segments.
const MAX_GROWTH: u32 = 8;
/// Linux: window below which slow start does not end, in segments.
const LOW_WINDOW: f64 = 16.0;
/// Linux: largest distance of two acknowledgments of a train; here per segment acknowledged, so that delayed ones count.
const TRAIN_GAP: Span = Span::from_millis(2);

/// What slow start does with an acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It grows by so many segments.
    Grow(u32),
    /// It ends: `ssthresh` becomes the window.
    Exit,
}

/// State of slow start.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    kind: SlowStart,
    /// The round ends when this is acknowledged.
    round_end: u64,
    round_start: Time,
    last_ack: Time,
    has_round: bool,
    samples: u32,
    current_min: Option<Span>,
    last_min: Option<Span>,
    /// Minimum over the connection (`hystart`).
    least: Option<Span>,
    /// Conservative slow start: the minimum at its beginning, and rounds so far.
    css: Option<(Span, u32)>,
    /// Segments acknowledged in conservative slow start that have not added a segment yet.
    rest: u32,
}

/// Increase of the minimum round-trip time that is a sign of a queue.
fn threshold(rtt: Span) -> Span {
    Span(rtt.0 / 8).clamp(MIN_THRESHOLD, MAX_THRESHOLD)
}

impl HyStart {
    pub(super) fn new(kind: SlowStart) -> HyStart {
        HyStart {
            kind,
            round_end: 0,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            has_round: false,
            samples: 0,
            current_min: None,
            last_min: None,
            least: None,
            css: None,
            rest: 0,
        }
    }

    /// Slow start begins again after a timeout.
    pub(super) fn restart(&mut self) {
        *self = HyStart { least: self.least, ..HyStart::new(self.kind) };
    }

    /// Judges an acknowledgment of `acked` segments up to `una` in slow start; `nxt` is the next byte to be sent, `cwnd` the
    /// window in segments.
    pub(super) fn on_ack(
        &mut self,
        now: Time,
        (una, nxt): (u64, u64),
        rtt: Option<Span>,
        acked: u32,
        cwnd: f64,
    ) -> Verdict {
        match self.kind {
            SlowStart::Standard => Verdict::Grow(acked),
            SlowStart::Hystart => self.first_sign(now, (una, nxt), rtt, acked, cwnd),
            SlowStart::HystartPp => self.plus_plus(now, (una, nxt), rtt, acked),
        }
    }

    fn begin_round(&mut self, now: Time, nxt: u64) {
        self.last_min = self.current_min;
        (self.round_end, self.round_start, self.last_ack, self.has_round) = (nxt, now, now, true);
        (self.samples, self.current_min) = (0, None);
    }

    fn add(&mut self, rtt: Option<Span>) {
        if let Some(rtt) = rtt {
            self.samples += 1;
            self.current_min = Some(self.current_min.map_or(rtt, |min| min.min(rtt)));
            self.least = Some(self.least.map_or(rtt, |min| min.min(rtt)));
        }
    }

    /// RFC 9406 section 4.2.
    fn plus_plus(&mut self, now: Time, (una, nxt): (u64, u64), rtt: Option<Span>, acked: u32) -> Verdict {
        let ends_round = self.has_round && una >= self.round_end;
        if ends_round && let Some((baseline, rounds)) = self.css {
            if rounds + 1 >= CSS_ROUNDS {
                return Verdict::Exit;
            }
            self.css = Some((baseline, rounds + 1));
        }
        if !self.has_round || ends_round {
            self.begin_round(now, nxt);
        }
        self.add(rtt);
        if self.samples >= MIN_SAMPLES
            && let Some(current) = self.current_min
        {
            match (self.css, self.last_min) {
                (Some((baseline, _)), _) if current < baseline => self.css = None,
                (None, Some(last)) if current >= last + threshold(last) => self.css = Some((current, 0)),
                _ => {}
            }
        }
        let acked = acked.min(MAX_GROWTH);
        if self.css.is_none() {
            self.rest = 0;
            return Verdict::Grow(acked);
        }
        self.rest += acked;
        let grow = self.rest / CSS_DIVISOR;
        self.rest %= CSS_DIVISOR;
        Verdict::Grow(grow)
    }

    /// `tcp_cubic.c` of Linux: a train of acknowledgments as long as half the minimum round-trip time, or a delay.
    fn first_sign(&mut self, now: Time, (una, nxt): (u64, u64), rtt: Option<Span>, acked: u32, cwnd: f64) -> Verdict {
        // The round that is over is judged by its own acknowledgments only.
        if !self.has_round || una > self.round_end {
            self.begin_round(now, nxt);
        }
        let is_train = now.since(self.last_ack) <= TRAIN_GAP * u64::from(acked.max(1));
        if is_train {
            self.last_ack = now;
        }
        if self.samples < MIN_SAMPLES {
            self.add(rtt);
        }
        let Some(least) = self.least else { return Verdict::Grow(acked) };
        if cwnd < LOW_WINDOW {
            return Verdict::Grow(acked);
        }
        let has_long_train = is_train && now.since(self.round_start).0 > least.0 / 2;
        let is_delayed =
            self.samples >= MIN_SAMPLES && self.current_min.is_some_and(|current| current > least + threshold(least));
        if has_long_train || is_delayed { Verdict::Exit } else { Verdict::Grow(acked) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_those_of_rfc_9406() {
        let millis = [20, 50, 100, 200].map(|ms| threshold(Span::from_millis(ms)).0 as f64 / 1e6);
        assert_eq!(millis, [4.0, 6.25, 12.5, 16.0]);
    }

    /// Feeds a round of `acks` with this round-trip time in milliseconds; `nxt` moves by 100 per round.
    fn round(hystart: &mut HyStart, number: u64, rtt: u64, acks: u32) -> Vec<Verdict> {
        let (begin, nxt) = (number * 100, (number + 1) * 100);
        let feed = |i: u32| {
            let una = if i == 0 { begin } else { begin + 1 };
            hystart.on_ack(Time(number * 1_000_000_000), (una, nxt), Some(Span::from_millis(rtt)), 1, 20.0)
        };
        (0..acks).map(feed).collect()
    }

    #[test]
    fn css_grows_by_quarters_and_ends_after_five_rounds() {
        let mut hystart = HyStart::new(SlowStart::HystartPp);
        assert!(round(&mut hystart, 1, 50, 10).iter().all(|v| *v == Verdict::Grow(1)));
        let second = round(&mut hystart, 2, 57, 12);
        assert_eq!(second[..7], [Verdict::Grow(1); 7]);
        assert_eq!(second[7..].iter().filter(|v| **v == Verdict::Grow(1)).count(), 1, "a quarter of five");
        for number in 3..=6 {
            assert!(!round(&mut hystart, number, 58, 8).contains(&Verdict::Exit), "{number}");
        }
        assert_eq!(round(&mut hystart, 7, 58, 1), [Verdict::Exit]);
    }

    #[test]
    fn css_ends_when_the_delay_is_gone() {
        let mut hystart = HyStart::new(SlowStart::HystartPp);
        round(&mut hystart, 1, 50, 10);
        round(&mut hystart, 2, 57, 12);
        let back = round(&mut hystart, 3, 52, 12);
        assert_eq!(back[7..], [Verdict::Grow(1); 5]);
    }

    #[test]
    fn small_increase_is_no_sign() {
        for kind in [SlowStart::HystartPp, SlowStart::Hystart] {
            let mut hystart = HyStart::new(kind);
            round(&mut hystart, 1, 50, 10);
            let found = round(&mut hystart, 2, 56, 12);
            assert!(found.iter().all(|v| *v == Verdict::Grow(1)), "{kind:?}");
        }
    }

    #[test]
    fn hystart_of_linux_exits_at_first_sign() {
        let mut hystart = HyStart::new(SlowStart::Hystart);
        round(&mut hystart, 1, 50, 10);
        // The ack at the round's end belongs to the round before.
        let found = round(&mut hystart, 2, 57, 10);
        assert_eq!(found.iter().position(|v| *v == Verdict::Exit), Some(8));
    }

    #[test]
    fn growth_is_limited_to_eight_segments() {
        let mut hystart = HyStart::new(SlowStart::HystartPp);
        assert_eq!(hystart.on_ack(Time::ZERO, (1, 100), None, 20, 10.0), Verdict::Grow(8));
    }
}
