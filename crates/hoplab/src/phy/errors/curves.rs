//! Bit errors of 802.11b over the ratio of signal to noise.
//!
//! # Model
//! Noise is white and Gaussian, thermal or made of other frames. `g` is the ratio of signal to noise times bandwidth
//! over bit rate: energy of a bit over density of noise.
//! - DBPSK (1 Mb/s): `exp(-g) / 2` (Proakis 2001, section 5.2).
//! - DQPSK (2 Mb/s): `(sqrt 2 + 1) / sqrt(8 pi sqrt 2) * exp(-(2 - sqrt 2) g) / sqrt g`, at most 1/2.
//! - CCK (5.5 and 11 Mb/s): tabulated per dB, interpolated in the logarithm; nothing above 9 dB, constant below -3 dB.
//!
//! # Source
//! docs/specs/phy.md section 4; the table from ns-3.37's `DsssErrorRateModel` (its build with GSL).
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `radio.noise_figure_db`, `radio.bandwidth`.

use crate::kernel::Span;
use crate::packet::{Dsss, Frame, Modulation, Waveform};
use crate::phy::config::RadioConfig;
use std::f64::consts::{PI, SQRT_2};

/// Boltzmann's constant, in J/K.
const BOLTZMANN: f64 = 1.380_649e-23;

/// Reference temperature of noise figures, in K.
const TEMPERATURE: f64 = 290.0;

/// Signal over noise of the first entry of the tables, in dB; then one entry per dB.
const FIRST_DB: f64 = -3.0;

/// Bit error rates of CCK at 5.5 Mb/s, from -3 to 9 dB.
const CCK5: [f64; 13] = [
    4.4711e-2, 2.6558e-2, 1.3834e-2, 6.0729e-3, 2.1360e-3, 5.6586e-4, 1.0482e-4, 1.2427e-5, 8.4682e-7, 2.9030e-8,
    4.2275e-10, 2.1099e-12, 2.6923e-15,
];

/// Bit error rates of CCK at 11 Mb/s, from -3 to 9 dB.
const CCK11: [f64; 13] = [
    1.2739e-1, 9.6150e-2, 6.8321e-2, 4.4926e-2, 2.6717e-2, 1.3939e-2, 6.1309e-3, 2.1620e-3, 5.7463e-4, 1.0688e-4,
    1.2736e-5, 8.7341e-7, 3.0178e-8,
];

/// Thermal noise of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// Its power within the channel, in watts.
    pub power: f64,
    bandwidth: f64,
}

impl Noise {
    /// The noise of this radio: k T B F.
    pub fn new(config: &RadioConfig) -> Noise {
        let figure = libm::pow(10.0, config.noise_figure_db / 10.0);
        let bandwidth = config.bandwidth.0;
        Noise { power: BOLTZMANN * TEMPERATURE * bandwidth * figure, bandwidth }
    }

    /// Logarithm of the probability that all bits sent between `from` and `to` after the start of `frame` are received,
    /// if the signal is `power` and everything else on the air together `others`, in watts.
    pub fn log_success(&self, frame: &Frame, from: Span, to: Span, power: f64, others: f64) -> f64 {
        let sinr = power / (self.power + others);
        let header = header(frame);
        let of = |modulation: Modulation, time: Span| {
            let bits = time.secs() * modulation.rate().0;
            bits * libm::log1p(-bit_error_rate(modulation, sinr, self.bandwidth))
        };
        let mut sum = 0.0;
        if from < header {
            sum += of(Modulation::DBPSK1, to.min(header).saturating_sub(from));
        }
        if to > header {
            sum += of(frame.modulation, to.saturating_sub(from.max(header)));
        }
        sum
    }

    /// Probability that the whole of `frame` is received with no other frame on the air.
    pub fn success(&self, frame: &Frame, power: f64) -> f64 {
        libm::exp(self.log_success(frame, Span::ZERO, frame.airtime, power, 0.0))
    }
}

