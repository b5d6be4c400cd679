//! Westwood: after a loss, the window that the measured bandwidth and the minimum round-trip time can use.
//!
//! # Model
//! Each acknowledgment is a sample of bandwidth: segments acknowledged over the time since the last one; a duplicate
//! stands for one segment, and a later acknowledgment of several does not count those again. A low-pass filter of time
//! constant `tau` smooths the samples; without acknowledgments it receives a zero every `tau / m`. A loss sets
//! `ssthresh` to bandwidth times minimum round-trip time; duplicate acknowledgments lower the window to it if it is
//! above, a timeout leaves one segment. Growth is Reno's.
//!
//! # Source
//! Casetti, Gerla, Mascolo, Sanadidi, Wang 2002 (TCPW), sections 2 and 3.
//!
//! # Deviations
//! Counted in segments. Acknowledgments at one time are one sample. `m` is not fixed in the paper: 2. The text of
//! Shivaranjani multiplies by the round-trip time instead of the minimum.
//!
//! # Parameters
//! `tau` 0.5 s (the paper's), `m` 2 (assumed).

use super::duplicate_credit::DuplicateCredit;
use crate::kernel::{Span, Time};
use crate::packet::Ack;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, Window};
use crate::transport::rules::MIN_SSTHRESH;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.westwood]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodConfig {
    /// Time constant of the filter.
    pub tau: Span,
    /// An interval `tau / m` without acknowledgments is a sample of zero.
    #[schemars(range(min = 1, max = 1000))]
    pub m: u32,
}

impl Default for WestwoodConfig {
    fn default() -> Self {
        WestwoodConfig { tau: Span::from_millis(500), m: 2 }
    }
}

/// Window from bandwidth times minimum round-trip time.
#[derive(Clone, Debug)]
pub struct Westwood {
    window: Window,
    filter: Filter,
    credit: DuplicateCredit,
    /// Minimum round-trip time, in seconds.
    min_rtt: f64,
}

/// The low-pass filter of the paper, discretized by Tustin's rule.
#[derive(Clone, Debug)]
struct Filter {
    tau: f64,
    silence: f64,
    /// Smoothed bandwidth, in segments per second.
    bandwidth: f64,
    /// The last sample, in segments per second.
    sample: f64,
    at: Option<Time>,
    /// Segments acknowledged since the last sample, at its time.
    pending: f64,
}

impl Filter {
    fn new(config: &WestwoodConfig) -> Filter {
        let tau = config.tau.secs();
        Filter { tau, silence: tau / f64::from(config.m.max(1)), bandwidth: 0.0, sample: 0.0, at: None, pending: 0.0 }
    }

    /// `segments` have arrived by `now`.
    fn on_arrival(&mut self, now: Time, segments: f64) {
        self.pending += segments;
        let Some(at) = self.at else {
            self.at = Some(now);
            self.pending = 0.0;
            return;
        };
        let mut gap = now.since(at).secs();
        if gap <= 0.0 {
            return;
        }
        // Each interval without acknowledgments is a sample of zero, until the bandwidth is negligible.
        while gap > self.silence && self.silence > 0.0 {
            self.smooth(0.0, self.silence);
            gap -= self.silence;
            if self.bandwidth < NEGLIGIBLE {
                let rest = gap % self.silence;
                gap = if rest > 0.0 { rest } else { self.silence };
                break;
            }
        }
        self.at = Some(now);
        let sample = std::mem::take(&mut self.pending) / gap;
        self.smooth(sample, gap);
    }

    fn smooth(&mut self, sample: f64, gap: f64) {
        let weight = 2.0 * self.tau / gap;
        self.bandwidth = ((weight - 1.0) * self.bandwidth + sample + self.sample) / (weight + 1.0);
        self.sample = sample;
    }
}

impl Westwood {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &WestwoodConfig) -> Westwood {
        Westwood {
            window: Window::new(setup),
            filter: Filter::new(config),
            credit: DuplicateCredit::default(),
            min_rtt: f64::INFINITY,
        }
    }

    /// The smoothed bandwidth, in segments per second.
    pub fn bandwidth(&self) -> f64 {
        self.filter.bandwidth
    }

    /// Bandwidth times minimum round-trip time, in segments.
    fn capacity(&self) -> f64 {
        let capacity = if self.min_rtt.is_finite() { self.filter.bandwidth * self.min_rtt } else { 0.0 };
        capacity.max(MIN_SSTHRESH)
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) -> bool {
        if let Some(rtt) = ack.rtt {
            self.min_rtt = self.min_rtt.min(rtt.secs());
        }
        let segments = self.credit.settle(ack.newly_acked);
        self.filter.on_arrival(ack.now, f64::from(segments));
        self.window.count_acked(ack)
    }
}

