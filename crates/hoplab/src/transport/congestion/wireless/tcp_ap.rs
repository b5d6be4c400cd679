//! TCP-AP: NewReno whose segments leave no faster than a packet moves out of the way of the next.
//!
//! # Model
//! On a chain, two nodes four hops apart can send at once. From the round-trip time of every acknowledgment and the hops
//! it has travelled the sender estimates how long a packet takes for four hops, smooths it, adds a margin for its
//! variation, and sends one segment per such interval, within the window of NewReno.
//! # Source
//! ElRakabawy 2005, and the agent for ns-2 of the same authors; ElRakabawy 2011 (tcp-ap.md).
//! # Deviations
//! Preset `elrakabawy2005_code` is that agent, `paper` what its papers describe, as far as known: variation as
//! coefficient of variation, segments that wait survive a loss, a timeout during a repair is answered as by NewReno.
//! Hops are those of the acknowledgment's way, as counted by the simulator. Acknowledgments of a sender that also
//! receives are not paced.
//! # Parameters
//! Table `[tcp.congestion.tcp_ap]`.

use crate::kernel::{Bytes, Rate, Span};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{AckArrival, Loss, NewAck};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::pacer::{PaceClock, PaceRules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Table `[tcp.congestion.tcp_ap]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpApConfig {
    /// Whose rules hold where a key is not given.
    pub preset: TcpApPreset,
    /// Hops after which a packet is out of the way of the next.
    #[schemars(range(min = 1, max = 32))]
    pub n_factor: u32,
    /// Weight of the old delay in the smoothed one.
    #[schemars(range(min = 0, max = 1))]
    pub alpha: f64,
    /// Weight of the old queueing time in the smoothed one.
    #[schemars(range(min = 0, max = 1))]
    pub gamma: f64,
    /// Samples that the variation is taken of.
    #[schemars(range(min = 1, max = 200))]
    pub history: u32,
    /// Delays from here on, and queueing times beyond it, are not believed.
    pub bound: Span,
    /// Interval before the first estimate.
    pub initial_interval: Span,
    /// Rate of the links. Default: the data rate of the MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rate>,
    /// Headers that a packet has on the air.
    pub overhead: Bytes,
    /// Measure of variation. Default: `mad` in `elrakabawy2005_code`, `cov` in `paper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispersion: Option<Dispersion>,
    /// What the variation is taken of. Default: `delay` in `elrakabawy2005_code`, `rtt` in `paper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
    /// Weight of the variation in the interval.
    #[schemars(range(min = 0, max = 100))]
    pub jitter_weight: f64,
    /// What counts as the delay of a path shorter than `n_factor`.
    pub short_path: ShortPath,
    /// When the clock runs.
    pub clock: PaceClock,
    /// Whether duplicates that tell of a loss discard segments that wait. Default: true in `elrakabawy2005_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_on_fast_retransmit: Option<bool>,
    /// Whether the clock starts again after a loss found while nothing waited. Default: false in `elrakabawy2005_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_clock: Option<bool>,
    /// Whether the retransmission timeout doubles when it ends.
    pub rto_backoff: bool,
}

/// Rule sets of TCP-AP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TcpApPreset {
    /// As the authors' agent for ns-2 of September 2005.
    #[default]
    Elrakabawy2005Code,
    /// As the papers of 2005 and 2011 describe it.
    Paper,
}

/// Measures of variation, relative to the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dispersion {
    /// Mean absolute deviation.
    Mad,
    /// Coefficient of variation, of a sample.
    Cov,
}

/// Times that vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Samples {
    /// The delay until a packet is out of the way.
    Delay,
    /// The round-trip time.
    Rtt,
}

/// Delays of short paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShortPath {
    /// That of one hop.
    #[default]
    OneHop,
    /// That of all hops there are.
    HHops,
    /// That of `n_factor` hops all the same.
    NHops,
}

/// NewReno's window, and an interval between segments.
#[derive(Clone, Debug)]
pub struct TcpAp {
    reno: Reno,
    config: TcpApConfig,
    /// Payload of a segment, in bytes.
    segment: f64,
    /// Smoothed time per hop that is not sending, in seconds.
    queueing: f64,
    /// Smoothed delay until a packet is out of the way, in seconds; 0 before the first.
    delay: f64,
    samples: VecDeque<f64>,
    variation: f64,
}

/// Rate of the links if neither the table nor the scenario gives one: that of the agent for ns-2, in bits per second.
const BANDWIDTH: f64 = 2e6;

