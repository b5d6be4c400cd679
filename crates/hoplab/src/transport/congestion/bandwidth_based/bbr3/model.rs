//! The model of BBRv3: rounds, bandwidth, aggregation, minimum round-trip time, and bounds from losses.

use super::state::{AckPhase, Bbr3, Phase};
use crate::transport::congestion::event::{LostSegment, RateSample, Repair, SenderState};

/// Growth of the delivery rate that is no plateau, and rounds without it that are one.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Lost ranges of a round that end STARTUP.
const STARTUP_RANGES: u32 = 6;
/// Rounds of the maximum of aggregation.
const EXTRA_ROUNDS: u64 = 10;
/// Doublings of the steps of `inflight_long` in one probe.
const MAX_DOUBLINGS: u32 = 30;

impl Bbr3 {
    /// A round begins now.
    pub(super) fn start_round(&mut self, delivered: u64) {
        self.round_end = delivered;
    }

    pub(super) fn reset_full(&mut self) {
        (self.full.rate, self.full.rounds, self.full.is_now) = (0.0, 0, false);
    }

    pub(super) fn forget_short_bounds(&mut self) {
        (self.bounds.bw_short, self.bounds.inflight_short) = (f64::INFINITY, f64::INFINITY);
    }

    pub(super) fn reset_losses(&mut self) {
        (self.losses.has_loss, self.losses.bw, self.losses.inflight) = (false, 0.0, 0.0);
    }

