//! Copa: the rate aims at the inverse of the queueing delay, so that a few segments per flow wait.
//!
//! # Model
//! The standing round-trip time is the minimum of half a smoothed round-trip time, the queueing delay its distance to the minimum of
//! `min_rtt_window`. The target rate is `1 / (delta delay)`. Per segment acknowledged the window moves by `v / (delta cwnd)` towards it;
//! `v` doubles each round trip once the direction has lasted three of them, and is 1 after a change. Slow start doubles the window
//! until the rate exceeds the target. Segments are paced at twice the rate. If the queue was not nearly empty for five round trips,
//! others fill it: `1 / delta` then grows by one per round trip and halves at a loss.
//!
//! # Source
//! Arun, Balakrishnan: Copa: Practical Delay-Based Congestion Control for the Internet (NSDI 2018).
//!
//! # Deviations
//! A timeout begins slow start anew. A queue also counts as nearly empty while it delays no more than two of the flow's own segments
//! do: on slow links a tenth of the range is less than one segment, and flows of Copa alone would take each other for others. A round
//! trip in which window and queueing delay have both fallen says nothing about others: the flow drains its own queue, which after
//! slow start takes more than five round trips. The velocity also returns to 1 within a round trip, against its direction.
//!
//! # Parameters
//! Table `[stream.copa]`.

use crate::kernel::{Span, Time};
use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{Loss, LossSignal, MarkResponse, NewAck, RateSample, SenderState};
use crate::transport::congestion::setup::Setup;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Least window in segments.
const LEAST: f64 = 2.0;
/// Round trips of one direction after which the velocity doubles.
const STEADY_ROUNDS: u32 = 3;
/// Round trips within which the queue is nearly empty once, unless others fill it.
const EMPTY_ROUNDS: u64 = 5;
/// Round trips of the maximum, and the share of the range that counts as nearly empty.
const MAX_ROUNDS: u64 = 4;
const NEARLY_EMPTY: f64 = 0.1;
/// Queueing delay that counts as nearly empty in any case: that of this many segments of one's own, and this share of the minimum
/// round-trip time at most.
const OWN_SEGMENTS: f64 = 2.0;
const OWN_SHARE: f64 = 0.5;
/// Pacing rate in windows per standing round-trip time.
const PACE: f64 = 2.0;
/// Largest velocity.
const MAX_VELOCITY: f64 = 1e6;

/// Table `[stream.copa]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CopaConfig {
    /// Inverse of the segments that a flow keeps in the queue on average.
    #[schemars(range(min = 0.001, max = 10))]
    pub delta: f64,
    /// Whether `delta` adapts while other flows fill the queue.
    pub competitive: bool,
    /// How long a minimum of the round-trip time counts.
    pub min_rtt_window: Span,
}

impl Default for CopaConfig {
    fn default() -> Self {
        CopaConfig { delta: 0.5, competitive: true, min_rtt_window: Span::from_millis(10_000) }
    }
}

/// Samples of a window of time whose first is the extreme one; the rest are those that can follow it.
#[derive(Clone, Debug, Default)]
struct Extreme(VecDeque<(Time, Span)>);

impl Extreme {
    /// Adds a sample. `exceeds` says whether the first one is as extreme as the second.
    fn add(&mut self, now: Time, window: Span, value: Span, exceeds: impl Fn(Span, Span) -> bool) -> Span {
        while self.0.back().is_some_and(|&(_, last)| exceeds(value, last)) {
            self.0.pop_back();
        }
        self.0.push_back((now, value));
        while self.0.front().is_some_and(|&(at, _)| at + window < now) {
            self.0.pop_front();
        }
        self.0.front().map_or(value, |&(_, first)| first)
    }
}

/// Aim at a rate that is the inverse of the queueing delay.
#[derive(Clone, Debug)]
pub struct Copa {
    config: CopaConfig,
    segment: f64,
    initial_window: f64,
    cwnd: f64,
    delta: f64,
    in_slow_start: bool,
    standing: Extreme,
    least: Extreme,
    most: Extreme,
    standing_rtt: Option<Span>,
    velocity: f64,
    is_up: bool,
    /// Round trips that the direction has lasted.
    same_rounds: u32,
    /// When this is acknowledged, a round trip ends that began with this window.
    round_end: u64,
    round_window: f64,
    /// Queueing delay at the end of the last round trip.
    round_delay: Span,
    has_lost: bool,
    last_empty: Time,
}

