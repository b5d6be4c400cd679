//! Packets at a constant rate: the first at the start, then one every `8 * segment / rate` seconds. With `random` each
//! interval is uniform between half and one and a half times that.
//!
//! Source: `Application/Traffic/CBR` of ns-2.35, and its `random_`.

use crate::app::application::Application;
use crate::app::keys::AppKeys;
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Rate, Span, Time};

/// Packets at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cbr {
    /// Payload bits per second.
    pub rate: Rate,
    /// Whether intervals are spread by up to half of their mean.
    pub is_random: bool,
}

impl Cbr {
    /// Packets at equal intervals.
    pub fn at(rate: Rate) -> Cbr {
        Cbr { rate, is_random: false }
    }
}

impl Application for Cbr {
    const SUMMARY: &'static str = "packets of one size at a constant rate";
    const PAGE: &'static str = "on_off";
    const KEYS: &'static [&'static str] = &["rate", "random"];
    const REQUIRED: Option<(&'static str, &'static str)> = Some(("rate", "\"64 kb/s\""));

    type Source = CbrSource;

    fn from_keys(keys: &AppKeys) -> Cbr {
        Cbr { rate: keys.rate.unwrap_or(Rate(0.0)), is_random: keys.random == Some(true) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys { rate: Some(self.rate), random: self.is_random.then_some(true), ..AppKeys::default() }
    }

    fn source(&self, segment: u32, stream: impl FnOnce() -> RandomStream) -> CbrSource {
        let source = CbrSource::new(self.rate, segment);
        if self.is_random { source.jittered(stream()) } else { source }
    }

    fn constant_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }
}

/// Packets at equal intervals.
#[derive(Clone, Debug)]
pub struct CbrSource {
    gap: Span,
    next: Option<Time>,
    /// Spreads the intervals.
    stream: Option<RandomStream>,
}

impl CbrSource {
    /// `rate` payload bits per second, in packets of `segment` bytes.
    pub fn new(rate: Rate, segment: u32) -> CbrSource {
        CbrSource::every(rate.time_for(u64::from(segment) * 8))
    }

    /// A packet every `gap`.
    pub fn every(gap: Span) -> CbrSource {
        // Never zero, which would stop simulated time.
        CbrSource { gap: gap.max(Span(1)), next: None, stream: None }
    }

    /// This source with random intervals.
    #[must_use]
    pub fn jittered(self, stream: RandomStream) -> CbrSource {
        CbrSource { stream: Some(stream), ..self }
    }

    fn step(&mut self) -> Span {
        match &mut self.stream {
            None => self.gap,
            Some(stream) => Span((self.gap.0 as f64 * stream.between(0.5, 1.5)) as u64).max(Span(1)),
        }
    }
}

impl Traffic for CbrSource {
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
    use crate::kernel::{Purpose, RandomStreams};

    #[test]
    fn packets_leave_at_the_start_and_at_equal_intervals() {
        let mut cbr = CbrSource::new(Rate(64e3), 512);
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
    fn random_intervals_keep_the_mean() {
        let stream = RandomStreams::new(1).stream(Purpose::Traffic, 0);
        let mut cbr = CbrSource::new(Rate(64e3), 512).jittered(stream);
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
    fn interval_is_never_zero() {
        let mut cbr = CbrSource::new(Rate(1e15), 1);
        cbr.on_start(Time::ZERO);
        assert_eq!(cbr.deadline(), Some(Time(1)));
    }
}
