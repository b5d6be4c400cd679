//! A window as a real number, as in one-way agents of ns-2 and in the RFCs.
//!
//! # Source
//! As [`Reno`]. Unlike Reno's, a cut never leaves less than two segments after duplicate acknowledgments.

use super::operations::CongestionWindow;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::rules::MIN_SSTHRESH;

/// A window as a real number.
#[derive(Clone, Debug)]
pub(crate) struct RealWindow {
    reno: Reno,
}

impl RealWindow {
    pub(crate) fn new(setup: &Setup) -> RealWindow {
        RealWindow { reno: Reno::new(setup, &NoParameters {}) }
    }
}

impl CongestionWindow for RealWindow {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn set_ssthresh(&mut self, ssthresh: f64) {
        self.reno.ssthresh = ssthresh;
    }

    fn count_acked(&mut self, ack: &NewAck<'_>) -> bool {
        if ack.is_syn_ack() {
            self.reno.cwnd = self.reno.initial_window;
        }
        ack.is_syn_ack()
    }

    fn in_slow_start(&self) -> bool {
        self.reno.cwnd < self.reno.ssthresh
    }

    fn slow_start(&mut self) {
        self.reno.cwnd += 1.0;
    }

    fn grow_as_reno(&mut self, ack: &NewAck<'_>) {
        debug_assert!(!ack.is_syn_ack(), "the SYN sets the window");
        self.reno.on_ack(ack);
    }

    fn grow_once_per(&mut self, every: u32) {
        self.reno.cwnd += 1.0 / f64::from(every.max(1));
    }

    fn add(&mut self, part: f64) {
        self.reno.cwnd += part;
    }

    fn loss_base(&self, loss: &Loss) -> f64 {
        self.reno.loss_base(loss)
    }

    fn share_of(&self, window: f64, retained: f64) -> f64 {
        window * retained
    }

    fn keeps_ssthresh(&self, loss: &Loss) -> bool {
        self.reno.keeps_ssthresh(loss)
    }

    fn cut(&mut self, loss: &Loss, ssthresh: f64, _in_recovery: Option<f64>) {
        let ssthresh = ssthresh.max(MIN_SSTHRESH);
        self.reno.note_syn_loss(loss);
        if !self.keeps_ssthresh(loss) {
            self.reno.ssthresh = self.reno.rounded(ssthresh);
        }
        self.reno.cwnd = match loss.signal {
            LossSignal::DupAcks => ssthresh,
            LossSignal::Timeout => 1.0,
        };
    }

    fn reports_recovery_exit(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn window(config: &TcpConfig) -> RealWindow {
        RealWindow::new(&config.setup(1460))
    }

    #[test]
    fn ns2_window_opens_and_grows_as_reno() {
        let mut window = window(&TcpConfig::default());
        assert!(window.count_acked(&ack(&Ack::plain(0, Time::ZERO), 0)));
        assert_eq!(window.cwnd(), 2.0);
        let packet = Ack::plain(1, Time::ZERO);
        let mut grow = |acks: u32| {
            for _ in 0..acks {
                assert!(!window.count_acked(&ack(&packet, 1)));
                window.grow_as_reno(&ack(&packet, 1));
            }
            window.cwnd()
        };
        assert_eq!((grow(18), grow(1)), (20.0, 20.05));
    }

    #[test]
    fn cut_leaves_two_segments_at_least() {
        let mut window = window(&TcpConfig::default());
        for (base, cwnd, ssthresh) in [(15.0, 7.5, 7.0), (3.0, 2.0, 2.0)] {
            let loss = loss(LossSignal::DupAcks, base, base as u32);
            window.cut(&loss, window.loss_base(&loss) / 2.0, None);
            assert_eq!((window.cwnd(), window.ssthresh()), (cwnd, ssthresh));
        }
    }

    #[test]
    fn second_timeout_of_a_segment_keeps_ssthresh_in_rfc() {
        let after = |config: &TcpConfig, signal: LossSignal, is_retransmission: bool| {
            let mut window = window(config);
            window.set_ssthresh(7.5);
            window.cut(&Loss { is_retransmission, ..loss(signal, 4.0, 4) }, 3.5, None);
            window.ssthresh()
        };
        let rfc = |signal, is_retransmission| after(&TcpConfig::rfc(), signal, is_retransmission);
        assert_eq!((rfc(LossSignal::Timeout, false), rfc(LossSignal::Timeout, true)), (3.5, 7.5));
        assert_eq!((rfc(LossSignal::DupAcks, false), rfc(LossSignal::DupAcks, true)), (3.5, 3.5));
        assert_eq!(after(&TcpConfig::default(), LossSignal::Timeout, true), 3.0);
    }

    #[test]
    fn lost_syn_leaves_an_initial_window_of_one() {
        let mut window = window(&TcpConfig::default());
        window.cut(&Loss { is_syn: true, ..loss(LossSignal::Timeout, 1.0, 1) }, 2.0, None);
        window.count_acked(&ack(&Ack::plain(0, Time::ZERO), 0));
        assert_eq!(window.cwnd(), 1.0);
    }
}
