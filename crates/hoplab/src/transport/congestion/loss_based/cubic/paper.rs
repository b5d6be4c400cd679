//! CUBIC as Ha, Rhee and Xu describe it in 2008, in real numbers.
//!
//! It differs from RFC 9438 in constants, in the estimate of Reno's window, which follows the time instead of the
//! acknowledgments, and in bounds: growth at the plateau is 0.01 segments per round trip, and has no maximum.

use super::config::CubicConfig;
use super::curve::{Curve, Epoch};
use crate::kernel::Span;
use crate::transport::congestion::event::{Loss, NewAck};

/// Position on the cubic, by the paper.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    curve: Curve,
    friendly: bool,
    epoch: Option<Epoch>,
}

impl Paper {
    pub(super) fn new(config: &CubicConfig) -> Paper {
        Paper { curve: Curve::new(config), friendly: config.friendly, epoch: None }
    }

    /// What an acknowledgment adds to `cwnd` segments.
    pub(super) fn growth(&mut self, ack: &NewAck<'_>, cwnd: f64) -> f64 {
        let rtt = ack.srtt.map_or(0.0, Span::secs);
        let mut epoch = self.epoch.unwrap_or_else(|| self.curve.begin(ack.now, cwnd));
        let t = ack.now.since(epoch.begin).secs();
        if rtt > 0.0 {
            epoch.reno = self.curve.w_max * self.curve.retained + self.curve.reno_slope() * t / rtt;
        }
        self.epoch = Some(epoch);
        let target = self.curve.at(epoch, t + rtt);
        let growth = if target > cwnd { (target - cwnd) / cwnd } else { MIN_GROWTH / cwnd };
        // Reno's window is approached at one round trip's pace.
        if self.friendly && epoch.reno > cwnd { growth.max((epoch.reno - cwnd) / cwnd) } else { growth }
    }

    /// Reduces the window of `base` segments after a loss. Returns `ssthresh`.
    pub(super) fn on_loss(&mut self, loss: &Loss, base: f64) -> f64 {
        self.curve.on_loss(loss);
        self.epoch = None;
        base * self.curve.retained
    }
}

/// Growth per round trip at the plateau, in segments.
const MIN_GROWTH: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::loss_based::cubic::config::CubicForm;
    use crate::transport::congestion::testing::loss;

    #[test]
    fn k_follows_from_window_of_last_loss() {
        let expected = [1.709_976, 2.154_435, 2.924_018, 3.684_031, 4.0];
        for (w_max, expected) in [10.0, 20.0, 50.0, 100.0, 128.0].into_iter().zip(expected) {
            let mut paper = Paper::new(&CubicConfig { form: CubicForm::Paper, ..CubicConfig::default() });
            let ssthresh = paper.on_loss(&loss(LossSignal::DupAcks, w_max, w_max as u32), w_max);
            let found = paper.curve.begin(Time::ZERO, ssthresh).k;
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}
