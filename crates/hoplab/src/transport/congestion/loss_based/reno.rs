//! Reno: slow start, congestion avoidance, half the window after a loss.
//!
//! # Model
//! Once per acknowledgment of new data: `cwnd < ssthresh` adds one segment, otherwise `1/cwnd`. A loss detected by
//! duplicate acknowledgments halves the window, a timeout sets it to one segment; either sets `ssthresh` to the half.
//! NewReno and SACK keep this window and differ in recovery.
//!
//! # Source
//! Profile `ns2_oneway`: `opencwnd` and `slowdown` of `tcp/tcp.cc`, ns-2.35, with `windowOption_` 1. Profile `rfc`:
//! RFC 5681 sections 3.1 and 3.2.
//!
//! # Deviations
//! `ns2_oneway` halves `min(cwnd, window)`, where RFC 5681 halves the flight size; its `ssthresh` is whole. `rfc`
//! counts segments, not bytes.
//!
//! # Parameters
//! None of its own; `tcp.initial_window` and `tcp.initial_ssthresh`.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::rules::{LossBase, LossRules, MIN_SSTHRESH};

/// Slow start, congestion avoidance, half the window after a loss.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) initial_window: f64,
    rules: LossRules,
}

impl Reno {
    /// Before the connection is established: a window of one segment, the SYN.
    pub fn new(setup: &Setup, _config: &NoParameters) -> Reno {
        Reno { cwnd: 1.0, ssthresh: setup.initial_ssthresh, initial_window: setup.initial_window, rules: setup.loss }
    }

    /// The window that a loss reduces.
    pub(crate) fn loss_base(&self, loss: &Loss) -> f64 {
        match self.rules.base {
            LossBase::UsedWindow => loss.window,
            LossBase::FlightSize => f64::from(loss.flight_size),
        }
    }

    /// Whether a loss leaves `ssthresh`.
    pub(crate) fn keeps_ssthresh(&self, loss: &Loss) -> bool {
        self.rules.keeps_ssthresh && loss.signal == LossSignal::Timeout && loss.is_retransmission
    }

    /// `ssthresh` as the profile stores it.
    pub(crate) fn rounded(&self, ssthresh: f64) -> f64 {
        if self.rules.rounds_ssthresh { ssthresh.floor() } else { ssthresh }
    }

    /// Sets `ssthresh` after a loss to half the window, and returns that half.
    pub(crate) fn halve_ssthresh(&mut self, loss: &Loss) -> f64 {
        let half = (self.loss_base(loss) / 2.0).max(self.rules.min_half);
        if !self.keeps_ssthresh(loss) {
            self.ssthresh = self.rounded(half).max(MIN_SSTHRESH);
        }
        half
    }

    /// A lost SYN reduces the initial window to one segment (RFC 5681 section 3.1).
    pub(crate) fn note_syn_loss(&mut self, loss: &Loss) {
        if loss.is_syn {
            self.initial_window = 1.0;
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

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn exit_slow_start(&mut self) {
        self.ssthresh = self.cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.is_syn_ack() {
            self.cwnd = self.initial_window;
        } else if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 1.0 / self.cwnd;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.note_syn_loss(loss);
        let half = self.halve_ssthresh(loss);
        self.cwnd = match loss.signal {
            LossSignal::DupAcks => half.max(1.0),
            LossSignal::Timeout => 1.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn established(config: &TcpConfig) -> Reno {
        let mut reno = Reno::new(&config.setup(1460), &NoParameters {});
        reno.on_ack(&ack(&Ack::plain(0, Time::ZERO), 0));
        reno
    }

    #[test]
    fn slow_start_doubles_from_two_to_ssthresh() {
        let mut reno = established(&TcpConfig::default());
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
        let mut reno = established(&TcpConfig::default());
        reno.set_cwnd(50.0);
        reno.on_loss(&loss(LossSignal::DupAcks, 15.0, 15));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (7.5, 7.0));
        reno.on_loss(&loss(LossSignal::Timeout, 3.0, 3));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 2.0));
        reno.on_loss(&loss(LossSignal::DupAcks, 1.0, 1));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 2.0));
    }

    #[test]
    fn rfc_halves_the_flight_size_once_per_segment() {
        let mut reno = established(&TcpConfig::rfc());
        assert_eq!((reno.cwnd(), reno.ssthresh()), (3.0, f64::INFINITY));
        reno.on_loss(&loss(LossSignal::Timeout, 40.0, 15));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 7.5));
        reno.on_loss(&Loss { is_retransmission: true, ..loss(LossSignal::Timeout, 1.0, 1) });
        assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 7.5));
        reno.on_loss(&loss(LossSignal::DupAcks, 5.0, 3));
        assert_eq!((reno.cwnd(), reno.ssthresh()), (2.0, 2.0));
    }

    #[test]
    fn lost_syn_leaves_an_initial_window_of_one() {
        let mut reno = Reno::new(&TcpConfig::default().setup(1460), &NoParameters {});
        reno.on_loss(&Loss { is_syn: true, ..loss(LossSignal::Timeout, 1.0, 1) });
        reno.on_ack(&ack(&Ack::plain(0, Time::ZERO), 0));
        assert_eq!(reno.cwnd(), 1.0);
    }
}
