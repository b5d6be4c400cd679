//! AdHoc Probe: the capacity of a whole path, from the distance at which pairs of packets arrive.
//!
//! # Model
//! Two packets leave back to back. Each tells when it was sent; the receiver keeps, of the last `samples` pairs that
//! arrived whole, the one whose two delays add up to least. It met no other traffic and waited least, and the time
//! between its arrivals is what the path needs for one packet. Capacity is a packet over that time.
//! # Source
//! Chen 2005, Chen 2009 (rt-winf.md section 9): pairs of 1500 bytes, 4 per second, 200 of them for a value.
//! # Deviations
//! The source gives a value per 200 pairs; here every pair gives one, of the last 200. Clocks agree: a constant offset
//! would cancel.
//! # Parameters
//! `flow.interval` (0.25 s), `flow.samples` (200), `flow.segment` (1480 B, 1500 with the header).

use super::{Supply, Traffic};
use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Pairs of packets at equal distances.
#[derive(Clone, Debug)]
pub struct Pairs {
    interval: Span,
    next: Option<Time>,
}

impl Pairs {
    /// A pair every `interval`, which is not zero.
    pub fn new(interval: Span) -> Pairs {
        Pairs { interval: interval.max(Span(1)), next: None }
    }

    fn send(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.interval);
        Supply::Segments(2)
    }
}

impl Traffic for Pairs {
    fn on_start(&mut self, now: Time) -> Supply {
        self.send(now)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        self.send(now)
    }

    fn on_stop(&mut self) {
        self.next = None;
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        self.next
    }
}

/// What a receiver makes of pairs. The packets of pair n have the numbers 2n and 2n + 1.
#[derive(Clone, Debug)]
pub struct PairMeter {
    samples: usize,
    /// A first packet whose second one has not come.
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
    /// Both delays.
    sum: Span,
    /// Time between the arrivals.
    dispersion: Span,
}

impl PairMeter {
    /// Judges by the last `samples` whole pairs.
    pub fn new(samples: u32) -> PairMeter {
        PairMeter { samples: samples.max(1) as usize, first: None, recent: VecDeque::new() }
    }

    /// Packet `number` has come for the first time, `delay` after it was sent.
    pub fn on_arrival(&mut self, now: Time, number: u64, delay: Span) {
        let arrived = Arrived { number, at: now, delay };
        if number.is_multiple_of(2) {
            self.first = Some(arrived);
            return;
        }
        // A second one that overtook its first one, or whose first one is lost, says nothing.
        let Some(first) = self.first.take().filter(|first| first.number + 1 == number) else { return };
        if self.recent.len() == self.samples {
            self.recent.pop_front();
        }
        self.recent.push_back(Sample { at: now, sum: first.delay + delay, dispersion: now.since(first.at) });
    }

    /// Time that the path needs for one packet, by the pairs that count.
    pub fn dispersion(&self) -> Option<Span> {
        self.best(Time::ZERO)
    }

    /// The same by those of them that have come since.
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
    fn two_packets_every_interval() {
        let mut pairs = Pairs::new(ms(250));
        assert_eq!(pairs.on_start(at(1000)), Supply::Segments(2));
        assert_eq!(pairs.deadline(), Some(at(1250)));
        assert_eq!(pairs.on_deadline(at(1250)), Supply::Segments(2));
        assert_eq!(pairs.deadline(), Some(at(1500)));
        pairs.on_stop();
        assert_eq!(pairs.deadline(), None);
    }

    #[test]
    fn the_pair_that_waited_least_counts() {
        let mut meter = PairMeter::new(3);
        // Sums of 9, 7 and 12 ms, with 3, 5 and 2 ms between.
        for (n, [first, second], sent) in [(0, [3, 6], 0), (1, [1, 6], 250), (2, [5, 7], 500)] {
            meter.on_arrival(at(sent + first), 2 * n, ms(first));
            meter.on_arrival(at(sent + second), 2 * n + 1, ms(second));
        }
        assert_eq!(meter.dispersion(), Some(ms(5)));
        assert_eq!(meter.dispersion_since(at(400)), Some(ms(2)));
        assert_eq!(meter.dispersion_since(at(900)), None);
        // The fourth one pushes the first one out, the fifth one the best.
        for (n, sent) in [(3, 750), (4, 1000)] {
            meter.on_arrival(at(sent + 4), 2 * n, ms(4));
            meter.on_arrival(at(sent + 8), 2 * n + 1, ms(8));
        }
        assert_eq!(meter.dispersion(), Some(ms(2)));
    }

    #[test]
    fn halves_and_strays_do_not_count() {
        let mut meter = PairMeter::new(10);
        meter.on_arrival(at(1), 0, ms(1));
        meter.on_arrival(at(5), 3, ms(1));
        meter.on_arrival(at(6), 4, ms(1));
        meter.on_arrival(at(8), 7, ms(1));
        meter.on_arrival(at(9), 6, ms(1));
        assert_eq!(meter.dispersion(), None);
    }
}
