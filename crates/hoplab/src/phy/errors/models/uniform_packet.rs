//! Uniform packet errors: every frame is corrupted with the same probability, as with the packet unit of `ErrorModel` of ns-2.35.

use crate::phy::config::RadioConfig;
use crate::phy::errors::error_model::{Arrival, ErrorModel};

/// Every frame is corrupted with the same probability.
#[derive(Clone, Copy, Debug)]
pub struct UniformPacket {
    loss: f64,
}

impl ErrorModel for UniformPacket {
    const SUMMARY: &'static str = "every frame with the same probability";
    const KEYS: &'static [&'static str] = &["frame_error_rate"];

    fn new(config: &RadioConfig, _: usize) -> Self {
        UniformPacket { loss: config.errors.frame_error_rate }
    }

    fn loss(&mut self, _: Arrival<'_>, _: f64) -> f64 {
        self.loss
    }
}
