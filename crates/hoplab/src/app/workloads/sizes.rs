//! Distributions of sizes: constant, exponential, Pareto, lognormal, or empirical.

use crate::kernel::{Bytes, RandomStream, exponential, normal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A size in bytes, or a table with the distribution that sizes are drawn from: `exponential`, `pareto`, `lognormal`, `cdf` or
/// `file`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SizeConfig {
    /// Always the same.
    Fixed(Bytes),
    /// A distribution.
    Drawn(SizeTable),
}

/// A distribution of sizes: one of `exponential`, `pareto`, `lognormal`, `cdf` and `file`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SizeTable {
    /// Mean of an exponential distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exponential: Option<Bytes>,
    /// Shape of a Pareto distribution between `min` and `max`; the smaller, the heavier its tail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto: Option<f64>,
    /// Standard deviation of the logarithm of a lognormal distribution around `median`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lognormal: Option<f64>,
    /// Median of a lognormal distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median: Option<Bytes>,
    /// Pairs of a size in bytes and the share of sizes up to it, such as `[[1000, 0.5], [100000, 1.0]]`; linear in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdf: Option<Vec<[f64; 2]>>,
    /// File with such pairs, one a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Least size; smaller ones become it. Default: 1 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Bytes>,
    /// Largest size; larger ones become it, but Pareto sizes are drawn below it. Default: 1000 MB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Bytes>,
}

/// Largest size where none is given.
const MAX: f64 = 1e9;

impl SizeConfig {
    /// A size.
    pub fn draw(&self, stream: &mut RandomStream) -> u32 {
        match self {
            SizeConfig::Fixed(bytes) => bytes.0,
            SizeConfig::Drawn(table) => table.draw(stream),
        }
    }

    /// The mean size.
    pub fn mean(&self) -> f64 {
        match self {
            SizeConfig::Fixed(bytes) => f64::from(bytes.0),
            SizeConfig::Drawn(table) => table.mean(),
        }
    }
}

impl SizeTable {
    /// Least and largest size.
    pub fn bounds(&self) -> (f64, f64) {
        let of = |bytes: Option<Bytes>, usual: f64| bytes.map_or(usual, |bytes| f64::from(bytes.0));
        (of(self.min, 1.0), of(self.max, MAX))
    }

    fn draw(&self, stream: &mut RandomStream) -> u32 {
        let (low, high) = self.bounds();
        let size = match *self {
            SizeTable { exponential: Some(mean), .. } => exponential(f64::from(mean.0), stream.unit()),
            SizeTable { pareto: Some(shape), .. } => {
                let kept = 1.0 - libm::pow(low / high, shape);
                low / libm::pow(1.0 - stream.unit() * kept, 1.0 / shape)
            }
            SizeTable { lognormal: Some(sigma), median: Some(median), .. } => {
                f64::from(median.0) * libm::exp(sigma * normal(stream.unit(), stream.unit()))
            }
            SizeTable { cdf: Some(ref points), .. } => empirical(points, stream.unit()),
            _ => low,
        };
        libm::round(size.clamp(low, high)).max(1.0) as u32
    }

    fn mean(&self) -> f64 {
        let (low, high) = self.bounds();
        match *self {
            SizeTable { exponential: Some(mean), .. } => {
                let mean = f64::from(mean.0);
                low + mean * (libm::exp(-low / mean) - libm::exp(-high / mean))
            }
            SizeTable { pareto: Some(shape), .. } => {
                let kept = 1.0 - libm::pow(low / high, shape);
                let sum = if (shape - 1.0).abs() < 1e-9 {
                    libm::log(high / low)
                } else {
                    (libm::pow(low, 1.0 - shape) - libm::pow(high, 1.0 - shape)) / (shape - 1.0)
                };
                shape * libm::pow(low, shape) * sum / kept
            }
            SizeTable { lognormal: Some(sigma), median: Some(median), .. } => {
                let mu = libm::log(f64::from(median.0));
                let below = |size: f64, shift: f64| phi((libm::log(size) - mu - shift) / sigma);
                let whole = libm::exp(mu + sigma * sigma / 2.0);
                let within = whole * (below(high, sigma * sigma) - below(low, sigma * sigma));
                low * below(low, 0.0) + within + high * (1.0 - below(high, 0.0))
            }
            SizeTable { cdf: Some(ref points), .. } => {
                let steps = points.iter().scan((0.0, 0.0), |(size, share), &[next, up_to]| {
                    let from = if *share == 0.0 { next } else { *size };
                    let part = (up_to - *share) * (from + next) / 2.0;
                    (*size, *share) = (next, up_to);
                    Some(part)
                });
                steps.sum::<f64>().clamp(low, high)
            }
            _ => low,
        }
    }
}

