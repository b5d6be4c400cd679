//! The minimum round-trip time as Linux's delay-based controls sample it: in microseconds, overall and since a reset.
//!
//! # Source
//! `baseRTT`, `minRTT` and `cntRTT` of `tcp_vegas.c` and `tcp_veno.c`, Linux 2.6.22.

use crate::kernel::Span;

/// The minimum round-trip time, overall and since the last reset.
#[derive(Clone, Debug)]
pub(crate) struct MinRtt {
    /// Minimum of the connection, in microseconds.
    pub(crate) base: u64,
    /// Minimum since the last reset, in microseconds.
    pub(crate) current: u64,
    /// Samples since the last reset.
    pub(crate) count: u32,
}

impl MinRtt {
    pub(crate) fn new() -> MinRtt {
        MinRtt { base: NO_SAMPLE, current: NO_SAMPLE, count: 0 }
    }

    /// A sample; one microsecond is added, so that none is zero.
    pub(crate) fn on_sample(&mut self, rtt: Span) {
        let micros = rtt.0 / 1000 + 1;
        self.base = self.base.min(micros);
        self.current = self.current.min(micros);
        self.count += 1;
    }

    /// Discards the samples; the minimum of the connection remains.
    pub(crate) fn reset(&mut self) {
        self.reset_current();
        self.count = 0;
    }

    /// Discards the current minimum; the number of samples remains.
    pub(crate) fn reset_current(&mut self) {
        self.current = NO_SAMPLE;
    }

    /// Of `window` segments, how many would be in flight at the minimum round-trip time, in halves, rounded down.
    pub(crate) fn target_halves(&self, window: u64) -> u64 {
        2 * window * self.base / self.current
    }

    /// Of `window` segments, how many are queued in the network, in steps of a half.
    pub(crate) fn queued(&self, window: u64) -> f64 {
        (2 * window - self.target_halves(window)) as f64 / 2.0
    }
}

/// No sample: the kernel's largest signed number.
const NO_SAMPLE: u64 = 0x7fff_ffff;
/// Samples that a decision needs: two may both be of delayed acknowledgments.
pub(crate) const ENOUGH_SAMPLES: u32 = 3;
