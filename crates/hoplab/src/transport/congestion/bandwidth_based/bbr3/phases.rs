//! The states of BBRv3 and what leads from one to the next.

use super::state::{AckPhase, Bbr3, Phase};
use crate::kernel::{Span, Time};
use crate::transport::congestion::event::{RateSample, Repair, SenderState};

/// Rounds after which DRAIN ends in any case.
const DRAIN_ROUNDS: u64 = 3;
/// Shortest time between probes; up to a second more by chance.
const PROBE_WAIT: Span = Span::from_millis(2000);
const PROBE_SPREAD: f64 = 1e9;
/// Most round trips between probes: what Reno needs to grow back at this many segments.
const MAX_RENO_ROUNDS: f64 = 63.0;

impl Bbr3 {
    pub(super) fn check_startup_and_drain(&mut self, state: &SenderState, delivered: u64) {
        if self.phase == Phase::Startup && self.full.is_reached {
            (self.phase, self.drain_round) = (Phase::Drain, self.round);
        }
        let is_drained = || f64::from(state.flights.1) <= self.inflight(self.bw, 1.0);
        if self.phase == Phase::Drain && (is_drained() || self.round > self.drain_round + DRAIN_ROUNDS) {
            self.start_down(state.now, delivered);
        }
    }

    pub(super) fn start_down(&mut self, now: Time, delivered: u64) {
        self.reset_losses();
        self.probe.acked_per_step = f64::INFINITY;
        self.probe.rounds_since = u64::from(self.stream.below(2));
        self.probe.wait = PROBE_WAIT + Span((self.stream.unit() * PROBE_SPREAD) as u64);
        self.probe.cycle_at = now;
        self.probe.acks = AckPhase::Stopping;
        self.start_round(delivered);
        self.phase = Phase::Down;
    }

    pub(super) fn start_refill(&mut self, delivered: u64) {
        self.forget_short_bounds();
        (self.probe.rounds, self.probe.acked) = (0, 0.0);
        self.probe.was_cautious = false;
        self.probe.acks = AckPhase::Refilling;
        self.start_round(delivered);
        self.phase = Phase::Refill;
    }

    fn start_up(&mut self, sample: &RateSample) {
        self.probe.acks = AckPhase::Starting;
        self.start_round(sample.total_delivered);
        self.reset_full();
        self.full.rate = sample.rate.unwrap_or(0.0);
        self.phase = Phase::Up;
        self.raise_slope();
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        let rounds = self.target_inflight().min(MAX_RENO_ROUNDS);
        now > self.probe.cycle_at + self.probe.wait || self.probe.rounds_since as f64 >= rounds
    }

    fn is_time_to_cruise(&self, in_flight: f64) -> bool {
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight(self.path_bw(), 1.0)
    }

    fn is_time_to_go_down(&mut self, sample: &RateSample, state: &SenderState) -> bool {
        let long = self.bounds.inflight_long;
        // Before the acknowledgment: after it no flight reaches a bound that caps the window.
        if self.probe.was_too_high && f64::from(state.flights.0) >= long.floor() {
            self.probe.was_cautious = true;
            return true;
        }
        if state.is_cwnd_limited && self.cwnd >= long {
            // The bound limits the rate, which therefore says nothing about the path.
            self.reset_full();
            self.full.rate = sample.rate.unwrap_or(0.0);
            return false;
        }
        self.full.is_now
    }

    pub(super) fn update_phase(&mut self, sample: &RateSample, state: &SenderState) {
        if !self.full.is_reached || self.adapt_long_term(sample, state) {
            return;
        }
        let goes_down = self.phase == Phase::Up && self.is_time_to_go_down(sample, state);
        match self.phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe(state.now) => {
                self.start_refill(sample.total_delivered);
            }
            Phase::Down if self.is_time_to_cruise(f64::from(state.flights.1)) => self.phase = Phase::Cruise,
            Phase::Refill if self.is_round_start => {
                self.probe.is_sample = true;
                self.start_up(sample);
            }
            Phase::Up if goes_down => {
                self.probe.was_too_high = false;
                self.start_down(state.now, sample.total_delivered);
            }
            _ => {}
        }
    }

    pub(super) fn save_window(&mut self) {
        let is_whole = self.repair == Repair::None && self.phase != Phase::ProbeRtt;
        self.prior_window = if is_whole { self.cwnd } else { self.prior_window.max(self.cwnd) };
    }

    pub(super) fn restore_window(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_window);
    }

    pub(super) fn check_probe_rtt(&mut self, sample: &RateSample, state: &SenderState) {
        if self.phase != Phase::ProbeRtt && self.min_rtt.is_expired && !self.restarts {
            self.save_window();
            self.phase = Phase::ProbeRtt;
            self.min_rtt.until = None;
            self.probe.acks = AckPhase::Stopping;
            self.start_round(sample.total_delivered);
        }
        if self.phase == Phase::ProbeRtt {
            if self.min_rtt.until.is_some() {
                self.min_rtt.has_round |= self.is_round_start;
                if self.min_rtt.has_round {
                    self.leave_probe_rtt(state.now, sample.total_delivered);
                }
            } else if f64::from(state.flights.1) <= self.probe_rtt_window() {
                self.min_rtt.until = Some(state.now + self.config.probe_rtt_duration);
                self.min_rtt.has_round = false;
                self.start_round(sample.total_delivered);
            }
        }
        if sample.delivered > 0 {
            self.restarts = false;
        }
    }

    /// Ends PROBE_RTT if its time is over.
    pub(super) fn leave_probe_rtt(&mut self, now: Time, delivered: u64) {
        if self.min_rtt.until.is_none_or(|until| now <= until) {
            return;
        }
        self.min_rtt.recent_at = now;
        self.restore_window();
        self.forget_short_bounds();
        if self.full.is_reached {
            self.start_down(now, delivered);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }
}