impl Copa {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &CopaConfig) -> Copa {
        Copa {
            config: *config,
            segment: f64::from(setup.segment),
            initial_window: setup.initial_window,
            cwnd: 1.0,
            delta: config.delta,
            in_slow_start: true,
            standing: Extreme::default(),
            least: Extreme::default(),
            most: Extreme::default(),
            standing_rtt: None,
            velocity: 1.0,
            is_up: true,
            same_rounds: 0,
            round_end: 0,
            round_window: setup.initial_window,
            round_delay: Span::ZERO,
            has_lost: false,
            last_empty: Time::ZERO,
        }
    }

    /// Standing round-trip time and queueing delay.
    fn measure(&mut self, now: Time, rtt: Span, srtt: Span) -> (Span, Span) {
        let standing = self.standing.add(now, Span(srtt.0 / 2), rtt, |a, b| a <= b);
        let least = self.least.add(now, self.config.min_rtt_window, rtt, |a, b| a <= b);
        let most = self.most.add(now, srtt * MAX_ROUNDS, rtt, |a, b| a >= b);
        // Half a smoothed round-trip time can be longer than the window of the minimum.
        let delay = standing.saturating_sub(least);
        // Bursts and delayed acknowledgments of two segments let one of them wait, though no other flow is there.
        let own = (OWN_SEGMENTS * standing.secs() / self.cwnd).min(OWN_SHARE * least.secs());
        if delay.secs() <= (NEARLY_EMPTY * most.saturating_sub(least).secs()).max(own) {
            self.last_empty = now;
        }
        if !self.is_competitive(now, srtt) {
            self.delta = self.config.delta;
        }
        (standing, delay)
    }

    fn is_competitive(&self, now: Time, srtt: Span) -> bool {
        self.config.competitive && now.since(self.last_empty) > srtt * EMPTY_ROUNDS
    }

    /// A round trip ends, with this queueing delay.
    fn on_round(&mut self, now: Time, delay: Span, is_competitive: bool) {
        let is_up = self.cwnd > self.round_window;
        if self.cwnd < self.round_window && delay < self.round_delay && !is_competitive {
            self.last_empty = now;
        }
        self.round_delay = delay;
        if is_up == self.is_up {
            self.same_rounds += 1;
            if self.same_rounds >= STEADY_ROUNDS {
                self.velocity = (2.0 * self.velocity).min(MAX_VELOCITY);
            }
        } else {
            (self.is_up, self.same_rounds, self.velocity) = (is_up, 0, 1.0);
        }
        self.round_window = self.cwnd;
        if is_competitive && !std::mem::take(&mut self.has_lost) {
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
        self.has_lost = false;
    }

    fn move_window(&mut self, standing: Span, delay: Span, newly: f64) {
        let target = 1.0 / (self.delta * delay.secs().max(1e-9));
        let is_below = self.cwnd / standing.secs() <= target;
        if self.in_slow_start {
            if is_below {
                self.cwnd += newly;
                return;
            }
            self.in_slow_start = false;
        }
        if is_below != self.is_up && self.velocity > 1.0 {
            // Against the direction of the last rounds.
            (self.velocity, self.same_rounds) = (1.0, 0);
        }
        let step = newly * self.velocity / (self.delta * self.cwnd);
        self.cwnd = if is_below { self.cwnd + step } else { (self.cwnd - step).max(LEAST) };
    }
}

impl CongestionControl for Copa {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.is_syn_ack() {
            self.cwnd = self.initial_window;
            self.last_empty = ack.now;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.is_syn {
            self.initial_window = 1.0;
        }
        self.has_lost = true;
        if self.delta < self.config.delta {
            self.delta = (2.0 * self.delta).min(self.config.delta);
        }
        if loss.signal == LossSignal::Timeout {
            (self.in_slow_start, self.velocity, self.same_rounds) = (true, 1.0, 0);
        }
    }

    // Losses do not reduce the window.
    fn on_recovery_exit(&mut self, _cwnd: f64) {}

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        let (Some(rtt), Some(srtt)) = (sample.rtt, state.srtt) else { return };
        let (standing, delay) = self.measure(state.now, rtt, srtt);
        self.standing_rtt = Some(standing);
        if sample.prior_delivered >= self.round_end {
            self.round_end = sample.total_delivered;
            self.on_round(state.now, delay, self.is_competitive(state.now, srtt));
        }
        self.move_window(standing, delay, f64::from(state.newly_delivered));
    }

    fn on_ecn(&mut self) -> MarkResponse {
        MarkResponse::Ignore
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.standing_rtt.map(|rtt| PACE * self.cwnd * self.segment / rtt.secs())
    }

    fn needs(&self) -> Needs {
        Needs { owns_window: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;

    fn copa() -> Copa {
        let mut copa = Copa::new(&TcpConfig::default().setup(1448), &CopaConfig::default());
        (copa.cwnd, copa.round_window, copa.in_slow_start) = (50.0, 50.0, false);
        copa
    }

    #[test]
    fn window_moves_towards_the_target_rate() {
        let rtt = Span::from_millis(50);
        // 50 segments in 50 ms; the target is 2 / delay.
        for (delay_ms, step) in [(1, 0.04), (3, -0.04)] {
            let mut copa = copa();
            copa.move_window(rtt, Span::from_millis(delay_ms), 1.0);
            assert!((copa.cwnd - 50.0 - step).abs() < 1e-9, "{delay_ms} ms: {}", copa.cwnd);
        }
    }

    #[test]
    fn velocity_doubles_after_three_rounds_of_one_direction() {
        let mut copa = copa();
        let velocities: Vec<f64> = (0..6)
            .map(|_| {
                copa.cwnd += 1.0;
                copa.on_round(Time::ZERO, Span::ZERO, false);
                copa.velocity
            })
            .collect();
        assert_eq!(velocities, [1.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
        copa.cwnd -= 1.0;
        copa.on_round(Time::ZERO, Span::ZERO, false);
        assert_eq!(copa.velocity, 1.0);
    }

    #[test]
    fn delta_adapts_while_others_fill_the_queue() {
        let mut copa = copa();
        (0..3).for_each(|_| copa.on_round(Time::ZERO, Span::ZERO, true));
        assert!((1.0 / copa.delta - 5.0).abs() < 1e-9, "{}", copa.delta);
        copa.on_loss(&crate::transport::congestion::testing::loss(LossSignal::DupAcks, 50.0, 50));
        assert!((1.0 / copa.delta - 2.5).abs() < 1e-9, "{}", copa.delta);
        // A queue that empties ends it.
        copa.measure(Time(1_000_000_000), Span::from_millis(50), Span::from_millis(50));
        assert_eq!(copa.delta, 0.5);
    }

    #[test]
    fn extreme_leaves_with_its_window() {
        let mut least = Extreme::default();
        let mut add = |at: u64, value: u64| least.add(Time(at), Span(10), Span(value), |a, b| a <= b).0;
        assert_eq!([add(0, 5), add(4, 3), add(9, 7), add(14, 9), add(15, 9)], [5, 3, 3, 3, 7]);
    }
}
