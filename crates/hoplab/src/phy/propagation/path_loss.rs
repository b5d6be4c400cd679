//! The propagation model of a scenario, of any kind, and the ranges that follow from it.

use super::free_space::FreeSpace;
use super::kind::PropagationKind;
use super::list::propagations;
use super::model::Propagation;
use super::shadowing::Shadowing;
use super::two_ray::TwoRay;
use crate::kernel::{Metres, Watts};
use crate::phy::config::RadioConfig;

macro_rules! models {
    ($($(#[$doc:meta])* $model:ident = $name:literal;)*) => {
        /// The propagation model of a scenario.
        #[derive(Clone, Debug)]
        pub enum PathLoss {
            $($(#[$doc])* $model($model),)*
        }

        impl PropagationKind {
            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(PropagationKind::$model => $model::SUMMARY,)* }
            }
        }

        impl PathLoss {
            /// The model that `config` names.
            pub fn new(config: &RadioConfig) -> PathLoss {
                match config.propagation { $(PropagationKind::$model => PathLoss::$model($model::new(config)),)* }
            }

            /// Power at distance `metres` of a frame sent with `tx_power`, in watts; its mean where it has a random part.
            pub fn rx_power(&self, tx_power: f64, metres: f64) -> f64 {
                match self { $(PathLoss::$model(model) => model.rx_power(tx_power, metres),)* }
            }

            /// A distance beyond which a frame sent with `tx_power` watts never arrives with `threshold`; infinite where no
            /// formula gives one near the reception range.
            pub fn limit(&self, tx_power: f64, threshold: f64) -> f64 {
                match self { $(PathLoss::$model(model) => model.limit(tx_power, threshold),)* }
            }
        }
    };
}

propagations!(models);

impl PathLoss {
    /// Maximum distance at which a frame sent with `tx_power` arrives with at least `threshold`, to a micrometer.
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

    /// Threshold for which `range` is the maximum distance of reception.
    pub fn threshold(&self, tx_power: Watts, range: Metres) -> Watts {
        Watts(self.rx_power(tx_power.0, range.0))
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
