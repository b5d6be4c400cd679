//! The receiver of AdHoc Probe: of the last pairs it selects the one with the minimum sum of delays, whose queueing is minimal.
//!
//! Source: Chen 2005, Chen 2009 (`applications/adhoc_probe.rs`).

use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Arrivals of pairs. The packets of pair n have the numbers 2n and 2n + 1.
#[derive(Clone, Debug)]
pub struct PairMeter {
    samples: usize,
    /// A first packet whose second one has not arrived.
    first: Option<Arrived>,
    recent: VecDeque<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Arrived {
    number: u64,
    at: Time,
    delay: Span,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Time,
    /// Sum of both delays.
    sum: Span,
    /// Time between the arrivals.
    dispersion: Span,
}

impl PairMeter {
    /// A meter over the last `samples` complete pairs.
    pub fn new(samples: u32) -> PairMeter {
        PairMeter { samples: samples.max(1) as usize, first: None, recent: VecDeque::new() }
    }

    /// Packet `number` arrives for the first time, `delay` after it was sent.
    pub fn on_arrival(&mut self, now: Time, number: u64, delay: Span) {
        let arrived = Arrived { number, at: now, delay };
        if number.is_multiple_of(2) {
            self.first = Some(arrived);
            return;
        }
        // A second packet that overtook its first one, or whose first one is lost, is not evaluated.
        let Some(first) = self.first.take().filter(|first| first.number + 1 == number) else { return };
        if self.recent.len() == self.samples {
            self.recent.pop_front();
        }
        self.recent.push_back(Sample { at: now, sum: first.delay + delay, dispersion: now.since(first.at) });
    }

    /// Time that the path needs for one packet, by the pair with the minimum sum of delays.
    pub fn dispersion(&self) -> Option<Span> {
        self.best(Time::ZERO)
    }

    /// Like [`PairMeter::dispersion`], of the pairs that arrived since `from`.
    pub fn dispersion_since(&self, from: Time) -> Option<Span> {
        self.best(from)
    }

    fn best(&self, from: Time) -> Option<Span> {
        let whole = self.recent.iter().filter(|sample| sample.at >= from && sample.dispersion > Span::ZERO);
        whole.min_by_key(|sample| sample.sum).map(|sample| sample.dispersion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn pair_with_the_least_delays_is_evaluated() {
        let mut meter = PairMeter::new(3);
        // Sums of 9, 7 and 12 ms, with 3, 5 and 2 ms between.
        for (n, [first, second], sent) in [(0, [3, 6], 0), (1, [1, 6], 250), (2, [5, 7], 500)] {
            meter.on_arrival(at(sent + first), 2 * n, ms(first));
            meter.on_arrival(at(sent + second), 2 * n + 1, ms(second));
        }
        assert_eq!(meter.dispersion(), Some(ms(5)));
        assert_eq!(meter.dispersion_since(at(400)), Some(ms(2)));
        assert_eq!(meter.dispersion_since(at(900)), None);
        // The fourth pair displaces the first, the fifth the best.
        for (n, sent) in [(3, 750), (4, 1000)] {
            meter.on_arrival(at(sent + 4), 2 * n, ms(4));
            meter.on_arrival(at(sent + 8), 2 * n + 1, ms(8));
        }
        assert_eq!(meter.dispersion(), Some(ms(2)));
    }

    #[test]
    fn incomplete_and_reordered_pairs_are_ignored() {
        let mut meter = PairMeter::new(10);
        meter.on_arrival(at(1), 0, ms(1));
        meter.on_arrival(at(5), 3, ms(1));
        meter.on_arrival(at(6), 4, ms(1));
        meter.on_arrival(at(8), 7, ms(1));
        meter.on_arrival(at(9), 6, ms(1));
        assert_eq!(meter.dispersion(), None);
    }
}
