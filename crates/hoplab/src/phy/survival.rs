//! Survival of a frame under interference for its whole length: what bounds with cumulative interference compare with.

use super::config::RadioConfig;
use super::errors::{BitErrors, Noise, header};
use super::reception::{Readable, least_interference, survives_threshold};
use crate::packet::Frame;

/// Probabilities that frames survive, by the reception model of `rx_model = "sinr"`.
#[derive(Debug)]
pub struct Survival<'a> {
    config: &'a RadioConfig,
    noise: Noise,
    least: f64,
    bits: BitErrors,
}

impl Survival<'_> {
    /// That of this radio.
    pub fn new(config: &RadioConfig) -> Survival<'_> {
        let (noise, bits) = (Noise::new(config), BitErrors::new(config.ofdm_errors(), config));
        Survival { config, noise, least: least_interference(config), bits }
    }

    /// Probability that all bits of the MAC frame are right if the signal is `power` and another signal `interference`, in
    /// watts. Interference too weak to be included in sums is none.
    pub fn of(&mut self, frame: &Frame, power: f64, interference: f64) -> f64 {
        let others = if interference < self.least { 0.0 } else { interference };
        let ratio = power / (self.noise.power + others);
        let phy = self.config.phy();
        let begin = if phy.standard.is_ofdm() { BitErrors::fields(frame, phy)[2] } else { header(frame) };
        match self.config.sinr.reception {
            Readable::Threshold => f64::from(u8::from(survives_threshold(frame.modulation, ratio))),
            _ if phy.standard.is_ofdm() => {
                libm::exp(self.bits.log_payload(frame.modulation, frame.airtime.saturating_sub(begin), ratio))
            }
            _ => libm::exp(self.noise.log_success(frame, begin, frame.airtime, power, others)),
        }
    }
}
