//! Loss over distance.

mod free_space;
mod power_law;
mod shadowing;
mod two_ray;

pub use free_space::FreeSpace;
pub use shadowing::{Fading, LogDistance};
pub use two_ray::TwoRay;

use super::config::{PropagationKind, RadioConfig};
use crate::kernel::{Metres, Watts};

/// Speed of light as ns-2 has it, in m/s: part of wavelengths and delays.
pub const LIGHT: f64 = 3.0e8;

/// A model of received power, or of its mean where chance takes part.
pub trait Propagation {
    /// Power at distance `metres` of a frame sent with `tx_power`, in watts.
    fn rx_power(&self, tx_power: f64, metres: f64) -> f64;
}

/// The propagation model of a scenario.
#[derive(Clone, Debug)]
pub enum PathLoss {
    /// See [`TwoRay`].
    TwoRay(TwoRay),
    /// See [`FreeSpace`].
    FreeSpace(FreeSpace),
    /// See [`LogDistance`].
    Shadowing(LogDistance),
}

impl PathLoss {
    /// The model that `config` names.
    pub fn new(config: &RadioConfig) -> PathLoss {
        match config.propagation {
            PropagationKind::TwoRay => PathLoss::TwoRay(TwoRay::new(config)),
            PropagationKind::FreeSpace => PathLoss::FreeSpace(FreeSpace::new(config)),
            PropagationKind::Shadowing => PathLoss::Shadowing(LogDistance::new(config)),
        }
    }

    /// Greatest distance at which a frame sent with `tx_power` arrives with at least `threshold`, to a micrometre.
    pub fn range(&self, tx_power: Watts, threshold: Watts) -> Metres {
        let reaches = |metres: f64| self.rx_power(tx_power.0, metres) >= threshold.0;
        if !reaches(0.0) {
            return Metres(0.0);
        }
        let mut far = 1.0;
        while reaches(far) {
            far *= 2.0;
            if far > 1e9 {
                return Metres(far);
            }
        }
        let mut near = 0.0;
        while far - near > 1e-6 {
            let middle = f64::midpoint(near, far);
            if reaches(middle) { near = middle } else { far = middle }
        }
        Metres(near)
    }

    /// A distance beyond which a frame sent with `tx_power` watts never arrives with `threshold`: near the greatest at
    /// which it does where that is known by a formula, infinite elsewhere.
    pub fn limit(&self, tx_power: f64, threshold: f64) -> f64 {
        match self {
            PathLoss::Shadowing(model) => model.limit(tx_power, threshold),
            PathLoss::TwoRay(_) | PathLoss::FreeSpace(_) => f64::INFINITY,
        }
    }

    /// Threshold that makes `range` the greatest distance of reception.
    pub fn threshold(&self, tx_power: Watts, range: Metres) -> Watts {
        Watts(self.rx_power(tx_power.0, range.0))
    }
}

impl Propagation for PathLoss {
    fn rx_power(&self, tx_power: f64, metres: f64) -> f64 {
        match self {
            PathLoss::TwoRay(model) => model.rx_power(tx_power, metres),
            PathLoss::FreeSpace(model) => model.rx_power(tx_power, metres),
            PathLoss::Shadowing(model) => model.rx_power(tx_power, metres),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_ranges_are_those_of_ns2() {
        let config = RadioConfig::default();
        let loss = PathLoss::new(&config);
        assert!((loss.range(config.tx_power, config.rx_threshold).0 - 250.010_65).abs() < 1e-4);
        assert!((loss.range(config.tx_power, config.cs_threshold).0 - 550.021_51).abs() < 1e-4);
        assert!((loss.threshold(config.tx_power, Metres(500.0)).0 - 2.282_889e-11).abs() < 1e-16);
    }
}
