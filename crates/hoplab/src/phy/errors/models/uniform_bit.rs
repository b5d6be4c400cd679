//! Uniform bit errors: a MAC frame is corrupted with probability `1 - (1 - ber)^(8 bytes)`, as with the bit unit of `ErrorModel` of ns-2.35.

use crate::phy::config::RadioConfig;
use crate::phy::errors::error_model::{Arrival, ErrorModel};

/// Every bit of the MAC frame is wrong with the same probability.
#[derive(Clone, Copy, Debug)]
pub struct UniformBit {
    /// Logarithm of the probability that a bit is right.
    correct: f64,
}

impl ErrorModel for UniformBit {
    const SUMMARY: &'static str = "every bit with the same probability";
    const KEYS: &'static [&'static str] = &["bit_error_rate"];

    fn new(config: &RadioConfig, _: usize) -> Self {
        UniformBit { correct: libm::log1p(-config.errors.bit_error_rate) }
    }

    fn loss(&mut self, arrival: Arrival<'_>, _: f64) -> f64 {
        -libm::expm1(f64::from(arrival.frame.bytes) * 8.0 * self.correct)
    }
}
