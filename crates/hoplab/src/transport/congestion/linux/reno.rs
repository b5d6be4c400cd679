//! Reno as Linux 2.6.22 has it: a counted window that grows by acknowledged segments.
//!
//! # Model
//! Slow start up to and including `ssthresh`, one segment per acknowledgment; beyond it one segment per window of
//! segments acknowledged. Only a sender that is limited by `cwnd` lets the window grow. A loss sets `ssthresh` to half the
//! window, at least two; during recovery the window may fall to half of that, and returns to `ssthresh` afterwards
//! (`recovery/linux`).
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
use crate::transport::congestion::window::{CongestionWindow, CountedWindow};

/// Reno with a counted window.
#[derive(Clone, Debug)]
pub struct LinuxReno {
    window: CountedWindow,
}

impl LinuxReno {
    /// Before the connection is established.
    pub fn new(setup: &Setup, _config: &NoParameters) -> LinuxReno {
        LinuxReno { window: CountedWindow::new(setup) }
    }
}

impl CongestionControl for LinuxReno {
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
        self.window.count_acked(ack);
        self.window.grow_as_reno(ack);
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.window.count_acked(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.halve(loss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::{feed, linux, loss};

    #[test]
    fn segments_acked_in_recovery_count_afterwards() {
        let mut reno = LinuxReno::new(&linux(), &NoParameters {});
        reno.set_cwnd(8.0);
        reno.on_loss(&loss(LossSignal::DupAcks, 8.0, 8));
        feed(4, |ack| reno.on_recovery_ack(ack));
        reno.on_recovery_exit(5.0);
        feed(1, |ack| reno.on_ack(ack));
        assert_eq!((reno.ssthresh(), reno.cwnd()), (4.0, 6.0));
    }
}
