//! CUBIC 2.1 of Linux 2.6.22, in integers: milliseconds, 1024ths of a second, acknowledgments per segment.
//!
//! # Source
//! `tcp_cubic.c` of Linux 2.6.22 in ns-2.35. `loss_based/cubic` describes the algorithm and the deviations.

use super::acks_per_segment::{AcksPerSegment, in_1024ths, share, target_after_loss};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::loss_based::cubic::config::CubicConfig;

/// State of the module.
#[derive(Clone, Debug)]
pub(crate) struct LinuxCubic {
    fast_convergence: bool,
    friendly: bool,
    /// Share that a loss leaves, in 1024ths.
    retained1024: u32,
    /// `c`, in 1024ths of a tenth.
    scale: u64,
    acks: AcksPerSegment,
    /// Window of the last loss, less by fast convergence.
    last_max: u32,
    has_lost: bool,
    /// Minimum round-trip time, in milliseconds, while it is valid.
    min_rtt: Option<u64>,
    epoch: Option<Epoch>,
    /// Whether no loss recovery is in progress.
    is_open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// In milliseconds.
    begin: u64,
    origin: u32,
    /// In 1024ths of a second.
    k: u64,
    /// Estimate of Reno's window.
    reno: u32,
    /// Acknowledgments not yet turned into growth of that.
    acks: u32,
}

impl LinuxCubic {
    pub(crate) fn new(config: &CubicConfig) -> LinuxCubic {
        LinuxCubic {
            fast_convergence: config.fast_convergence,
            friendly: config.friendly,
            retained1024: in_1024ths(config.retained()).min(1023),
            scale: (config.c * 102.4 + 0.5) as u64,
            acks: AcksPerSegment::new(),
            last_max: 0,
            has_lost: false,
            min_rtt: None,
            epoch: None,
            is_open: true,
        }
    }

    /// Counts an acknowledgment of new data outside of recovery. `exits_recovery` if it is the first sign that recovery ended.
    pub(crate) fn note_ack(&mut self, ack: &NewAck<'_>, exits_recovery: bool) {
        self.is_open |= exits_recovery;
        if !self.is_open {
            return;
        }
        self.acks.on_ack(ack.newly_acked);
        // Samples of the first second of an epoch do not count.
        let now = millis(ack.now.0);
        let begin = self.epoch.map_or(0, |epoch| epoch.begin);
        let echo = (ack.packet.echo.0 + 500_000) / 1_000_000;
        if !ack.has_new_sacks && echo > 0 && now - begin >= VALID_AFTER_MILLIS {
            let rtt = now.saturating_sub(echo);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
    }

    /// Acknowledgments per added segment, in congestion avoidance at `cwnd`.
    pub(crate) fn every(&mut self, ack: &NewAck<'_>, cwnd: u32) -> u32 {
        if let Some(epoch) = &mut self.epoch {
            epoch.acks += 1;
        }
        let now = millis(ack.now.0);
        if !self.acks.is_due(cwnd, now) {
            return self.acks.every;
        }
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(now, cwnd));
        let t = ((now + self.min_rtt.unwrap_or(0) - epoch.begin) << 10) / 1000;
        let offset = t.abs_diff(epoch.k).min(1 << 32);
        let delta = (u128::from(self.scale * 10) * u128::from(offset).pow(3)) >> 40;
        let delta = delta.min(u128::from(u32::MAX / 2)) as u32;
        // The module's unsigned numbers wrap around below zero and count as far above the window there.
        let target =
            if t < epoch.k { epoch.origin.checked_sub(delta).unwrap_or(u32::MAX) } else { epoch.origin + delta };
        let mut every = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if let Some(rtt) = self.min_rtt.filter(|_| t >= epoch.k) {
            // Sixteen segments per 100 ms at most. A round-trip time of zero counts as an eighth of a millisecond.
            let least = u64::from(cwnd) * 8000 / (10 * MOST_PER_100_MS * (8 * rtt).max(1));
            every = every.max(least as u32);
        }
        if !self.has_lost {
            every = FIRST_EVERY;
        }
        if self.friendly {
            every = every.min(self.reno(&mut epoch, cwnd));
        }
        self.epoch = Some(epoch);
        self.acks.set(every);
        self.acks.every
    }

