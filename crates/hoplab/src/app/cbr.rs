//! Packets at a constant rate: the first at the start, then one every `8 * segment / rate` seconds, as
//! `Application/Traffic/CBR` of ns-2. With `random_` of ns-2 each distance is uniform between half of that and one and a
//! half.

use super::{Supply, Traffic};
use crate::kernel::{Rate, Span, Stream, Time};

/// Packets at equal distances.
#[derive(Clone, Debug)]
pub struct Cbr {
    gap: Span,
    next: Option<Time>,
    /// Spreads the distances.
    chance: Option<Stream>,
}

impl Cbr {
    /// `rate` payload bits per second, in packets of `segment` bytes.
    pub fn new(rate: Rate, segment: u32) -> Cbr {
        Cbr::every(rate.time_for(u64::from(segment) * 8))
    }

    /// A packet every `gap`.
    pub fn every(gap: Span) -> Cbr {
        // Never zero: time would stand still.
        Cbr { gap: gap.max(Span(1)), next: None, chance: None }
    }

    /// The same with random distances.
    #[must_use]
    pub fn jittered(self, chance: Stream) -> Cbr {
        Cbr { chance: Some(chance), ..self }
    }

    fn step(&mut self) -> Span {
        match &mut self.chance {
            None => self.gap,
            Some(chance) => Span((self.gap.0 as f64 * chance.between(0.5, 1.5)) as u64).max(Span(1)),
        }
    }
}

impl Traffic for Cbr {
    fn on_start(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.step());
        Supply::Segments(1)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.step());
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
    use crate::kernel::{Purpose, Streams};

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
    fn random_distances_keep_the_mean() {
        let chance = Streams::new(1).stream(Purpose::Traffic, 0);
        let mut cbr = Cbr::new(Rate(64e3), 512).jittered(chance);
        cbr.on_start(Time::ZERO);
        let mut last = Time::ZERO;
        for _ in 0..20_000 {
            let at = cbr.deadline().expect("a next packet");
            let gap = at.since(last).secs();
            assert!((0.0319..0.0961).contains(&gap), "{gap}");
            cbr.on_deadline(at);
            last = at;
        }
        // The deviation of a uniform distance is its width over the root of 12.
        let deviation = 0.064 / libm::sqrt(12.0 * 20_000.0);
        assert!((last.secs() / 20_000.0 - 0.064).abs() < 4.0 * deviation);
    }

    #[test]
    fn time_never_stands_still() {
        let mut cbr = Cbr::new(Rate(1e15), 1);
        cbr.on_start(Time::ZERO);
        assert_eq!(cbr.deadline(), Some(Time(1)));
    }
}
