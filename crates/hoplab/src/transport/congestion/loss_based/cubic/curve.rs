//! CUBIC in real numbers: RFC 9438 section 4, and Ha, Rhee, Xu 2008, which differ in constants and bounds.

use super::config::{CubicConfig, CubicForm};
use crate::kernel::{Span, Time};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};

/// Where on the cubic the window is.
#[derive(Clone, Debug)]
pub(in crate::transport::congestion) struct Curve {
    config: CubicConfig,
    retained: f64,
    /// Window of the last loss, less if it converges; zero if growth begins anew.
    w_max: f64,
    /// Window when a loss last set `ssthresh`.
    prior: f64,
    epoch: Option<Epoch>,
}

/// Congestion avoidance since the last loss.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    begin: Time,
    /// Plateau of the cubic.
    origin: f64,
    /// Time from the beginning to the plateau, in seconds.
    k: f64,
    /// What Reno's window would be.
    reno: f64,
}

impl Curve {
    pub(in crate::transport::congestion) fn new(config: &CubicConfig) -> Curve {
        Curve { config: config.clone(), retained: config.retained(), w_max: 0.0, prior: 0.0, epoch: None }
    }

    /// What an acknowledgment adds to `cwnd` segments (RFC 9438 sections 4.2 to 4.5).
    pub(in crate::transport::congestion) fn growth(&mut self, ack: &NewAck<'_>, cwnd: f64) -> f64 {
        let rtt = ack.srtt.map_or(0.0, Span::secs);
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(ack.now, cwnd));
        let t = ack.now.since(epoch.begin).secs();
        let is_paper = self.config.form == CubicForm::Paper;
        if is_paper {
            if rtt > 0.0 {
                epoch.reno = self.w_max * self.retained + self.reno_slope() * t / rtt;
            }
        } else {
            let slope = if epoch.reno < self.prior { self.reno_slope() } else { 1.0 };
            epoch.reno += slope * f64::from(ack.newly_acked) / cwnd;
        }
        self.epoch = Some(epoch);
        let target = self.at(epoch, t + rtt);
        let growth = if is_paper {
            if target > cwnd { (target - cwnd) / cwnd } else { PAPER_LEAST / cwnd }
        } else {
            (target.clamp(cwnd, MOST_GROWTH * cwnd) - cwnd) / cwnd
        };
        let is_behind = if is_paper { epoch.reno > cwnd } else { self.at(epoch, t) < epoch.reno };
        match (self.config.friendly && is_behind, is_paper) {
            // The paper approaches Reno's window, at one round trip's pace; RFC 9438 section 4.3 takes it.
            (true, true) => growth.max((epoch.reno - cwnd) / cwnd),
            (true, false) => (epoch.reno - cwnd).max(0.0),
            (false, _) => growth,
        }
    }

    /// A loss that is answered from `base` segments; the threshold it leaves (RFC 9438 sections 4.6 to 4.8). By the RFC
    /// `base` is what is in flight, but the cubic goes back to the window.
    pub(in crate::transport::congestion) fn on_loss(&mut self, loss: &Loss, base: f64) -> f64 {
        let window = loss.window;
        let converges = self.config.fast_convergence && window < self.w_max;
        self.w_max = if converges { window * (1.0 + self.retained) / 2.0 } else { window };
        self.epoch = None;
        if loss.sign == LossSignal::Timeout {
            // The cubic begins at the window that slow start ends with: K is zero.
            self.w_max = 0.0;
        }
        base * self.retained
    }

    /// `ssthresh` is set, at this window (`cwnd_prior` of RFC 9438).
    pub(in crate::transport::congestion) fn note_prior(&mut self, window: f64) {
        self.prior = window;
    }

    fn begin(&self, now: Time, cwnd: f64) -> Epoch {
        let origin = self.w_max.max(cwnd);
        Epoch { begin: now, origin, k: libm::cbrt((origin - cwnd) / self.config.c), reno: cwnd }
    }

    fn at(&self, epoch: Epoch, t: f64) -> f64 {
        let offset = t - epoch.k;
        self.config.c * offset * offset * offset + epoch.origin
    }

    /// Segments that Reno of the same average adds per round trip: `3 (1 - r) / (1 + r)`.
    fn reno_slope(&self) -> f64 {
        3.0 * (1.0 - self.retained) / (1.0 + self.retained)
    }
}