    /// Acknowledgments per segment that keep pace with Reno.
    fn reno(&self, epoch: &mut Epoch, cwnd: u32) -> u32 {
        let step = (cwnd * (8 * (1024 + self.retained1024) / 3 / (1024 - self.retained1024))) >> 3;
        while epoch.acks > step {
            epoch.acks -= step.max(1);
            epoch.reno += 1;
        }
        if epoch.reno > cwnd { cwnd / (epoch.reno - cwnd) } else { u32::MAX }
    }

    fn begin(&self, now: u64, cwnd: u32) -> Epoch {
        let below = u64::from(self.last_max.saturating_sub(cwnd));
        let k = libm::cbrt(((1u64 << 40) / (self.scale * 10).max(1) * below) as f64) as u64;
        Epoch { begin: now, origin: self.last_max.max(cwnd), k, reno: cwnd, acks: 1 }
    }

    /// A loss at `cwnd`. Returns `ssthresh`.
    pub(crate) fn on_loss(&mut self, loss: &Loss, cwnd: u32) -> f64 {
        self.is_open = false;
        self.epoch = None;
        self.last_max = target_after_loss(cwnd, self.last_max, self.retained1024, self.fast_convergence);
        self.has_lost = true;
        if loss.signal == LossSignal::Timeout {
            // The kernel resets the module when it enters the loss state.
            (self.last_max, self.has_lost, self.min_rtt, self.acks) = (0, false, None, AcksPerSegment::new());
        }
        f64::from(share(cwnd, self.retained1024))
    }

    /// Recovery is over.
    pub(crate) fn on_recovery_exit(&mut self) {
        self.is_open = true;
    }
}

fn millis(nanos: u64) -> u64 {
    nanos / 1_000_000
}

/// Growth past the plateau, in segments per 100 ms (`max_increment`).
const MOST_PER_100_MS: u64 = 16;
/// Acknowledgments per segment before the first loss.
const FIRST_EVERY: u32 = 50;
/// Round-trip times count from this time after an epoch's beginning on, in milliseconds.
const VALID_AFTER_MILLIS: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::congestion::loss_based::cubic::config::CubicForm;
    use crate::transport::congestion::testing::ack;

    fn linux() -> LinuxCubic {
        LinuxCubic::new(&CubicConfig { form: CubicForm::Linux2622, ..CubicConfig::default() })
    }

    #[test]
    fn constants_are_those_of_the_module() {
        let linux = linux();
        assert_eq!((linux.retained1024, linux.scale), (819, 41));
        // Reno's estimate grows by one for 23 eighths of the window.
        let mut epoch = Epoch { begin: 0, origin: 10, k: 0, reno: 10, acks: 29 };
        assert_eq!(linux.reno(&mut epoch, 10), 10);
        assert_eq!((epoch.reno, epoch.acks), (11, 1));
        epoch.reno = 12;
        assert_eq!(linux.reno(&mut epoch, 10), 5);
    }

    #[test]
    fn k_is_in_1024ths_of_a_second() {
        let mut linux = linux();
        linux.last_max = 30;
        assert_eq!((linux.begin(0, 20).k, linux.begin(0, 10).k), (2993, 3771));
    }

    #[test]
    fn sample_counts_after_first_second_without_sacks() {
        let min_rtt = |has_new_sacks: bool, echo_ms: u64, now_ms: u64| {
            let mut linux = linux();
            let packet = Ack::plain(1, Time(echo_ms * 1_000_000));
            linux.note_ack(&NewAck { now: Time(now_ms * 1_000_000), has_new_sacks, ..ack(&packet, 9) }, true);
            linux.min_rtt
        };
        assert_eq!((min_rtt(false, 950, 1000), min_rtt(false, 949, 999)), (Some(50), None), "after the first second");
        assert_eq!((min_rtt(true, 950, 1000), min_rtt(false, 0, 1000)), (None, None));
    }
}
