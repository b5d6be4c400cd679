//! Veno: Reno that tells random losses from those of congestion by the queue it sees.
//!
//! # Model
//! `queued = cwnd * (rtt - base_rtt) / rtt` segments wait in the network. Slow start is Reno's. In congestion avoidance
//! fewer than `beta` queued let the window grow as Reno's, more let only every other step happen. A loss found by
//! duplicates with fewer than `beta` queued is held for random: the window falls to four fifths, otherwise to half. In
//! Linux the sample is the least since the last acknowledgment that was looked at, three are needed, and Reno rules from
//! a loss to the end of its repair; a timeout there sets the same threshold, in the paper always half.
//!
//! # Source
//! Fu, Liew 2003; `tcp_veno.c` of Linux 2.6.22 in ns-2.35, which profile `ns2_linux` follows.
//!
//! # Deviations
//! The paper forgets `base_rtt` at a loss; Linux and we keep the least ever. "Every other step" is every other
//! acknowledgment in the paper and every other window in Linux: the same rate. The text of Shivaranjani leaves out
//! the four fifths and `beta`.
//!
//! # Parameters
//! `beta` segments 3, `random_retained` 0.8: both of the paper, and the module's.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::Window;
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

/// Reno that tells random losses by delay.
#[derive(Clone, Debug)]
pub struct Veno {
    window: Window,
    config: VenoConfig,
    samples: MinRtt,
    /// Samples ever.
    sampled: u32,
    /// Segments queued when last looked at.
    queued: f64,
    /// Whether the next of the steps that only every other time happen does.
    is_turn: bool,
    /// Whether no loss is being repaired, in Linux.
    is_open: bool,
}

impl Veno {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &VenoConfig) -> Veno {
        Veno {
            window: Window::new(setup),
            config: config.clone(),
            samples: MinRtt::new(),
            sampled: 0,
            queued: 0.0,
            is_turn: true,
            is_open: true,
        }
    }

    fn see(&mut self, ack: &NewAck<'_>) -> bool {
        if let Some(rtt) = ack.rtt {
            self.samples.take(rtt);
            self.sampled = self.sampled.saturating_add(1);
        }
        self.window.take(ack)
    }

    /// As the paper: the latest sample, every other acknowledgment.
    fn on_ack_of_paper(&mut self, ack: &NewAck<'_>) {
        if self.samples.count > 0 {
            let (rtt, base) = (self.samples.least as f64, self.samples.base as f64);
            self.queued = self.window.cwnd() * (rtt - base) / rtt;
        }
        if !self.window.is_slow_start() && self.queued >= self.config.beta {
            self.is_turn = !self.is_turn;
            if !self.is_turn {
                return;
            }
        }
        self.window.grow(ack);
    }

    fn on_ack_of_linux(&mut self, ack: &NewAck<'_>) {
        if !self.is_open {
            self.window.grow(ack);
            return;
        }
        if !ack.was_full {
            return;
        }
        if self.sampled < ENOUGH_SAMPLES {
            self.window.grow(ack);
        } else {
            let cwnd = u64::from(self.window.whole());
            self.queued = (2 * cwnd - self.samples.target_halves(cwnd)) as f64 / 2.0;
            if self.window.is_slow_start() {
                self.window.slow_start();
            } else if self.queued < self.config.beta {
                self.window.climb(self.window.whole());
            } else if self.window.count_round() {
                if self.is_turn {
                    self.window.step_up();
                }
                self.is_turn = !self.is_turn;
            }
            self.window.keep_in_range();
        }
        self.samples.reset();
    }
}

impl CongestionControl for Veno {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if self.window.is_whole() {
            self.see(ack);
            self.on_ack_of_linux(ack);
            return;
        }
        // Only the latest sample counts.
        self.samples.reset();
        if !self.see(ack) {
            self.on_ack_of_paper(ack);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.see(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let is_random = self.queued < self.config.beta;
        let is_cut_less = is_random && (self.window.is_whole() || loss.sign == LossSignal::DupAcks);
        let retained = if is_cut_less { self.config.random_retained } else { 0.5 };
        self.window.lose(loss, self.window.at_loss(loss) * retained, None);
    }

    fn on_opening_lost(&mut self) {
        self.window.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_repaired(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.is_open = true;
        self.samples.least = MinRtt::new().least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::linux;
    use crate::transport::congestion::testing::{ack, loss};

    fn veno(setup: &Setup, cwnd: f64) -> Veno {
        let mut veno = Veno::new(setup, &VenoConfig::default());
        veno.window.set_cwnd(cwnd);
        veno.window.set_ssthresh(2.0);
        feed(&mut veno, 100, 1);
        feed(&mut veno, 100, 2);
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
    fn grows_at_half_the_pace_when_segments_queue() {
        let setup = Setup::new(&TcpConfig::default(), 1460);
        let mut free = veno(&setup, 10.0);
        // 10 * (110 - 100) / 110 = 0.9 queued.
        feed(&mut free, 110, 10);
        assert!((free.cwnd() - 10.96).abs() < 0.01, "{}", free.cwnd());
        let mut queued = veno(&setup, 10.0);
        // 10 * (200 - 100) / 200 = 5 queued.
        feed(&mut queued, 200, 10);
        assert!((queued.cwnd() - 10.49).abs() < 0.01, "{}", queued.cwnd());
    }

    #[test]
    fn a_random_loss_costs_a_fifth() {
        let setup = Setup::new(&TcpConfig::default(), 1460);
        let after = |rtt_ms: u64, sign: LossSignal| {
            let mut veno = veno(&setup, 10.0);
            feed(&mut veno, rtt_ms, 1);
            veno.on_loss(&loss(sign, 10.0, 10));
            (veno.cwnd(), veno.ssthresh())
        };
        assert_eq!(after(110, LossSignal::DupAcks), (8.0, 8.0));
        assert_eq!(after(200, LossSignal::DupAcks), (5.0, 5.0));
        assert_eq!(after(110, LossSignal::Timeout), (1.0, 5.0));
    }

    #[test]
    fn linux_cuts_a_timeout_like_any_loss() {
        let mut veno = veno(&linux(), 11.0);
        feed(&mut veno, 110, 1);
        veno.on_loss(&loss(LossSignal::Timeout, 11.0, 11));
        assert_eq!((veno.cwnd(), veno.ssthresh()), (1.0, 8.0));
    }

    #[test]
    fn linux_grows_every_other_window_when_segments_queue() {
        let mut veno = veno(&linux(), 10.0);
        veno.is_turn = false;
        feed(&mut veno, 200, 12);
        assert_eq!(veno.cwnd(), 10.0);
        feed(&mut veno, 200, 12);
        assert_eq!(veno.cwnd(), 11.0);
    }

    #[test]
    fn the_least_round_trip_may_be_seen_in_a_repair() {
        let mut veno = veno(&Setup::new(&TcpConfig::default(), 1460), 10.0);
        let packet = Ack::plain(5, Time::ZERO);
        veno.on_repair_ack(&NewAck { rtt: Some(Span::from_millis(50)), ..ack(&packet, 9) });
        feed(&mut veno, 100, 1);
        // 10 * (100 - 50) / 100 = 5 queued.
        veno.on_loss(&loss(LossSignal::DupAcks, 10.0, 10));
        assert_eq!(veno.ssthresh(), 5.0);
    }
}
