//! PIE: arriving packets are dropped with a probability that follows the delay of the queue and its trend.
//!
//! # Model
//! Every `update` the probability changes by `alpha` (delay - `target`) + `beta` (delay - delay before), scaled down while it is
//! small. The delay is the wait of the last packet that left; 0 if the queue is empty. Nothing is dropped in a `burst` after the
//! start or after a time without drops, while the delay is below half of the target and the probability below 0.2, or while at
//! most two MTUs wait.
//! # Source
//! RFC 8033; the delay as measured from timestamps (its section 5.2).
//! # Deviations
//! Drops are independent: without the optional derandomization of section 5.4. Updates are computed at arrivals and departures,
//! with the values of a timer.
//! # Parameters
//! `queue.target`, `queue.update`, `queue.burst`, `queue.alpha`, `queue.beta`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

use super::discipline::{QueueCtx, QueueSetup};
use super::managed::{Line, MTU, Wanted};
use super::single::Rule;
use crate::kernel::{RandomStream, Span, Time};
use crate::packet::PacketId;

/// Highest probability at which packets are marked.
const MARK: f64 = 0.1;

/// Most that the probability rises at once from 0.1 on, and if the delay is very long.
const STEP: f64 = 0.02;

/// A very long delay, in seconds.
const LONG: f64 = 0.25;

/// The probability, and what it follows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Probability {
    alpha: f64,
    beta: f64,
    target: f64,
    value: f64,
    /// Delay at the last update, in seconds.
    before: f64,
}

impl Probability {
    /// An update with this delay in seconds.
    fn update(&mut self, delay: f64) {
        let scale = match self.value {
            p if p < 1e-6 => 2048.0,
            p if p < 1e-5 => 512.0,
            p if p < 1e-4 => 128.0,
            p if p < 1e-3 => 32.0,
            p if p < 1e-2 => 8.0,
            p if p < 0.1 => 2.0,
            _ => 1.0,
        };
        let mut change = (self.alpha * (delay - self.target) + self.beta * (delay - self.before)) / scale;
        if self.value >= 0.1 {
            change = change.min(STEP);
        }
        if delay > LONG {
            change = STEP;
        }
        self.value += change;
        if delay == 0.0 && self.before == 0.0 {
            self.value *= 0.98;
        }
        self.value = self.value.clamp(0.0, 1.0);
        self.before = delay;
    }

    /// Whether an update without delay changes nothing.
    fn is_at_rest(&self) -> bool {
        self.value == 0.0 && self.before == 0.0
    }
}

/// PIE of one line.
#[derive(Debug)]
pub struct Pie {
    probability: Probability,
    update: Span,
    burst: Span,
    ecn: bool,
    stream: RandomStream,
    /// Wait of the last packet that left, in seconds.
    wait: f64,
    burst_left: Span,
    next_update: Time,
}

impl Pie {
    /// Computes the updates that are due.
    fn follow(&mut self, now: Time, line: &Line) {
        while self.next_update <= now {
            let delay = if line.len() == 0 { 0.0 } else { self.wait };
            self.burst_left = Span(self.burst_left.0.saturating_sub(self.update.0));
            let longest = delay.max(self.probability.before);
            let before = self.probability;
            self.probability.update(delay);
            if self.probability.value == 0.0 && longest < self.probability.target / 2.0 {
                self.burst_left = self.burst;
            }
            self.next_update += self.update;
            // Equal steps follow each other until something arrives or leaves.
            let is_steady = self.probability == before && self.burst_left == Span::ZERO;
            if is_steady || self.probability.is_at_rest() && line.len() == 0 {
                let missed = now.since(self.next_update.min(now)).0 / self.update.0;
                self.next_update += self.update * missed;
            }
        }
    }

    /// Whether an arriving packet is dropped or marked.
    fn hits(&mut self, line: &Line) -> bool {
        let p = &self.probability;
        let is_short = p.before < p.target / 2.0 && p.value < 0.2;
        if self.burst_left > Span::ZERO || is_short || line.bytes() <= 2 * MTU {
            return false;
        }
        self.stream.unit() < self.probability.value
    }
}

impl Rule for Pie {
    const SUMMARY: &'static str = "first in, first out; drops arrivals with a probability that follows the delay";
    const KEYS: &'static [&'static str] = &["target", "update", "burst", "alpha", "beta", "ecn"];

    fn build(setup: &QueueSetup<'_>) -> Pie {
        let config = setup.config;
        let burst = config.burst.unwrap_or(Span::from_millis(150));
        let update = config.update.unwrap_or(Span::from_millis(15));
        Pie {
            probability: Probability {
                alpha: config.alpha.unwrap_or(0.125),
                beta: config.beta.unwrap_or(1.25),
                target: config.target.unwrap_or(Span::from_millis(15)).secs(),
                value: 0.0,
                before: 0.0,
            },
            update,
            burst,
            ecn: config.ecn.unwrap_or(false),
            stream: setup.stream.clone(),
            wait: 0.0,
            burst_left: burst,
            next_update: Time::ZERO + update,
        }
    }

    fn on_arrival(&mut self, cx: &QueueCtx<'_>, line: &Line) {
        self.follow(cx.now, line);
    }

    fn drops(&mut self, cx: &mut QueueCtx<'_>, line: &Line, packet: PacketId) -> bool {
        self.hits(line) && !(self.ecn && self.probability.value <= MARK && cx.mark(packet))
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>, line: &mut Line, wanted: Wanted) -> Option<PacketId> {
        self.follow(cx.now, line);
        let item = line.take(wanted, cx.packets)?;
        self.wait = cx.now.since(cx.packets.get(item.id.0).queued.here).secs();
        Some(item.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_follows_delay_and_trend() {
        let mut p = Probability { alpha: 0.125, beta: 1.25, target: 0.015, value: 0.0, before: 0.0 };
        let delays = [20.0, 30.0, 30.0, 30.0, 30.0, 30.0, 100.0, 100.0, 100.0, 20.0, 0.0, 0.0];
        let values =
            [1.251e-5, 1.248e-4, 1.834e-4, 2.42e-4, 3.006e-4, 3.592e-4, 3.426e-3, 4.754e-3, 6.082e-3, 0.0, 0.0, 0.0];
        for (delay, value) in delays.into_iter().zip(values) {
            p.update(delay * 1e-3);
            assert!((p.value - value).abs() <= 5e-4 * value, "{delay} ms: {} and {value}", p.value);
        }
    }

    #[test]
    fn long_delay_and_high_probability_rise_by_a_step() {
        let mut p = Probability { alpha: 0.125, beta: 1.25, target: 0.015, value: 0.0, before: 0.0 };
        p.update(0.3);
        assert!((p.value - 0.02).abs() < 1e-12);
        let mut p = Probability { value: 0.2, before: 0.0, ..p };
        p.update(0.2);
        assert!((p.value - 0.22).abs() < 1e-12);
    }
}
