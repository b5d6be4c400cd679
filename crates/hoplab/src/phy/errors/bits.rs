//! Survival of the bits of a frame in an OFDM or mixed network, by part of the frame; values that recur are stored.

use super::curves::{bit_error_rate, header};
use super::ofdm::OfdmErrors;
use crate::kernel::Span;
use crate::packet::{Field, Frame, Modulation};
use crate::phy::config::RadioConfig;
use crate::phy::layer::{Phy, SIGNAL_BITS};

/// Bit errors by modulation and ratio of signal to noise and interference.
#[derive(Clone, Debug)]
pub struct BitErrors {
    model: OfdmErrors,
    /// Width of the channel in Hz, for DSSS.
    bandwidth: f64,
    /// The modulation of the SIGNAL field.
    signal: Modulation,
    stored: Vec<Stored>,
}

/// The logarithm of the probability that a bit is right.
#[derive(Clone, Copy, Debug)]
struct Stored {
    modulation: Modulation,
    ratio: u64,
    log: f64,
}

/// Values stored: a power of two.
const STORED: usize = 256;

impl BitErrors {
    /// The errors of `model` in the channel of this radio.
    pub fn new(model: OfdmErrors, config: &RadioConfig) -> BitErrors {
        let signal = config.phy().slowest();
        // No ratio has these bits: a quiet NaN.
        let empty = Stored { modulation: signal, ratio: u64::MAX, log: 0.0 };
        BitErrors { model, bandwidth: config.bandwidth.0, signal, stored: vec![empty; STORED] }
    }

    /// From the start of a frame to the end of its training sequences, to the end of its header, and to its payload.
    pub fn fields(frame: &Frame, phy: Phy) -> [Span; 3] {
        if frame.modulation.is_ofdm() {
            [phy.training(), phy.header(), phy.preamble(frame.modulation)]
        } else {
            [Span::ZERO, header(frame), header(frame)]
        }
    }

    /// Logarithm of the probability that the bits in `part` of a header are right; `whole`: its length.
    pub fn log_header(&mut self, modulation: Modulation, part: Span, whole: Span, ratio: f64) -> f64 {
        if modulation.is_ofdm() {
            SIGNAL_BITS * (part.0 as f64 / whole.0 as f64) * self.log_bit(self.signal, ratio)
        } else {
            part.secs() * Modulation::DBPSK1.rate().0 * self.log_bit(Modulation::DBPSK1, ratio)
        }
    }

    /// Logarithm of the probability that the bits in `part` of a field behind the header are right.
    pub fn log_field(&mut self, field: &Field, part: Span, ratio: f64) -> f64 {
        f64::from(field.bits) * (part.0 as f64 / field.time.0 as f64) * self.log_bit(self.signal, ratio)
    }

    /// Logarithm of the probability that the bits in `part` of a payload are right: those of one stream, as all streams share
    /// one fate.
    pub fn log_payload(&mut self, modulation: Modulation, part: Span, ratio: f64) -> f64 {
        let bits = part.secs() * modulation.rate().0;
        let of_stream = if modulation.streams() > 1 { bits / f64::from(modulation.streams()) } else { bits };
        of_stream * self.log_bit(modulation, ratio)
    }

    fn log_bit(&mut self, modulation: Modulation, ratio: f64) -> f64 {
        let key = ratio.to_bits();
        let place = (key ^ (key >> 17) ^ (key >> 35) ^ u64::from(modulation.mode().spread) << 3) as usize % STORED;
        let stored = self.stored[place];
        if stored.ratio == key && stored.modulation == modulation {
            return stored.log;
        }
        let error = if modulation.is_ofdm() {
            self.model.data_bit(modulation, ratio)
        } else {
            bit_error_rate(modulation, ratio, self.bandwidth)
        };
        let log = libm::log1p(-error);
        self.stored[place] = Stored { modulation, ratio: key, log };
        log
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Width;
    use crate::phy::standards::testing::{ofdm, phy};

    fn bits() -> BitErrors {
        let phy = phy("11a");
        BitErrors::new(OfdmErrors::Nist, &RadioConfig::std().of_standard(phy.standard, phy.band))
    }

    #[test]
    fn stored_values_are_those_of_the_model() {
        let mut bits = bits();
        for _ in 0..2 {
            for tenth in 0..400 {
                for mode in ofdm(Width::MHZ20) {
                    let ratio = libm::pow(10.0, f64::from(tenth) / 100.0);
                    let expected = libm::log1p(-OfdmErrors::Nist.data_bit(mode, ratio));
                    assert_eq!(bits.log_bit(mode, ratio), expected);
                }
            }
        }
    }

    #[test]
    fn header_of_ofdm_is_24_bits_of_the_lowest_rate() {
        let mut bits = bits();
        let mode = ofdm(Width::MHZ20)[7];
        let signal = Span::from_micros(4);
        let whole = bits.log_header(mode, signal, signal, 2.0);
        let lowest = libm::log1p(-OfdmErrors::Nist.data_bit(ofdm(Width::MHZ20)[0], 2.0));
        assert!((whole - 24.0 * lowest).abs() < 1e-12);
        let half = bits.log_header(mode, Span::from_micros(2), signal, 2.0);
        assert!((half * 2.0 - whole).abs() < 1e-12);
        let payload = bits.log_payload(mode, Span::from_micros(8), 200.0);
        let expected = 432.0 * libm::log1p(-OfdmErrors::Nist.data_bit(mode, 200.0));
        assert!((payload - expected).abs() < 1e-12 && payload < 0.0);
    }
}
