//! Round-trip time and retransmission timeout (RFC 6298), with Linux's floor of the variation as a choice.

use super::config::{RtoFloor, StreamConfig};
use crate::kernel::Span;

/// Estimates the round-trip time, and what timeouts follow from it.
#[derive(Clone, Debug)]
pub(super) struct RtoEstimator {
    srtt: Option<f64>,
    rttvar: f64,
    min_rtt: Option<Span>,
    initial: Span,
    min: Span,
    max: Span,
    floor: RtoFloor,
}

impl RtoEstimator {
    pub(super) fn new(config: &StreamConfig) -> RtoEstimator {
        RtoEstimator {
            srtt: None,
            rttvar: 0.0,
            min_rtt: None,
            initial: config.initial_rto,
            min: config.min_rto,
            max: config.max_rto,
            floor: config.rto_floor,
        }
    }

    /// Adds a sample. `least` is that of the newest segment acknowledged, which bounds the minimum.
    pub(super) fn sample(&mut self, rtt: Span, least: Span) {
        self.min_rtt = Some(self.min_rtt.map_or(least, |min| min.min(least)));
        let rtt = rtt.0 as f64;
        match &mut self.srtt {
            None => {
                self.srtt = Some(rtt);
                self.rttvar = rtt / 2.0;
            }
            Some(srtt) => {
                self.rttvar += ((rtt - *srtt).abs() - self.rttvar) / 4.0;
                *srtt += (rtt - *srtt) / 8.0;
            }
        }
    }

    /// The smoothed round-trip time.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.srtt.map(|srtt| Span(srtt as u64))
    }

    /// The minimum round-trip time.
    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// The timeout after `backoff` doublings.
    pub(super) fn rto(&self, backoff: u32) -> Span {
        let base = match self.srtt {
            None => self.initial,
            Some(srtt) => {
                let variation = 4.0 * self.rttvar;
                let min = self.min.0 as f64;
                Span(match self.floor {
                    RtoFloor::Variance => srtt + variation.max(min),
                    RtoFloor::Total => (srtt + variation).max(min),
                } as u64)
            }
        };
        Span(base.0.saturating_mul(1 << backoff.min(32))).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rto(floor: RtoFloor, samples: &[u64]) -> Span {
        let mut estimator = RtoEstimator::new(&StreamConfig { rto_floor: floor, ..StreamConfig::default() });
        samples.iter().map(|&ms| Span::from_millis(ms)).for_each(|rtt| estimator.sample(rtt, rtt));
        estimator.rto(0)
    }

    #[test]
    fn floor_bounds_variation_or_timeout() {
        assert_eq!(rto(RtoFloor::Variance, &[]), Span::from_millis(1000));
        assert_eq!(rto(RtoFloor::Variance, &[50]), Span::from_millis(250));
        assert_eq!(rto(RtoFloor::Total, &[50]), Span::from_millis(200));
        // 400 + 4 x 200, by RFC 6298 section 2.2.
        assert_eq!(rto(RtoFloor::Total, &[400]), Span::from_millis(1200));
        assert_eq!(rto(RtoFloor::Variance, &[400]), Span::from_millis(1200));
    }

    #[test]
    fn backoff_doubles_to_the_maximum() {
        let mut estimator = RtoEstimator::new(&StreamConfig::default());
        estimator.sample(Span::from_millis(50), Span::from_millis(50));
        let rto = [0, 1, 2, 3, 20, 60].map(|backoff| estimator.rto(backoff).0 / 1_000_000);
        assert_eq!(rto, [250, 500, 1000, 2000, 120_000, 120_000]);
    }

    #[test]
    fn estimates_follow_rfc_6298() {
        let mut estimator = RtoEstimator::new(&StreamConfig::default());
        for rtt in [100, 200].map(Span::from_millis) {
            estimator.sample(rtt, rtt);
        }
        // rttvar 50 + (100 - 50) / 4, srtt 100 + 100 / 8.
        assert_eq!(estimator.srtt(), Some(Span(112_500_000)));
        assert_eq!((estimator.rttvar, estimator.min_rtt()), (62.5e6, Some(Span::from_millis(100))));
    }
}
