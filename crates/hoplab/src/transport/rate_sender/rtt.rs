//! Round-trip times of a rate-based sender: the latest, the smoothed and the minimum.
//!
//! # Source
//! RFC 6298 section 2 for the smoothed value and its deviation; the minimum as in the RCP patch for ns-2.35
//! (docs/specs/rcp.md section 4).

use crate::kernel::Span;

/// Round-trip times, in seconds; 0 before the first sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    pub(crate) latest: f64,
    pub(crate) smoothed: f64,
    deviation: f64,
    pub(crate) min: f64,
}

impl RoundTrip {
    pub(crate) fn new() -> RoundTrip {
        RoundTrip { latest: 0.0, smoothed: 0.0, deviation: 0.0, min: f64::INFINITY }
    }

    pub(crate) fn on_sample(&mut self, rtt: f64) {
        if rtt <= 0.0 {
            return;
        }
        self.latest = rtt;
        self.min = self.min.min(rtt);
        if self.smoothed == 0.0 {
            (self.smoothed, self.deviation) = (rtt, rtt / 2.0);
        } else {
            self.deviation += (libm::fabs(rtt - self.smoothed) - self.deviation) / 4.0;
            self.smoothed += (rtt - self.smoothed) / 8.0;
        }
    }

    /// Whether a sample is further from the mean than four deviations.
    pub(crate) fn is_unusual(&self, rtt: f64) -> bool {
        self.smoothed > 0.0 && libm::fabs(rtt - self.smoothed) > 4.0 * self.deviation
    }

    /// The smoothed value, once there is a sample.
    pub(crate) fn srtt(&self) -> Option<Span> {
        (self.smoothed > 0.0).then(|| Span::from_secs(self.smoothed))
    }

    /// The timeout within these limits, in seconds, after `backoff` consecutive ones.
    pub(crate) fn rto(&self, (min, max): (f64, f64), backoff: u32) -> Span {
        let usual = if self.smoothed == 0.0 { 1.0 } else { self.smoothed + 4.0 * self.deviation };
        let doubled = usual.max(min) * f64::from(1u32 << backoff.min(16));
        Span::from_secs(doubled.min(max))
    }
}
