//! Vegas as Linux 2.6.22 has it: between `alpha` and `beta` segments queued, losses handled as in Reno.
//!
//! # Model
//! Once per round trip, if it had at least three samples: the minimum round-trip time of the round and that of the
//! connection give how many of the segments sent in the last round were queued, in steps of a half. In congestion
//! avoidance more than `beta` removes a segment, fewer than `alpha` adds one. Slow start grows in every round and ends
//! when more than `gamma` are queued, at the window that fills the path alone, plus one. From a loss to the end of
//! recovery none of this applies: growth and cuts are Reno's.
//!
//! # Source
//! `tcp_vegas.c` of Linux 2.6.22 in ns-2.35 (`select_ca vegas`).
//!
//! # Deviations
//! None known from that; from Brakmo 1995: slow start in every round, the actual rate from acknowledgments, the minimum
//! of a round instead of the mean, no early retransmission. As in the original, the first round after recovery
//! counts segments from the last round before it, and overestimates the queue.
//!
//! # Parameters
//! `alpha` segments 2, `beta` segments 4, `gamma` segments 1: the module's.

use crate::packet::SegNo;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, CountedWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.linux_vegas]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinuxVegasConfig {
    /// Segments queued in the network below which the window grows.
    #[schemars(range(min = 0))]
    pub alpha: f64,
    /// Segments queued in the network above which the window shrinks.
    #[schemars(range(min = 0))]
    pub beta: f64,
    /// Segments queued in the network above which slow start ends.
    #[schemars(range(min = 0))]
    pub gamma: f64,
}

impl Default for LinuxVegasConfig {
    fn default() -> Self {
        LinuxVegasConfig { alpha: 2.0, beta: 4.0, gamma: 1.0 }
    }
}

/// Vegas of Linux.
#[derive(Clone, Debug)]
pub struct LinuxVegas {
    window: CountedWindow,
    config: LinuxVegasConfig,
    samples: MinRtt,
    /// Whether rounds are evaluated: not between a loss and the end of recovery.
    is_enabled: bool,
    round: Round,
    snd_nxt: SegNo,
}

/// A round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Its first segment.
    begin: SegNo,
    /// The segment whose acknowledgment ends it.
    end: SegNo,
    /// Window at its beginning.
    cwnd: f64,
}

impl LinuxVegas {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &LinuxVegasConfig) -> LinuxVegas {
        LinuxVegas {
            window: CountedWindow::new(setup),
            config: config.clone(),
            samples: MinRtt::new(),
            is_enabled: true,
            round: Round::default(),
            snd_nxt: 0,
        }
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) {
        if self.snd_nxt == 0 {
            // The module begins with the first acknowledgment.
            self.round.end = ack.snd_nxt;
        }
        self.snd_nxt = ack.snd_nxt;
        self.window.count_acked(ack);
        if let Some(rtt) = ack.rtt {
            self.samples.on_sample(rtt);
        }
    }

    fn on_round(&mut self, ack: &NewAck<'_>) {
        let sent = (self.round.end - self.round.begin) as u64;
        let cwnd_before = self.round.cwnd;
        self.round = Round { begin: self.round.end, end: ack.snd_nxt, cwnd: self.window.cwnd() };
        if self.samples.count < ENOUGH_SAMPLES {
            self.window.grow_as_reno(ack);
        } else {
            let target = self.samples.target_halves(sent);
            let queued = self.samples.queued(sent);
            if self.window.in_slow_start() {
                if queued > self.config.gamma {
                    self.window.set_ssthresh(2.0);
                    self.window.set_cwnd(self.window.cwnd().min((target / 2 + 1) as f64));
                }
                self.window.slow_start();
            } else {
                let wanted = if queued > self.config.beta {
                    cwnd_before - 1.0
                } else if queued < self.config.alpha {
                    cwnd_before + 1.0
                } else {
                    cwnd_before
                };
                let cwnd = self.window.cwnd();
                self.window.set_cwnd(cwnd + (wanted - cwnd).clamp(-1.0, 1.0));
            }
            self.window.keep_in_range();
        }
        self.samples.reset();
    }
}

impl CongestionControl for LinuxVegas {
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
        self.note_ack(ack);
        if !self.is_enabled {
            self.window.grow_as_reno(ack);
        } else if ack.acked + 1 > self.round.end {
            self.on_round(ack);
        } else if self.window.in_slow_start() {
            self.window.slow_start();
        }
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_enabled = false;
        self.window.halve(loss);
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.is_enabled = true;
        self.round.end = self.snd_nxt;
        self.samples.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::{ack, linux, loss};

    /// Vegas in congestion avoidance with this window, a round of ten segments about to end at segment 30.
    fn avoiding(cwnd: f64) -> LinuxVegas {
        let mut vegas = LinuxVegas::new(&linux(), &LinuxVegasConfig::default());
        vegas.window.set_cwnd(cwnd);
        vegas.window.set_ssthresh(2.0);
        (vegas.round, vegas.snd_nxt) = (Round { begin: 20, end: 30, cwnd }, 40);
        vegas.samples.on_sample(Span::from_millis(100));
        vegas.samples.reset();
        vegas
    }

    fn end_round(vegas: &mut LinuxVegas, rtt_ms: u64) -> f64 {
        for acked in [28, 29, 30] {
            let packet = Ack::plain(acked, Time::ZERO);
            vegas.on_ack(&NewAck { rtt: Some(Span::from_millis(rtt_ms)), ..ack(&packet, 9) });
        }
        vegas.cwnd()
    }

    #[test]
    fn avoidance_keeps_between_alpha_and_beta_queued() {
        // Ten segments at 200 ms are five at 100 ms: five queued. At 140 ms: 20 - 14.28 halves, 3. At 110 ms: 1.
        assert_eq!(end_round(&mut avoiding(10.0), 200), 9.0);
        assert_eq!(end_round(&mut avoiding(10.0), 140), 10.0);
        assert_eq!(end_round(&mut avoiding(10.0), 110), 11.0);
    }

    #[test]
    fn queue_ends_slow_start_at_capacity_of_path() {
        let mut vegas = avoiding(10.0);
        vegas.window.set_ssthresh(20.0);
        // The first acknowledgments of the round still grow: 12. Then five halves of ten: 5 + 1, and slow start's one.
        assert_eq!(end_round(&mut vegas, 200), 7.0);
        assert_eq!(vegas.ssthresh(), 2.0);
    }

    #[test]
    fn loss_disables_vegas_until_recovery_exits() {
        let mut vegas = avoiding(10.0);
        vegas.on_loss(&loss(LossSignal::DupAcks, 10.0, 10));
        assert_eq!((vegas.cwnd(), vegas.ssthresh(), vegas.is_enabled), (2.0, 5.0, false));
        vegas.on_recovery_exit(5.0);
        assert_eq!((vegas.cwnd(), vegas.is_enabled), (5.0, true));
    }
}
