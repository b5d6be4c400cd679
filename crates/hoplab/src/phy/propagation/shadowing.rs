//! Log-normal shadowing: power falls with a chosen exponent, times a random factor.
//!
//! # Model
//! In dB: free space at the reference distance, minus `10 beta log10(d / d0)`, plus a normal variate of deviation sigma.
//! The variate is drawn for every frame at every receiver, or once per link.
//! # Source
//! Rappaport 2002, section 4.9; ns-2.35 `Propagation/Shadowing` (phy.md section 2).
//! # Deviations
//! ns-2 draws from one stream for all nodes, by default the same in every run. Here the draw belongs to (seed, sender,
//! receiver, count of the sender's frames), so that another node shifts no draw. A receiver is omitted only where it would
//! sense a frame with probability below 1e-9.
//! # Parameters
//! `radio.path_loss_exponent` (beta, 2), `radio.shadowing_deviation_db` (sigma, 4), `radio.reference_distance` (d0, 1 m),
//! `radio.shadowing_coherence` (`frame`).

use super::free_space::FreeSpace;
use super::model::Propagation;
use super::power_law::PowerLaw;
use crate::kernel::{RadioId, keyed_pair, normal};
use crate::phy::config::{Coherence, RadioConfig};

/// The mean of the model: log-distance loss. [`Fading`] is its random part.
#[derive(Clone, Debug)]
pub struct Shadowing {
    near: FreeSpace,
    reference: f64,
    exponent: f64,
    law: Box<PowerLaw>,
}

/// The random part of the model.
#[derive(Clone, Copy, Debug)]
pub struct Fading {
    seed: u64,
    deviation_db: f64,
}

/// A normal variate exceeds this with probability 1e-9.
const RARE: f64 = 6.0;

impl Propagation for Shadowing {
    const SUMMARY: &'static str = "loss with a chosen exponent, and a random part per frame or link";

    fn new(config: &RadioConfig) -> Shadowing {
        Shadowing {
            near: FreeSpace::new(config),
            reference: config.reference_distance.0,
            exponent: config.path_loss_exponent,
            law: Box::new(PowerLaw::new(config.path_loss_exponent)),
        }
    }

    fn rx_power(&self, tx_power: f64, metres: f64) -> f64 {
        let at_reference = self.near.rx_power(tx_power, self.reference);
        if metres <= self.reference { at_reference } else { at_reference * self.law.of(metres / self.reference) }
    }

    /// Slightly more than the greatest distance of reception.
    fn limit(&self, tx_power: f64, threshold: f64) -> f64 {
        let ratio = self.near.rx_power(tx_power, self.reference) / threshold;
        self.reference * libm::pow(ratio, 1.0 / self.exponent).max(1.0) * (1.0 + 1e-9)
    }
}

impl Fading {
    /// The random part of each frame in the run with this seed, if the radio has one.
    pub fn of_frames(config: &RadioConfig, seed: u64) -> Option<Fading> {
        Fading::of(config, Coherence::Frame, seed)
    }

    /// The random part of each link, drawn once.
    pub fn of_links(config: &RadioConfig, seed: u64) -> Option<Fading> {
        Fading::of(config, Coherence::Link, seed)
    }

    fn of(config: &RadioConfig, coherence: Coherence, seed: u64) -> Option<Fading> {
        let is_so = config.is_shadowed() && config.shadowing_coherence == coherence;
        is_so.then_some(Fading { seed, deviation_db: config.shadowing_deviation_db })
    }

    /// Constant factor of the power received over a link, equal in both directions: obstacles are.
    pub fn link_factor(&self, a: RadioId, b: RadioId) -> f64 {
        self.factor(a.min(b), a.max(b), 0)
    }

    /// Factor on the received power of the sender's frame number `count`.
    pub fn factor(&self, src: RadioId, dst: RadioId, count: u64) -> f64 {
        let (first, second) = keyed_pair([self.seed, u64::from(src.0), u64::from(dst.0), count]);
        libm::pow(10.0, self.deviation_db * normal(first, second) / 10.0)
    }

    /// A factor that is exceeded with probability 1e-9.
    pub fn margin(config: &RadioConfig) -> f64 {
        if config.is_shadowed() { libm::pow(10.0, RARE * config.shadowing_deviation_db / 10.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Watts;
    use crate::phy::PropagationKind;

    fn radio(exponent: f64) -> RadioConfig {
        RadioConfig { propagation: PropagationKind::Shadowing, path_loss_exponent: exponent, ..RadioConfig::default() }
    }

    #[test]
    fn mean_power() {
        // phy.md section 7, in dBm.
        for (exponent, metres, dbm) in [
            (2.0, 100.0, -47.1607),
            (2.0, 250.0, -55.1195),
            (2.0, 500.0, -61.1401),
            (2.7, 100.0, -61.1607),
            (2.7, 250.0, -71.9051),
            (2.7, 500.0, -80.0329),
        ] {
            let got = Watts(Shadowing::new(&radio(exponent)).rx_power(0.281_838_15, metres)).dbm();
            assert!((got - dbm).abs() < 1e-4, "beta {exponent}, {metres} m: {got}");
        }
    }

    #[test]
    fn share_of_frames_above_the_threshold() {
        // phy.md section 7: beta 2.7 at 100 m 0.789157; beta 2 at 250 m 0.989661 and at 500 m 0.790641.
        for (exponent, metres, share) in [(2.7, 100.0, 0.789_157), (2.0, 250.0, 0.989_661), (2.0, 500.0, 0.790_641)] {
            let config = radio(exponent);
            let mean = Shadowing::new(&config).rx_power(0.281_838_15, metres);
            let fading = Fading::of_frames(&config, 1).expect("a shadowed radio");
            let above = (0..200_000).filter(|&n| mean * fading.factor(RadioId(0), RadioId(1), n) >= 3.652e-10).count();
            assert!((above as f64 / 2e5 - share).abs() < 0.003, "beta {exponent}, {metres} m: {above}");
        }
    }

    #[test]
    fn a_link_may_keep_its_factor() {
        let config = RadioConfig { shadowing_coherence: Coherence::Link, ..radio(2.0) };
        assert!(Fading::of_frames(&config, 1).is_none() && Fading::of_links(&radio(2.0), 1).is_none());
        let fading = Fading::of_links(&config, 1).expect("a shadowed radio");
        assert_eq!(fading.link_factor(RadioId(0), RadioId(1)), fading.link_factor(RadioId(1), RadioId(0)));
        assert_ne!(fading.link_factor(RadioId(0), RadioId(1)), fading.link_factor(RadioId(0), RadioId(2)));
    }
}
