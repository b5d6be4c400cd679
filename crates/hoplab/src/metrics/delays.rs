//! Distribution and variation of delays, in constant memory.
//!
//! Quantiles come from a histogram with logarithmic cells, each at most 1/32 of its delay wide; the maximum is exact. Jitter
//! is that of RFC 3550 section 6.4.1: `J += (|D| - J) / 16`, with `D` the difference of the transit times of two packets
//! that arrive in succession.

use crate::kernel::Span;

/// Delays of one flow.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// Counts by cell; empty until the first delay.
    cells: Vec<u32>,
    count: u64,
    max: Span,
    last: Option<Span>,
    jitter: f64,
}

/// Cells per doubling of the delay, as a power of two.
const FINE: u32 = 5;

/// Cells up to the maximum of a `u64`.
const CELLS: usize = ((64 - FINE as usize) + 1) << FINE;

/// Gain of RFC 3550's filter.
const GAIN: f64 = 1.0 / 16.0;

impl Delays {
    /// Clears everything except the last packet, which the next one is compared with.
    pub fn restart(&mut self) {
        self.cells.fill(0);
        *self = Delays { cells: std::mem::take(&mut self.cells), last: self.last, ..Delays::default() };
    }

    /// Adds the delay of a packet.
    #[inline]
    pub fn add(&mut self, delay: Span) {
        if self.cells.is_empty() {
            self.cells = vec![0; CELLS];
        }
        self.cells[cell(delay.0)] += 1;
        self.count += 1;
        self.max = self.max.max(delay);
        if let Some(last) = self.last.replace(delay) {
            let difference = delay.0.abs_diff(last.0) as f64 * 1e-9;
            self.jitter += (difference - self.jitter) * GAIN;
        }
    }

    /// Quantile of the delay, in seconds: this share of the packets does not exceed it.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let rank = (libm::ceil(share * self.count as f64)).max(1.0) as u64;
        let mut below = 0;
        for (index, &count) in self.cells.iter().enumerate() {
            let upto = below + u64::from(count);
            if upto >= rank {
                let (low, high) = (cell_start(index) as f64, cell_start(index + 1) as f64);
                let part = (rank - below) as f64 / f64::from(count);
                return Some(((low + (high - low) * part) * 1e-9).min(self.max.secs()));
            }
            below = upto;
        }
        Some(self.max.secs())
    }

    /// Maximum delay, in seconds.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then(|| self.max.secs())
    }

    /// Jitter after the last packet, in seconds.
    pub fn jitter(&self) -> Option<f64> {
        (self.count > 1).then_some(self.jitter)
    }
}

/// The cell of a delay: its leading bit and the `FINE` bits after it.
fn cell(nanos: u64) -> usize {
    let shift = (nanos | (1 << FINE)).ilog2() - FINE;
    ((shift as usize) << FINE) + (nanos >> shift) as usize
}

/// Minimum delay of a cell.
fn cell_start(index: usize) -> u64 {
    let shift = (index >> FINE).saturating_sub(1);
    let part = (index - (shift << FINE)) as u128;
    u64::try_from(part << shift).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_contain_their_delays() {
        for nanos in [0, 1, 31, 32, 33, 63, 64, 65, 1000, 123_456_789, u64::MAX / 2, u64::MAX] {
            let index = cell(nanos);
            assert!(index < CELLS, "{nanos}: {index}");
            assert!(cell_start(index) <= nanos, "{nanos} is in cell {index}, from {}", cell_start(index));
            assert!(
                nanos < cell_start(index + 1) || nanos == u64::MAX,
                "{nanos} is in cell {index}, to {}",
                cell_start(index + 1)
            );
            assert!((cell_start(index + 1) - cell_start(index)) as f64 <= 1.0 + nanos as f64 / 32.0);
        }
    }

    #[test]
    fn quantiles_match_uniform_distribution() {
        let mut delays = Delays::default();
        assert_eq!((delays.quantile(0.5), delays.max(), delays.jitter()), (None, None, None));
        for n in 1..=10_000 {
            delays.add(Span(n * 10_000));
        }
        for (share, seconds) in [(0.5, 0.05), (0.95, 0.095), (0.99, 0.099), (1.0, 0.1)] {
            let got = delays.quantile(share).expect("a quantile");
            // The last cell is partly filled.
            assert!((got / seconds - 1.0).abs() < 0.01, "{share}: {got}");
        }
        assert_eq!(delays.max(), Some(0.1));
        delays.restart();
        assert_eq!(delays.max(), None);
    }

    #[test]
    fn jitter_follows_rfc_3550() {
        let mut delays = Delays::default();
        for millis in [10, 10, 26, 10] {
            delays.add(Span::from_millis(millis));
        }
        // 0, then 16 / 16 = 1 ms, then 1 + (16 - 1) / 16.
        assert!((delays.jitter().expect("jitter") - 1.9375e-3).abs() < 1e-12);
    }
}
