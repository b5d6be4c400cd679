//! Multipath fading: received power times a random factor of mean 1.
//!
//! # Model
//! - `rayleigh`: no dominant path; power is exponential, `-ln u`.
//! - `nakagami`: power is Gamma(m, 1/m); m = 1 is Rayleigh.
//! - `rician`: a dominant path with K times the power of all others together.
//!
//! A factor belongs to one frame at one receiver, or to a link for a time (`fading_coherence`), equal in both directions.
//!
//! # Source
//! Rappaport 2002, section 5.6; Nakagami 1960; Gamma variates by Marsaglia and Tsang 2000.
//!
//! # Deviations
//! Factors of different times are independent: no Doppler spectrum. A receiver is omitted only where it would sense a frame
//! with probability below 1e-9.
//!
//! # Parameters
//! `radio.fading`, `radio.fading_m`, `radio.fading_k`, `radio.fading_coherence`.

use super::fading_kind::FadingKind;
use crate::kernel::{RadioId, Span, Time, keyed_pair, normal};
use crate::phy::config::RadioConfig;
use std::f64::consts::TAU;

/// The random factors of a run.
#[derive(Clone, Copy, Debug)]
pub struct Multipath {
    seed: u64,
    law: Law,
    coherence: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
enum Law {
    Gamma(f64),
    Rician(f64),
}

/// Separates the draws of this module from others with the same key.
const SALT: u64 = 0x6d75_6c74_6970_6174;

/// An exponential variate of mean 1 exceeds this with probability 1e-9.
const RARE: f64 = 20.723_265_836_946_41;

impl Multipath {
    /// The fading of `config` in the run with this seed, if it has one.
    pub fn new(config: &RadioConfig, seed: u64) -> Option<Multipath> {
        let law = match config.fading? {
            FadingKind::None => return None,
            FadingKind::Rayleigh => Law::Gamma(1.0),
            FadingKind::Nakagami => Law::Gamma(config.fading_m.unwrap_or(1.0)),
            FadingKind::Rician => Law::Rician(config.fading_k.unwrap_or(0.0)),
        };
        Some(Multipath { seed: seed ^ SALT, law, coherence: config.fading_coherence })
    }

    /// Factor on the received power of the sender's frame number `count`, which begins now.
    pub fn factor(&self, src: RadioId, dst: RadioId, count: u64, now: Time) -> f64 {
        let key = match self.coherence {
            None => [self.seed, u64::from(src.0), u64::from(dst.0), count],
            Some(span) => [!self.seed, u64::from(src.min(dst).0), u64::from(src.max(dst).0), now.0 / span.0],
        };
        match self.law {
            Law::Gamma(shape) => gamma(key, shape),
            Law::Rician(ratio) => {
                let (first, second) = keyed_pair(key);
                let radius = libm::sqrt(-libm::log(1.0 - first) / (ratio + 1.0));
                let (real, imaginary) = (radius * libm::cos(TAU * second), radius * libm::sin(TAU * second));
                let direct = libm::sqrt(ratio / (ratio + 1.0)) + real;
                direct * direct + imaginary * imaginary
            }
        }
    }