/// The size that a share of all does not exceed: that of the first point up to its share, and linear between points.
fn empirical(points: &[[f64; 2]], share: f64) -> f64 {
    let at = points.partition_point(|&[_, up_to]| up_to <= share).min(points.len().saturating_sub(1));
    let Some(&[size, up_to]) = points.get(at) else { return 1.0 };
    match at.checked_sub(1).map(|before| points[before]) {
        Some([low, from]) if up_to > from => low + (size - low) * (share - from) / (up_to - from),
        _ => size,
    }
}

/// The standard normal distribution.
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Purpose, RandomStreams};

    /// Mean and quantiles of draws.
    fn drawn(table: &SizeTable) -> (f64, Vec<u32>) {
        let size = SizeConfig::Drawn(table.clone());
        let mut stream = RandomStreams::new(7).stream(Purpose::WorkloadSize, 0);
        let mut all: Vec<u32> = (0..200_000).map(|_| size.draw(&mut stream)).collect();
        all.sort_unstable();
        (all.iter().map(|&size| f64::from(size)).sum::<f64>() / all.len() as f64, all)
    }

    #[test]
    fn draws_have_the_mean_of_their_distribution() {
        let usual = SizeTable::default();
        let tables = [
            SizeTable { exponential: Some(Bytes(50_000)), ..usual.clone() },
            SizeTable {
                exponential: Some(Bytes(50_000)),
                min: Some(Bytes(20_000)),
                max: Some(Bytes(90_000)),
                ..usual.clone()
            },
            SizeTable { pareto: Some(1.2), min: Some(Bytes(1_000)), max: Some(Bytes(1_000_000)), ..usual.clone() },
            SizeTable { pareto: Some(1.0), min: Some(Bytes(1_000)), max: Some(Bytes(1_000_000)), ..usual.clone() },
            SizeTable { lognormal: Some(1.0), median: Some(Bytes(10_000)), ..usual.clone() },
            SizeTable { lognormal: Some(1.5), median: Some(Bytes(10_000)), max: Some(Bytes(60_000)), ..usual.clone() },
            SizeTable { cdf: Some(vec![[1_000.0, 0.25], [2_000.0, 0.75], [10_000.0, 1.0]]), ..usual },
        ];
        for table in tables {
            let (mean, all) = drawn(&table);
            let expected = SizeConfig::Drawn(table.clone()).mean();
            assert!((mean / expected - 1.0).abs() < 0.03, "{table:?}: {mean} {expected}");
            let (low, high) = table.bounds();
            assert!(f64::from(all[0]) >= low && f64::from(all[all.len() - 1]) <= high, "{table:?}");
        }
    }

    #[test]
    fn quantiles_follow_the_closed_forms() {
        let pareto = SizeTable {
            pareto: Some(1.2),
            min: Some(Bytes(1_000)),
            max: Some(Bytes(10_000_000)),
            ..SizeTable::default()
        };
        let (_, all) = drawn(&pareto);
        // Median of an unbounded one: min * 2^(1 / shape).
        assert!((f64::from(all[100_000]) / 1_781.8 - 1.0).abs() < 0.02, "{}", all[100_000]);
        let points = vec![[1_000.0, 0.25], [2_000.0, 0.75], [10_000.0, 1.0]];
        let (_, all) = drawn(&SizeTable { cdf: Some(points), ..SizeTable::default() });
        assert_eq!((all[0], all[49_000]), (1_000, 1_000));
        assert!((f64::from(all[100_000]) - 1_500.0).abs() < 15.0, "{}", all[100_000]);
        assert!((f64::from(all[175_000]) - 6_000.0).abs() < 100.0, "{}", all[175_000]);
    }
}
