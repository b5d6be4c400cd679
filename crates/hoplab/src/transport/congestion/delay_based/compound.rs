//! Compound: Reno's window plus one that grows by delay.
//!
//! # Model
//! The window is the sum of two parts. Reno's part grows by one segment per window acknowledged. The delay part is decided
//! once per round trip, in congestion avoidance: with fewer than `gamma` segments queued it grows by `alpha * win^k - 1` if
//! that is positive, with more it shrinks by `zeta` times as many as are queued. A loss detected by duplicate
//! acknowledgments leaves `1 - beta` of the sum, half of Reno's part in it; a timeout and slow start have no delay part. Up
//! to 16 segments the delay part does not grow: there Compound is Reno. Profile `ns2_linux` replaces this by ns-2's module
//! for Linux (`linux/compound.rs`).
//!
//! # Source
//! Tan, Song, Zhang, Sridharan 2006.
//!
//! # Deviations
//! The paper's round-trip time is "the latest estimate": this takes the mean of the round. `gamma` is not tuned.
//! Shivaranjani, undated, lets Reno's part grow by one segment per acknowledgment and leaves out that terms below zero
//! count as zero.
//!
//! # Parameters
//! `alpha` 1/8, `beta` 1/2, `k` 3/4, `gamma` 30 segments, `zeta` 1: the paper's.

use super::min_rtt::MinRtt;
use crate::packet::SegNo;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, RealWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.compound]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompoundConfig {
    /// Factor of the growth by delay.
    #[schemars(range(min = 0, max = 100))]
    pub alpha: f64,
    /// Share of the window by which a loss reduces it.
    #[schemars(range(min = 0, max = 0.9))]
    pub beta: f64,
    /// Exponent of the growth by delay.
    #[schemars(range(min = 0, max = 1))]
    pub k: f64,
    /// Segments queued in the network from which on the delay part shrinks.
    #[schemars(range(min = 0))]
    pub gamma: f64,
    /// Segments that the delay part loses for each one queued.
    #[schemars(range(min = 0))]
    pub zeta: f64,
}

impl Default for CompoundConfig {
    fn default() -> Self {
        CompoundConfig { alpha: 0.125, beta: 0.5, k: 0.75, gamma: 30.0, zeta: 1.0 }
    }
}

/// Reno's window plus one that grows by delay.
#[derive(Clone, Debug)]
pub struct Compound {
    window: RealWindow,
    config: CompoundConfig,
    /// The part of the window that grows by delay.
    delay_part: f64,
    samples: MinRtt,
    round: Round,
    snd_nxt: SegNo,
}

/// A round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Segment whose acknowledgment ends it.
    end: SegNo,
    /// Sum of its samples, in seconds.
    rtt_sum: f64,
    rtt_count: u32,
}

impl Compound {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &CompoundConfig) -> Compound {
        Compound {
            window: RealWindow::new(setup),
            config: config.clone(),
            delay_part: 0.0,
            samples: MinRtt::new(),
            round: Round::default(),
            snd_nxt: 0,
        }
    }

    /// The part that grows by delay, in segments.
    pub fn delay_part(&self) -> f64 {
        self.delay_part
    }

    /// Growth by delay at a window of `win` segments, per round trip.
    fn growth(&self, win: f64) -> f64 {
        (self.config.alpha * libm::pow(win, self.config.k) - 1.0).max(0.0)
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) -> bool {
        if self.snd_nxt == 0 {
            self.round.end = ack.snd_nxt;
        }
        self.snd_nxt = ack.snd_nxt;
        if let Some(rtt) = ack.rtt {
            self.samples.on_sample(rtt);
            self.round.rtt_sum += rtt.secs();
            self.round.rtt_count += 1;
        }
        self.window.count_acked(ack)
    }

    /// The delay part after a round with this mean round-trip time.
    fn delay_part_after(&self, rtt: f64, is_cwnd_limited: bool) -> f64 {
        let win = self.window.cwnd();
        let base = self.samples.base as f64 * 1e-6;
        let queued = win * (1.0 - base / rtt).max(0.0);
        if queued < self.config.gamma {
            self.delay_part + if is_cwnd_limited { self.growth(win) } else { 0.0 }
        } else {
            (self.delay_part - self.config.zeta * queued).max(0.0)
        }
    }
}

