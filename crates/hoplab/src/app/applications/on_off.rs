//! Bursts of packets at equal intervals and off times between them, both of exponential length.
//!
//! # Model
//! A burst has `max(1, round(x))` packets, x exponential with mean `on_mean / interval`; an off time is exponential
//! with mean `off_mean` and adds to the interval of two packets. A flow starts with an off time, as in ns-2.
//!
//! # Source
//! `Application/Traffic/Exponential` of ns-2.35.
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `flow.rate` (64 kb/s), `flow.segment` (210 B), `flow.on_mean`, `flow.off_mean` (0.5 s).

use crate::app::application::Application;
use crate::app::keys::AppKeys;
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Rate, Span, Time, exponential};

/// Bursts and off times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Payload bits per second during a burst.
    pub rate: Rate,
    /// Mean length of a burst.
    pub on_mean: Span,
    /// Mean off time.
    pub off_mean: Span,
}

/// Rate and mean lengths where a flow gives none.
const RATE: Rate = Rate(64e3);
const MEAN: Span = Span::from_millis(500);

impl Application for OnOff {
    const SUMMARY: &'static str = "bursts of packets at a constant rate and off times, both of exponential length";
    const PAGE: &'static str = "on_off";
    const KEYS: &'static [&'static str] = &["rate", "on_mean", "off_mean"];
    const SEGMENT: u32 = 210;

    type Source = OnOffSource;

    fn from_keys(keys: &AppKeys) -> OnOff {
        let mean = |given: Option<Span>| given.unwrap_or(MEAN);
        OnOff { rate: keys.rate.unwrap_or(RATE), on_mean: mean(keys.on_mean), off_mean: mean(keys.off_mean) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys {
            rate: Some(self.rate),
            on_mean: Some(self.on_mean),
            off_mean: Some(self.off_mean),
            ..AppKeys::default()
        }
    }

    fn source(&self, segment: u32, stream: impl FnOnce() -> RandomStream) -> OnOffSource {
        OnOffSource::new(self.rate, segment, [self.on_mean, self.off_mean], stream())
    }
}

/// A source of bursts and off times.
#[derive(Clone, Debug)]
pub struct OnOffSource {
    gap: Span,
    /// Mean number of packets of a burst.
    packets: f64,
    off_mean: Span,
    starts_silent: bool,
    left: u32,
    next: Option<Time>,
    stream: RandomStream,
}

/// Maximum number of packets of a burst: more than any run sends.
const MAX_PACKETS: f64 = 4e9;

impl OnOffSource {
    /// Packets of `segment` bytes at `rate` for `on_mean`, nothing for `off_mean`, on average.
    pub fn new(rate: Rate, segment: u32, [on_mean, off_mean]: [Span; 2], stream: RandomStream) -> OnOffSource {
        // Never zero, which would stop simulated time.
        let gap = rate.time_for(u64::from(segment) * 8).max(Span(1));
        OnOffSource {
            gap,
            packets: on_mean.0 as f64 / gap.0 as f64,
            off_mean,
            starts_silent: true,
            left: 0,
            next: None,
            stream,
        }
    }

    /// This source with a burst at the start.
    #[must_use]
    pub fn talking(self) -> OnOffSource {
        OnOffSource { starts_silent: false, ..self }
    }

    fn start_burst(&mut self) {
        let packets = libm::round(exponential(self.packets, self.stream.unit()));
        self.left = packets.clamp(1.0, MAX_PACKETS) as u32;
    }

    /// Time to the next packet, which is counted in the burst.
    fn step(&mut self) -> Span {
        let mut wait = self.gap;
        if self.left == 0 {
            self.start_burst();
            wait += Span::from_secs(exponential(self.off_mean.secs(), self.stream.unit()));
        }
        self.left -= 1;
        wait
    }
}

impl Traffic for OnOffSource {
    fn on_start(&mut self, now: Time) -> Supply {
        if self.starts_silent {
            self.next = Some(now + self.step());
            return Supply::Segments(0);
        }
        self.start_burst();
        self.left -= 1;
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

    fn bursts(on: u64, off: u64) -> OnOffSource {
        let stream = RandomStreams::new(1).stream(Purpose::Traffic, 0);
        OnOffSource::new(Rate(64e3), 210, [Span::from_millis(on), Span::from_millis(off)], stream)
    }

    /// Times of packets in this many seconds.
    fn times(mut source: OnOffSource, seconds: f64) -> Vec<Time> {
        let mut times = Vec::new();
        if source.on_start(Time::ZERO) == Supply::Segments(1) {
            times.push(Time::ZERO);
        }
        while let Some(at) = source.deadline().filter(|at| at.secs() < seconds) {
            assert_eq!(source.on_deadline(at), Supply::Segments(1));
            times.push(at);
        }
        times
    }

    #[test]
    fn first_packet_follows_a_gap_and_silence() {
        let gap = Span::from_micros(26_250);
        let first = times(bursts(500, 500), 1000.0)[0];
        assert!(first > Time::ZERO + gap);
        assert_eq!(times(bursts(500, 500).talking(), 1000.0)[0], Time::ZERO);
    }

    #[test]
    fn bursts_and_silence_have_their_means() {
        let gap = Span::from_micros(26_250);
        let times = times(bursts(500, 250), 50_000.0);
        let mut silence = Vec::new();
        for pair in times.windows(2) {
            let wait = pair[1].since(pair[0]);
            assert!(wait >= gap);
            if wait > gap {
                silence.push(wait.secs() - gap.secs());
            }
        }
        let count = silence.len() as f64;
        let mean = silence.iter().sum::<f64>() / count;
        assert!((mean - 0.25).abs() < 4.0 * 0.25 / libm::sqrt(count), "{mean}");
        // Rounding, and at least one packet: sum over k of P(x >= k - 1/2), plus P(x < 1/2).
        let mu = 0.5 / gap.secs();
        let ratio = libm::exp(-1.0 / mu);
        let expected = libm::exp(-0.5 / mu) / (1.0 - ratio) + 1.0 - libm::exp(-0.5 / mu);
        let packets = times.len() as f64 / (count + 1.0);
        assert!((packets - expected).abs() < 4.0 * mu / libm::sqrt(count), "{packets} and not {expected}");
    }

    #[test]
    fn stopped_source_has_no_deadline() {
        let mut source = bursts(500, 500).talking();
        source.on_start(Time::ZERO);
        source.on_stop();
        assert_eq!(source.deadline(), None);
    }
}
