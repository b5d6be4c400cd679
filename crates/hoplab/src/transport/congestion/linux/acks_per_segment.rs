//! Acknowledgments per added segment, as BIC and CUBIC of Linux count them, and their arithmetic in 1024ths.
//!
//! # Source
//! `cnt`, `delayed_ack` and `last_cwnd` of `tcp_bic.c` and `tcp_cubic.c`, Linux 2.6.22.

/// How many acknowledgments add a segment, and when that was computed last.
#[derive(Clone, Debug)]
pub(crate) struct AcksPerSegment {
    /// Acknowledgments per segment.
    pub(crate) every: u32,
    /// Window and time, in milliseconds, of the last computation.
    computed: (u32, u64),
    /// Segments that an acknowledgment covers, smoothed, times sixteen.
    ratio16: u32,
}

impl AcksPerSegment {
    pub(crate) fn new() -> AcksPerSegment {
        AcksPerSegment { every: 0, computed: (0, 0), ratio16: 2 * RATIO_ONE }
    }

    /// An acknowledgment covered `segments`.
    pub(crate) fn on_ack(&mut self, segments: u32) {
        self.ratio16 = self.ratio16 + segments - self.ratio16 / RATIO_ONE;
    }

    /// Whether `every` is to be computed: the window has changed, or a while has passed.
    pub(crate) fn is_due(&mut self, cwnd: u32, now_millis: u64) -> bool {
        let is_due = self.computed.0 != cwnd || now_millis.saturating_sub(self.computed.1) > VALID_MILLIS;
        if is_due {
            self.computed = (cwnd, now_millis);
        }
        is_due
    }

    /// Adds a segment per `every` segments acknowledged, regardless of the number of acknowledgments.
    pub(crate) fn set(&mut self, every: u32) {
        self.every = (u64::from(every) * u64::from(RATIO_ONE) / u64::from(self.ratio16.max(1))).max(1) as u32;
    }
}

/// The window that growth aims at after a loss at `cwnd`: less than `cwnd` by fast convergence if the last loss came at
/// a larger window.
pub(crate) fn target_after_loss(cwnd: u32, last: u32, retained1024: u32, fast_convergence: bool) -> u32 {
    if cwnd < last && fast_convergence { cwnd * (SCALE + retained1024) / (2 * SCALE) } else { cwnd }
}

/// `cwnd` times a share in 1024ths, rounded down.
pub(crate) fn share(cwnd: u32, retained1024: u32) -> u32 {
    cwnd * retained1024 / SCALE
}

/// A share in 1024ths.
pub(crate) fn in_1024ths(share: f64) -> u32 {
    (share * f64::from(SCALE) + 0.5) as u32
}

/// Shares are counted in these parts.
const SCALE: u32 = 1024;
/// One segment per acknowledgment, in sixteenths.
const RATIO_ONE: u32 = 16;
/// A value is valid for this long while the window does not change (`HZ / 32`), in milliseconds.
const VALID_MILLIS: u64 = 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delayed_acks_need_fewer_acks_per_segment() {
        let mut acks = AcksPerSegment::new();
        acks.set(20);
        assert_eq!((acks.every, acks.ratio16), (10, 32));
        (0..100).for_each(|_| acks.on_ack(1));
        acks.set(20);
        // Whole sixteenths: from above, segments acknowledged one by one never bring it below 31, as in Linux.
        assert_eq!((acks.every, acks.ratio16), (10, 31));
    }
}
