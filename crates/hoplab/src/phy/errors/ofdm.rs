//! Bit errors of OFDM frames over the ratio of signal to noise and interference.
//!
//! # Model
//! Errors of coded bits follow from the constellation; behind the decoder each data bit is wrong with a probability that a
//! union bound over the weights of the code gives.
//! - `nist`: hard decisions, bound of Chernoff, nine or ten weights (Pei and Henderson 2010).
//! - `yans`: energy per coded bit, one or two weights, pairwise errors by the binomial distribution (Lacage and Henderson
//!   2006).
//!
//! # Source
//! The code (133, 171) of IEEE 802.11-2016 section 17.3.5.6 and its weights (Frenger, Orten, Ottosson 1999; Haccoun and
//! Begin 1989); ns-3.37 `NistErrorRateModel` and `YansErrorRateModel`.
//!
//! # Deviations
//! None known. `yans` omits pairwise errors in all bits of a weight, as ns-3 does.
//!
//! # Parameters
//! `radio.sinr.reception`.

use crate::packet::{CodeRate, Coding, Constellation, Modulation};

/// Error models of OFDM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfdmErrors {
    /// Hard decisions, by Pei and Henderson.
    Nist,
    /// By Lacage and Henderson.
    Yans,
}

/// Weights of the punctured code: bits per puncturing period, least distance, step, and the number of bit errors by distance.
struct Weights {
    twice_bits: f64,
    least: i32,
    step: i32,
    errors: &'static [f64],
}