    fn in_segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.segment
    }

    fn is_too_high(&self, lost: f64, in_flight: f64) -> bool {
        lost > in_flight * self.config.loss_threshold
    }

    fn is_sample_too_high(&self, sample: &RateSample) -> bool {
        self.is_too_high(self.in_segments(sample.lost), f64::from(sample.prior_in_flight))
    }

    /// Bandwidth and volume of this round of losses.
    pub(super) fn update_latest(&mut self, sample: &RateSample) {
        self.losses.is_start = sample.prior_delivered >= self.losses.end;
        self.losses.bw = self.losses.bw.max(sample.rate.unwrap_or(0.0));
        self.losses.inflight = self.losses.inflight.max(self.in_segments(sample.delivered));
        if self.losses.is_start {
            self.losses.end = sample.total_delivered;
        }
    }

    pub(super) fn advance_latest(&mut self, sample: &RateSample) {
        if self.losses.is_start {
            self.losses.bw = sample.rate.unwrap_or(0.0);
            self.losses.inflight = self.in_segments(sample.delivered);
            self.losses.ranges = 0;
        }
    }

    fn update_max_bw(&mut self, sample: &RateSample) {
        self.is_round_start = sample.prior_delivered >= self.round_end;
        if self.is_round_start {
            self.start_round(sample.total_delivered);
            self.round += 1;
            self.probe.rounds_since += 1;
        }
        if let Some(rate) = sample.rate
            && (rate >= self.path_bw() || !sample.is_app_limited)
        {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// Updates the bandwidth, and once per round the short bounds.
    pub(super) fn update_congestion(&mut self, sample: &RateSample) {
        self.update_max_bw(sample);
        if !self.losses.is_start {
            return;
        }
        if self.losses.has_loss && !self.is_probing() {
            let (bounds, beta) = (&mut self.bounds, self.config.beta);
            if bounds.bw_short.is_infinite() {
                bounds.bw_short = self.max_bw[0].max(self.max_bw[1]);
            }
            if bounds.inflight_short.is_infinite() {
                bounds.inflight_short = self.cwnd;
            }
            bounds.bw_short = self.losses.bw.max(beta * bounds.bw_short);
            bounds.inflight_short = self.losses.inflight.max(beta * bounds.inflight_short);
        }
        self.losses.has_loss = false;
    }

    pub(super) fn update_aggregation(&mut self, state: &SenderState) {
        let mut expected = self.bw * state.now.since(self.extra_begin).secs() / self.segment;
        if self.extra_acked <= expected {
            (self.extra_acked, self.extra_begin, expected) = (0.0, state.now, 0.0);
        }
        self.extra_acked += f64::from(state.newly_delivered);
        let extra = (self.extra_acked - expected).min(self.cwnd);
        let length = if self.full.is_reached { EXTRA_ROUNDS } else { 1 };
        self.extra.add(length, self.round, extra);
    }

    pub(super) fn check_full(&mut self, sample: &RateSample) {
        if self.full.is_now || !self.is_round_start || sample.is_app_limited {
            return;
        }
        let rate = sample.rate.unwrap_or(0.0);
        if rate >= self.full.rate * FULL_GROWTH {
            self.reset_full();
            self.full.rate = rate;
            return;
        }
        self.full.rounds += 1;
        self.full.is_now = self.full.rounds >= FULL_ROUNDS;
        self.full.is_reached |= self.full.is_now;
    }

    /// Losses end STARTUP: a full round in recovery, more than the threshold, in several ranges.
    pub(super) fn check_startup_loss(&mut self, sample: &RateSample, state: &SenderState) {
        self.losses.recovery_since = match state.repair {
            Repair::Recovery => Some(self.losses.recovery_since.unwrap_or(self.round)),
            Repair::None | Repair::Timeout => None,
        };
        let has_round = self.losses.recovery_since.is_some_and(|since| self.round > since);
        let is_lossy = has_round && self.losses.is_start && self.losses.ranges >= STARTUP_RANGES;
        if self.phase == Phase::Startup && is_lossy && self.is_sample_too_high(sample) {
            (self.full.is_now, self.full.is_reached) = (true, true);
            self.bounds.inflight_long = self.bdp(self.bw, 1.0).max(self.losses.inflight);
        }
    }

    /// A segment is lost: of a probe, its flight may have been too high.
    pub(super) fn note_lost(&mut self, lost: &LostSegment) {
        if !self.losses.has_loss {
            self.losses.end = lost.total_delivered;
        }
        self.losses.has_loss = true;
        self.losses.ranges += u32::from(lost.starts_range);
        if !self.probe.is_sample {
            return;
        }
        let (lost_before, in_flight) = (self.in_segments(lost.lost), f64::from(lost.prior_in_flight));
        if self.is_too_high(lost_before, in_flight) {
            // The flight at which the losses crossed the threshold, within the segment.
            let threshold = self.config.loss_threshold;
            let prefix = (threshold * (in_flight - 1.0) - (lost_before - 1.0)) / (1.0 - threshold);
            self.on_flight_too_high(in_flight - 1.0 + prefix, lost.is_app_limited, lost.total_delivered);
        }
    }

    fn on_flight_too_high(&mut self, in_flight: f64, is_app_limited: bool, delivered: u64) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !is_app_limited {
            self.bounds.inflight_long = in_flight.max(self.target_inflight() * self.config.beta);
        }
        if self.phase == Phase::Up {
            self.start_down(self.now, delivered);
        }
    }

    /// Follows what acknowledgments say about a probe. Returns whether the state was decided.
    pub(super) fn adapt_long_term(&mut self, sample: &RateSample, state: &SenderState) -> bool {
        if self.probe.acks == AckPhase::Starting && self.is_round_start {
            self.probe.acks = AckPhase::Feedback;
        }
        if self.probe.acks == AckPhase::Stopping && self.is_round_start {
            self.probe.is_sample = false;
            self.probe.acks = AckPhase::Init;
            if self.is_in_probe_bw() {
                if !sample.is_app_limited {
                    self.max_bw = [self.max_bw[1], 0.0];
                }
                if self.probe.was_cautious && !self.probe.was_too_high {
                    self.start_refill(sample.total_delivered);
                    return true;
                }
            }
        }
        if !self.is_sample_too_high(sample) && self.bounds.inflight_long.is_finite() {
            self.bounds.inflight_long = self.bounds.inflight_long.max(f64::from(sample.prior_in_flight));
            if self.phase == Phase::Up {
                self.raise_long_bound(state);
            }
        }
        false
    }

    pub(super) fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.probe.rounds.min(MAX_DOUBLINGS));
        self.probe.rounds = (self.probe.rounds + 1).min(MAX_DOUBLINGS);
        self.probe.acked_per_step = (self.cwnd / growth).max(1.0);
    }

    /// Raises the bound on the flight while it is the limit.
    fn raise_long_bound(&mut self, state: &SenderState) {
        if !state.is_cwnd_limited || self.cwnd < self.bounds.inflight_long.floor() {
            return;
        }
        self.probe.acked += f64::from(state.newly_delivered);
        if self.probe.acked >= self.probe.acked_per_step {
            let steps = (self.probe.acked / self.probe.acked_per_step).floor();
            self.probe.acked -= steps * self.probe.acked_per_step;
            self.bounds.inflight_long += steps;
        }
        if self.is_round_start {
            self.raise_slope();
        }
    }

    pub(super) fn update_min_rtt(&mut self, sample: &RateSample, state: &SenderState) {
        let (it, now) = (&mut self.min_rtt, state.now);
        it.is_expired = now > it.recent_at + self.config.probe_rtt_interval;
        if let Some(rtt) = sample.rtt
            && (it.is_expired || it.recent.is_none_or(|recent| rtt < recent))
        {
            (it.recent, it.recent_at) = (Some(rtt), now);
        }
        let is_old = now > it.at + self.config.min_rtt_window;
        if let Some(recent) = it.recent
            && (is_old || it.value.is_none_or(|value| recent < value))
        {
            (it.value, it.at) = (Some(recent), it.recent_at);
        }
    }
}
