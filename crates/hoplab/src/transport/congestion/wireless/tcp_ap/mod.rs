//! TCP-AP: NewReno whose segments are paced by the time in which a packet leaves the interference range of the next.
//!
//! # Model
//! On a chain, two nodes four hops apart can send at once. From the round-trip time of every acknowledgment and the
//! hops of its path the sender estimates how long a packet takes for four hops, smooths it, adds a margin for its
//! variation, and sends one segment per such interval, within the window of NewReno.
//! # Source
//! ElRakabawy 2005, and the agent for ns-2 of the same authors; ElRakabawy 2011 (docs/specs/tcp-ap.md).
//! # Deviations
//! Preset `elrakabawy2005_code` is that agent, `paper` what its papers describe, as far as known: variation as
//! coefficient of variation, waiting segments survive a loss, a timeout during recovery is handled as in NewReno.
//! Hops are those of the acknowledgment's path, as counted by the simulator. Acknowledgments of a sender that also
//! receives are not paced.
//! # Parameters
//! Table `[tcp.congestion.tcp_ap]`.

mod config;

pub use config::{Dispersion, RateSource, Samples, ShortPath, TcpApConfig, TcpApPreset};

use crate::kernel::Span;
use crate::packet::LinkEstimate;
use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::cross_layer::{AckArrival, CrossLayer};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::pacer::PaceRules;
use std::collections::VecDeque;

/// NewReno's window, and an interval between segments.
#[derive(Clone, Debug)]
pub struct TcpAp {
    reno: Reno,
    config: TcpApConfig,
    /// Payload of a segment, in bytes.
    segment: f64,
    /// Smoothed queueing time per hop, in seconds.
    queueing: f64,
    /// Smoothed delay of a packet over four hops, in seconds; 0 before the first sample.
    delay: f64,
    samples: VecDeque<f64>,
    variation: f64,
    /// Rate of rt-Winf, if it is used and known, in bytes per second.
    measured: Option<f64>,
}

/// Rate of the links if neither the table nor the scenario sets one: that of the agent for ns-2, in bits per second.
const BANDWIDTH: f64 = 2e6;

