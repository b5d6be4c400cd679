//! Round-trip times as Linux's delay-based controls sample them: microseconds, the least ever and the least of a while.

use crate::kernel::Span;

/// The least round-trip time ever, and since the last reset.
#[derive(Clone, Debug)]
pub(in crate::transport::congestion) struct MinRtt {
    /// Least ever, in microseconds.
    pub(in crate::transport::congestion) base: u64,
    /// Least since the last reset, in microseconds.
    pub(in crate::transport::congestion) least: u64,
    /// Samples since the last reset.
    pub(in crate::transport::congestion) count: u32,
}

impl MinRtt {
    pub(in crate::transport::congestion) fn new() -> MinRtt {
        MinRtt { base: NO_SAMPLE, least: NO_SAMPLE, count: 0 }
    }

    /// A sample; one microsecond is added, so that none is zero.
    pub(in crate::transport::congestion) fn take(&mut self, rtt: Span) {
        let micros = rtt.0 / 1000 + 1;
        self.base = self.base.min(micros);
        self.least = self.least.min(micros);
        self.count += 1;
    }

    /// Only what comes from now on counts; the least ever is kept.
    pub(in crate::transport::congestion) fn reset(&mut self) {
        self.least = NO_SAMPLE;
        self.count = 0;
    }

    /// Of `window` segments, how many would be in flight at the least round-trip time, in halves, rounded down.
    pub(in crate::transport::congestion) fn target_halves(&self, window: u64) -> u64 {
        2 * window * self.base / self.least
    }
}

/// Stands for no sample: the kernel's largest signed number.
const NO_SAMPLE: u64 = 0x7fff_ffff;

/// Samples that a decision needs: two may both be of delayed acknowledgments.
pub(in crate::transport::congestion) const ENOUGH_SAMPLES: u32 = 3;
