//! The cubic function of CUBIC in real numbers, which RFC 9438 and the paper share.
//!
//! # Source
//! RFC 9438 sections 4.2, 4.3 and 4.6 to 4.8; Ha, Rhee, Xu 2008, sections 3.1 to 3.6.

use super::config::CubicConfig;
use crate::kernel::Time;
use crate::transport::congestion::event::{Loss, LossSignal};

/// The curve, and the window of the last loss.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    c: f64,
    pub(super) retained: f64,
    fast_convergence: bool,
    /// Window of the last loss, less by fast convergence; zero if growth restarts.
    pub(super) w_max: f64,
}

/// Congestion avoidance since the last loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    pub(super) begin: Time,
    /// Plateau of the cubic.
    pub(super) origin: f64,
    /// Time from the beginning to the plateau, in seconds.
    pub(super) k: f64,
    /// Estimate of Reno's window.
    pub(super) reno: f64,
}

impl Curve {
    pub(super) fn new(config: &CubicConfig) -> Curve {
        Curve { c: config.c, retained: config.retained(), fast_convergence: config.fast_convergence, w_max: 0.0 }
    }

    /// Records a loss (RFC 9438 sections 4.7 and 4.8): the cubic returns to the window in use, not to the flight size.
    pub(super) fn on_loss(&mut self, loss: &Loss) {
        let window = loss.window;
        let converges = self.fast_convergence && window < self.w_max;
        self.w_max = if converges { window * (1.0 + self.retained) / 2.0 } else { window };
        if loss.signal == LossSignal::Timeout {
            // The cubic begins at the window that slow start ends with: K is zero.
            self.w_max = 0.0;
        }
    }

    pub(super) fn begin(&self, now: Time, cwnd: f64) -> Epoch {
        let origin = self.w_max.max(cwnd);
        Epoch { begin: now, origin, k: libm::cbrt((origin - cwnd) / self.c), reno: cwnd }
    }

    /// The cubic `t` seconds into an epoch.
    pub(super) fn at(&self, epoch: Epoch, t: f64) -> f64 {
        let offset = t - epoch.k;
        self.c * offset * offset * offset + epoch.origin
    }

    /// Segments that Reno of the same average adds per round trip: `3 (1 - r) / (1 + r)`.
    pub(super) fn reno_slope(&self) -> f64 {
        3.0 * (1.0 - self.retained) / (1.0 + self.retained)
    }
}