const HALF: Weights = Weights {
    twice_bits: 2.0,
    least: 10,
    step: 2,
    errors: &[36.0, 211.0, 1404.0, 11633.0, 77433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0],
};
const TWO_THIRDS: Weights = Weights {
    twice_bits: 4.0,
    least: 6,
    step: 1,
    errors: &[3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
};
const THREE_QUARTERS: Weights = Weights {
    twice_bits: 6.0,
    least: 5,
    step: 1,
    errors: &[42.0, 201.0, 1492.0, 10469.0, 62935.0, 379_644.0, 2_253_373.0, 13_073_811.0, 75_152_755.0, 428_005_675.0],
};

const FIVE_SIXTHS: Weights = Weights {
    twice_bits: 10.0,
    least: 4,
    step: 1,
    errors: &[
        92.0,
        528.0,
        8694.0,
        79453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

impl OfdmErrors {
    /// Probability that a data bit is received wrong, if signal over noise is `ratio`.
    pub fn data_bit(self, mode: Modulation, ratio: f64) -> f64 {
        let Some(coding) = mode.coding() else { return 1.0 };
        if ratio <= 0.0 {
            return 1.0;
        }
        match self {
            OfdmErrors::Nist => nist(*coding, ratio),
            OfdmErrors::Yans => {
                // Each stream has a share of the bits, and a channel of its own.
                let (numerator, denominator) = coding.rate.fraction();
                let code = f64::from(numerator) / f64::from(denominator);
                let coded = mode.rate().0 / f64::from(mode.streams()) / code;
                yans(*coding, ratio * mode.mode().width.mhz() * 1e6 / coded)
            }
        }
    }
}

impl OfdmErrors {
    /// The least ratio of signal to noise at which a data bit is wrong with probability `error` at most; 0 for DSSS.
    pub fn least_ratio(self, mode: Modulation, error: f64) -> f64 {
        if !mode.is_ofdm() {
            return 0.0;
        }
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        let (mut low, mut high) = (-20.0, 60.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.data_bit(mode, ratio(middle)) > error { low = middle } else { high = middle }
        }
        ratio(high)
    }
}

fn nist(coding: Coding, ratio: f64) -> f64 {
    let coded = match coding.constellation {
        Constellation::BPSK => 0.5 * libm::erfc(libm::sqrt(ratio)),
        Constellation::QPSK => 0.5 * libm::erfc(libm::sqrt(ratio / 2.0)),
        square => {
            let points = square.points();
            let side = libm::sqrt(points);
            (side - 1.0) / (side * libm::log2(side)) * libm::erfc(libm::sqrt(1.5 * ratio / (points - 1.0)))
        }
    };
    let weights = match coding.rate {
        CodeRate::Half => &HALF,
        CodeRate::TwoThirds => &TWO_THIRDS,
        CodeRate::ThreeQuarters => &THREE_QUARTERS,
        CodeRate::FiveSixths => &FIVE_SIXTHS,
    };
    let distance = libm::sqrt(4.0 * coded * (1.0 - coded));
    let step = power(distance, weights.step);
    let sum = weights.errors.iter().rev().fold(0.0, |sum, errors| sum * step + errors);
    (sum * power(distance, weights.least) / weights.twice_bits).min(1.0)
}

fn yans(coding: Coding, per_bit: f64) -> f64 {
    let coded = match coding.constellation {
        Constellation::BPSK => 0.5 * libm::erfc(libm::sqrt(per_bit)),
        square => {
            let points = square.points();
            let bits = libm::log2(points);
            let side = (1.0 - 1.0 / libm::sqrt(points)) * libm::erfc(libm::sqrt(1.5 * bits * per_bit / (points - 1.0)));
            (1.0 - (1.0 - side) * (1.0 - side)) / bits
        }
    };
    let (distance, first, second) = match (coding.rate, coding.constellation) {
        (CodeRate::Half, _) => (10, 11.0, 0.0),
        (CodeRate::TwoThirds, _) => (6, 1.0, 16.0),
        (CodeRate::ThreeQuarters, Constellation::BPSK) => (5, 8.0, 0.0),
        (CodeRate::ThreeQuarters, _) => (5, 8.0, 31.0),
        (CodeRate::FiveSixths, _) => (4, 14.0, 69.0),
    };
    let mut sum = first * pairwise(distance, coded);
    if second > 0.0 {
        sum += second * pairwise(distance + 1, coded);
    }
    sum.min(1.0)
}

/// Probability that the decoder prefers a path at this distance, if each coded bit is wrong with probability `error`.
fn pairwise(distance: i32, error: f64) -> f64 {
    let term = |wrong: i32| binomial(distance, wrong) * power(error, wrong) * power(1.0 - error, distance - wrong);
    let half = if distance % 2 == 0 { 0.5 * term(distance / 2) } else { 0.0 };
    half + (distance / 2 + 1..distance).map(term).sum::<f64>()
}

fn binomial(n: i32, k: i32) -> f64 {
    (1..=k).fold(1.0, |product, i| product * f64::from(n - k + i) / f64::from(i))
}

/// A power with a whole exponent, by squaring.
fn power(mut base: f64, exponent: i32) -> f64 {
    let (mut result, mut rest) = (1.0, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= base;
        }
        base *= base;
        rest >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Width;
    use crate::phy::standards::testing::{ht, ofdm};

    fn ratio(db: f64) -> f64 {
        libm::pow(10.0, db / 10.0)
    }

    fn success(model: OfdmErrors, rate: usize, db: f64, bits: f64) -> f64 {
        let pe = model.data_bit(ofdm(Width::MHZ20)[rate], ratio(db));
        libm::exp(bits * libm::log1p(-pe))
    }

    #[test]
    fn nist_has_reference_values() {
        // Coded and data bit errors, worked out with extended precision.
        for (rate, db, pe) in [(4, 13.0, 4.40045e-5), (7, 22.0, 5.56532e-5), (0, 4.0, 7.62025e-6)] {
            let got = OfdmErrors::Nist.data_bit(ofdm(Width::MHZ20)[rate], ratio(db));
            assert!((got / pe - 1.0).abs() < 2e-6, "{rate} at {db} dB: {got:e}");
        }
    }

    #[test]
    fn long_frames_succeed_from_reference_ratios_on() {
        // 12288 bits: ratios in dB of 10 and 90 % with `nist`, of 90 % with `yans`, of a bit error rate of 1e-6 with `nist`.
        let table = [
            (3.078, 3.967, 0.758, 4.542),
            (5.923, 6.861, 3.046, 7.472),
            (6.088, 6.978, 3.746, 7.552),
            (8.934, 9.872, 6.629, 10.482),
            (12.529, 13.513, 10.148, 14.141),
            (15.626, 16.619, 13.313, 17.260),
            (20.365, 21.364, 17.778, 22.010),
            (21.582, 22.628, 19.262, 23.299),
        ];
        for (rate, (low, high, yans, rare)) in table.into_iter().enumerate() {
            let at = |model, db| success(model, rate, db, 12288.0);
            assert!((at(OfdmErrors::Nist, low) - 0.1).abs() < 5e-4, "{rate}: {}", at(OfdmErrors::Nist, low));
            assert!((at(OfdmErrors::Nist, high) - 0.9).abs() < 5e-4, "{rate}: {}", at(OfdmErrors::Nist, high));
            assert!((at(OfdmErrors::Yans, yans) - 0.9).abs() < 5e-4, "{rate}: {}", at(OfdmErrors::Yans, yans));
            let least = 10.0 * libm::log10(OfdmErrors::Nist.least_ratio(ofdm(Width::MHZ20)[rate], 1e-6));
            assert!((least - rare).abs() < 1e-3, "{rate}: {least}");
        }
    }

    #[test]
    fn mcs_7_succeeds_from_reference_ratios_on() {
        // 12288 bits of code rate 5/6 with `nist`: 10 and 90 %, and a bit error rate of 1e-6.
        let mcs7 = ht(7, Width::MHZ20, 800);
        let at = |db| libm::exp(12288.0 * libm::log1p(-OfdmErrors::Nist.data_bit(mcs7, ratio(db))));
        assert!((at(22.746) - 0.1).abs() < 5e-4 && (at(23.794) - 0.9).abs() < 5e-4);
        let least = 10.0 * libm::log10(OfdmErrors::Nist.least_ratio(mcs7, 1e-6));
        assert!((least - 24.461).abs() < 1e-3, "{least}");
        for model in [OfdmErrors::Nist, OfdmErrors::Yans] {
            let (one, two) = (ht(5, Width::MHZ20, 800), ht(13, Width::MHZ20, 800));
            assert_eq!(model.data_bit(one, ratio(19.0)), model.data_bit(two, ratio(19.0)), "{model:?}");
        }
    }

    #[test]
    fn errors_of_faster_modes_are_more_frequent() {
        for model in [OfdmErrors::Nist, OfdmErrors::Yans] {
            for tenth in 50..300 {
                let at =
                    |rate: usize, tenth: i32| model.data_bit(ofdm(Width::MHZ10)[rate], ratio(f64::from(tenth) / 10.0));
                for rate in 0..8 {
                    assert!(at(rate, tenth) >= at(rate, tenth + 1), "{model:?}, rate {rate} at {tenth}");
                }
                assert!(at(7, tenth) >= at(4, tenth) && at(4, tenth) >= at(2, tenth));
            }
        }
        assert_eq!(OfdmErrors::Nist.data_bit(ofdm(Width::MHZ20)[0], 0.0), 1.0);
    }

    #[test]
    fn dense_constellations_have_reference_values() {
        // 12288 bits with `nist`: ratios in dB of 10 and 90 %, and of a bit error rate of 1e-6 (ns-3.44).
        use CodeRate::{FiveSixths, ThreeQuarters};
        let table = [
            (Constellation::QAM256, ThreeQuarters, 27.400, 28.497, 29.195),
            (Constellation::QAM256, FiveSixths, 28.620, 29.708, 30.397),
            (Constellation::QAM1024, ThreeQuarters, 33.200, 34.347, 35.070),
            (Constellation::QAM1024, FiveSixths, 34.474, 35.600, 36.309),
        ];
        for (constellation, rate, low, high, rare) in table {
            let coding = Coding { constellation, rate, bits_per_symbol: 0, symbol_ns: 0 };
            let at = |db| libm::exp(12288.0 * libm::log1p(-nist(coding, ratio(db))));
            assert!(
                (at(low) - 0.1).abs() < 5e-4 && (at(high) - 0.9).abs() < 5e-4,
                "{coding:?}: {} {}",
                at(low),
                at(high)
            );
            assert!((nist(coding, ratio(rare)) / 1e-6 - 1.0).abs() < 2e-3, "{coding:?}");
        }
    }
}
