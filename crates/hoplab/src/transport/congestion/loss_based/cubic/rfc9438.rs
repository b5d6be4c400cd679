//! CUBIC by RFC 9438 section 4, in real numbers.

use super::config::CubicConfig;
use super::curve::{Curve, Epoch};
use crate::kernel::Span;
use crate::transport::congestion::event::{Loss, NewAck};

/// Position on the cubic, by RFC 9438.
#[derive(Clone, Debug)]
pub(super) struct Rfc9438 {
    curve: Curve,
    friendly: bool,
    /// Window when a loss last set `ssthresh` (`cwnd_prior`).
    prior: f64,
    epoch: Option<Epoch>,
}

impl Rfc9438 {
    pub(super) fn new(config: &CubicConfig) -> Rfc9438 {
        Rfc9438 { curve: Curve::new(config), friendly: config.friendly, prior: 0.0, epoch: None }
    }

    /// What an acknowledgment adds to `cwnd` segments (sections 4.2 to 4.5).
    pub(super) fn growth(&mut self, ack: &NewAck<'_>, cwnd: f64) -> f64 {
        let mut epoch = self.epoch.unwrap_or_else(|| self.curve.begin(ack.now, cwnd));
        let t = ack.now.since(epoch.begin).secs();
        let slope = if epoch.reno < self.prior { self.curve.reno_slope() } else { 1.0 };
        epoch.reno += slope * f64::from(ack.newly_acked) / cwnd;
        self.epoch = Some(epoch);
        // Section 4.3: Reno's estimate replaces a cubic that is behind it.
        if self.friendly && self.curve.at(epoch, t) < epoch.reno {
            return (epoch.reno - cwnd).max(0.0);
        }
        let rtt = ack.srtt.map_or(0.0, Span::secs);
        let target = self.curve.at(epoch, t + rtt);
        (target.clamp(cwnd, MAX_GROWTH * cwnd) - cwnd) / cwnd
    }

    /// Reduces the window of `base` segments after a loss; `sets_ssthresh` unless a timeout follows another. Returns
    /// `ssthresh` (section 4.6).
    pub(super) fn on_loss(&mut self, loss: &Loss, base: f64, sets_ssthresh: bool) -> f64 {
        if sets_ssthresh {
            self.prior = loss.window;
        }
        self.curve.on_loss(loss);
        self.epoch = None;
        base * self.curve.retained
    }
}

/// The target is at most so many times the window (section 4.2).
const MAX_GROWTH: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::{ack, loss};

    fn cubic() -> Rfc9438 {
        Rfc9438::new(&CubicConfig::default())
    }

    /// An epoch that follows a loss at `w_max`.
    fn epoch(w_max: f64) -> (Rfc9438, Epoch) {
        let mut cubic = cubic();
        let ssthresh = cubic.on_loss(&loss(LossSignal::DupAcks, w_max, w_max as u32), w_max, true);
        let epoch = cubic.curve.begin(Time::ZERO, ssthresh);
        (cubic, epoch)
    }

    #[test]
    fn k_follows_from_window_of_last_loss() {
        let expected = [1.957_434, 2.466_212, 3.347_165, 4.217_163, 4.578_857];
        for (w_max, expected) in [10.0, 20.0, 50.0, 100.0, 128.0].into_iter().zip(expected) {
            let found = epoch(w_max).1.k;
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn cubic_has_the_values_of_rfc_9438() {
        let (cubic, epoch) = epoch(100.0);
        for (t, expected) in [(0.0, 70.0), (1.0, 86.6808), (2.0, 95.6403), (5.0, 100.1919)] {
            assert!((cubic.curve.at(epoch, t) - expected).abs() < 1e-4, "{t}: {}", cubic.curve.at(epoch, t));
        }
        assert!((cubic.curve.reno_slope() - 0.529_412).abs() < 1e-6);
    }

    #[test]
    fn fast_convergence_aims_lower() {
        let mut cubic = cubic();
        assert!((cubic.on_loss(&loss(LossSignal::DupAcks, 100.0, 100), 100.0, true) - 70.0).abs() < 1e-9);
        cubic.on_loss(&loss(LossSignal::DupAcks, 80.0, 80), 80.0, true);
        assert!((cubic.curve.w_max - 68.0).abs() < 1e-9);
        cubic.on_loss(&loss(LossSignal::DupAcks, cubic.curve.w_max, 68), 68.0, true);
        assert!((cubic.curve.w_max - 68.0).abs() < 1e-9, "a loss at the same window: no flow has joined");
        cubic.on_loss(&loss(LossSignal::Timeout, 60.0, 60), 60.0, true);
        assert_eq!(cubic.curve.begin(Time::ZERO, 30.0).k, 0.0);
    }

    #[test]
    fn cubic_returns_to_cwnd_but_cuts_the_flight_size() {
        // Section 4.6: ssthresh from flight_size, W_max and cwnd_prior from cwnd.
        let mut cubic = cubic();
        assert_eq!(cubic.on_loss(&loss(LossSignal::DupAcks, 100.0, 60), 60.0, true), 42.0);
        assert_eq!(cubic.curve.w_max, 100.0);
        // Section 4.7 compares windows: as large as the last one, with less in flight, is no sign of another flow.
        cubic.on_loss(&loss(LossSignal::DupAcks, 100.0, 50), 50.0, true);
        assert_eq!(cubic.curve.w_max, 100.0);
        cubic.on_loss(&loss(LossSignal::DupAcks, 90.0, 95), 95.0, true);
        assert_eq!(cubic.curve.w_max, 90.0 * 0.85);
    }

    #[test]
    fn reno_estimate_leads_on_short_path() {
        let (mut cubic, _) = epoch(10.0);
        let packet = Ack::plain(1, Time::ZERO);
        let mut cwnd = 7.0;
        // 70 acknowledgments of a segment within 100 ms: the cubic has hardly begun.
        for n in 0..70 {
            let now = Time(1_000_000 * n);
            let new = NewAck { now, srtt: Some(Span::from_millis(10)), ..ack(&packet, 7) };
            cwnd += cubic.growth(&new, cwnd);
        }
        let reno = cubic.epoch.expect("an epoch").reno;
        assert!((cwnd - reno).abs() < 1e-9 && reno > 9.0, "{cwnd} {reno}");
    }

    #[test]
    fn cubic_leads_where_reno_estimate_is_equal() {
        let mut cubic = cubic();
        cubic.epoch = Some(Epoch { begin: Time::ZERO, origin: 8.5, k: 0.0, reno: 8.0 });
        let packet = Ack::plain(1, Time::ZERO);
        // Section 4.3: Reno's only if `W_cubic(t)` is less. Four segments acknowledged of eight: 8.5.
        let growth = cubic.growth(&NewAck { newly_acked: 4, ..ack(&packet, 8) }, 8.0);
        assert_eq!((growth, cubic.epoch.expect("an epoch").reno), (0.5 / 8.0, 8.5));
    }
}
