//! The states of BBRv1 and what leads from one to the next.

use super::state::{Bbr, Mode};
use crate::kernel::Time;
use crate::transport::congestion::event::{RateSample, Repair, SenderState};

/// Gain of PROBE_BW per phase.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Growth of the bandwidth that continues STARTUP, and rounds without it that end it.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;

impl Bbr {
    pub(super) fn update_phase(&mut self, sample_losses: bool, state: &SenderState) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_full = self.min_rtt.is_some_and(|rtt| state.now.since(self.phase_at) > rtt);
        let flight = self.flight_at_departure(state, state.flights.0);
        let is_over = if self.pacing_gain > 1.0 {
            is_full && (sample_losses || flight >= self.target(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            is_full || flight <= self.target(1.0)
        } else {
            is_full
        };
        if is_over {
            self.advance_phase(state.now);
        }
    }

    pub(super) fn advance_phase(&mut self, now: Time) {
        self.phase = (self.phase + 1) % CYCLE.len();
        self.phase_at = now;
    }

    /// PROBE_BW begins at a phase by chance, but not with 0.75.
    pub(super) fn enter_probe_bw(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        self.phase = CYCLE.len() - 1 - self.stream.below(CYCLE.len() as u32 - 1) as usize;
        self.advance_phase(now);
    }

    pub(super) fn check_full(&mut self, sample: &RateSample) {
        if self.is_full || !self.is_round_start || sample.is_app_limited {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * FULL_GROWTH {
            (self.full_bandwidth, self.full_rounds) = (self.bandwidth.get(), 0);
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }

    pub(super) fn check_drain(&mut self, state: &SenderState) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.flight_at_departure(state, state.flights.1) <= self.target(1.0) {
            self.enter_probe_bw(state.now);
        }
    }

    pub(super) fn save_window(&mut self) {
        let is_whole = self.repair == Repair::None && self.mode != Mode::ProbeRtt;
        self.prior_window = if is_whole { self.cwnd } else { self.prior_window.max(self.cwnd) };
    }

    pub(super) fn update_min_rtt(&mut self, sample: &RateSample, state: &SenderState) {
        let now = state.now;
        let is_old = now > self.min_rtt_at + self.config.min_rtt_window;
        if let Some(rtt) = sample.rtt
            && (self.min_rtt.is_none_or(|min| rtt < min) || is_old && !state.may_be_delayed)
        {
            (self.min_rtt, self.min_rtt_at) = (Some(rtt), now);
        }
        if is_old && !self.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_window();
            self.probe_rtt_until = None;
        }
        if self.mode == Mode::ProbeRtt {
            match self.probe_rtt_until {
                None if state.flights.1 <= self.config.min_window => {
                    self.probe_rtt_until = Some(now + self.config.probe_rtt_duration);
                    self.has_probed_round = false;
                    self.round_end = sample.total_delivered;
                }
                None => {}
                Some(_) => {
                    self.has_probed_round |= self.is_round_start;
                    if self.has_probed_round {
                        self.leave_probe_rtt(now);
                    }
                }
            }
        }
        if sample.rate.is_some() {
            self.restarts = false;
        }
    }

    /// Ends PROBE_RTT if its time is over.
    pub(super) fn leave_probe_rtt(&mut self, now: Time) {
        if self.probe_rtt_until.is_none_or(|until| now <= until) {
            return;
        }
        self.min_rtt_at = now;
        self.cwnd = self.cwnd.max(self.prior_window);
        if self.is_full {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    pub(super) fn set_gains(&mut self) {
        let startup = self.config.startup_gain;
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (startup, startup),
            Mode::Drain => (1.0 / startup, startup),
            Mode::ProbeBw => (CYCLE[self.phase], self.config.cwnd_gain),
            Mode::ProbeRtt => (1.0, 1.0),
        };
    }
}
