//! Free space: the direct path only.
//!
//! # Model
//! Received power falls with the square of distance: `Pt Gt Gr (lambda / 4 pi d)^2 / L`.
//! # Source
//! Friis 1946; ns-2.35 `Propagation/FreeSpace`.
//! # Deviations
//! None known. Antennas have equal heights, so that the distance of antennas is that of nodes.
//! # Parameters
//! `radio.frequency`, `radio.tx_gain`, `radio.rx_gain`, `radio.system_loss`.

use super::delay::LIGHT;
use super::model::Propagation;
use crate::phy::config::RadioConfig;
use std::f64::consts::PI;

/// Free-space loss.
#[derive(Clone, Copy, Debug)]
pub struct FreeSpace {
    gain: f64,
    wavelength: f64,
}

impl FreeSpace {
    /// Wavelength in metres.
    pub fn wavelength(&self) -> f64 {
        self.wavelength
    }
}

impl Propagation for FreeSpace {
    const SUMMARY: &'static str = "direct path only";

    fn new(config: &RadioConfig) -> FreeSpace {
        FreeSpace { gain: config.tx_gain * config.rx_gain / config.system_loss, wavelength: LIGHT / config.frequency.0 }
    }

    fn rx_power(&self, tx_power: f64, metres: f64) -> f64 {
        if metres == 0.0 {
            return tx_power;
        }
        let ratio = self.wavelength / (4.0 * PI * metres);
        tx_power * self.gain * ratio * ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors() {
        // docs/specs/phy.md section 7: 914 MHz, default power.
        let model = FreeSpace::new(&RadioConfig::default());
        for (metres, watts) in [(50.0, 7.691_130e-8), (250.0, 3.076_452e-9), (550.0, 6.356_306e-10)] {
            let got = model.rx_power(0.281_838_15, metres);
            assert!((got / watts - 1.0).abs() < 1e-6, "{metres} m: {got}");
        }
        assert!((model.wavelength() - 0.328_227_571_1).abs() < 1e-10);
        assert_eq!(model.rx_power(0.5, 0.0), 0.5);
    }
}
