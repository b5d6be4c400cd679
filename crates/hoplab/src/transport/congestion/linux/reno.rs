//! Reno as Linux 2.6.22 has it: a whole window that grows by acknowledged segments.
//!
//! # Model
//! Slow start up to and including `ssthresh`, one segment per acknowledgment; beyond it one segment per window of
//! segments acknowledged. Only a full window grows. A loss sets `ssthresh` to half the window, at least two; during the
//! repair the window may fall to half of that, and comes back to `ssthresh` afterwards (`recovery/linux`).
//!
//! # Source
//! `tcp_cong.c` of Linux 2.6.22 in ns-2.35 (`select_ca reno`), with `tcp_abc` 1; RFC 3465.
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! None of its own.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::congestion::window::Window;

/// Reno with a whole window and counters.
#[derive(Clone, Debug)]
pub struct LinuxReno {
    window: Window,
}

impl LinuxReno {
    /// Before the connection opens.
    pub fn new(setup: &Setup, _config: &NoParameters) -> LinuxReno {
        LinuxReno { window: Window::new(setup) }
    }
}

impl CongestionControl for LinuxReno {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if !self.window.take(ack) {
            self.window.grow(ack);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.window.take(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.halve(loss);
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::loss;
    use crate::transport::congestion::testing::{feed, linux};

    #[test]
    fn what_is_acknowledged_in_a_repair_counts_afterwards() {
        let mut reno = LinuxReno::new(&linux(), &NoParameters {});
        reno.set_cwnd(8.0);
        reno.on_loss(&loss(LossSignal::DupAcks, 8.0, 8));
        feed(4, |ack| reno.on_repair_ack(ack));
        reno.on_repaired(5.0);
        feed(1, |ack| reno.on_ack(ack));
        assert_eq!((reno.ssthresh(), reno.cwnd()), (4.0, 6.0));
    }
}
