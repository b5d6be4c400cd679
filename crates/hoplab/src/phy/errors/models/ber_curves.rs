//! Bit errors by modulation and ratio of signal to thermal noise: the curves of [`Noise`] (Proakis 2001; ns-3.37).

use crate::phy::config::RadioConfig;
use crate::phy::errors::curves::Noise;
use crate::phy::errors::error_model::{Arrival, ErrorModel};

/// Bits are wrong by modulation and ratio of signal to thermal noise.
#[derive(Clone, Copy, Debug)]
pub struct BerCurves {
    noise: Noise,
}

impl ErrorModel for BerCurves {
    const SUMMARY: &'static str = "bits by modulation and signal-to-noise ratio";
    const KEYS: &'static [&'static str] = &[];

    fn new(config: &RadioConfig, _: usize) -> Self {
        BerCurves { noise: Noise::new(config) }
    }

    fn loss(&mut self, arrival: Arrival<'_>, _: f64) -> f64 {
        1.0 - self.noise.success(arrival.frame, arrival.power)
    }
}
