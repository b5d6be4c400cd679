//! DCTCP: the window falls by half the share of marked bytes, so that queues stay at the threshold of the marking.
//!
//! # Model
//! Each window of data, `alpha` moves by `gain` towards the share of bytes whose acknowledgments echo a mark. The first echo of a
//! window cuts it to `1 - alpha / 2`. Growth and losses are Reno's. The receiver echoes the mark of each segment: a change of the
//! mark acknowledges at once what waits.
//!
//! # Source
//! RFC 8257.
//!
//! # Deviations
//! The cut takes a round trip, by PRR, as in Linux. The window counts segments.
//!
//! # Parameters
//! Table `[stream.dctcp]`.

use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{Loss, MarkResponse, NewAck, RateSample, SenderState};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::rules::MIN_SSTHRESH;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[stream.dctcp]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DctcpConfig {
    /// Weight of a window of data in `alpha`: `g` of RFC 8257.
    #[schemars(range(min = 0.0001, max = 1))]
    pub gain: f64,
    /// `alpha` before the first window.
    #[schemars(range(min = 0, max = 1))]
    pub initial_alpha: f64,
}

impl Default for DctcpConfig {
    fn default() -> Self {
        DctcpConfig { gain: 1.0 / 16.0, initial_alpha: 1.0 }
    }
}

/// Reno whose cut follows the share of marks.
#[derive(Clone, Debug)]
pub struct Dctcp {
    reno: Reno,
    gain: f64,
    alpha: f64,
    /// Acknowledged bytes so far, and those of the present window with and without mark.
    una: u64,
    acked: u64,
    marked: u64,
    /// When this is acknowledged, the window of data ends.
    window_end: u64,
}

impl Dctcp {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &DctcpConfig) -> Dctcp {
        Dctcp {
            reno: Reno::new(setup, &NoParameters {}),
            gain: config.gain,
            alpha: config.initial_alpha,
            una: 1,
            acked: 0,
            marked: 0,
            window_end: 1,
        }
    }

    /// Counts what an acknowledgment up to `una` covers.
    fn count(&mut self, una: u64, nxt: u64, has_echo: bool) {
        let bytes = una.saturating_sub(self.una);
        self.una = self.una.max(una);
        self.acked += bytes;
        if has_echo {
            self.marked += bytes;
        }
        if una >= self.window_end {
            let share = if self.acked > 0 { self.marked as f64 / self.acked as f64 } else { 0.0 };
            self.alpha += self.gain * (share - self.alpha);
            (self.acked, self.marked, self.window_end) = (0, 0, nxt);
        }
    }
}

impl CongestionControl for Dctcp {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn exit_slow_start(&mut self) {
        self.reno.exit_slow_start();
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_sample(&mut self, _sample: &RateSample, state: &SenderState) {
        self.count(state.una, state.nxt, state.has_echo);
    }

    fn on_ecn(&mut self) -> MarkResponse {
        self.reno.ssthresh = (self.reno.cwnd * (1.0 - self.alpha / 2.0)).max(MIN_SSTHRESH);
        self.reno.cwnd = self.reno.ssthresh;
        MarkResponse::Cut
    }

    fn needs(&self) -> Needs {
        Needs { exact_marks: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;

    #[test]
    fn alpha_and_cut_follow_the_share_of_marks() {
        let mut dctcp = Dctcp::new(&TcpConfig::default().setup(1448), &DctcpConfig::default());
        dctcp.count(1, 1001, false);
        dctcp.alpha = 1.0;
        for window in 0..10 {
            let begin = 1 + 1000 * window;
            dctcp.count(begin + 100, begin + 1000, true);
            dctcp.count(begin + 1000, begin + 2000, false);
        }
        assert!((dctcp.alpha - 0.572).abs() < 1e-3, "{}", dctcp.alpha);
        dctcp.set_cwnd(100.0);
        assert_eq!(dctcp.on_ecn(), MarkResponse::Cut);
        assert!((dctcp.cwnd() - 71.4).abs() < 0.1 && dctcp.ssthresh() == dctcp.cwnd(), "{}", dctcp.cwnd());
    }
}
