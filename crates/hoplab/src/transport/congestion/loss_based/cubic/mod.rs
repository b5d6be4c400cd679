//! CUBIC: the window follows a cubic of the time since the last loss, flat around the window of that loss.
//!
//! # Model
//! Slow start is Reno's. Beyond it `W(t) = c (t - K)^3 + W_max` with `K = cbrt((W_max - W_epoch) / c)`: fast growth, a
//! plateau at the window of the last loss, and fast growth again. Growth is never slower than an estimate of Reno's.
//! A loss leaves `retained` of the window. Three forms: RFC 9438, the default; Linux 2.6.22, of profile `ns2_linux`, in
//! integers; and the paper of 2008.
//!
//! # Source
//! RFC 9438; `tcp_cubic.c` (version 2.1) of Linux 2.6.22 in ns-2.35; Ha, Rhee, Xu 2008.
//!
//! # Deviations
//! `rfc9438`: no HyStart++ (RFC 9438 leaves the choice), segments instead of bytes. `linux_2_6_22`: cube roots are exact
//! and rounded down; the module's table is off by up to 0.2 %. Shivaranjani reads its `beta` as the decrease in `K`
//! and as the retained part elsewhere: `paper` reads it as the decrease, 0.2, throughout.
//!
//! # Parameters
//! `form` "rfc9438"; `c` 0.4; `retained` 0.7 (RFC 9438), 0.8 (paper), 819/1024 (Linux); `fast_convergence` and `friendly`
//! true.

pub(crate) mod config;
mod curve;
mod paper;
mod rfc9438;

pub use config::{CubicConfig, CubicForm};

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::linux::cubic::LinuxCubic;
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, Window};
use paper::Paper;
use rfc9438::Rfc9438;

/// A cubic of the time since the last loss.
#[derive(Clone, Debug)]
pub struct Cubic {
    window: Window,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Rfc9438(Rfc9438),
    Paper(Paper),
    Linux(LinuxCubic),
}

impl Cubic {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &CubicConfig) -> Cubic {
        let form = match config.form {
            CubicForm::Rfc9438 => Form::Rfc9438(Rfc9438::new(config)),
            CubicForm::Paper => Form::Paper(Paper::new(config)),
            CubicForm::Linux2622 => Form::Linux(LinuxCubic::new(config)),
        };
        Cubic { window: Window::new(setup), form }
    }
}

impl CongestionControl for Cubic {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn exit_slow_start(&mut self) {
        self.window.set_ssthresh(self.window.cwnd());
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if let Form::Linux(linux) = &mut self.form {
            linux.note_ack(ack, !self.window.reports_recovery_exit());
        }
        if self.window.count_acked(ack) || !ack.is_cwnd_limited {
            return;
        }
        if self.window.in_slow_start() {
            self.window.slow_start();
            return;
        }
        let cwnd = self.window.cwnd();
        match &mut self.form {
            Form::Rfc9438(rfc) => self.window.add(rfc.growth(ack, cwnd)),
            Form::Paper(paper) => self.window.add(paper.growth(ack, cwnd)),
            Form::Linux(linux) => {
                let every = linux.every(ack, self.window.whole_cwnd());
                self.window.grow_once_per(every);
            }
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let base = self.window.loss_base(loss);
        let ssthresh = match &mut self.form {
            Form::Rfc9438(rfc) => rfc.on_loss(loss, base, !self.window.keeps_ssthresh(loss)),
            Form::Paper(paper) => paper.on_loss(loss, base),
            Form::Linux(linux) => linux.on_loss(loss, base as u32),
        };
        self.window.cut(loss, ssthresh, None);
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        if let Form::Linux(linux) = &mut self.form {
            linux.on_recovery_exit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::{ack, loss};

    #[test]
    fn second_timeout_of_a_segment_keeps_cwnd_prior() {
        let mut cubic = Cubic::new(&TcpConfig::rfc().setup(1000), &CubicConfig::default());
        cubic.set_cwnd(20.0);
        cubic.on_loss(&loss(LossSignal::Timeout, 20.0, 12));
        cubic.on_loss(&Loss { is_retransmission: true, ..loss(LossSignal::Timeout, 1.0, 12) });
        assert!((cubic.ssthresh() - 8.4).abs() < 1e-9);
        let packet = Ack::plain(1, Time::ZERO);
        cubic.set_cwnd(cubic.ssthresh());
        (0..9).for_each(|_| cubic.on_ack(&NewAck { srtt: Some(Span::from_millis(10)), ..ack(&packet, 20) }));
        // RFC 9438 section 4.3: 9 / 17 of a segment per window as long as the estimate is below `cwnd_prior`, 20.
        assert!((cubic.cwnd() - (8.4 + 9.0 / 17.0)).abs() < 0.03, "{}", cubic.cwnd());
    }
}