impl Default for TcpApConfig {
    fn default() -> Self {
        TcpApConfig {
            preset: TcpApPreset::Elrakabawy2005Code,
            n_factor: 4,
            alpha: 0.7,
            gamma: 0.5,
            history: 50,
            bound: Span::from_millis(500),
            initial_interval: Span::from_millis(50),
            bandwidth: None,
            overhead: Bytes(112),
            dispersion: None,
            samples: None,
            jitter_weight: 2.0,
            short_path: ShortPath::OneHop,
            clock: PaceClock::FreeRunning,
            flush_on_fast_retransmit: None,
            restart_clock: None,
            rto_backoff: false,
        }
    }
}

impl TcpApConfig {
    fn is_code(&self) -> bool {
        self.preset == TcpApPreset::Elrakabawy2005Code
    }
}

impl TcpAp {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &TcpApConfig) -> TcpAp {
        TcpAp {
            reno: Reno::new(setup, &NoParameters {}),
            config: config.clone(),
            segment: f64::from(setup.segment),
            queueing: 0.0,
            delay: 0.0,
            samples: VecDeque::with_capacity(config.history as usize),
            variation: 0.0,
        }
    }

    /// Takes one round-trip time over `hops` each way in.
    fn estimate(&mut self, rtt: f64, hops: f64) {
        let bound = self.config.bound.secs();
        let bandwidth = self.config.bandwidth.map_or(BANDWIDTH, |rate| rate.0) / 8.0;
        let overhead = f64::from(self.config.overhead.0);
        let (data, ack) = ((self.segment + overhead) / bandwidth, overhead / bandwidth);
        let mut queueing = (rtt / hops - (data + ack)) / 2.0;
        if queueing > bound {
            queueing = self.queueing;
        }
        self.queueing = self.config.gamma * self.queueing + (1.0 - self.config.gamma) * queueing;
        let hop = queueing + data;
        let delay = hop * self.hops_counted(hops);
        if delay <= 0.0 || delay >= bound {
            return;
        }
        self.delay =
            if self.delay == 0.0 { delay } else { self.config.alpha * self.delay + (1.0 - self.config.alpha) * delay };
        let usual = if self.config.is_code() { Samples::Delay } else { Samples::Rtt };
        if self.samples.len() == self.config.history as usize {
            self.samples.pop_front();
        }
        self.samples.push_back(match self.config.samples.unwrap_or(usual) {
            Samples::Delay => delay,
            Samples::Rtt => rtt,
        });
        self.variation = self.dispersion();
    }

    fn hops_counted(&self, hops: f64) -> f64 {
        let n = f64::from(self.config.n_factor);
        if hops >= n {
            return n;
        }
        match self.config.short_path {
            ShortPath::OneHop => 1.0,
            ShortPath::HHops => hops,
            ShortPath::NHops => n,
        }
    }

    fn dispersion(&self) -> f64 {
        let usual = if self.config.is_code() { Dispersion::Mad } else { Dispersion::Cov };
        let count = self.samples.len() as f64;
        let mean = self.samples.iter().sum::<f64>() / count;
        let sum = |of: fn(f64) -> f64| self.samples.iter().map(|sample| of(sample - mean)).sum::<f64>();
        match self.config.dispersion.unwrap_or(usual) {
            Dispersion::Mad => sum(f64::abs) / count / mean,
            Dispersion::Cov if self.samples.len() < 2 => 0.0,
            Dispersion::Cov => libm::sqrt(sum(|off| off * off) / (count - 1.0)) / mean,
        }
    }
}

