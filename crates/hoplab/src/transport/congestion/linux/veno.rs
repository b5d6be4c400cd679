//! Veno as Linux 2.6.22 has it, in place of the paper's in profile `ns2_linux`.
//!
//! # Model
//! As the paper's (`delay_based/veno.rs`), in whole segments. The sample is the minimum since the last evaluated
//! acknowledgment; three are needed. "Every other step" is every other window. From a loss to the end of recovery growth is
//! Reno's. A timeout sets the same `ssthresh` as any loss.
//!
//! # Source
//! `tcp_veno.c` of Linux 2.6.22 in ns-2.35 (`select_ca veno`).
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! Those of `[tcp.congestion.veno]`.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::delay_based::veno::VenoConfig;
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, CountedWindow};

/// Veno of Linux.
#[derive(Clone, Debug)]
pub struct LinuxVeno {
    window: CountedWindow,
    config: VenoConfig,
    samples: MinRtt,
    /// Number of samples so far.
    sampled: u32,
    /// Segments queued at the last evaluation.
    queued: f64,
    /// Whether the next window adds a segment while segments queue.
    is_step: bool,
    /// Whether no loss recovery is in progress.
    is_open: bool,
}

impl LinuxVeno {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &VenoConfig) -> LinuxVeno {
        LinuxVeno {
            window: CountedWindow::new(setup),
            config: config.clone(),
            samples: MinRtt::new(),
            sampled: 0,
            queued: 0.0,
            is_step: true,
            is_open: true,
        }
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) {
        if let Some(rtt) = ack.rtt {
            self.samples.on_sample(rtt);
            self.sampled = self.sampled.saturating_add(1);
        }
        self.window.count_acked(ack);
    }

    fn avoid_congestion(&mut self) {
        if self.queued < self.config.beta {
            self.window.grow_once_per(self.window.whole_cwnd());
        } else if self.window.count_round() {
            if self.is_step {
                self.window.step_up();
            }
            self.is_step = !self.is_step;
        }
    }
}

impl CongestionControl for LinuxVeno {
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
        self.note_ack(ack);
        if !self.is_open {
            self.window.grow_as_reno(ack);
            return;
        }
        if !ack.is_cwnd_limited {
            return;
        }
        if self.sampled < ENOUGH_SAMPLES {
            self.window.grow_as_reno(ack);
        } else {
            self.queued = self.samples.queued(u64::from(self.window.whole_cwnd()));
            if self.window.in_slow_start() {
                self.window.slow_start();
            } else {
                self.avoid_congestion();
            }
            self.window.keep_in_range();
        }
        self.samples.reset();
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let retained = if self.queued < self.config.beta { self.config.random_retained } else { 0.5 };
        self.window.cut(loss, self.window.loss_base(loss) * retained, None);
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.is_open = true;
        self.samples.reset_current();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::{ack, linux, loss};

    /// Veno in congestion avoidance with this window and a minimum round-trip time of 100 ms.
    fn veno(cwnd: f64) -> LinuxVeno {
        let mut veno = LinuxVeno::new(&linux(), &VenoConfig::default());
        veno.window.set_cwnd(cwnd);
        veno.window.set_ssthresh(2.0);
        feed(&mut veno, 100, 3);
        veno.window.set_cwnd(cwnd);
        veno
    }

    fn feed(veno: &mut LinuxVeno, rtt_ms: u64, count: u32) {
        let packet = Ack::plain(5, Time::ZERO);
        for _ in 0..count {
            veno.on_ack(&NewAck { rtt: Some(Span::from_millis(rtt_ms)), ..ack(&packet, 9) });
        }
    }

    #[test]
    fn timeout_cuts_as_any_loss() {
        let mut veno = veno(11.0);
        feed(&mut veno, 110, 1);
        veno.on_loss(&loss(LossSignal::Timeout, 11.0, 11));
        assert_eq!((veno.cwnd(), veno.ssthresh()), (1.0, 8.0));
    }

    #[test]
    fn queued_segments_halve_growth_to_every_other_window() {
        let mut veno = veno(10.0);
        veno.is_step = false;
        feed(&mut veno, 200, 12);
        assert_eq!(veno.cwnd(), 10.0);
        feed(&mut veno, 200, 12);
        assert_eq!(veno.cwnd(), 11.0);
    }
}
