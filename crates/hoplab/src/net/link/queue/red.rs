//! RED: arriving packets are dropped with a probability that follows the mean queue length.
//!
//! # Model
//! Each arrival moves the mean by `weight` towards the queue length; in idle times it decays as if packets of `mean_packet` had
//! passed. Below `min`, and with `keep_last` while at most one packet waits, nothing is dropped. Up to `max` the probability rises from 0 to `max_p`, with `gentle`
//! from there to 1 at twice `max`. Distances of drops are uniform: packets since the last one raise the probability; with `wait` no
//! two drops are closer than its inverse. With `adaptive`, `max_p` follows the mean every 0.5 s.
//! # Source
//! Floyd and Jacobson (1993); `gentle`, `wait`, `keep_last` and packets of 500 bytes as in ns-2.35 (`queue/red.cc`); Floyd, Gummadi
//! and Shenker (2001).
//! # Deviations
//! The mean counts packets, not bytes. A packet that can be marked is marked instead of dropped, with `ecn`, unless it is dropped for
//! certain; with `max_p = 1` always, as ns-3 does without `UseHardDrop`.
//! # Parameters
//! `queue.min`, `queue.max`, `queue.weight`, `queue.max_p`, `queue.gentle`, `queue.wait`, `queue.keep_last`,
//! `queue.mean_packet`, `queue.adaptive`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

pub(super) mod lred;

use super::discipline::{QueueCtx, QueueSetup};
use super::managed::{Line, Wanted};
use super::parameters::QueueParameters;
use super::single::Rule;
use crate::kernel::{RandomStream, Span, Time};
use crate::packet::PacketId;

/// Time between two changes of `max_p`.
const ADAPTATION: Span = Span::from_millis(500);

/// Probabilities from the mean queue length.
#[derive(Clone, Copy, Debug)]
struct Law {
    min: f64,
    max: f64,
    max_p: f64,
    gentle: bool,
    wait: bool,
}

impl Law {
    /// Probability at a mean queue length of at least `min`, before distances count.
    fn base(&self, mean: f64) -> f64 {
        if mean < self.max {
            self.max_p * (mean - self.min) / (self.max - self.min)
        } else if self.gentle && mean < 2.0 * self.max {
            self.max_p + (1.0 - self.max_p) * (mean - self.max) / self.max
        } else {
            1.0
        }
    }

    /// Whether arrivals are dropped at a mean queue length, though they could be marked. With `max_p = 1` none is: the queue is
    /// the marking one of RFC 8257 section 3.1.
    fn is_certain(&self, mean: f64) -> bool {
        self.max_p < 1.0 && mean >= if self.gentle { 2.0 * self.max } else { self.max }
    }

    /// Probability of a drop, `count` packets after the last one.
    fn spaced(&self, base: f64, count: u32) -> f64 {
        let passed = f64::from(count) * base;
        match (self.wait, passed) {
            (false, passed) if passed < 1.0 => base / (1.0 - passed),
            (true, passed) if passed < 1.0 => 0.0,
            (true, passed) if passed < 2.0 => base / (2.0 - passed),
            _ => 1.0,
        }
        .min(1.0)
    }

    /// Moves `max_p` so that the mean stays in the middle between `min` and `max`.
    fn adapt(&mut self, mean: f64) {
        let share = (mean - self.min) / (self.max - self.min);
        if share > 0.6 && self.max_p <= 0.5 {
            self.max_p += (self.max_p / 4.0).min(0.01);
        } else if share < 0.4 && self.max_p >= 0.01 {
            self.max_p *= 0.9;
        }
    }
}

/// RED of one line.
#[derive(Debug)]
pub struct Red {
    law: Law,
    weight: f64,
    ecn: bool,
    keep_last: bool,
    stream: RandomStream,
    mean: f64,
    /// Packets since the last drop; `None` while the mean is below `min`.
    count: Option<u32>,
    /// Since when there has been nothing to send.
    idle_since: Option<Time>,
    /// Time that a packet takes to send.
    service: Span,
    /// The next change of `max_p`, if it adapts.
    adapt_at: Option<Time>,
}

impl Red {
    /// Moves the mean for an arrival.
    fn follow(&mut self, now: Time, waiting: usize) {
        match self.idle_since.take() {
            Some(since) if self.service > Span::ZERO => {
                let passed = now.since(since).0 as f64 / self.service.0 as f64;
                self.mean *= libm::pow(1.0 - self.weight, passed);
            }
            _ => self.mean += self.weight * (waiting as f64 - self.mean),
        }
        while let Some(at) = self.adapt_at.filter(|at| *at <= now) {
            self.law.adapt(self.mean);
            self.adapt_at = Some(at + ADAPTATION);
        }
    }

    /// Whether an arriving packet is hit, and whether it may be marked instead of dropped.
    fn hit(&mut self, waiting: usize) -> Option<bool> {
        if self.mean < self.law.min || (self.keep_last && waiting <= 1) {
            self.count = None;
            return None;
        }
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        let base = self.law.base(self.mean);
        let is_hit = base >= 1.0 || self.stream.unit() < self.law.spaced(base, count);
        if is_hit {
            self.count = Some(0);
        }
        is_hit.then_some(!self.law.is_certain(self.mean))
    }
}