impl CongestionControl for TcpAp {
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn on_arrival(&mut self, arrival: &AckArrival<'_>) {
        if arrival.hops > 0 {
            let rtt = arrival.now.since(arrival.packet.echo).secs();
            self.estimate(rtt, f64::from(arrival.hops));
        }
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_opening_lost(&mut self) {
        self.reno.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn pace_rules(&self) -> Option<PaceRules> {
        Some(PaceRules {
            clock: self.config.clock,
            flushes: self.config.flush_on_fast_retransmit.unwrap_or(self.config.is_code()),
            restarts: self.config.restart_clock.unwrap_or(!self.config.is_code()),
        })
    }

    fn pace_interval(&self) -> Span {
        if self.delay > 0.0 {
            Span::from_secs((1.0 + self.config.jitter_weight * self.variation) * self.delay)
        } else {
            self.config.initial_interval
        }
    }

    fn backs_off(&self) -> bool {
        self.config.rto_backoff
    }

    fn cuts_inflated(&self) -> bool {
        self.config.is_code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;

    fn sender(config: &TcpApConfig) -> TcpAp {
        TcpAp::new(&Setup::new(&TcpConfig::default(), 512), config)
    }

    fn paper() -> TcpApConfig {
        TcpApConfig { preset: TcpApPreset::Paper, ..TcpApConfig::default() }
    }

    #[test]
    fn the_overhead_cancels() {
        // tcp-ap.md section 3, note 1: hop = RTT/(2h) + MSS/(2b).
        for (rtt, hops, overhead) in [(0.08, 7.0, 112), (0.2, 4.0, 40), (0.05, 9.0, 0), (0.31, 16.0, 500)] {
            let mut tcp_ap = sender(&TcpApConfig { overhead: Bytes(overhead), ..TcpApConfig::default() });
            tcp_ap.estimate(rtt, hops);
            let hop = rtt / (2.0 * hops) + 512.0 / (2.0 * 250_000.0);
            assert!((tcp_ap.delay - 4.0 * hop).abs() < 1e-12, "{} {hop}", tcp_ap.delay);
        }
        let mut tcp_ap = sender(&TcpApConfig::default());
        tcp_ap.estimate(0.08, 7.0);
        assert!((tcp_ap.delay - 0.026_95).abs() < 5e-6);
    }

    #[test]
    fn a_constant_round_trip_needs_no_margin() {
        let mut tcp_ap = sender(&TcpApConfig::default());
        assert_eq!(tcp_ap.pace_interval(), Span::from_millis(50));
        tcp_ap.estimate(0.08, 7.0);
        let first = tcp_ap.pace_interval();
        (0..9).for_each(|_| tcp_ap.estimate(0.08, 7.0));
        assert!((first.secs() - tcp_ap.delay).abs() < 1e-9);
        assert!(tcp_ap.pace_interval().0.abs_diff(first.0) <= 1);
    }

    #[test]
    fn variation_by_either_measure() {
        let mad = TcpApConfig { samples: Some(Samples::Rtt), ..TcpApConfig::default() };
        let mut tcp_ap = sender(&mad);
        (0..40).for_each(|n| tcp_ap.estimate(if n % 2 == 0 { 0.09 } else { 0.11 }, 8.0));
        assert!((tcp_ap.variation - 0.1).abs() < 1e-12);
        let mut tcp_ap = sender(&paper());
        (0..40).for_each(|n| tcp_ap.estimate(if n % 2 == 0 { 0.09 } else { 0.11 }, 8.0));
        let cov = 0.1 * (40.0f64 / 39.0).sqrt();
        assert!((tcp_ap.variation - cov).abs() < 1e-12);
    }

    #[test]
    fn short_paths_are_paced_by_one_hop() {
        let delay = |hops: f64, short_path| {
            let mut tcp_ap = sender(&TcpApConfig { short_path, ..TcpApConfig::default() });
            tcp_ap.estimate(0.02 * hops, hops);
            tcp_ap.delay / (0.01 + 512.0 / 500_000.0)
        };
        for hops in 1..=3u32 {
            assert!((delay(hops.into(), ShortPath::OneHop) - 1.0).abs() < 1e-9);
            assert!((delay(hops.into(), ShortPath::HHops) - f64::from(hops)).abs() < 1e-9);
            assert!((delay(hops.into(), ShortPath::NHops) - 4.0).abs() < 1e-9);
        }
        assert!(
            (delay(4.0, ShortPath::OneHop) - 4.0).abs() < 1e-9 && (delay(9.0, ShortPath::OneHop) - 4.0).abs() < 1e-9
        );
    }

    #[test]
    fn nonsense_is_not_believed() {
        let mut tcp_ap = sender(&TcpApConfig::default());
        tcp_ap.estimate(0.08, 7.0);
        let before = (tcp_ap.delay, tcp_ap.samples.len());
        // Too long to be true; the queueing time stays as it was.
        tcp_ap.estimate(30.0, 7.0);
        assert!((tcp_ap.delay - before.0).abs() < 0.02);
        tcp_ap.estimate(6.0, 7.0);
        assert_eq!(tcp_ap.samples.len(), before.1 + 1);
    }

    #[test]
    fn a_queueing_time_of_the_bound_itself_is_believed() {
        // A segment takes half a second: 6 s over four hops are half a second of queueing at each.
        let config = TcpApConfig { bandwidth: Some(Rate(8192.0)), overhead: Bytes(0), ..TcpApConfig::default() };
        let mut tcp_ap = sender(&config);
        tcp_ap.estimate(6.0, 4.0);
        assert_eq!((tcp_ap.queueing, tcp_ap.delay), (0.25, 0.0));
    }

    #[test]
    fn a_way_of_unknown_length_tells_nothing() {
        let interval = |hops| {
            let mut tcp_ap = sender(&TcpApConfig::default());
            tcp_ap.on_arrival(&AckArrival { now: Time(80_000_000), hops, packet: &Ack::plain(1, Time::ZERO) });
            tcp_ap.pace_interval()
        };
        assert_eq!(interval(0), Span::from_millis(50));
        assert!(interval(7).secs() < 0.03);
    }
}
