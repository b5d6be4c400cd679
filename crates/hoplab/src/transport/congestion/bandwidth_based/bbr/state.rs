//! The model of BBRv1: bandwidth, aggregation of acknowledgments, and what the path holds.

use super::config::BbrConfig;
use crate::kernel::{Purpose, RandomStream, RandomStreams, Span, Time};
use crate::transport::congestion::bandwidth_based::max_filter::MaxFilter;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{RateSample, Repair, SenderState};
use crate::transport::congestion::setup::Setup;

/// Rounds of each of the two windows of aggregated acknowledgments.
const AGGREGATION_ROUNDS: u32 = 5;
/// Bursts that the window has room for beyond the bandwidth-delay product.
const BURSTS: f64 = 3.0;

/// States of BBRv1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Excess of acknowledged data over what the bandwidth explains.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    pub(super) begin: Time,
    pub(super) acked: f64,
    /// Maxima of two windows, in segments.
    pub(super) most: [f64; 2],
    pub(super) window: usize,
    pub(super) rounds: u32,
}

/// Follow a model of the path.
#[derive(Clone, Debug)]
pub struct Bbr {
    pub(super) config: BbrConfig,
    pub(super) segment: f64,
    pub(super) initial_window: f64,
    pub(super) stream: RandomStream,
    pub(super) cwnd: f64,
    /// Bytes per second; 0 before the first sample.
    pub(super) rate: f64,
    pub(super) has_rtt: bool,
    pub(super) mode: Mode,
    pub(super) pacing_gain: f64,
    pub(super) cwnd_gain: f64,
    /// Delivery rates in bytes per second, by rounds.
    pub(super) bandwidth: MaxFilter,
    pub(super) round: u64,
    pub(super) round_end: u64,
    pub(super) is_round_start: bool,
    pub(super) min_rtt: Option<Span>,
    pub(super) min_rtt_at: Time,
    /// Minimum of the time during which PROBE_RTT lasts, once little is in flight.
    pub(super) probe_rtt_until: Option<Time>,
    pub(super) has_probed_round: bool,
    pub(super) full_bandwidth: f64,
    pub(super) full_rounds: u32,
    pub(super) is_full: bool,
    pub(super) phase: usize,
    pub(super) phase_at: Time,
    pub(super) aggregation: Aggregation,
    pub(super) prior_window: f64,
    pub(super) repair: Repair,
    pub(super) conserves: bool,
    pub(super) restarts: bool,
}

impl Bbr {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &BbrConfig) -> Bbr {
        Bbr {
            config: *config,
            segment: f64::from(setup.segment),
            initial_window: setup.initial_window,
            stream: setup.stream.clone().unwrap_or_else(|| RandomStreams::new(0).stream(Purpose::Control, 0)),
            cwnd: 1.0,
            rate: 0.0,
            has_rtt: false,
            mode: Mode::Startup,
            pacing_gain: config.startup_gain,
            cwnd_gain: config.startup_gain,
            bandwidth: MaxFilter::default(),
            round: 0,
            round_end: 0,
            is_round_start: false,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            probe_rtt_until: None,
            has_probed_round: false,
            full_bandwidth: 0.0,
            full_rounds: 0,
            is_full: false,
            phase: 0,
            phase_at: Time::ZERO,
            aggregation: Aggregation::default(),
            prior_window: 0.0,
            repair: Repair::None,
            conserves: false,
            restarts: false,
        }
    }

    /// State, gain of the pacing rate, bandwidth in bytes per second.
    #[cfg(test)]
    pub(crate) fn model(&self) -> (Mode, f64, f64) {
        (self.mode, self.pacing_gain, self.bandwidth.get())
    }

    /// Segments that the path holds at a gain.
    pub(super) fn bdp(&self, gain: f64) -> f64 {
        match self.min_rtt {
            None => self.initial_window,
            Some(rtt) => (gain * self.bandwidth.get() * rtt.secs() / self.segment).ceil(),
        }
    }

    /// Segments of a burst.
    pub(super) fn burst(&self) -> f64 {
        let least = if self.paces_singly() { 1.0 } else { 2.0 };
        (self.rate * 1e-3 / self.segment).floor().clamp(least, 127.0)
    }

    /// Room for bursts and delayed acknowledgments.
    pub(super) fn with_budget(&self, window: f64) -> f64 {
        let whole = window + BURSTS * self.burst();
        let even = 2.0 * (whole / 2.0).ceil();
        if self.mode == Mode::ProbeBw && self.phase == 0 { even + 2.0 } else { even }
    }

    pub(super) fn target(&self, gain: f64) -> f64 {
        self.with_budget(self.bdp(gain))
    }

    /// Segments in flight when the next one departs.
    pub(super) fn flight_at_departure(&self, state: &SenderState, in_flight: u32) -> f64 {
        let rising = if self.pacing_gain > 1.0 { self.burst() } else { 0.0 };
        let delivered = (self.bandwidth.get() * state.departs_in.secs() / self.segment).floor();
        (f64::from(in_flight) + rising - delivered).max(0.0)
    }

    pub(super) fn update_bandwidth(&mut self, sample: &RateSample) {
        self.is_round_start = false;
        let Some(rate) = sample.rate else { return };
        if sample.prior_delivered >= self.round_end {
            self.round_end = sample.total_delivered;
            self.round += 1;
            self.is_round_start = true;
            self.conserves = false;
        }
        if !sample.is_app_limited || rate >= self.bandwidth.get() {
            self.bandwidth.add(u64::from(self.config.bw_rounds), self.round, rate);
        }
    }

    pub(super) fn update_aggregation(&mut self, sample: &RateSample, state: &SenderState) {
        if sample.rate.is_none() {
            return;
        }
        let bandwidth = self.bandwidth.get();
        let it = &mut self.aggregation;
        if self.is_round_start {
            it.rounds += 1;
            if it.rounds >= AGGREGATION_ROUNDS {
                it.rounds = 0;
                it.window = 1 - it.window;
                it.most[it.window] = 0.0;
            }
        }
        let mut expected = bandwidth * state.now.since(it.begin).secs() / self.segment;
        if it.acked <= expected {
            (it.acked, it.begin, expected) = (0.0, state.now, 0.0);
        }
        it.acked += f64::from(state.newly_delivered);
        let extra = (it.acked - expected.floor()).min(self.cwnd);
        it.most[it.window] = it.most[it.window].max(extra);
    }
}