/// The target is at most so many times the window (RFC 9438 section 4.2).
const MOST_GROWTH: f64 = 1.5;
/// Growth per round trip at the plateau, in segments (Ha 2008).
const PAPER_LEAST: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ack;
    use crate::transport::congestion::testing::{ack, loss};

    fn curve(form: CubicForm) -> Curve {
        Curve::new(&CubicConfig { form, ..CubicConfig::default() })
    }

    /// An epoch that follows a loss at `w_max`.
    fn epoch(form: CubicForm, w_max: f64) -> (Curve, Epoch) {
        let mut curve = curve(form);
        let ssthresh = curve.on_loss(&loss(LossSignal::DupAcks, w_max, w_max as u32), w_max);
        let epoch = curve.begin(Time::ZERO, ssthresh);
        (curve, epoch)
    }

    #[test]
    fn k_of_the_specification() {
        let k = |form| [10.0, 20.0, 50.0, 100.0, 128.0].map(|w_max| epoch(form, w_max).1.k);
        for (found, expected) in k(CubicForm::Paper).into_iter().zip([1.709_976, 2.154_435, 2.924_018, 3.684_031, 4.0])
        {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        let rfc = [1.957_434, 2.466_212, 3.347_165, 4.217_163, 4.578_857];
        for (found, expected) in k(CubicForm::Rfc9438).into_iter().zip(rfc) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn the_cubic_of_rfc_9438() {
        let (curve, epoch) = epoch(CubicForm::Rfc9438, 100.0);
        for (t, expected) in [(0.0, 70.0), (1.0, 86.6808), (2.0, 95.6403), (5.0, 100.1919)] {
            assert!((curve.at(epoch, t) - expected).abs() < 1e-4, "{t}: {}", curve.at(epoch, t));
        }
        assert!((curve.reno_slope() - 0.529_412).abs() < 1e-6);
    }

    #[test]
    fn fast_convergence_aims_lower() {
        let mut curve = curve(CubicForm::Rfc9438);
        assert!((curve.on_loss(&loss(LossSignal::DupAcks, 100.0, 100), 100.0) - 70.0).abs() < 1e-9);
        curve.on_loss(&loss(LossSignal::DupAcks, 80.0, 80), 80.0);
        assert!((curve.w_max - 68.0).abs() < 1e-9);
        curve.on_loss(&loss(LossSignal::DupAcks, curve.w_max, 68), 68.0);
        assert!((curve.w_max - 68.0).abs() < 1e-9, "a loss at the same window: nobody else has come");
        curve.on_loss(&loss(LossSignal::Timeout, 60.0, 60), 60.0);
        assert_eq!(curve.begin(Time::ZERO, 30.0).k, 0.0);
    }

    #[test]
    fn the_cubic_goes_back_to_the_window_and_the_cut_is_of_the_flight() {
        // RFC 9438 section 4.6: ssthresh from flight_size, W_max and cwnd_prior from cwnd.
        let mut curve = curve(CubicForm::Rfc9438);
        assert_eq!(curve.on_loss(&loss(LossSignal::DupAcks, 100.0, 60), 60.0), 42.0);
        assert_eq!(curve.w_max, 100.0);
        // Section 4.7 compares windows: as large as the last one, with less in flight, is nobody else's coming.
        curve.on_loss(&loss(LossSignal::DupAcks, 100.0, 50), 50.0);
        assert_eq!(curve.w_max, 100.0);
        curve.on_loss(&loss(LossSignal::DupAcks, 90.0, 95), 95.0);
        assert_eq!(curve.w_max, 90.0 * 0.85);
    }

    #[test]
    fn short_paths_are_renos() {
        let (mut curve, _) = epoch(CubicForm::Rfc9438, 10.0);
        let packet = Ack::plain(1, Time::ZERO);
        let mut cwnd = 7.0;
        // 70 acknowledgments of a segment within 100 ms: the cubic has hardly begun, Reno's estimate leads.
        for n in 0..70 {
            let now = Time(1_000_000 * n);
            let new = NewAck { now, srtt: Some(Span::from_millis(10)), ..ack(&packet, 7) };
            cwnd += curve.growth(&new, cwnd);
        }
        let reno = curve.epoch.expect("an epoch").reno;
        assert!((cwnd - reno).abs() < 1e-9 && reno > 9.0, "{cwnd} {reno}");
    }

    #[test]
    fn where_reno_has_as_much_the_cubic_leads() {
        let mut curve = curve(CubicForm::Rfc9438);
        curve.epoch = Some(Epoch { begin: Time::ZERO, origin: 8.5, k: 0.0, reno: 8.0 });
        let packet = Ack::plain(1, Time::ZERO);
        // RFC 9438 section 4.3: Reno's only if `W_cubic(t)` is less. Four segments acknowledged of eight: 8.5.
        let growth = curve.growth(&NewAck { newly_acked: 4, ..ack(&packet, 8) }, 8.0);
        assert_eq!((growth, curve.epoch.expect("an epoch").reno), (0.5 / 8.0, 8.5));
    }
}
