//! AdHoc Probe: measures the capacity of a whole path by the interval at which pairs of packets arrive.
//!
//! # Model
//! Two packets leave back to back, with their times of departure. Of the last `samples` complete pairs, the receiver selects
//! the one with the minimum sum of delays. Its queueing is minimal, and the interval between its arrivals is the time that
//! the path needs for one packet. Capacity is a packet over that time.
//! # Source
//! Chen 2005, Chen 2009 (docs/specs/rt-winf.md section 9): pairs of 1500 bytes, 4 per second, 200 of them per value.
//! # Deviations
//! The source gives one value per 200 pairs; here every pair gives one, of the last 200. Clocks agree: a constant
//! offset would cancel.
//! # Parameters
//! `flow.interval` (0.25 s), `flow.samples` (200), `flow.segment` (1480 B, 1500 with the header).

use crate::app::application::{Application, Carrier};
use crate::app::keys::AppKeys;
use crate::app::pair_meter::PairMeter;
use crate::app::probe::{INTERVAL, PROBE_BYTES};
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Span, Time};

/// Pairs per value.
const SAMPLES: u32 = 200;

/// Pairs of packets that measure the capacity of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdhocProbe {
    /// Time between two pairs.
    pub interval: Span,
    /// Pairs from which a value is selected.
    pub samples: u32,
}

impl Application for AdhocProbe {
    const SUMMARY: &'static str = "packet pairs whose spacing at arrival measures path capacity";
    const PAGE: &'static str = "adhoc_probe";
    const KEYS: &'static [&'static str] = &["interval", "samples"];
    const SEGMENT: u32 = PROBE_BYTES;
    const CARRIER: Carrier = Carrier::Datagrams;

    type Source = Pairs;

    fn from_keys(keys: &AppKeys) -> AdhocProbe {
        AdhocProbe { interval: keys.interval.unwrap_or(INTERVAL), samples: keys.samples.unwrap_or(SAMPLES) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys { interval: Some(self.interval), samples: Some(self.samples), ..AppKeys::default() }
    }

    fn source(&self, _: u32, _: impl FnOnce() -> RandomStream) -> Pairs {
        Pairs::new(self.interval)
    }

    fn meter(&self) -> Option<PairMeter> {
        Some(PairMeter::new(self.samples))
    }
}

/// Pairs of packets at equal intervals.
#[derive(Clone, Debug)]
pub struct Pairs {
    interval: Span,
    next: Option<Time>,
}

impl Pairs {
    /// A pair every `interval`.
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
}
