//! Veno: Reno that separates random losses from those of congestion by the queue it estimates.
//!
//! # Model
//! `queued = cwnd * (rtt - base_rtt) / rtt` segments wait in the network. Slow start is Reno's. In congestion avoidance
//! fewer than `beta` queued let the window grow as Reno's; with more, only every other step takes place. A loss
//! detected by duplicate acknowledgments with fewer than `beta` queued counts as random: the window falls to four
//! fifths, otherwise to half. After a timeout `ssthresh` is always half the window. Profile `ns2_linux` replaces this
//! by Linux's module (`linux/veno.rs`).
//!
//! # Source
//! Fu, Liew 2003.
//!
//! # Deviations
//! The paper resets `base_rtt` after a loss; this keeps the minimum of the connection, as Linux does. "Every other
//! step" is every other acknowledgment in the paper and every other window in Linux: the same rate. The text of
//! Shivaranjani leaves out the four fifths and `beta`.
//!
//! # Parameters
//! `beta` segments 3, `random_retained` 0.8: both of the paper, and the module's.

use super::min_rtt::MinRtt;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, RealWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.veno]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VenoConfig {
    /// Segments queued in the network from which on it counts as congested.
    #[schemars(range(min = 0))]
    pub beta: f64,
    /// Share of the window that a random loss leaves.
    #[schemars(range(min = 0.1, max = 1))]
    pub random_retained: f64,
}

impl Default for VenoConfig {
    fn default() -> Self {
        VenoConfig { beta: 3.0, random_retained: 0.8 }
    }
}

/// Reno that separates random losses by delay.
#[derive(Clone, Debug)]
pub struct Veno {
    window: RealWindow,
    config: VenoConfig,
    samples: MinRtt,
    /// Segments queued at the last acknowledgment.
    queued: f64,
    /// Whether the last of the alternating steps took place.
    has_stepped: bool,
}

impl Veno {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &VenoConfig) -> Veno {
        Veno {
            window: RealWindow::new(setup),
            config: config.clone(),
            samples: MinRtt::new(),
            queued: 0.0,
            has_stepped: true,
        }
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) -> bool {
        if let Some(rtt) = ack.rtt {
            self.samples.on_sample(rtt);
        }
        self.window.count_acked(ack)
    }
}

impl CongestionControl for Veno {
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
        // Only the latest sample counts.
        self.samples.reset();
        if self.note_ack(ack) {
            return;
        }
        if self.samples.count > 0 {
            let (rtt, base) = (self.samples.current as f64, self.samples.base as f64);
            self.queued = self.window.cwnd() * (rtt - base) / rtt;
        }
        if !self.window.in_slow_start() && self.queued >= self.config.beta {
            self.has_stepped = !self.has_stepped;
            if !self.has_stepped {
                return;
            }
        }
        self.window.grow_as_reno(ack);
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let is_random = self.queued < self.config.beta && loss.signal == LossSignal::DupAcks;
        let retained = if is_random { self.config.random_retained } else { 0.5 };
        self.window.cut(loss, self.window.loss_base(loss) * retained, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    /// Veno in congestion avoidance with this window and a minimum round-trip time of 100 ms.
    fn veno(cwnd: f64) -> Veno {
        let mut veno = Veno::new(&TcpConfig::default().setup(1460), &VenoConfig::default());
        veno.window.set_cwnd(cwnd);
        veno.window.set_ssthresh(2.0);
        feed(&mut veno, 100, 3);
        veno.window.set_cwnd(cwnd);
        veno
    }

    fn feed(veno: &mut Veno, rtt_ms: u64, count: u32) {
        let packet = Ack::plain(5, Time::ZERO);
        for _ in 0..count {
            veno.on_ack(&NewAck { rtt: Some(Span::from_millis(rtt_ms)), ..ack(&packet, 9) });
        }
    }

    #[test]
    fn queued_segments_halve_growth() {
        let mut free = veno(10.0);
        // 10 * (110 - 100) / 110 = 0.9 queued.
        feed(&mut free, 110, 10);
        assert!((free.cwnd() - 10.96).abs() < 0.01, "{}", free.cwnd());
        let mut queued = veno(10.0);
        // 10 * (200 - 100) / 200 = 5 queued.
        feed(&mut queued, 200, 10);
        assert!((queued.cwnd() - 10.49).abs() < 0.01, "{}", queued.cwnd());
    }

    #[test]
    fn random_loss_costs_a_fifth() {
        let after = |rtt_ms: u64, signal: LossSignal| {
            let mut veno = veno(10.0);
            feed(&mut veno, rtt_ms, 1);
            veno.on_loss(&loss(signal, 10.0, 10));
            (veno.cwnd(), veno.ssthresh())
        };
        assert_eq!(after(110, LossSignal::DupAcks), (8.0, 8.0));
        assert_eq!(after(200, LossSignal::DupAcks), (5.0, 5.0));
        assert_eq!(after(110, LossSignal::Timeout), (1.0, 5.0));
    }

    #[test]
    fn minimum_rtt_may_come_from_recovery() {
        let mut veno = veno(10.0);
        let packet = Ack::plain(5, Time::ZERO);
        veno.on_recovery_ack(&NewAck { rtt: Some(Span::from_millis(50)), ..ack(&packet, 9) });
        feed(&mut veno, 100, 1);
        // 10 * (100 - 50) / 100 = 5 queued.
        veno.on_loss(&loss(LossSignal::DupAcks, 10.0, 10));
        assert_eq!(veno.ssthresh(), 5.0);
    }
}
