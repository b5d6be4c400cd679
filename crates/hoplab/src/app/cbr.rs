//! Packets at a constant rate: the first at the start, then one every `8 * segment / rate` seconds, as
//! `Application/Traffic/CBR` of ns-2 with `random_` off.

use super::{Supply, Traffic};
use crate::kernel::{Rate, Span, Time};

/// Packets at equal distances.
#[derive(Clone, Debug)]
pub struct Cbr {
    gap: Span,
    next: Option<Time>,
}

impl Cbr {
    /// `rate` payload bits per second, in packets of `segment` bytes.
    pub fn new(rate: Rate, segment: u32) -> Cbr {
        // Never zero: time would stand still.
        let gap = rate.time_for(u64::from(segment) * 8).max(Span(1));
        Cbr { gap, next: None }
    }
}

impl Traffic for Cbr {
    fn on_start(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.gap);
        Supply::Segments(1)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.gap);
        Supply::Segments(1)
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

    #[test]
    fn a_packet_at_the_start_and_then_at_equal_distances() {
        let mut cbr = Cbr::new(Rate(64e3), 512);
        let start = Time::from_secs(1.0);
        assert_eq!(cbr.deadline(), None);
        assert_eq!(cbr.on_start(start), Supply::Segments(1));
        assert_eq!(cbr.deadline(), Some(Time(1_064_000_000)));
        assert_eq!(cbr.on_deadline(Time(1_064_000_000)), Supply::Segments(1));
        assert_eq!(cbr.deadline(), Some(Time(1_128_000_000)));
        cbr.on_stop();
        assert_eq!(cbr.deadline(), None);
    }

    #[test]
    fn time_never_stands_still() {
        let mut cbr = Cbr::new(Rate(1e15), 1);
        cbr.on_start(Time::ZERO);
        assert_eq!(cbr.deadline(), Some(Time(1)));
    }
}
