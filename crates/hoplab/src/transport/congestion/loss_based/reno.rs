//! Reno: slow start, congestion avoidance, half the window at a loss.
//!
//! # Model
//! Once per acknowledgment of new data: `cwnd < ssthresh` adds one segment, otherwise `1/cwnd`. A loss found by
//! duplicates halves the window, a timeout sets it to one segment; either sets `ssthresh` to the half. NewReno and SACK
//! keep this window and differ in recovery.
//!
//! # Source
//! Profile `ns2_oneway`: `opencwnd` and `slowdown` of `tcp/tcp.cc`, ns-2.35, with `windowOption_` 1. Profile `rfc`:
//! RFC 5681 sections 3.1 and 3.2.
//!
//! # Deviations
//! `ns2_oneway` halves `min(cwnd, window)`, where RFC 5681 halves what is in flight; its `ssthresh` is whole. `rfc`
//! counts segments, not bytes.
//!
//! # Parameters
//! None of its own; `tcp.initial_window` and `tcp.initial_ssthresh`.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};

/// Slow start, congestion avoidance, half the window at a loss.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(in crate::transport::congestion) cwnd: f64,
    pub(in crate::transport::congestion) ssthresh: f64,
    pub(in crate::transport::congestion) initial_window: f64,
    is_rfc: bool,
}

impl Reno {
    /// Before the connection opens: one segment, the opening one.
    pub fn new(setup: &Setup, _config: &NoParameters) -> Reno {
        Reno { cwnd: 1.0, ssthresh: setup.initial_ssthresh, initial_window: setup.initial_window, is_rfc: setup.is_rfc }
    }

    /// Sets `ssthresh` for a loss, and returns the window it stands for.
    pub(in crate::transport::congestion) fn back_down(&mut self, loss: &Loss) -> f64 {
        if self.is_rfc {
            let half = (f64::from(loss.flight) / 2.0).max(LEAST_SSTHRESH);
            // RFC 5681 section 3.1: a further timeout of the same segment leaves ssthresh.
            if loss.sign == LossSignal::DupAcks || !loss.is_repeated {
                self.ssthresh = half;
            }
            half
        } else {
            let half = loss.window / 2.0;
            self.ssthresh = half.floor().max(LEAST_SSTHRESH);
            half
        }
    }
}

impl CongestionControl for Reno {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.acked == 0 {
            // The opening was acknowledged: the initial window comes instead of this acknowledgment's growth.
            self.cwnd = self.initial_window;
        } else if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 1.0 / self.cwnd;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let half = self.back_down(loss);
        self.cwnd = match loss.sign {
            LossSignal::DupAcks => half.max(1.0),
            LossSignal::Timeout => 1.0,
        };
    }

    fn on_opening_lost(&mut self) {
        self.initial_window = 1.0;
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }
}

/// No loss sets `ssthresh` below this, in segments (RFC 5681, eq. 4).
const LEAST_SSTHRESH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn open(config: &TcpConfig) -> Reno {
        let mut reno = Reno::new(&Setup::new(config, 1460), &NoParameters {});
        reno.on_ack(&ack(&Ack::plain(0, Time::ZERO), 0));
        reno
    }

    #[test]
    fn opens_with_two_and_doubles_up_to_twenty() {
        let mut reno = open(&TcpConfig::default());
        assert_eq!(reno.cwnd(), 2.0);
        for seq in 1..=18 {
            reno.on_ack(&ack(&Ack::plain(seq, Time::ZERO), 1));
        }
        assert_eq!((reno.cwnd(), reno.ssthresh()), (20.0, 20.0));
        reno.on_ack(&ack(&Ack::plain(19, Time::ZERO), 1));
        assert_eq!(reno.cwnd(), 20.05);
    }

    #[test]
    fn ns2_halves_the_window_in_use() {
        let mut reno = open(&TcpConfig::default());
        reno.set_cwnd(50.0);
        reno.on_loss(&loss(LossSignal::DupAcks, 15.0, 15));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (7.5, 7.0));
        reno.on_loss(&loss(LossSignal::Timeout, 3.0, 3));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 2.0));
        reno.on_loss(&loss(LossSignal::DupAcks, 1.0, 1));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 2.0));
    }

    #[test]
    fn rfc_halves_the_flight_and_keeps_ssthresh_at_a_second_timeout() {
        let mut reno = open(&TcpConfig::rfc());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (3.0, f64::INFINITY));
        reno.on_loss(&loss(LossSignal::Timeout, 40.0, 15));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 7.5));
        reno.on_loss(&Loss { is_repeated: true, ..loss(LossSignal::Timeout, 1.0, 1) });
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 7.5));
        reno.on_loss(&loss(LossSignal::DupAcks, 5.0, 3));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (2.0, 2.0));
    }

    #[test]
    fn a_lost_opening_costs_the_initial_window() {
        let mut reno = Reno::new(&Setup::new(&TcpConfig::default(), 1460), &NoParameters {});
        reno.on_opening_lost();
        reno.on_ack(&ack(&Ack::plain(0, Time::ZERO), 0));
        assert_eq!(reno.cwnd(), 1.0);
    }
}