impl CongestionControl for Compound {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.delay_part = self.delay_part.min(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if self.note_ack(ack) {
            return;
        }
        let in_slow_start = self.window.in_slow_start();
        if ack.is_cwnd_limited {
            self.window.grow_as_reno(ack);
        }
        if ack.acked < self.round.end {
            return;
        }
        let Round { rtt_sum, rtt_count, .. } = std::mem::take(&mut self.round);
        self.round.end = ack.snd_nxt;
        if in_slow_start || rtt_count == 0 {
            return;
        }
        let delay_part = self.delay_part_after(rtt_sum / f64::from(rtt_count), ack.is_cwnd_limited);
        let win = self.window.cwnd();
        self.window.set_cwnd((win - self.delay_part + delay_part).max(1.0));
        self.delay_part = delay_part;
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let base = self.window.loss_base(loss);
        let reno_part = (base - self.delay_part).max(0.0);
        let rest = base * (1.0 - self.config.beta);
        self.window.cut(loss, rest, None);
        self.delay_part = match loss.signal {
            LossSignal::DupAcks => (rest - reno_part / 2.0).max(0.0),
            LossSignal::Timeout => 0.0,
        };
        self.round = Round { end: self.snd_nxt, ..Round::default() };
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.set_cwnd(cwnd);
        self.round.end = self.snd_nxt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn compound() -> Compound {
        Compound::new(&TcpConfig::default().setup(1460), &CompoundConfig::default())
    }

    #[test]
    fn growth_by_delay_begins_beyond_16_segments() {
        let grows = |win: f64, expected: f64| assert!((compound().growth(win) - expected).abs() < 1e-4);
        grows(10.0, 0.0);
        grows(16.0, 0.0);
        grows(32.0, 0.6818);
        grows(64.0, 1.8284);
        grows(128.0, 3.7568);
    }

    /// Compound after an acknowledgment that ends a round with this window and round-trip time; 100 ms is the minimum.
    fn after_round(mut compound: Compound, cwnd: f64, delay_part: f64, rtt_ms: u64) -> Compound {
        compound.samples.on_sample(Span::from_millis(100));
        compound.window.set_cwnd(cwnd);
        compound.delay_part = delay_part;
        let packet = Ack::plain(10, Time::ZERO);
        let rtt = Some(Span::from_millis(rtt_ms));
        (compound.round.end, compound.snd_nxt) = (10, 70);
        compound.on_ack(&NewAck { rtt, ..ack(&packet, 60) });
        compound
    }

    #[test]
    fn delay_part_grows_without_and_shrinks_with_a_queue() {
        // 64 + 1/64 at 110 ms: 6 queued.
        let free = after_round(compound(), 64.0, 4.0, 110);
        assert!((free.delay_part() - 5.829).abs() < 1e-3 && (free.cwnd() - 65.845).abs() < 1e-2, "{}", free.cwnd());
        // At 200 ms half of them: 32 queued, the delay part becomes zero.
        let queued = after_round(compound(), 64.0, 4.0, 200);
        assert_eq!(queued.delay_part(), 0.0);
        assert!((queued.cwnd() - 60.0156).abs() < 1e-3, "{}", queued.cwnd());
    }

    #[test]
    fn loss_halves_both_parts() {
        let mut compound = compound();
        compound.window.set_cwnd(40.0);
        compound.delay_part = 16.0;
        compound.on_loss(&loss(LossSignal::DupAcks, 40.0, 40));
        // 20 in all, 12 of Reno's 24.
        assert_eq!((compound.cwnd(), compound.delay_part()), (20.0, 8.0));
        compound.on_loss(&loss(LossSignal::Timeout, 20.0, 20));
        assert_eq!((compound.cwnd(), compound.delay_part(), compound.ssthresh()), (1.0, 0.0, 10.0));
    }

    #[test]
    fn queue_of_gamma_stops_growth_by_delay() {
        let mut compound = compound();
        compound.config.gamma = 0.0;
        assert_eq!(after_round(compound, 64.0, 4.0, 100).delay_part(), 4.0);
    }

    #[test]
    fn delay_part_is_at_most_the_window() {
        let mut compound = compound();
        compound.delay_part = 8.0;
        compound.set_cwnd(5.0);
        assert_eq!(compound.delay_part(), 5.0);
    }
}
