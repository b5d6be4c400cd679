//! BIC: a binary search for the window of the last loss.
//!
//! # Model
//! Up to `low_window` segments BIC is Reno. Beyond, growth per round trip is the `1/B` part of the distance to the
//! window at the last loss, at most `max_increment`, and slower near it; past that window it accelerates again. The
//! number of acknowledgments per step is recomputed when the window changes or after 31 ms, and shrinks with the
//! segments that an acknowledgment covers; Linux rounds that to at least 31/16, so that beyond `low_window` the window
//! grows nearly twice as fast as by the formulas. A loss leaves `retained` of the window; if it came below the last
//! loss's window, the search aims lower (fast convergence). A timeout resets the search.
//!
//! # Source
//! Xu, Harfoush, Rhee 2004; `tcp_bic.c` of Linux 2.6.22 in ns-2.35, whose integer arithmetic this is.
//!
//! # Deviations
//! None known from Linux. The paper leaves 0.875 of the window, steps half of the distance, up to 32 segments and down
//! to 0.01. Up to 14 segments, the windows of wireless chains, BIC is Reno. The text of Shivaranjani gives increments
//! per acknowledgment (they are per round trip) and sets the smallest increment to `cwnd` (which has no such meaning).
//!
//! # Parameters
//! `low_window` 14, `max_increment` 16, `smooth_part` 20, `retained` 819/1024, `fast_convergence` true: the module's.

use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::linux::acks_per_segment::{AcksPerSegment, in_1024ths, target_after_loss};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.bic]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BicConfig {
    /// Segments up to which it is Reno.
    pub low_window: u32,
    /// Maximum number of segments that one round trip adds.
    #[schemars(range(min = 1, max = 1000))]
    pub max_increment: u32,
    /// Round trips for the last segments below the window of the last loss.
    #[schemars(range(min = 1, max = 1000))]
    pub smooth_part: u32,
    /// Share of the window that a loss leaves.
    #[schemars(range(min = 0.1, max = 1))]
    pub retained: f64,
    /// Whether a loss below the window of the last one lowers the target (fast convergence).
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
    acks: AcksPerSegment,
    /// Whether no loss recovery is in progress.
    is_open: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Search {
    /// Window at the last loss, less by fast convergence.
    max: u32,
    /// Whether there was a loss.
    has_lost: bool,
}

impl Bic {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &BicConfig) -> Bic {
        Bic {
            window: Window::new(setup),
            config: config.clone(),
            search: Search::default(),
            acks: AcksPerSegment::new(),
            is_open: true,
        }
    }

    /// Acknowledgments per added segment, before delayed acknowledgments are taken into account.
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

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.is_open |= !self.window.reports_recovery_exit();
        if self.is_open {
            self.acks.on_ack(ack.newly_acked);
        }
        if self.window.count_acked(ack) || !ack.is_cwnd_limited {
            return;
        }
        if self.window.in_slow_start() {
            self.window.slow_start();
            return;
        }
        let cwnd = self.window.whole_cwnd();
        if self.acks.is_due(cwnd, ack.now.0 / 1_000_000) {
            if cwnd <= self.config.low_window {
                self.acks.every = cwnd;
            } else {
                self.acks.set(self.every(cwnd));
            }
        }
        self.window.grow_once_per(self.acks.every);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let base = self.window.loss_base(loss);
        let cwnd = base as u32;
        let retained = in_1024ths(self.config.retained);
        let max = target_after_loss(cwnd, self.search.max, retained, self.config.fast_convergence);
        self.search = Search { max, has_lost: true };
        let ssthresh =
            if cwnd <= self.config.low_window { base / 2.0 } else { self.window.share_of(base, self.config.retained) };
        self.window.cut(loss, ssthresh, None);
        if loss.signal == LossSignal::Timeout {
            self.search = Search::default();
            self.acks = AcksPerSegment::new();
        }
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.is_open = true;
        self.window.set_cwnd(cwnd);
    }
}

/// A step is the part `1/B` of the distance.
const B: u32 = 4;
/// Maximum of acknowledgments per segment before the first loss.
const FIRST_EVERY: u32 = 20;
/// `beta` of the module.
const RETAINED: f64 = 819.0 / 1024.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{feed, linux, loss};

    fn bic(max: u32) -> Bic {
        let mut bic = Bic::new(&linux(), &BicConfig::default());
        bic.search = Search { max, has_lost: true };
        bic
    }

    #[test]
    fn acks_per_segment_follow_distance_to_last_maximum() {
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
    fn small_window_behaves_as_reno() {
        let mut bic = bic(30);
        bic.window.set_cwnd(10.0);
        bic.window.set_ssthresh(2.0);
        feed(11, |ack| bic.on_ack(ack));
        assert_eq!(bic.cwnd(), 11.0);
        bic.on_loss(&loss(LossSignal::DupAcks, 14.0, 14));
        assert_eq!(bic.ssthresh(), 5.0);
    }

    #[test]
    fn loss_below_last_maximum_aims_lower() {
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
}
