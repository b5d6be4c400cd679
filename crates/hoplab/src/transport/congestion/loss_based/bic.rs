//! BIC: a binary search for the window of the last loss.
//!
//! # Model
//! Up to `low_window` segments Reno. Beyond, growth per round trip is the `1/B` part of the way to the window at the last
//! loss, at most `max_increment`, and slower near it; past that window it speeds up again. The number of acknowledgments
//! per step is computed anew when the window changes or after 31 ms, and shrinks with the segments that an acknowledgment
//! stands for; of that Linux thinks 31/16 at least, by rounding, so that beyond `low_window` it grows nearly twice as fast
//! as its numbers say. A loss leaves `retained` of the window; if it came below the last loss's window, the search aims lower
//! (fast convergence). A timeout forgets the search.
//!
//! # Source
//! Xu, Harfoush, Rhee 2004; `tcp_bic.c` of Linux 2.6.22 in ns-2.35, whose whole-number arithmetic this has.
//!
//! # Deviations
//! None known from Linux. The paper leaves 0.875 of the window, steps half of the way, up to 32 segments and down to
//! 0.01. Up to 14 segments, the windows of wireless chains, BIC is Reno. The text of Shivaranjani gives increments
//! per acknowledgment (they are per round trip) and sets the least increment to `cwnd` (it has no such meaning).
//!
//! # Parameters
//! `low_window` 14, `max_increment` 16, `smooth_part` 20, `retained` 819/1024, `fast_convergence` true: the module's.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.bic]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BicConfig {
    /// Segments up to which it is Reno.
    pub low_window: u32,
    /// Most segments that a round trip adds.
    #[schemars(range(min = 1, max = 1000))]
    pub max_increment: u32,
    /// Round trips that the last segments before the window of the last loss take.
    #[schemars(range(min = 1, max = 1000))]
    pub smooth_part: u32,
    /// Share of the window that a loss leaves.
    #[schemars(range(min = 0.1, max = 1))]
    pub retained: f64,
    /// Whether a loss below the window of the last one makes room for others.
    pub fast_convergence: bool,
}

impl Default for BicConfig {
    fn default() -> Self {
        BicConfig { low_window: 14, max_increment: 16, smooth_part: 20, retained: RETAINED, fast_convergence: true }
    }
}

/// Binary search for the window of the last loss.
#[derive(Clone, Debug)]
pub struct Bic {
    window: Window,
    config: BicConfig,
    search: Search,
    pace: Pace,
    is_open: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Search {
    /// Window at the last loss, less if it converges.
    max: u32,
    /// Whether there was a loss.
    has_lost: bool,
}

/// How many acknowledgments make a segment more, and when that was computed last.
#[derive(Clone, Debug)]
pub(in crate::transport::congestion) struct Pace {
    /// Acknowledgments for a segment more.
    pub(in crate::transport::congestion) every: u32,
    /// Window and time, in milliseconds, of the last computation.
    computed: (u32, u64),
    /// Segments that an acknowledgment stands for, smoothed, times sixteen.
    ratio16: u32,
}

impl Pace {
    pub(in crate::transport::congestion) fn new() -> Pace {
        Pace { every: 0, computed: (0, 0), ratio16: 2 * RATIO_ONE }
    }

    /// An acknowledgment stood for `segments`.
    pub(in crate::transport::congestion) fn take(&mut self, segments: u32) {
        self.ratio16 = self.ratio16 + segments - self.ratio16 / RATIO_ONE;
    }

    /// Whether it is time to compute anew: the window has changed, or a while has passed.
    pub(in crate::transport::congestion) fn is_due(&mut self, cwnd: u32, now_millis: u64) -> bool {
        let is_due = self.computed.0 != cwnd || now_millis.saturating_sub(self.computed.1) > PACE_MILLIS;
        if is_due {
            self.computed = (cwnd, now_millis);
        }
        is_due
    }

    /// A segment more for so many segments acknowledged, however few acknowledgments that are.
    pub(in crate::transport::congestion) fn set(&mut self, every: u32) {
        self.every = (u64::from(every) * u64::from(RATIO_ONE) / u64::from(self.ratio16.max(1))).max(1) as u32;
    }
}

/// The window that the next search aims at, after a loss at `cwnd`; in 1024ths, as Linux reckons.
pub(in crate::transport::congestion) fn aim(cwnd: u32, last: u32, retained1024: u32, fast_convergence: bool) -> u32 {
    if cwnd < last && fast_convergence { cwnd * (SCALE + retained1024) / (2 * SCALE) } else { cwnd }
}

/// `cwnd` times a share in 1024ths, rounded down.
pub(in crate::transport::congestion) fn share(cwnd: u32, retained1024: u32) -> u32 {
    cwnd * retained1024 / SCALE
}

/// A share in 1024ths.
pub(in crate::transport::congestion) fn in_1024ths(share: f64) -> u32 {
    (share * f64::from(SCALE) + 0.5) as u32
}

impl Bic {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &BicConfig) -> Bic {
        Bic {
            window: Window::new(setup),
            config: config.clone(),
            search: Search::default(),
            pace: Pace::new(),
            is_open: true,
        }
    }

