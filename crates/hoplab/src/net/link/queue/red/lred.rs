//! Link RED: packets that leave are dropped with a probability that follows the retries of the MAC.
//!
//! # Model
//! The MAC keeps the mean of its retries per data frame, which moves by `weight` at the end of each service. Below `min` nothing
//! is dropped. From there on, a packet that leaves is dropped with the probability (mean - `min`) / (`max` - `min`), at most
//! `max_p`. With `pacing`, from `min` on, the MAC waits in addition to each backoff that follows a service for the airtime of the
//! data frame that it has sent.
//! # Source
//! Fu, Zerfos, Luo, Lu, Zhang, Gerla: The impact of multihop wireless channel on TCP throughput and loss, INFOCOM 2003.
//! # Deviations
//! The paper's text was not at hand: the constants are ours. A packet that can be marked is marked instead of dropped, with `ecn`.
//! # Parameters
//! `queue.min`, `queue.max`, `queue.weight`, `queue.max_p`, `queue.pacing`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

use super::super::discipline::{QueueCtx, QueueSetup, RadioPart};
use super::super::managed::{Line, Wanted};
use super::super::parameters::QueueParameters;
use super::super::single::Rule;
use crate::kernel::RandomStream;
use crate::packet::PacketId;
use crate::trace::DropReason;

/// Weight and largest probability unless given. Those of the paper are unknown to us.
const WEIGHT: f64 = 0.02;
const MAX_P: f64 = 0.01;

/// What the MAC of a node has for this queue: the weight of a service in the mean, and the mean from which on it is paced.
fn radio_part(config: &QueueParameters) -> RadioPart {
    let pace_from = config.pacing.unwrap_or(true).then(|| config.min.unwrap_or(QueueParameters::LRED.0));
    RadioPart::Retries { weight: config.weight.unwrap_or(WEIGHT), pace_from }
}

/// Link RED of one line.
#[derive(Debug)]
pub struct Lred {
    min: f64,
    max: f64,
    max_p: f64,
    ecn: bool,
    stream: RandomStream,
}

impl Lred {
    /// Probability of a drop at these mean retries.
    fn probability(&self, retries: f64) -> f64 {
        ((retries - self.min) / (self.max - self.min)).clamp(0.0, self.max_p)
    }
}

impl Rule for Lred {
    const SUMMARY: &'static str =
        "first in, first out; drops what leaves with a probability that follows the MAC's retries (radios only)";
    const KEYS: &'static [&'static str] = &["min", "max", "weight", "max_p", "pacing", "ecn"];
    const LIMIT: u32 = 50;

    fn radio_part(config: &QueueParameters) -> RadioPart {
        radio_part(config)
    }

    fn build(setup: &QueueSetup<'_>) -> Lred {
        let config = setup.config;
        Lred {
            min: config.min.unwrap_or(QueueParameters::LRED.0),
            max: config.max.unwrap_or(QueueParameters::LRED.1),
            max_p: config.max_p.unwrap_or(MAX_P),
            ecn: config.ecn.unwrap_or(false),
            stream: setup.stream.clone(),
        }
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>, line: &mut Line, wanted: Wanted) -> Option<PacketId> {
        let probability = self.probability(cx.channel.retries().unwrap_or(0.0));
        while let Some(item) = line.take(wanted, cx.packets) {
            let is_hit = probability > 0.0 && self.stream.unit() < probability;
            if !is_hit || (self.ecn && cx.mark(item.id)) {
                return Some(item.id);
            }
            cx.drop(item.id, DropReason::Early);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::managed::Managed;
    use super::super::super::managed::bench::Bench;
    use super::super::super::single::Single;
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ecn;

    /// Packets that leave of 10000, drops and marks, at these mean retries.
    fn share(retries: f64, ecn: Ecn) -> (usize, usize, u32) {
        let config = QueueParameters { ecn: Some(true), max_p: Some(0.1), ..QueueParameters::default() };
        let mut bench = Bench::<Managed<Single<Lred>>>::new(&config, 10_000);
        bench.used.retries = retries;
        for _ in 0..10_000 {
            bench.arrive(Time::ZERO, 0, 1000, ecn);
        }
        let left = std::iter::from_fn(|| bench.next(Time::ZERO)).count();
        (left, bench.dropped.len(), bench.marks)
    }

    #[test]
    fn nothing_is_dropped_below_the_minimum() {
        assert_eq!(share(0.9, Ecn::NotEct), (10_000, 0, 0));
    }

    #[test]
    fn probability_rises_from_the_minimum_up_to_its_maximum() {
        // (0.95 - 0.9) / 1.0 = 0.05; four standard deviations of 10000 draws.
        let (left, dropped, _) = share(0.95, Ecn::NotEct);
        assert!(left + dropped == 10_000 && (413..588).contains(&dropped), "{dropped}");
        let (_, dropped, _) = share(5.0, Ecn::NotEct);
        assert!((880..1120).contains(&dropped), "{dropped}");
    }

    #[test]
    fn packets_that_understand_marks_are_marked() {
        let (left, dropped, marks) = share(5.0, Ecn::Ect);
        assert!(left == 10_000 && dropped == 0 && (880..1120).contains(&marks), "{marks}");
    }

    #[test]
    fn mac_is_paced_from_the_minimum_on_unless_switched_off() {
        let part = |config: QueueParameters| radio_part(&config);
        let expected = RadioPart::Retries { weight: WEIGHT, pace_from: Some(0.9) };
        assert_eq!(part(QueueParameters::default()), expected);
        let config = QueueParameters { pacing: Some(false), weight: Some(0.5), ..QueueParameters::default() };
        assert_eq!(part(config), RadioPart::Retries { weight: 0.5, pace_from: None });
    }
}