/// `value * by / of`, at most the largest number.
fn scaled(value: u64, by: u64, of: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX)
}

impl Rule for Red {
    const SUMMARY: &'static str = "first in, first out; drops arrivals with a probability that follows the mean length";
    const KEYS: &'static [&'static str] =
        &["min", "max", "weight", "max_p", "gentle", "wait", "keep_last", "mean_packet", "adaptive", "ecn"];

    fn build(setup: &QueueSetup<'_>) -> Red {
        let config = setup.config;
        let wait = config.wait.unwrap_or(true);
        let packet = config.mean_packet.map_or(QueueSetup::SERVICE_BITS / 8, |bytes| u64::from(bytes.0));
        let service = setup.service.unwrap_or(Span::ZERO);
        Red {
            law: Law {
                min: config.min.unwrap_or(QueueParameters::RED.0),
                max: config.max.unwrap_or(QueueParameters::RED.1),
                max_p: config.max_p.unwrap_or(0.1),
                gentle: config.gentle.unwrap_or(true),
                wait,
            },
            weight: config.weight.unwrap_or(0.002),
            ecn: config.ecn.unwrap_or(false),
            keep_last: config.keep_last.unwrap_or(wait),
            stream: setup.stream.clone(),
            mean: 0.0,
            count: None,
            idle_since: Some(Time::ZERO),
            service: Span(scaled(service.0, packet * 8, QueueSetup::SERVICE_BITS)),
            adapt_at: config.adaptive.unwrap_or(false).then_some(Time::ZERO + ADAPTATION),
        }
    }

    fn on_arrival(&mut self, cx: &QueueCtx<'_>, line: &Line) {
        self.follow(cx.now, line.len());
    }

    fn on_overflow(&mut self) {
        self.count = self.count.map(|_| 0);
    }

    fn drops(&mut self, cx: &mut QueueCtx<'_>, line: &Line, packet: PacketId) -> bool {
        self.hit(line.len()).is_some_and(|may_mark| !(may_mark && self.ecn && cx.mark(packet)))
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>, line: &mut Line, wanted: Wanted) -> Option<PacketId> {
        let item = line.take(wanted, cx.packets);
        if item.is_none() && line.len() == 0 {
            self.idle_since.get_or_insert(cx.now);
        }
        item.map(|item| item.id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::managed::Managed;
    use super::super::managed::bench::Bench;
    use super::super::single::Single;
    use super::*;
    use crate::kernel::Bytes;

    const LAW: Law = Law { min: 5.0, max: 15.0, max_p: 0.1, gentle: true, wait: true };

    #[test]
    fn mean_and_probability_follow_a_constant_queue() {
        let mut bench = Bench::<Managed<Single<Red>>>::new(&QueueParameters::default(), 1_000_000);
        let red = bench.queue.manager_mut().rule_mut();
        (0..1000).for_each(|_| red.follow(Time::ZERO, 10));
        let mean = red.mean;
        assert!((mean - 8.6494_f64).abs() < 1e-4, "{mean}");
        assert!((LAW.base(mean) - 0.036_494).abs() < 1e-6);
        assert!((LAW.base(22.5) - 0.55).abs() < 1e-12);
        assert!((Law { gentle: false, ..LAW }.base(15.0) - 1.0).abs() < 1e-12);
        assert!(!LAW.is_certain(29.0) && LAW.is_certain(30.0));
        assert!(!Law { max_p: 1.0, ..LAW }.is_certain(100.0));
    }

    #[test]
    fn rules_of_ns2_and_of_1993_differ_in_last_packet_and_idle_decay() {
        let red = |config: &QueueParameters| {
            let bench = Bench::<Managed<Single<Red>>>::new(config, 1_000_000);
            let mut bench = bench;
            let rule = bench.queue.manager_mut().rule_mut();
            rule.mean = 40.0;
            (rule.hit(1), rule.service)
        };
        let (kept, short) = red(&QueueParameters::default());
        let packet = Some(Bytes(1000));
        let (hit, long) =
            red(&QueueParameters { wait: Some(false), mean_packet: packet, ..QueueParameters::default() });
        assert_eq!((kept, hit), (None, Some(false)));
        assert_eq!(long, short * 2);
        let guarded = QueueParameters { wait: Some(false), keep_last: Some(true), ..QueueParameters::default() };
        assert_eq!(red(&guarded).0, None);
    }

    #[test]
    fn drops_are_spaced() {
        let check = |law: Law, values: [(u32, f64); 4]| {
            for (count, value) in values {
                assert!((law.spaced(0.05, count) - value).abs() < 1e-4, "{count}");
            }
        };
        check(Law { wait: false, ..LAW }, [(0, 0.05), (5, 0.066_67), (10, 0.1), (19, 1.0)]);
        check(LAW, [(19, 0.0), (20, 0.05), (30, 0.1), (39, 1.0)]);
    }

    #[test]
    fn adaptation_keeps_the_mean_in_the_middle() {
        let mut law = LAW;
        law.adapt(12.0);
        assert!((law.max_p - 0.11).abs() < 1e-12);
        law.adapt(10.0);
        assert!((law.max_p - 0.11).abs() < 1e-12);
        law.adapt(6.0);
        assert!((law.max_p - 0.099).abs() < 1e-12);
    }
}
