//! Window and pacing rate of BBRv1.

use super::state::{Bbr, Mode};
use crate::kernel::{Span, Time};
use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{Loss, LossSignal, MarkResponse, NewAck, RateSample, Repair, SenderState};

/// Longest time whose bytes count as aggregated.
const MAX_AGGREGATION: Span = Span::from_millis(100);
/// Bytes per second below which segments leave one at a time.
const SINGLE_RATE: f64 = 150_000.0;
/// Round-trip time without a sample.
const NOMINAL_RTT: Span = Span::from_millis(1);

impl Bbr {
    fn pace(&mut self, bandwidth: f64, gain: f64) -> f64 {
        bandwidth * gain * (1.0 - self.config.pacing_margin)
    }

    /// Pacing before there is a sample: the initial window in a round trip.
    fn set_first_rate(&mut self, srtt: Option<Span>) {
        self.has_rtt = srtt.is_some();
        let rtt = srtt.unwrap_or(NOMINAL_RTT).secs();
        self.rate = self.pace(self.cwnd * self.segment / rtt, self.config.startup_gain);
    }

    fn set_rate(&mut self, gain: f64, srtt: Option<Span>) {
        let rate = self.pace(self.bandwidth.get(), gain);
        if !self.has_rtt && srtt.is_some() {
            self.set_first_rate(srtt);
        }
        if self.is_full || rate > self.rate {
            self.rate = rate;
        }
    }

    /// Conserves packets in the first round of recovery, and restores the window after the last. Returns whether it conserves.
    fn recover(&mut self, sample: &RateSample, state: &SenderState) -> bool {
        let acked = f64::from(state.newly_delivered);
        let conserved = f64::from(state.flights.1) + acked;
        if state.newly_lost > 0 {
            self.cwnd = (self.cwnd - f64::from(state.newly_lost)).max(1.0);
        }
        if state.repair == Repair::Recovery && self.repair != Repair::Recovery {
            self.conserves = true;
            self.round_end = sample.total_delivered;
            self.cwnd = conserved;
        } else if state.repair == Repair::None && self.repair != Repair::None {
            self.cwnd = self.cwnd.max(self.prior_window);
            self.conserves = false;
        }
        self.repair = state.repair;
        if self.conserves {
            self.cwnd = self.cwnd.max(conserved);
        }
        self.conserves
    }

    fn set_window(&mut self, sample: &RateSample, state: &SenderState) {
        if !self.recover(sample, state) {
            let extra = if self.is_full {
                let most = self.bandwidth.get() * MAX_AGGREGATION.secs() / self.segment;
                self.aggregation.most[0].max(self.aggregation.most[1]).min(most).floor()
            } else {
                0.0
            };
            let target = self.with_budget(self.bdp(self.cwnd_gain) + extra);
            let grown = self.cwnd + f64::from(state.newly_delivered);
            let is_young = (sample.total_delivered as f64) < self.initial_window * self.segment;
            if self.is_full {
                self.cwnd = grown.min(target);
            } else if self.cwnd < target || is_young {
                self.cwnd = grown;
            }
            self.cwnd = self.cwnd.max(f64::from(self.config.min_window));
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(f64::from(self.config.min_window));
        }
    }
}

impl CongestionControl for Bbr {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.is_syn_ack() {
            self.cwnd = self.initial_window;
            (self.min_rtt, self.min_rtt_at) = (ack.srtt, ack.now);
            self.aggregation.begin = ack.now;
            self.set_first_rate(ack.srtt);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.is_syn {
            self.initial_window = 1.0;
            return;
        }
        self.save_window();
        if loss.signal == LossSignal::Timeout {
            self.repair = Repair::Timeout;
            (self.full_bandwidth, self.is_round_start) = (0.0, true);
        }
    }

    // The window is that of the model.
    fn on_recovery_exit(&mut self, _cwnd: f64) {}

    fn on_idle(&mut self, _restart: f64) {}

    fn on_restart(&mut self, now: Time, is_app_limited: bool) {
        if !is_app_limited {
            return;
        }
        self.restarts = true;
        (self.aggregation.begin, self.aggregation.acked) = (now, 0.0);
        match self.mode {
            Mode::ProbeBw => self.set_rate(1.0, None),
            Mode::ProbeRtt => self.leave_probe_rtt(now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        self.update_bandwidth(sample);
        self.update_aggregation(sample, state);
        self.update_phase(state.newly_lost > 0, state);
        self.check_full(sample);
        self.check_drain(state);
        self.update_min_rtt(sample, state);
        self.set_gains();
        self.set_rate(self.pacing_gain, state.srtt);
        self.set_window(sample, state);
    }

    fn on_ecn(&mut self) -> MarkResponse {
        MarkResponse::Ignore
    }

    fn limits_samples(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.rate).filter(|rate| *rate > 0.0)
    }

    fn paces_singly(&self) -> bool {
        self.rate < SINGLE_RATE
    }

    fn needs(&self) -> Needs {
        Needs { owns_window: true, ..Needs::default() }
    }
}
