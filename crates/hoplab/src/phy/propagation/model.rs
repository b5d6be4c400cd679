//! The trait of propagation models: received power over distance (ns-2.35 `Propagation::Pr`).

use crate::phy::config::RadioConfig;

/// A model of received power, or of its mean where it has a random part.
pub trait Propagation: Sized {
    /// What it is, in one line.
    const SUMMARY: &'static str;

    /// The model with the parameters of this radio.
    fn new(config: &RadioConfig) -> Self;

    /// Power at distance `metres` of a frame sent with `tx_power`, in watts.
    fn rx_power(&self, tx_power: f64, metres: f64) -> f64;

    /// A distance beyond which a frame sent with `tx_power` watts never arrives with `threshold`; infinite where no formula
    /// gives one near the reception range.
    fn limit(&self, _tx_power: f64, _threshold: f64) -> f64 {
        f64::INFINITY
    }
}
