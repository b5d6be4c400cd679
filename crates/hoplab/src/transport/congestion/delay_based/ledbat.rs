//! LEDBAT: background transfers that keep the queueing delay of the forward path at a target, and yield to all others.
//!
//! # Model
//! One-way delays come from timestamps. Base delay is the minimum of the last minutes, the current one the minimum of the last
//! samples; their difference is the queueing delay. Per acknowledgment the window changes by `gain`, times the share by which the
//! delay is below the target, per window. It exceeds what is in flight by one segment at most. A loss halves it once per round trip.
//!
//! # Source
//! RFC 6817; target as in ns-3.37.
//!
//! # Deviations
//! Clocks of both ends agree, and have no drift. Slow start precedes, until the delay reaches the target or a segment is lost; the
//! RFC has none, and in ns-3 a loss ends it (`target_ends_slow_start = false`).
//!
//! # Parameters
//! Table `[stream.ledbat]`.

use crate::kernel::{Span, Time};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, NewAck, RateSample, Repair, SenderState};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Time whose minimum is one entry of the base history.
const MINUTE: Span = Span::from_millis(60_000);
/// Segments by which the window may exceed what is in flight (`ALLOWED_INCREASE`).
const ALLOWED_INCREASE: f64 = 1.0;

/// Table `[stream.ledbat]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LedbatConfig {
    /// Queueing delay that the window aims at; RFC 6817 allows up to 100 ms.
    pub target: Span,
    /// Segments per round trip that the window grows by without a queue; RFC 6817 allows up to 1.
    #[schemars(range(min = 0.001, max = 1000))]
    pub gain: f64,
    /// Minutes whose minimum is the base delay.
    #[schemars(range(min = 1, max = 1000))]
    pub base_history: u32,
    /// Samples whose minimum is the current delay.
    #[schemars(range(min = 1, max = 1000))]
    pub filter: u32,
    /// Least window in segments.
    #[schemars(range(min = 1, max = 1000))]
    pub min_window: u32,
    /// Whether slow start ends at the target; else a loss ends it, as in ns-3.
    pub target_ends_slow_start: bool,
}

impl Default for LedbatConfig {
    fn default() -> Self {
        LedbatConfig {
            target: Span::from_millis(60),
            gain: 1.0,
            base_history: 10,
            filter: 4,
            min_window: 2,
            target_ends_slow_start: true,
        }
    }
}

/// Keep the queueing delay at a target.
#[derive(Clone, Debug)]
pub struct Ledbat {
    reno: Reno,
    config: LedbatConfig,
    /// Minima of the last minutes, and when the present one began.
    base: VecDeque<Span>,
    minute: Time,
    current: VecDeque<Span>,
}

impl Ledbat {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &LedbatConfig) -> Ledbat {
        Ledbat {
            reno: Reno::new(setup, &NoParameters {}),
            config: *config,
            base: VecDeque::new(),
            minute: Time::ZERO,
            current: VecDeque::new(),
        }
    }

    fn add(&mut self, now: Time, delay: Span) {
        if self.current.len() >= self.config.filter as usize {
            self.current.pop_front();
        }
        self.current.push_back(delay);
        match self.base.back_mut() {
            Some(base) if now.since(self.minute) < MINUTE => *base = delay.min(*base),
            _ => {
                self.minute = now;
                if self.base.len() >= self.config.base_history as usize {
                    self.base.pop_front();
                }
                self.base.push_back(delay);
            }
        }
    }

    /// The queueing delay; none before the first sample.
    fn queue(&self) -> Option<Span> {
        // The last samples can be older than the minutes that count.
        Some(self.current.iter().min()?.saturating_sub(*self.base.iter().min()?))
    }

    fn follow(&mut self, newly: f64, in_flight: f64) {
        let Some(queue) = self.queue() else { return };
        let share = 1.0 - queue.secs() / self.config.target.secs();
        if self.reno.cwnd < self.reno.ssthresh {
            if share > 0.0 || !self.config.target_ends_slow_start {
                self.reno.cwnd += newly;
                return;
            }
            self.reno.exit_slow_start();
        }
        let grown = self.reno.cwnd + self.config.gain * share * newly / self.reno.cwnd;
        self.reno.cwnd = grown.min(in_flight + ALLOWED_INCREASE).max(f64::from(self.config.min_window));
        self.reno.ssthresh = self.reno.ssthresh.min(self.reno.cwnd);
    }
}

impl CongestionControl for Ledbat {
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.is_syn_ack() {
            self.reno.on_ack(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_sample(&mut self, _sample: &RateSample, state: &SenderState) {
        if let Some(delay) = state.one_way {
            self.add(state.now, delay);
        }
        if state.repair != Repair::Recovery {
            self.follow(f64::from(state.newly_delivered), f64::from(state.flights.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;

    fn ledbat(window: f64) -> Ledbat {
        let mut ledbat = Ledbat::new(&TcpConfig::default().setup(1448), &LedbatConfig::default());
        (ledbat.reno.cwnd, ledbat.reno.ssthresh) = (window, window);
        ledbat
    }

    #[test]
    fn window_follows_the_distance_to_the_target() {
        for (queue_ms, per_round) in [(0, 1.0), (30, 0.5), (60, 0.0), (90, -0.5)] {
            let mut ledbat = ledbat(100.0);
            ledbat.add(Time::ZERO, Span::from_millis(25));
            (0..4).for_each(|_| ledbat.add(Time::ZERO, Span::from_millis(25 + queue_ms)));
            (0..100).for_each(|_| ledbat.follow(1.0, 200.0));
            assert!((ledbat.cwnd() - 100.0 - per_round).abs() < 0.01, "{queue_ms} ms: {}", ledbat.cwnd());
        }
    }

    #[test]
    fn window_stays_near_what_is_in_flight_and_above_its_minimum() {
        let mut ledbat = ledbat(100.0);
        ledbat.add(Time::ZERO, Span::from_millis(25));
        ledbat.follow(1.0, 40.0);
        assert_eq!(ledbat.cwnd(), 41.0);
        (0..4).for_each(|_| ledbat.add(Time::ZERO, Span::from_millis(1000)));
        (0..1000).for_each(|_| ledbat.follow(1.0, 40.0));
        assert_eq!(ledbat.cwnd(), 2.0);
    }

    #[test]
    fn base_delay_is_forgotten_after_its_history() {
        let mut ledbat = ledbat(10.0);
        let at = |minute: u64| Time(minute * 60_000_000_000);
        ledbat.add(at(0), Span::from_millis(20));
        (1..10).for_each(|minute| ledbat.add(at(minute), Span::from_millis(50)));
        assert_eq!(ledbat.queue(), Some(Span::from_millis(30)));
        ledbat.add(at(10), Span::from_millis(50));
        assert_eq!(ledbat.queue(), Some(Span::ZERO));
    }
}
