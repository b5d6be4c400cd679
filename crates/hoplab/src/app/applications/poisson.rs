//! Packets of one size as a Poisson process: intervals are exponential with mean `8 * segment / rate`.
//!
//! The first packet follows one interval after the start. Queues with such arrivals have closed forms (M/D/1).

use crate::app::application::Application;
use crate::app::keys::AppKeys;
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Rate, Span, Time, exponential};

/// Packets at random times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    /// Mean of payload bits per second.
    pub rate: Rate,
}

impl Application for Poisson {
    const SUMMARY: &'static str = "packets of one size as a Poisson process";
    const PAGE: &'static str = "workload";
    const KEYS: &'static [&'static str] = &["rate"];
    const REQUIRED: Option<(&'static str, &'static str)> = Some(("rate", "\"64 kb/s\""));

    type Source = PoissonSource;

    fn from_keys(keys: &AppKeys) -> Poisson {
        Poisson { rate: keys.rate.unwrap_or(Rate(0.0)) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys { rate: Some(self.rate), ..AppKeys::default() }
    }

    fn source(&self, segment: u32, stream: impl FnOnce() -> RandomStream) -> PoissonSource {
        let mean = f64::from(segment) * 8.0 / self.rate.0;
        PoissonSource { mean, next: None, stream: stream() }
    }
}

/// A source of packets at random times.
#[derive(Clone, Debug)]
pub struct PoissonSource {
    /// Mean interval in seconds.
    mean: f64,
    next: Option<Time>,
    stream: RandomStream,
}

impl PoissonSource {
    fn step(&mut self, now: Time) {
        // Never zero, which would stop simulated time.
        self.next = Some(now + Span::from_secs(exponential(self.mean, self.stream.unit())).max(Span(1)));
    }
}

impl Traffic for PoissonSource {
    fn on_start(&mut self, now: Time) -> Supply {
        self.step(now);
        Supply::Segments(0)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        self.step(now);
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
    fn intervals_have_mean_and_deviation_of_their_rate() {
        let app = Poisson { rate: Rate(8e6) };
        let mut source = app.source(1000, || RandomStreams::new(3).stream(Purpose::Traffic, 0));
        assert_eq!(source.on_start(Time::ZERO), Supply::Segments(0));
        let (mut last, mut gaps) = (Time::ZERO, Vec::new());
        for _ in 0..20_000 {
            let at = source.deadline().expect("a next packet");
            gaps.push(at.since(last).secs());
            last = at;
            assert_eq!(source.on_deadline(at), Supply::Segments(1));
        }
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / count;
        assert!((mean - 1e-3).abs() < 4e-3 / libm::sqrt(count), "{mean}");
        assert!((libm::sqrt(variance) - 1e-3).abs() < 5e-5, "{variance}");
        source.on_stop();
        assert_eq!(source.deadline(), None);
    }
}
