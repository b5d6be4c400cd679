//! Random variates from uniform numbers (Box and Muller 1958 for the normal one), and a stateless source of uniform numbers
//! by key.

use std::f64::consts::TAU;

/// e to the power of `x`, identical on every machine.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Standard normal variate from two uniform numbers in `[0, 1)` (Box and Muller 1958).
pub fn normal(first: f64, second: f64) -> f64 {
    libm::sqrt(-2.0 * libm::log(1.0 - first)) * libm::cos(TAU * second)
}

/// Exponential variate of this mean from a uniform number in `[0, 1)`.
pub fn exponential(mean: f64, uniform: f64) -> f64 {
    -mean * libm::log(1.0 - uniform)
}

/// Two uniform numbers in `[0, 1)` that depend on the key alone, in whatever order keys are used. For randomness between
/// pairs of nodes: a stream per pair would need memory per pair.
pub fn keyed_pair(key: [u64; 4]) -> (f64, f64) {
    let mut state = 0x6a09_e667_f3bc_c908;
    for word in key {
        state = mix(state ^ word);
    }
    let unit = |word: u64| (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
    (unit(mix(state ^ 1)), unit(mix(state ^ 2)))
}

/// Finalizer of SplitMix64 (Steele, Lea, Flood 2014) after its increment.
fn mix(word: u64) -> u64 {
    let mut word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_variates_have_standard_moments() {
        let draws: Vec<f64> = (0..100_000)
            .map(|n| {
                let (a, b) = keyed_pair([1, 2, 3, n]);
                normal(a, b)
            })
            .collect();
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        let tail = draws.iter().filter(|x| **x > 1.959_964).count() as f64 / count;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02 && (tail - 0.025).abs() < 0.002);
    }

    #[test]
    fn neighboring_keys_are_uncorrelated() {
        let correlation = |a: &dyn Fn(u64) -> [u64; 4], b: &dyn Fn(u64) -> [u64; 4]| {
            (0..20_000).map(|n| (keyed_pair(a(n)).0 - 0.5) * (keyed_pair(b(n)).0 - 0.5) * 12.0).sum::<f64>() / 20_000.0
        };
        assert!(correlation(&|n| [1, 0, 1, n], &|n| [1, 1, 0, n]).abs() < 0.03);
        assert!(correlation(&|n| [1, 0, 1, n], &|n| [1, 0, 1, n + 1]).abs() < 0.03);
        assert!(correlation(&|n| [1, 0, 1, n], &|n| [2, 0, 1, n]).abs() < 0.03);
    }

    #[test]
    fn exponential_mean() {
        let mean = (0..100_000).map(|n| exponential(2.0, keyed_pair([7, n, 0, 0]).0)).sum::<f64>() / 1e5;
        assert!((mean - 2.0).abs() < 0.03);
    }
}
