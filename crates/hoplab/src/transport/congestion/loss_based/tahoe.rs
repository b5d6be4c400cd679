//! Tahoe: as Reno, but every loss sets the window to one segment.
//!
//! # Model
//! Slow start and congestion avoidance as [`Reno`]. A loss, however detected, sets `ssthresh` to half the window and the
//! window to one segment; slow start retransmits what was lost.
//!
//! # Source
//! Jacobson 1988; `Agent/TCP` of ns-2.35.
//!
//! # Deviations
//! Those of Reno.
//!
//! # Parameters
//! None of its own.

use super::reno::Reno;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};

/// As Reno, but every loss sets the window to one segment.
#[derive(Clone, Debug)]
pub struct Tahoe {
    reno: Reno,
}

impl Tahoe {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &NoParameters) -> Tahoe {
        Tahoe { reno: Reno::new(setup, config) }
    }
}

impl CongestionControl for Tahoe {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.reno.cwnd()
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.set_cwnd(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
        self.reno.set_cwnd(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::loss;

    #[test]
    fn every_loss_leaves_one_segment() {
        for signal in [LossSignal::DupAcks, LossSignal::Timeout] {
            let mut tahoe = Tahoe::new(&TcpConfig::default().setup(1460), &NoParameters {});
            tahoe.set_cwnd(17.5);
            tahoe.on_loss(&loss(signal, 17.5, 17));
            assert_eq!((tahoe.cwnd(), tahoe.ssthresh()), (1.0, 8.0));
        }
    }
}
