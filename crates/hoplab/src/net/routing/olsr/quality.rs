//! Quality of links: the share of HELLO messages that arrive, in both directions, and the expected transmissions (ETX) that
//! follow (De Couto, Aguayo, Bicket, Morris, *A High-Throughput Path Metric for Multi-Hop Wireless Routing*, MobiCom 2003).

use crate::kernel::{Span, Time};

/// Quality of a link as messages have it, in parts of 255 (olsrd: LQ and NLQ).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Share of the neighbor's messages that arrive.
    pub lq: u8,
    /// Share of own messages that arrive at the neighbor.
    pub nlq: u8,
}

/// The last HELLO messages of a neighbor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// Whether each arrived, the last one in the lowest bit.
    arrived: u64,
    /// Messages since the first one, at most [`MAX`].
    expected: u64,
    /// Arrival of the last one.
    last: Time,
    /// Time between two, as the neighbor states it.
    interval: Span,
}

/// Expected transmissions of a link, in 256ths; a path has the sum.
pub(super) type Cost = u32;

/// Cost of a transmission that always succeeds.
const ONE: Cost = 256;
/// Quality of a link without loss.
const FULL: u32 = 255;
/// Length of a window with its bits.
const MAX: u64 = 64;

impl Quality {
    /// Expected transmissions; `None` if no message arrives in one direction.
    pub(super) fn cost(self) -> Option<Cost> {
        let both = u32::from(self.lq) * u32::from(self.nlq);
        (FULL * FULL * ONE).checked_div(both)
    }
}

impl Window {
    /// A HELLO message has arrived whose sender sends one per `interval`.
    pub(super) fn arrive(&mut self, now: Time, interval: Span) {
        let missed = self.missed(now);
        self.arrived = self.arrived.checked_shl(missed as u32 + 1).unwrap_or(0) | 1;
        self.expected = (self.expected + missed + 1).min(MAX);
        self.last = now;
        self.interval = interval;
    }

    /// Share of the last `size` messages that have arrived, in parts of 255. A message is missed half an interval after its
    /// time.
    pub(super) fn quality(&self, now: Time, size: u8) -> u8 {
        let (missed, size) = (self.missed(now), u64::from(size));
        let expected = (self.expected + missed).min(size);
        let left = size.saturating_sub(missed);
        let mask = if left == MAX { u64::MAX } else { (1 << left) - 1 };
        let arrived = (self.arrived & mask).count_ones();
        if expected == 0 { 0 } else { (FULL * arrived / expected as u32) as u8 }
    }

    /// Messages that should have arrived since the last one, at most [`MAX`].
    fn missed(&self, now: Time) -> u64 {
        let halves = (2 * now.since(self.last).0).checked_div(self.interval.0).unwrap_or(0);
        (halves.saturating_sub(1) / 2).min(MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Span = Span::from_millis(1_000);

    fn arrivals(secs: &[f64]) -> Window {
        let mut window = Window::default();
        for &at in secs {
            window.arrive(Time::from_secs(at), SECOND);
        }
        window
    }

    #[test]
    fn etx_is_the_inverse_of_both_ratios() {
        assert_eq!(Quality { lq: 255, nlq: 255 }.cost(), Some(ONE));
        assert_eq!(Quality { lq: 51, nlq: 255 }.cost(), Some(5 * ONE));
        assert_eq!(Quality { lq: 0, nlq: 255 }.cost(), None);
    }

    #[test]
    fn missed_messages_lower_the_quality() {
        let window = arrivals(&[1.0, 2.1, 2.9, 5.0]);
        // Of five messages, that of 4 s is missing.
        assert_eq!(window.quality(Time::from_secs(5.0), 10), 204);
        assert_eq!(window.quality(Time::from_secs(6.4), 10), 204);
        assert_eq!(window.quality(Time::from_secs(6.5), 10), 170, "four of six");
        assert_eq!(window.quality(Time::from_secs(5.0), 2), 127, "one of the last two");
        assert_eq!(window.quality(Time::from_secs(500.0), 10), 0);
    }

    #[test]
    fn window_ends_with_its_bits() {
        let all: Vec<f64> = (1..200).map(f64::from).collect();
        assert_eq!(arrivals(&all).quality(Time::from_secs(199.0), 64), 255);
        let gap = arrivals(&[1.0, 300.0]);
        assert_eq!(gap.quality(Time::from_secs(300.0), 64), 3, "one of 64");
        assert_eq!(Window::default().quality(Time::from_secs(1.0), 64), 0);
    }
}