/// Time of the PLCP preamble and header of a frame: its airtime without its bits.
pub fn header(frame: &Frame) -> Span {
    // By the standard, air times are rounded up to whole microseconds; the PLCP header takes whole ones.
    let behind = frame.modulation.rate().time_for(u64::from(frame.bytes) * 8);
    Span::from_micros(frame.airtime.saturating_sub(behind).0 / 1_000)
}

/// Probability that a bit of 802.11b is received wrong, if signal over noise is `sinr` (a ratio) in a channel of this width in Hz.
pub fn bit_error_rate(modulation: Modulation, sinr: f64, bandwidth: f64) -> f64 {
    let g = sinr * bandwidth / modulation.rate().0;
    let Waveform::Dsss(dsss) = modulation.mode().waveform else { return 0.5 };
    match dsss {
        Dsss::Dbpsk => 0.5 * libm::exp(-g),
        Dsss::Dqpsk => {
            if g <= 0.0 {
                return 0.5;
            }
            let factor = (SQRT_2 + 1.0) / libm::sqrt(8.0 * PI * SQRT_2);
            (factor * libm::exp(-(2.0 - SQRT_2) * g) / libm::sqrt(g)).min(0.5)
        }
        Dsss::Cck5 => tabulated(&CCK5, sinr),
        Dsss::Cck11 => tabulated(&CCK11, sinr),
    }
}

fn tabulated(table: &[f64; 13], sinr: f64) -> f64 {
    if sinr <= 0.0 {
        return table[0];
    }
    let place = 10.0 * libm::log10(sinr) - FIRST_DB;
    if place <= 0.0 {
        return table[0];
    }
    let last = table.len() - 1;
    if place > last as f64 {
        return 0.0;
    }
    let below = (place as usize).min(last - 1);
    let part = place - below as f64;
    let logarithm = libm::log10(table[below]) * (1.0 - part) + libm::log10(table[below + 1]) * part;
    libm::pow(10.0, logarithm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Watts;

    const WIDTH: f64 = 22e6;

    #[test]
    fn success_of_a_long_frame() {
        // docs/specs/phy.md section 4: 1534 bytes, 12272 bits.
        for (modulation, db, success) in [
            (Modulation::DBPSK1, -5.0, 0.002_902),
            (Modulation::DBPSK1, -4.0, 0.381_264),
            (Modulation::DBPSK1, -3.0, 0.904_982),
            (Modulation::DBPSK1, -2.0, 0.994_270),
            (Modulation::DQPSK2, 0.0, 0.092_226),
            (Modulation::DQPSK2, 1.0, 0.669_990),
            (Modulation::DQPSK2, 2.0, 0.957_250),
            (Modulation::DQPSK2, 3.0, 0.997_237),
            (Modulation::CCK5, 3.0, 0.276_266),
            (Modulation::CCK5, 4.0, 0.858_556),
            (Modulation::CCK5, 5.0, 0.989_662),
            (Modulation::CCK11, 6.0, 0.269_365),
            (Modulation::CCK11, 7.0, 0.855_304),
            (Modulation::CCK11, 8.0, 0.989_339),
        ] {
            let ber = bit_error_rate(modulation, libm::pow(10.0, db / 10.0), WIDTH);
            let got = libm::exp(12_272.0 * libm::log1p(-ber));
            assert!((got - success).abs() < 2e-5, "{modulation:?} at {db} dB: {got}");
        }
    }

    #[test]
    fn errors_never_grow_with_the_signal() {
        for modulation in Modulation::DSSS {
            let rate = |tenth: i32| bit_error_rate(modulation, libm::pow(10.0, f64::from(tenth) / 100.0), WIDTH);
            assert!((-300..300).all(|tenth| rate(tenth) >= rate(tenth + 1)), "{modulation:?}");
            assert!((0.0..=0.5).contains(&rate(-300)) && rate(300) < 1e-9);
            assert!(bit_error_rate(modulation, 0.0, WIDTH) <= 0.5);
        }
    }

    #[test]
    fn thermal_noise() {
        let noise = Noise::new(&RadioConfig::default());
        assert!((noise.power - 4.414_73e-13).abs() < 1e-18);
        assert!((Watts(noise.power).dbm() + 93.55).abs() < 0.01);
    }
}