    /// A factor that is exceeded with probability of at most 1e-9.
    pub fn margin(config: &RadioConfig) -> f64 {
        match Multipath::new(config, 0).map(|fading| fading.law) {
            None => 1.0,
            // The tail of a Gamma variate of shape below 1 is longer, that of any other law here shorter.
            Some(Law::Gamma(shape)) => RARE / shape.min(1.0),
            Some(Law::Rician(_)) => RARE,
        }
    }
}

/// A Gamma variate of this shape and mean 1 that depends on the key alone.
fn gamma(key: [u64; 4], shape: f64) -> f64 {
    let pair = |draw: u64| keyed_pair([key[0].wrapping_add(draw << 32), key[1], key[2], key[3]]);
    let exponential = |uniform: f64| -libm::log(1.0 - uniform);
    let whole = libm::round(shape);
    if whole == shape && shape <= 8.0 {
        let pairs = (shape as u64).div_ceil(2);
        let draws = (0..pairs).flat_map(|draw| <[f64; 2]>::from(pair(draw)));
        return draws.take(shape as usize).map(exponential).sum::<f64>() / shape;
    }
    // Marsaglia and Tsang: a shape below 1 is raised by one, and the variate multiplied by u^(1 / shape).
    let (raised, boost) =
        if shape < 1.0 { (shape + 1.0, libm::pow(1.0 - pair(0).0, 1.0 / shape)) } else { (shape, 1.0) };
    let d = raised - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    let mut draw = 1;
    loop {
        let (first, second) = pair(draw);
        let (uniform, _) = pair(draw + 1);
        draw += 2;
        let x = normal(first, second);
        let root = 1.0 + c * x;
        let v = root * root * root;
        if v > 0.0 && libm::log(1.0 - uniform) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v * boost / shape;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(kind: FadingKind, m: f64, k: f64, coherence: Option<Span>) -> impl Iterator<Item = f64> {
        let config = RadioConfig {
            fading: Some(kind),
            fading_m: Some(m),
            fading_k: Some(k),
            fading_coherence: coherence,
            ..RadioConfig::default()
        };
        let fading = Multipath::new(&config, 7).expect("a law");
        (0..200_000).map(move |count| fading.factor(RadioId(1), RadioId(2), count, Time(count * 1000)))
    }

    /// Mean and variance.
    fn moments(draws: impl Iterator<Item = f64>) -> (f64, f64) {
        let draws: Vec<f64> = draws.collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        (mean, draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn factors_have_mean_one_and_the_variance_of_their_law() {
        for (kind, m, k, variance) in [
            (FadingKind::Rayleigh, 9.0, 9.0, 1.0),
            (FadingKind::Nakagami, 1.0, 0.0, 1.0),
            (FadingKind::Nakagami, 3.0, 0.0, 1.0 / 3.0),
            (FadingKind::Nakagami, 0.6, 0.0, 1.0 / 0.6),
            (FadingKind::Nakagami, 2.5, 0.0, 0.4),
            // Of a noncentral chi-square variate of two degrees of freedom: (1 + 2 K) / (1 + K)^2.
            (FadingKind::Rician, 0.0, 0.0, 1.0),
            (FadingKind::Rician, 0.0, 5.0, 11.0 / 36.0),
        ] {
            let (mean, var) = moments(draws(kind, m, k, None));
            assert!((mean - 1.0).abs() < 0.012, "{kind:?} {m} {k}: mean {mean}");
            assert!((var / variance - 1.0).abs() < 0.04, "{kind:?} {m} {k}: variance {var}");
        }
    }

    #[test]
    fn rayleigh_fades_deeply_as_often_as_an_exponential() {
        let deep = draws(FadingKind::Rayleigh, 0.0, 0.0, None).filter(|x| *x < 0.1).count() as f64 / 200_000.0;
        assert!((deep - 0.095_163).abs() < 0.002, "{deep}");
    }

    #[test]
    fn coherent_factor_lasts_and_is_reciprocal() {
        let span = Some(Span::from_millis(1));
        let values: Vec<f64> = draws(FadingKind::Rayleigh, 0.0, 0.0, span).take(3000).collect();
        assert!(values[..1000].iter().all(|x| *x == values[0]), "one block");
        assert_ne!(values[999], values[1000]);
        let config =
            RadioConfig { fading: Some(FadingKind::Rayleigh), fading_coherence: span, ..RadioConfig::default() };
        let fading = Multipath::new(&config, 7).expect("a law");
        let at = |a, b| fading.factor(RadioId(a), RadioId(b), 0, Time(5));
        assert_eq!(at(1, 2), at(2, 1));
        assert_ne!(at(1, 2), at(1, 3));
    }

    #[test]
    fn margin_covers_the_tail() {
        let margin = |m| {
            let fading = Some(FadingKind::Nakagami);
            Multipath::margin(&RadioConfig { fading, fading_m: Some(m), ..RadioConfig::default() })
        };
        assert!((10.0 * libm::log10(margin(1.0)) - 13.16).abs() < 0.01);
        assert_eq!(margin(0.5), 2.0 * margin(3.0));
        assert_eq!(Multipath::margin(&RadioConfig::default()), 1.0);
    }
}
