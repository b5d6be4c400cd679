//! A power of a distance, for one exponent and many distances: a general `pow` was two thirds of a run with shadowing.
//!
//! A number `x = 2^e z` with `1 <= z < 2` is split by its bits. `z` is near one of 256 tabulated points `c`, so that
//! `x^-b = 2^(-b e) c^-b (1 + r)^-b` with `|r| < 1/511`. The first two factors are in tables; the third is a truncated
//! binomial series, whose rest is below 1e-15. The relative error is at most 1e-14. Tables and arithmetic are equal on all
//! machines.

/// `x` to the power of a negative exponent.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    exponent: f64,
    octaves: [f64; OCTAVES],
    points: [Point; POINTS],
    series: [f64; TERMS],
}

/// A number between 1 and 2.
#[derive(Clone, Copy, Debug)]
struct Point {
    inverse: f64,
    power: f64,
}

/// Distances of up to a million kilometers; beyond, the library's function is used.
const OCTAVES: usize = 30;
const POINT_BITS: u32 = 8;
const POINTS: usize = 1 << POINT_BITS;
const TERMS: usize = 6;
const MANTISSA_BITS: u32 = 52;
const BIAS: u64 = 1023;

impl PowerLaw {
    /// The law `x^-exponent`.
    pub fn new(exponent: f64) -> PowerLaw {
        let point = |index: usize| {
            let middle = 1.0 + (index as f64 + 0.5) / POINTS as f64;
            Point { inverse: 1.0 / middle, power: libm::pow(middle, -exponent) }
        };
        let mut series = [0.0; TERMS];
        let mut term = 1.0;
        for (k, coefficient) in series.iter_mut().enumerate() {
            term *= (-exponent - k as f64) / (k as f64 + 1.0);
            *coefficient = term;
        }
        let half = libm::pow(2.0, -exponent);
        let mut octaves = [1.0; OCTAVES];
        for octave in 1..OCTAVES {
            octaves[octave] = octaves[octave - 1] * half;
        }
        PowerLaw { exponent, octaves, points: std::array::from_fn(point), series }
    }

    /// `x^-exponent`, for `x` of at least 1.
    #[inline]
    pub fn of(&self, x: f64) -> f64 {
        let bits = x.to_bits();
        let octave = (bits >> MANTISSA_BITS).wrapping_sub(BIAS);
        let Some(scale) = self.octaves.get(octave as usize) else { return libm::pow(x, -self.exponent) };
        let point = &self.points[(bits >> (MANTISSA_BITS - POINT_BITS)) as usize % POINTS];
        let z = f64::from_bits(bits & ((1 << MANTISSA_BITS) - 1) | BIAS << MANTISSA_BITS);
        let r = z * point.inverse - 1.0;
        let [a, b, c, d, e, f] = self.series;
        scale * point.power * (1.0 + r * (a + r * (b + r * (c + r * (d + r * (e + r * f))))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_library(exponent in 1.0..8.0f64, log in 0.0..25.0f64) {
            let x = libm::exp2(log);
            let (ours, theirs) = (PowerLaw::new(exponent).of(x), libm::pow(x, -exponent));
            prop_assert!((ours / theirs - 1.0).abs() < 1e-14, "{x}^-{exponent}: {ours:e}, {theirs:e}");
        }
    }

    #[test]
    fn ends_of_octaves_and_distances_beyond_all_tables() {
        let law = PowerLaw::new(2.7);
        for x in [1.0, 2.0, 4.0 - 1e-15, 1024.0, 1e12, 1e300, f64::INFINITY] {
            let theirs = libm::pow(x, -2.7);
            assert!((law.of(x) - theirs).abs() <= 1e-14 * theirs, "{x}");
        }
    }
}