impl TcpAp {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &TcpApConfig) -> TcpAp {
        TcpAp {
            reno: Reno::new(setup, &NoParameters {}),
            config: config.clone(),
            segment: f64::from(setup.segment),
            queueing: 0.0,
            delay: 0.0,
            samples: VecDeque::with_capacity(config.history as usize),
            variation: 0.0,
            measured: None,
        }
    }

    /// Counts a round-trip time over `hops` each way.
    fn estimate(&mut self, rtt: f64, hops: f64) {
        let bound = self.config.bound.secs();
        let nominal = self.config.bandwidth.map_or(BANDWIDTH, |rate| rate.0) / 8.0;
        let bandwidth = self.measured.unwrap_or(nominal);
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
        if self.samples.len() == self.config.history as usize {
            self.samples.pop_front();
        }
        self.samples.push_back(match self.config.samples() {
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
        let count = self.samples.len() as f64;
        let mean = self.samples.iter().sum::<f64>() / count;
        let sum = |of: fn(f64) -> f64| self.samples.iter().map(|sample| of(sample - mean)).sum::<f64>();
        match self.config.dispersion() {
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

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn needs(&self) -> Needs {
        let is_code = self.config.is_code();
        Needs {
            constant_rto: !self.config.rto_backoff,
            link_estimates: self.config.rate == RateSource::Winf,
            cuts_inflated_window: is_code,
            pacing: Some(PaceRules {
                clock: self.config.clock,
                flushes: self.config.flush_on_fast_retransmit.unwrap_or(is_code),
                restarts: self.config.restart_clock.unwrap_or(!is_code),
            }),
            ..Needs::default()
        }
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        Some(self)
    }
}

impl CrossLayer for TcpAp {
    fn on_arrival(&mut self, arrival: &AckArrival<'_>) {
        if arrival.hops > 0 {
            let rtt = arrival.now.since(arrival.packet.echo).secs();
            self.estimate(rtt, f64::from(arrival.hops));
        }
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.measured = link.map(|link| link.capacity);
    }

    fn pace_interval(&self) -> Span {
        if self.delay > 0.0 {
            Span::from_secs((1.0 + self.config.jitter_weight * self.variation) * self.delay)
        } else {
            self.config.initial_interval
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Bytes, Rate, Time};
    use crate::packet::Ack;
    use crate::transport::TcpConfig;

    fn sender(config: &TcpApConfig) -> TcpAp {
        TcpAp::new(&TcpConfig::default().setup(512), config)
    }

    fn paper() -> TcpApConfig {
        TcpApConfig { preset: TcpApPreset::Paper, ..TcpApConfig::default() }
    }

    #[test]
    fn estimate_is_independent_of_overhead() {
        // docs/specs/tcp-ap.md section 3, note 1: hop = RTT/(2h) + MSS/(2b).
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
    fn rate_of_winf_replaces_the_nominal_one() {
        let mut tcp_ap = sender(&TcpApConfig { rate: RateSource::Winf, ..TcpApConfig::default() });
        assert!(tcp_ap.needs().link_estimates && !sender(&TcpApConfig::default()).needs().link_estimates);
        tcp_ap.on_link(Some(LinkEstimate { capacity: 5e5, available: 1e5 }));
        tcp_ap.estimate(0.08, 8.0);
        // hop = RTT/(2h) + MSS/(2b), b in bytes per second.
        assert!((tcp_ap.delay - 4.0 * (0.005 + 512.0 / 1e6)).abs() < 1e-12, "{}", tcp_ap.delay);
    }

    #[test]
    fn constant_rtt_adds_no_margin() {
        let mut tcp_ap = sender(&TcpApConfig::default());
        assert_eq!(tcp_ap.pace_interval(), Span::from_millis(50));
        tcp_ap.estimate(0.08, 7.0);
        let first = tcp_ap.pace_interval();
        (0..9).for_each(|_| tcp_ap.estimate(0.08, 7.0));
        assert!((first.secs() - tcp_ap.delay).abs() < 1e-9);
        assert!(tcp_ap.pace_interval().0.abs_diff(first.0) <= 1);
    }

    #[test]
    fn variation_is_mad_or_cov() {
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
    fn short_path_counts_one_hop_by_default() {
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
    fn rtt_beyond_the_bound_is_ignored() {
        let mut tcp_ap = sender(&TcpApConfig::default());
        tcp_ap.estimate(0.08, 7.0);
        let before = (tcp_ap.delay, tcp_ap.samples.len());
        // Beyond the bound: the queueing time is unchanged.
        tcp_ap.estimate(30.0, 7.0);
        assert!((tcp_ap.delay - before.0).abs() < 0.02);
        tcp_ap.estimate(6.0, 7.0);
        assert_eq!(tcp_ap.samples.len(), before.1 + 1);
    }

    #[test]
    fn queueing_time_at_the_bound_counts() {
        // A segment takes half a second: 6 s over four hops are half a second of queueing at each.
        let config = TcpApConfig { bandwidth: Some(Rate(8192.0)), overhead: Bytes(0), ..TcpApConfig::default() };
        let mut tcp_ap = sender(&config);
        tcp_ap.estimate(6.0, 4.0);
        assert_eq!((tcp_ap.queueing, tcp_ap.delay), (0.25, 0.0));
    }

    #[test]
    fn path_of_unknown_length_gives_no_sample() {
        let interval = |hops| {
            let mut tcp_ap = sender(&TcpApConfig::default());
            tcp_ap.on_arrival(&AckArrival { now: Time(80_000_000), hops, packet: &Ack::plain(1, Time::ZERO) });
            tcp_ap.pace_interval()
        };
        assert_eq!(interval(0), Span::from_millis(50));
        assert!(interval(7).secs() < 0.03);
    }
}
