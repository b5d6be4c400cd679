//! Ideal rate control: the receiver reports the ratio of signal to noise at no cost.
//!
//! # Model
//! The fastest modulation whose bit error rate is at most 1e-6 at the ratio of the last acknowledged frame; the slowest before
//! the first one, and after a packet was given up.
//! # Source
//! Holland, Vaidya, Bahl 2001 (RBAR), without its frames; ns-3.37 `IdealWifiManager`.
//! # Deviations
//! None known.
//! # Parameters
//! None.

use super::rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
use crate::kernel::{RadioId, Time};
use crate::packet::Modulation;
use std::collections::BTreeMap;

/// The control of a station.
#[derive(Debug)]
pub struct Ideal {
    modulations: Vec<Modulation>,
    ratios: Vec<f64>,
    /// By neighbor: the ratio at which it has received the last acknowledged frame.
    reported: BTreeMap<RadioId, f64>,
}

impl EngineRateControl for Ideal {
    const SUMMARY: &'static str = "the fastest rate that the receiver's signal-to-noise ratio allows, known at no cost";

    fn new(setup: RateSetup) -> Ideal {
        Ideal { modulations: setup.modulations, ratios: setup.ratios, reported: BTreeMap::new() }
    }
}

impl RateControl for Ideal {
    fn modulation(&mut self, _: Time, to: RadioId, _: u32) -> Modulation {
        let reported = self.reported.get(&to).copied().unwrap_or(0.0);
        let fits = |index: &usize| self.ratios[*index] < reported;
        let fastest = (0..self.modulations.len()).rev().find(fits).unwrap_or(0);
        self.modulations[fastest]
    }

    fn on_result(&mut self, _: Time, to: RadioId, outcome: &Outcome) {
        if outcome.is_acked() {
            self.reported.insert(to, outcome.ratio);
        }
    }

    fn on_given_up(&mut self, _: Time, to: RadioId) {
        self.reported.remove(&to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_of_the_last_acknowledged_frame_decides() {
        let mut ideal = Ideal::new(RateSetup::of_11a());
        let to = RadioId(3);
        let mbps = |ideal: &mut Ideal| ideal.modulation(Time::ZERO, to, 0).rate().0 * 1e-6;
        assert_eq!(mbps(&mut ideal), 6.0);
        for (db, rate) in [(4.0, 6.0), (7.4, 6.0), (7.5, 9.0), (19.9, 36.0), (22.02, 48.0), (24.0, 54.0)] {
            let ratio = libm::pow(10.0, db / 10.0);
            let modulation = ideal.modulation(Time::ZERO, to, 0);
            ideal.on_result(Time::ZERO, to, &Outcome::single(modulation, true, ratio));
            assert_eq!(mbps(&mut ideal), rate, "{db} dB");
        }
        assert_eq!(ideal.modulation(Time::ZERO, RadioId(4), 0).rate().0, 6e6, "another neighbor");
        ideal.on_given_up(Time::ZERO, to);
        assert_eq!(mbps(&mut ideal), 6.0);
    }
}
