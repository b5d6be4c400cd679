//! OnOff of packets at equal distances, and silence between them, both of exponential length.
//!
//! # Model
//! A burst has `max(1, round(x))` packets, `x` exponential with mean `on_mean / gap`; silence is exponential with mean
//! `off_mean` and adds to the distance of two packets. `on_off` begins with silence, as ns-2; `voip` with talk.
//!
//! # Source
//! `Application/Traffic/Exponential` of ns-2.35; talk spurts and pauses of ITU-T P.59, 1.004 and 1.587 s.
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `flow.rate` (64 kb/s), `flow.segment` (210 B), `flow.on_mean`, `flow.off_mean` (0.5 s); of `voip` nothing but
//! `flow.talk_spurts`.

use super::{Supply, Traffic};
use crate::kernel::{Rate, Span, Stream, Time, exponential};

/// OnOff and silence.
#[derive(Clone, Debug)]
pub struct OnOff {
    gap: Span,
    /// Mean number of packets of a burst.
    packets: f64,
    off_mean: Span,
    begins_silent: bool,
    left: u32,
    next: Option<Time>,
    chance: Stream,
}

/// Packets of a burst that would fill any run.
const MOST: f64 = 4e9;

impl OnOff {
    /// Packets of `segment` bytes at `rate` for `on_mean`, nothing for `off_mean`, on average.
    pub fn new(rate: Rate, segment: u32, [on_mean, off_mean]: [Span; 2], chance: Stream) -> OnOff {
        // Never zero: time would stand still.
        let gap = rate.time_for(u64::from(segment) * 8).max(Span(1));
        OnOff {
            gap,
            packets: on_mean.0 as f64 / gap.0 as f64,
            off_mean,
            begins_silent: true,
            left: 0,
            next: None,
            chance,
        }
    }

    /// The same, but the first burst begins at the start.
    #[must_use]
    pub fn talking(self) -> OnOff {
        OnOff { begins_silent: false, ..self }
    }

    fn begin_burst(&mut self) {
        let packets = libm::round(exponential(self.packets, self.chance.unit()));
        self.left = packets.clamp(1.0, MOST) as u32;
    }

    /// Time to the next packet, which is then no longer left.
    fn step(&mut self) -> Span {
        let mut wait = self.gap;
        if self.left == 0 {
            self.begin_burst();
            wait += Span::from_secs(exponential(self.off_mean.secs(), self.chance.unit()));
        }
        self.left -= 1;
        wait
    }
}

impl Traffic for OnOff {
    fn on_start(&mut self, now: Time) -> Supply {
        if self.begins_silent {
            self.next = Some(now + self.step());
            return Supply::Segments(0);
        }
        self.begin_burst();
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
    use crate::kernel::{Purpose, Streams};

    fn bursts(on: u64, off: u64) -> OnOff {
        let chance = Streams::new(1).stream(Purpose::Traffic, 0);
        OnOff::new(Rate(64e3), 210, [Span::from_millis(on), Span::from_millis(off)], chance)
    }

    /// Times of packets in this many seconds.
    fn times(mut source: OnOff, seconds: f64) -> Vec<Time> {
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
    fn ns2_begins_after_a_gap_and_silence() {
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
    fn a_stopped_source_is_silent() {
        let mut source = bursts(500, 500).talking();
        source.on_start(Time::ZERO);
        source.on_stop();
        assert_eq!(source.deadline(), None);
    }
}