    /// Acknowledgments for a segment more, before delayed ones are allowed for.
    fn every(&self, cwnd: u32) -> u32 {
        let most = self.config.max_increment.max(1);
        let slow = cwnd.saturating_mul(self.config.smooth_part) / B;
        let every = if cwnd < self.search.max {
            match (self.search.max - cwnd) / B {
                0 | 1 => slow,
                distance if distance > most => cwnd / most,
                distance => cwnd / distance,
            }
        } else if cwnd < self.search.max + B {
            slow
        } else if cwnd < self.search.max + most * (B - 1) {
            cwnd * (B - 1) / (cwnd - self.search.max)
        } else {
            cwnd / most
        };
        if self.search.has_lost { every } else { every.min(FIRST_EVERY) }
    }
}

impl CongestionControl for Bic {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.is_open |= !self.window.is_whole();
        if self.is_open {
            self.pace.take(ack.newly_acked);
        }
        if self.window.take(ack) || !ack.was_full {
            return;
        }
        if self.window.is_slow_start() {
            self.window.slow_start();
            return;
        }
        let cwnd = self.window.whole();
        if self.pace.is_due(cwnd, ack.now.0 / 1_000_000) {
            if cwnd <= self.config.low_window {
                self.pace.every = cwnd;
            } else {
                self.pace.set(self.every(cwnd));
            }
        }
        self.window.climb(self.pace.every);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let in_use = self.window.at_loss(loss);
        let cwnd = in_use as u32;
        let retained = in_1024ths(self.config.retained);
        self.search =
            Search { max: aim(cwnd, self.search.max, retained, self.config.fast_convergence), has_lost: true };
        let ssthresh = match (cwnd <= self.config.low_window, self.window.is_whole()) {
            (true, _) => in_use / 2.0,
            (_, true) => f64::from(share(cwnd, retained)),
            (_, false) => in_use * self.config.retained,
        };
        self.window.lose(loss, ssthresh, None);
        if loss.sign == LossSignal::Timeout {
            self.search = Search::default();
            self.pace = Pace::new();
        }
    }

    fn on_opening_lost(&mut self) {
        self.window.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_repaired(&mut self, cwnd: f64) {
        self.is_open = true;
        self.window.set_cwnd(cwnd);
    }
}

/// A step is the part `1/B` of the way.
const B: u32 = 4;
/// Most acknowledgments per segment before the first loss.
const FIRST_EVERY: u32 = 20;
/// Shares are counted in these parts.
const SCALE: u32 = 1024;
/// `beta` of the module.
const RETAINED: f64 = 819.0 / 1024.0;
/// One segment per acknowledgment, in sixteenths.
const RATIO_ONE: u32 = 16;
/// A pace is kept this long while the window stays as it is (`HZ / 32`), in milliseconds.
const PACE_MILLIS: u64 = 31;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::loss;
    use crate::transport::congestion::testing::{feed, linux};

    fn bic(max: u32) -> Bic {
        let mut bic = Bic::new(&linux(), &BicConfig::default());
        bic.search = Search { max, has_lost: true };
        bic
    }

    #[test]
    fn steps_towards_the_last_maximum() {
        let every = |cwnd: u32, max: u32| bic(max).every(cwnd);
        // 4 steps of 16 and more: linear. 40 away: ten. Near: twenty round trips for four segments. Past it: the same.
        assert_eq!((every(30, 100), every(60, 100), every(95, 100), every(102, 100)), (30 / 16, 6, 475, 510));
        // Past the maximum by 10: 110 * 3 / 10. Far past it: linear.
        assert_eq!((every(110, 100), every(150, 100)), (33, 9));
        // No quicker than 16 segments per round trip, from however far below; past the maximum from 48 segments on.
        assert_eq!((every(64, 200), every(64, 1000)), (4, 4));
        assert_eq!((every(147, 100), every(148, 100), every(160, 100)), (147 * 3 / 47, 9, 10));
        let before_a_loss = Bic::new(&linux(), &BicConfig::default());
        assert_eq!((before_a_loss.every(30), before_a_loss.every(80)), (30 * 3 / 30, 5));
    }

    #[test]
    fn at_small_windows_it_is_reno() {
        let mut bic = bic(30);
        bic.window.set_cwnd(10.0);
        bic.window.set_ssthresh(2.0);
        feed(11, |ack| bic.on_ack(ack));
        assert_eq!(bic.cwnd(), 11.0);
        bic.on_loss(&loss(LossSignal::DupAcks, 14.0, 14));
        assert_eq!(bic.ssthresh(), 5.0);
    }

    #[test]
    fn cuts_and_fast_convergence() {
        let mut bic = bic(0);
        bic.window.set_cwnd(100.0);
        bic.on_loss(&loss(LossSignal::DupAcks, 100.0, 100));
        // 100 * 819 / 1024 = 79.98; the first maximum is the window itself.
        assert_eq!((bic.cwnd(), bic.ssthresh(), bic.search.max), (79.0, 79.0, 100));
        bic.window.set_cwnd(90.0);
        bic.on_loss(&loss(LossSignal::DupAcks, 90.0, 90));
        // 90 * 1843 / 2048 = 80.99.
        assert_eq!(bic.search.max, 80);
        bic.on_loss(&loss(LossSignal::Timeout, 71.0, 71));
        assert_eq!((bic.cwnd(), bic.search.max, bic.search.has_lost), (1.0, 0, false));
    }

    #[test]
    fn delayed_acknowledgments_make_the_pace_quicker() {
        let mut pace = Pace::new();
        pace.set(20);
        assert_eq!((pace.every, pace.ratio16), (10, 32));
        (0..100).for_each(|_| pace.take(1));
        pace.set(20);
        // Whole sixteenths: from above, segments acknowledged one by one never bring it below 31, as in Linux.
        assert_eq!((pace.every, pace.ratio16), (10, 31));
    }
}
