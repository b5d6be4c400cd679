//! BBRv3 as a congestion control: events, pacing rate, window.

use super::state::{Bbr3, Phase};
use crate::kernel::{Span, Time};
use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{
    Loss, LossSignal, LostSegment, MarkResponse, NewAck, RateSample, Repair, SenderState,
};

/// Round-trip time without a sample.
const NOMINAL_RTT: Span = Span::from_millis(1);

impl Bbr3 {
    /// Pacing before there is a sample: the initial window in a round trip.
    fn set_first_rate(&mut self, srtt: Option<Span>) {
        self.has_rtt = srtt.is_some();
        let rtt = srtt.unwrap_or(NOMINAL_RTT).secs();
        self.rate = self.config.startup_gain * self.initial_window * self.segment / rtt;
    }

    fn set_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.config.pacing_margin);
        if self.full.is_reached || rate > self.rate {
            self.rate = rate;
        }
    }

    fn set_window(&mut self, sample: &RateSample, state: &SenderState) {
        if state.repair == Repair::None && self.repair != Repair::None {
            self.restore_window();
        }
        self.repair = state.repair;
        let most = self.max_inflight();
        let grown = self.cwnd + f64::from(state.newly_delivered);
        let is_young = (sample.total_delivered as f64) < self.initial_window * self.segment;
        if self.full.is_reached {
            self.cwnd = grown.min(most);
        } else if self.cwnd < most || is_young {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(f64::from(self.config.min_window));
        if self.phase == Phase::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_window());
        }
        self.cwnd = self.cwnd.min(self.bound_of_phase());
    }
}

impl CongestionControl for Bbr3 {
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
            self.now = ack.now;
            (self.min_rtt.value, self.min_rtt.at, self.min_rtt.recent_at) = (ack.srtt, ack.now, ack.now);
            self.extra_begin = ack.now;
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
        }
    }

    // The window is that of the model.
    fn on_recovery_exit(&mut self, _cwnd: f64) {}

    fn on_idle(&mut self, _restart: f64) {}

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.now = lost.now;
        self.note_lost(lost);
    }

    fn on_restart(&mut self, now: Time, is_app_limited: bool) {
        if !is_app_limited {
            return;
        }
        self.restarts = true;
        self.extra_begin = now;
        if self.is_in_probe_bw() {
            self.set_rate(1.0);
        } else if self.phase == Phase::ProbeRtt {
            self.leave_probe_rtt(now, self.delivered);
        }
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        (self.now, self.delivered) = (state.now, sample.total_delivered);
        if !self.has_rtt && state.srtt.is_some() {
            self.set_first_rate(state.srtt);
        }
        self.update_latest(sample);
        self.update_congestion(sample);
        self.update_aggregation(state);
        self.check_full(sample);
        self.check_startup_loss(sample, state);
        self.check_startup_and_drain(state, sample.total_delivered);
        self.update_phase(sample, state);
        self.update_min_rtt(sample, state);
        self.check_probe_rtt(sample, state);
        self.advance_latest(sample);
        self.bw = self.path_bw().min(self.bounds.bw_short);
        self.set_rate(self.pacing_gain());
        self.set_window(sample, state);
    }

    fn on_ecn(&mut self) -> MarkResponse {
        MarkResponse::Ignore
    }

    fn limits_samples(&self) -> bool {
        self.phase == Phase::ProbeRtt
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.rate).filter(|rate| *rate > 0.0)
    }

    fn needs(&self) -> Needs {
        Needs { owns_window: true, ..Needs::default() }
    }
}