impl CongestionControl for Westwood {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if !self.note_ack(ack) {
            self.window.grow_as_reno(ack);
        }
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_dup_ack(&mut self, now: Time, _ack: &Ack) {
        self.credit.on_dup_ack();
        self.filter.on_arrival(now, 1.0);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let before = self.window.cwnd();
        self.window.cut(loss, self.capacity(), None);
        if loss.signal == LossSignal::DupAcks {
            self.window.set_cwnd(self.window.ssthresh().min(before));
        }
    }
}

/// A bandwidth below this, in segments per second, counts as zero.
const NEGLIGIBLE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn westwood() -> Westwood {
        Westwood::new(&TcpConfig::default().setup(1460), &WestwoodConfig::default())
    }

    /// An acknowledgment of a segment each 10 ms, from `from_ms` on.
    fn feed(westwood: &mut Westwood, from_ms: u64, count: u64) {
        for n in 0..count {
            let packet = Ack::plain(1, Time::ZERO);
            let now = Time((from_ms + 10 * n) * 1_000_000);
            westwood.on_ack(&NewAck { now, rtt: Some(Span::from_millis(80)), ..ack(&packet, 9) });
        }
    }

    #[test]
    fn filter_follows_tustins_rule() {
        let mut filter = Filter::new(&WestwoodConfig::default());
        filter.on_arrival(Time::ZERO, 1.0);
        // 2 tau / gap = 100: (0 + 100 + 0) / 101, then (99 * that + 100 + 100) / 101.
        filter.on_arrival(Time(10_000_000), 1.0);
        assert!((filter.bandwidth - 100.0 / 101.0).abs() < 1e-12);
        filter.on_arrival(Time(20_000_000), 1.0);
        let second = (99.0 * 100.0 / 101.0 + 200.0) / 101.0;
        assert!((filter.bandwidth - second).abs() < 1e-12);
    }

    #[test]
    fn silence_lowers_bandwidth_in_steps() {
        let mut filter = Filter::new(&WestwoodConfig::default());
        filter.on_arrival(Time::ZERO, 1.0);
        (filter.bandwidth, filter.sample) = (100.0, 100.0);
        // One idle interval of 250 ms: weight 4: (3 * 100 + 0 + 100) / 5 = 80; then a segment in 50 ms: weight 20.
        filter.on_arrival(Time(300_000_000), 1.0);
        assert!((filter.bandwidth - (19.0 * 80.0 + 20.0) / 21.0).abs() < 1e-9, "{}", filter.bandwidth);
    }

    #[test]
    fn loss_leaves_bandwidth_times_minimum_rtt() {
        let mut westwood = westwood();
        feed(&mut westwood, 10, 2000);
        // 100 segments a second, 80 ms: eight.
        assert!((westwood.bandwidth() - 100.0).abs() < 1e-3, "{}", westwood.bandwidth());
        westwood.set_cwnd(30.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        assert!((westwood.cwnd() - 7.0).abs() < 1.01 && westwood.ssthresh() == westwood.cwnd());
        westwood.set_cwnd(4.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 4.0, 4));
        assert_eq!(westwood.cwnd(), 4.0);
        westwood.on_loss(&loss(LossSignal::Timeout, 4.0, 4));
        assert_eq!(westwood.cwnd(), 1.0);
        assert!(westwood.ssthresh() >= 7.0);
    }

    #[test]
    fn ack_at_end_of_silence_interval_is_a_sample() {
        let mut filter = Filter::new(&WestwoodConfig::default());
        filter.on_arrival(Time::ZERO, 1.0);
        (filter.bandwidth, filter.sample) = (100.0, 100.0);
        // A segment in 250 ms: weight 4.
        filter.on_arrival(Time(250_000_000), 1.0);
        assert!((filter.bandwidth - (3.0 * 100.0 + 4.0 + 100.0) / 5.0).abs() < 1e-9, "{}", filter.bandwidth);
    }

    #[test]
    fn ack_after_whole_silences_is_a_sample_over_the_last() {
        let mut filter = Filter::new(&WestwoodConfig::default());
        filter.on_arrival(Time::ZERO, 1.0);
        // A segment in the last 250 ms: 4 segments/s, weight 4.
        filter.on_arrival(Time(1_000_000_000), 1.0);
        assert!((filter.bandwidth - 4.0 / 5.0).abs() < 1e-9, "{}", filter.bandwidth);
        // After an idle time that reduces the estimate to zero, and 100 ms more: 10 segments/s, weight 10.
        filter.on_arrival(Time(1_001_100_000_000), 1.0);
        assert!((filter.bandwidth - 10.0 / 11.0).abs() < 1e-9, "{}", filter.bandwidth);
    }

    #[test]
    fn time_constant_of_zero_keeps_the_last_sample() {
        let mut filter = Filter::new(&WestwoodConfig { tau: Span::ZERO, ..WestwoodConfig::default() });
        for (at, segments, bandwidth) in [(0, 1.0, 0.0), (10_000_000, 1.0, 100.0), (20_000_000, 3.0, 300.0)] {
            filter.on_arrival(Time(at), segments);
            assert!((filter.bandwidth - bandwidth).abs() < 1e-9, "{}", filter.bandwidth);
        }
    }
}
