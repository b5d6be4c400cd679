//! Vegas as Linux 2.6.22 has it: between `alpha` and `beta` segments queued, losses repaired as Reno's.
//!
//! # Model
//! Once per round trip, if it had at least three samples: the least round-trip time of the round and the least ever tell
//! how many of the segments sent in the last round were queued, in halves of a segment. In congestion avoidance more than
//! `beta` takes a segment off, fewer than `alpha` adds one. Slow start grows in every round and ends when more than
//! `gamma` are queued, at the window that the path itself would hold, plus one. A loss and its repair switch all this off:
//! growth and cuts are Reno's until then.
//!
//! # Source
//! `tcp_vegas.c` of Linux 2.6.22 in ns-2.35 (`select_ca vegas`).
//!
//! # Deviations
//! None known from that; from Brakmo 1995: slow start in every round, the actual rate from acknowledgments, the least
//! sample of a round instead of the mean, no early retransmission. As in the original, the first round after a repair
//! counts segments from the last round before it, so that it seems to have many queued.
//!
//! # Parameters
//! `alpha` segments 2, `beta` segments 4, `gamma` segments 1: the module's.

use crate::packet::SegNo;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::Window;
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
    window: Window,
    config: LinuxVegasConfig,
    samples: MinRtt,
    /// Whether rounds are judged: not between a loss and the end of its repair.
    is_judging: bool,
    /// Segment whose acknowledgment ends the round.
    mark: SegNo,
    /// Segment that the round began with.
    begin: SegNo,
    /// Window when the round began.
    cwnd_at_begin: f64,
    snd_nxt: SegNo,
}

impl LinuxVegas {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &LinuxVegasConfig) -> LinuxVegas {
        LinuxVegas {
            window: Window::new(setup),
            config: config.clone(),
            samples: MinRtt::new(),
            is_judging: true,
            mark: 0,
            begin: 0,
            cwnd_at_begin: 0.0,
            snd_nxt: 0,
        }
    }

    fn see(&mut self, ack: &NewAck<'_>) -> bool {
        if self.snd_nxt == 0 {
            // The module begins with the first acknowledgment.
            self.mark = ack.snd_nxt;
        }
        self.snd_nxt = ack.snd_nxt;
        let is_opening = self.window.take(ack);
        if let Some(rtt) = ack.rtt {
            self.samples.take(rtt);
        }
        is_opening
    }

    fn on_round(&mut self, ack: &NewAck<'_>) {
        let sent = (self.mark - self.begin) as u64;
        let cwnd_before = self.cwnd_at_begin;
        self.begin = self.mark;
        self.mark = ack.snd_nxt;
        self.cwnd_at_begin = self.window.cwnd();
        if self.samples.count < ENOUGH_SAMPLES {
            self.window.grow(ack);
        } else {
            let target = self.samples.target_halves(sent);
            let queued = (2 * sent - target) as f64 / 2.0;
            if self.window.is_slow_start() {
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

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if self.see(ack) {
            return;
        }
        if !self.is_judging {
            self.window.grow(ack);
        } else if ack.acked + 1 > self.mark {
            self.on_round(ack);
        } else if self.window.is_slow_start() {
            self.window.slow_start();
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.see(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_judging = false;
        self.window.halve(loss);
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_repaired(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.is_judging = true;
        self.mark = self.snd_nxt;
        self.samples.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Span, Time};
    use crate::packet::Ack;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::linux;
    use crate::transport::congestion::testing::{ack, loss};

    /// Vegas in congestion avoidance with this window, a round of ten segments about to end at segment 30.
    fn avoiding(cwnd: f64) -> LinuxVegas {
        let mut vegas = LinuxVegas::new(&linux(), &LinuxVegasConfig::default());
        vegas.window.set_cwnd(cwnd);
        vegas.window.set_ssthresh(2.0);
        (vegas.begin, vegas.mark, vegas.cwnd_at_begin, vegas.snd_nxt) = (20, 30, cwnd, 40);
        vegas.samples.take(Span::from_millis(100));
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
    fn avoidance_keeps_between_alpha_and_beta() {
        // Ten segments at 200 ms are five at 100 ms: five queued. At 140 ms: 20 - 14.28 halves, 3. At 110 ms: 1.
        assert_eq!(end_round(&mut avoiding(10.0), 200), 9.0);
        assert_eq!(end_round(&mut avoiding(10.0), 140), 10.0);
        assert_eq!(end_round(&mut avoiding(10.0), 110), 11.0);
    }

    #[test]
    fn a_queue_ends_slow_start_at_what_the_path_holds() {
        let mut vegas = avoiding(10.0);
        vegas.window.set_ssthresh(20.0);
        // The first acknowledgments of the round still grow: 12. Then five halves of ten: 5 + 1, and slow start's one.
        assert_eq!(end_round(&mut vegas, 200), 7.0);
        assert_eq!(vegas.ssthresh(), 2.0);
    }

    #[test]
    fn a_loss_makes_it_reno_until_repaired() {
        let mut vegas = avoiding(10.0);
        vegas.on_loss(&loss(LossSignal::DupAcks, 10.0, 10));
        assert_eq!((vegas.cwnd(), vegas.ssthresh(), vegas.is_judging), (2.0, 5.0, false));
        vegas.on_repaired(5.0);
        assert_eq!((vegas.cwnd(), vegas.is_judging), (5.0, true));
    }
}
