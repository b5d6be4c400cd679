//! Two-ray ground: the direct path and its reflection on flat ground.
//!
//! # Model
//! Free space up to the crossover distance `4 pi ht hr / lambda`, beyond it `Pt Gt Gr ht^2 hr^2 / (d^4 L)`.
//! # Source
//! Rappaport 2002, section 4.6; ns-2.35 `Propagation/TwoRayGround`.
//! # Deviations
//! None known: as in ns-2, the distance is that of the nodes, without antenna heights.
//! # Parameters
//! `radio.antenna_height` and those of free space.

use super::free_space::FreeSpace;
use super::model::Propagation;
use crate::phy::config::RadioConfig;
use std::f64::consts::PI;

/// Two-ray ground loss.
#[derive(Clone, Copy, Debug)]
pub struct TwoRay {
    near: FreeSpace,
    far_gain: f64,
    crossover: f64,
}

impl Propagation for TwoRay {
    const SUMMARY: &'static str = "direct path and its reflection on flat ground";

    fn new(config: &RadioConfig) -> TwoRay {
        let near = FreeSpace::new(config);
        let height2 = config.antenna_height.0 * config.antenna_height.0;
        TwoRay {
            near,
            far_gain: config.tx_gain * config.rx_gain * height2 * height2 / config.system_loss,
            crossover: 4.0 * PI * height2 / near.wavelength(),
        }
    }

    fn rx_power(&self, tx_power: f64, metres: f64) -> f64 {
        if metres <= self.crossover {
            return self.near.rx_power(tx_power, metres);
        }
        let d2 = metres * metres;
        tx_power * self.far_gain / (d2 * d2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors() {
        // docs/specs/phy.md section 7.
        let model = TwoRay::new(&RadioConfig::default());
        assert!((model.crossover - 86.142_470_56).abs() < 1e-7);
        for (metres, watts) in [
            (50.0, 7.691_130e-8),
            (86.0, 2.599_760e-8),
            (87.0, 2.490_507e-8),
            (100.0, 1.426_806e-8),
            (200.0, 8.917_535e-10),
            (250.0, 3.652_622e-10),
            (250.1, 3.646_784e-10),
            (400.0, 5.573_460e-11),
            (500.0, 2.282_889e-11),
            (550.0, 1.559_244e-11),
            (551.0, 1.547_955e-11),
        ] {
            let got = model.rx_power(0.281_838_15, metres);
            assert!((got / watts - 1.0).abs() < 1e-6, "{metres} m: {got}");
        }
    }

    #[test]
    fn crossover_moves_with_frequency() {
        let config = RadioConfig { frequency: crate::kernel::Hertz(2.4e9), ..RadioConfig::default() };
        assert!((TwoRay::new(&config).crossover - 226.19).abs() < 0.01);
    }
}
