//! TCP Vegas: the window keeps between `alpha` and `beta` segments queued in the network.
//!
//! # Model
//! Once per round trip, when an acknowledgment reaches the segment that was next at the last mark: the mean round-trip
//! time of the segments acknowledged since is compared with the minimum. What the window would have carried at that
//! minimum, less what was carried, are the segments that wait in queues, rounded to a whole number `delta`. Congestion
//! avoidance: more than `beta` removes one segment, fewer than `alpha` adds `1/cwnd` per acknowledgment of the next
//! round. Slow start grows in every other round, and ends as soon as `delta` exceeds `gamma`, with an eighth less.
//! Early detection of losses belongs to the recovery of the same name.
//!
//! # Source
//! Brakmo 1995; `Agent/TCP/Vegas` of ns-2.35 (`tcp/tcp-vegas.cc`), which this matches, also where it differs from the
//! paper.
//!
//! # Deviations
//! From the paper, as ns-2: the expected rate is taken from `snd_nxt - snd_una + 1` segments, one more than are in
//! flight; the initial window applies one acknowledgment late, so that the first data segment travels alone and
//! measures the bare path; a timeout leaves two segments. Segments have no TCP/IP header on the wire (`headers`), and
//! the SYN carries data like any other segment. From ns-2: none known.
//!
//! # Parameters
//! `alpha` segments 1, `beta` segments 3, `gamma` segments 1, `headers` false: all as ns-2.35.

use crate::kernel::{Span, Time};
use crate::packet::SegNo;
use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.vegas]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VegasConfig {
    /// Segments queued in the network below which the window grows.
    #[schemars(range(min = 0))]
    pub alpha: f64,
    /// Segments queued in the network above which the window shrinks.
    #[schemars(range(min = 0))]
    pub beta: f64,
    /// Segments queued in the network above which slow start ends.
    #[schemars(range(min = 0))]
    pub gamma: f64,
    /// Whether segments carry TCP and IP headers on the wire. Those of ns-2's Vegas do not, and its SYN carries data.
    pub headers: bool,
}

/// Keep between `alpha` and `beta` segments queued in the network.
#[derive(Clone, Debug)]
pub struct Vegas {
    reno: Reno,
    config: VegasConfig,
    /// Minimum round-trip time, in seconds.
    base_rtt: f64,
    /// Segment whose acknowledgment ends the round.
    mark: SegNo,
    /// When the round began.
    marked_at: Option<Time>,
    /// Time of the last SYN; segments sent at that time yield no sample.
    syn_sent_at: Option<Time>,
    rtt_sum: f64,
    rtt_count: u32,
    /// Growth per acknowledgment in this round.
    increment: f64,
    /// Whether slow start grows in this round.
    is_growing: bool,
}

impl Default for VegasConfig {
    fn default() -> Self {
        VegasConfig { alpha: 1.0, beta: 3.0, gamma: 1.0, headers: false }
    }
}

impl Vegas {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &VegasConfig) -> Vegas {
        Vegas {
            reno: Reno::new(setup, &NoParameters {}),
            config: config.clone(),
            base_rtt: f64::INFINITY,
            mark: 0,
            marked_at: None,
            syn_sent_at: None,
            rtt_sum: 0.0,
            rtt_count: 0,
            increment: 0.0,
            is_growing: true,
        }
    }

    /// The minimum round-trip time, in seconds; infinite before the first sample.
    pub fn base_rtt(&self) -> f64 {
        self.base_rtt
    }

    fn on_round(&mut self, ack: &NewAck<'_>) {
        let elapsed = || self.marked_at.map_or(f64::INFINITY, |at| ack.now.since(at).secs());
        let rtt = if self.rtt_count > 0 { self.rtt_sum / f64::from(self.rtt_count) } else { elapsed() };
        let length = ack.snd_nxt - self.mark;
        if rtt > 0.0 && rtt.is_finite() {
            if rtt < self.base_rtt || length <= 1 {
                self.base_rtt = rtt;
            }
            let window = (ack.snd_nxt - ack.acked) as f64;
            let queued = (window / self.base_rtt - length as f64 / rtt) * self.base_rtt;
            self.decide((queued + 0.5).trunc());
        }
        self.rtt_sum = 0.0;
        self.rtt_count = 0;
        self.mark = ack.snd_nxt;
        self.marked_at = Some(ack.now);
    }

    fn decide(&mut self, delta: f64) {
        self.increment = 0.0;
        let cwnd = self.reno.cwnd;
        if cwnd < self.reno.ssthresh {
            self.is_growing = !self.is_growing;
            if self.is_growing && delta > self.config.gamma {
                self.reno.ssthresh = MIN_WINDOW;
                self.reno.cwnd = (cwnd - cwnd / 8.0).max(MIN_WINDOW);
            } else if self.is_growing {
                self.increment = 1.0;
            }
        } else if delta > self.config.beta {
            self.reno.cwnd = (cwnd - 1.0).max(MIN_WINDOW);
        } else if delta < self.config.alpha {
            self.increment = 1.0 / cwnd;
        }
    }
}

impl CongestionControl for Vegas {
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

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.acked - SegNo::from(ack.newly_acked) == 0 {
            self.reno.cwnd = self.reno.initial_window;
        }
        if ack.acked >= self.mark {
            if self.marked_at.is_none() {
                // The first round began when the SYN was sent.
                self.syn_sent_at = ack.sent_at();
                self.marked_at = self.syn_sent_at;
            }
            self.on_round(ack);
        }
        if self.increment == 1.0 && self.reno.cwnd >= self.reno.ssthresh {
            self.increment = 0.0;
        }
        // The window stays within two segments of what is used.
        let used = (ack.snd_nxt - ack.acked) as f64;
        if self.increment > 0.0 && self.reno.cwnd - used <= 2.0 {
            self.reno.cwnd += self.increment;
        }
        if let Some(rtt) = ack.rtt.map(Span::secs).filter(|_| ack.sent_at() > self.syn_sent_at) {
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            if rtt > 0.0 && rtt < self.base_rtt {
                self.base_rtt = rtt;
            }
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        match loss.signal {
            LossSignal::DupAcks => {
                let window = loss.window.floor();
                self.reno.cwnd = if window <= 3.0 {
                    MIN_WINDOW
                } else if loss.is_retransmission {
                    (window / 2.0).floor()
                } else {
                    window - (window / 4.0).floor()
                };
            }
            LossSignal::Timeout => {
                self.reno.halve_ssthresh(loss);
                self.reno.cwnd = MIN_WINDOW;
                if self.mark == 0 {
                    // The SYN is retransmitted: the first round begins now. ns-2 leaves the initial window of Vegas.
                    self.marked_at = Some(loss.now);
                    self.syn_sent_at = Some(loss.now);
                }
            }
        }
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
        self.reno.ssthresh = MIN_WINDOW;
    }

    fn needs(&self) -> Needs {
        let as_ns2 = !self.config.headers;
        Needs { syn_carries_data: as_ns2, omits_headers: as_ns2, ..Needs::default() }
    }
}

/// No decision leaves less than this, in segments.
const MIN_WINDOW: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn vegas() -> Vegas {
        Vegas::new(&TcpConfig::default().setup(1460), &VegasConfig::default())
    }

    /// An acknowledgment of one more segment at `now_ms`, with `in_flight` left and this round-trip time.
    fn feed(vegas: &mut Vegas, now_ms: u64, acked: SegNo, in_flight: u32, rtt_ms: u64) {
        let now = Time(now_ms * 1_000_000);
        let packet = Ack::plain(acked, now);
        let snd_nxt = acked + 1 + SegNo::from(in_flight);
        let rtt = Some(Span::from_millis(rtt_ms));
        vegas.on_ack(&NewAck { now, snd_nxt, rtt, ..ack(&packet, in_flight) });
    }

    #[test]
    fn first_data_segment_measures_the_path_alone() {
        let mut vegas = vegas();
        feed(&mut vegas, 40, 0, 0, 40);
        assert_eq!((vegas.cwnd(), vegas.base_rtt()), (1.0, 0.04));
        feed(&mut vegas, 130, 1, 0, 90);
        // The initial window of two, and this round's growth. The lone segment's time is the base, though longer.
        assert_eq!(vegas.cwnd(), 3.0);
        assert!((vegas.base_rtt() - 0.09).abs() < 1e-12);
    }

    #[test]
    fn slow_start_grows_every_other_round() {
        let mut vegas = vegas();
        feed(&mut vegas, 40, 0, 0, 40);
        feed(&mut vegas, 80, 1, 0, 40);
        // Three segments in flight, 2 to 4; the mark is 2.
        feed(&mut vegas, 120, 2, 2, 40);
        feed(&mut vegas, 120, 3, 3, 40);
        feed(&mut vegas, 120, 4, 2, 40);
        assert_eq!(vegas.cwnd(), 3.0);
    }

    #[test]
    fn queue_ends_slow_start_then_shrinks_the_window() {
        let mut vegas = vegas();
        vegas.base_rtt = 0.1;
        vegas.is_growing = false;
        vegas.marked_at = Some(Time::ZERO);
        (vegas.mark, vegas.reno.cwnd) = (10, 8.0);
        // Nine of window over 100 ms against 8 sent in 200 ms: (90 - 40) * 0.1 = 5 queued.
        feed(&mut vegas, 200, 10, 8 - 1 + 1, 200);
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (7.0, 2.0));
        vegas.mark = 11;
        feed(&mut vegas, 400, 11, 8, 200);
        assert_eq!(vegas.cwnd(), 6.0);
    }

    #[test]
    fn avoidance_keeps_between_alpha_and_beta_queued() {
        let mut vegas = vegas();
        vegas.base_rtt = 0.1;
        vegas.marked_at = Some(Time::ZERO);
        (vegas.mark, vegas.reno.cwnd, vegas.reno.ssthresh) = (10, 4.0, 2.0);
        // 5 / 0.1 - 4 / 0.125 = 18 segments/s, 1.8 segments: between one and three.
        feed(&mut vegas, 125, 10, 3, 100);
        assert_eq!(vegas.cwnd(), 4.0);
        // 4 / 0.1 - 4 / 0.1 = 0: room for more, a quarter per acknowledgment.
        feed(&mut vegas, 225, 14, 3, 100);
        assert_eq!(vegas.cwnd(), 4.25);
        feed(&mut vegas, 226, 15, 3, 100);
        assert_eq!(vegas.cwnd(), 4.5);
    }

    #[test]
    fn cut_depends_on_window_and_retransmission() {
        let mut vegas = vegas();
        let mut cut = |window: f64, is_retransmission: bool| {
            vegas.on_loss(&Loss { is_retransmission, ..loss(LossSignal::DupAcks, window, 9) });
            vegas.cwnd()
        };
        assert_eq!((cut(3.9, false), cut(4.0, false), cut(10.5, false), cut(11.0, true)), (2.0, 3.0, 8.0, 5.0));
        vegas.on_loss(&loss(LossSignal::Timeout, 11.0, 9));
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (2.0, 5.0));
    }

    #[test]
    fn segments_have_headers_in_rfc_only() {
        assert!(vegas().needs().omits_headers && vegas().needs().syn_carries_data);
        let rfc = Vegas::new(&TcpConfig::rfc().setup(1460), &TcpConfig::rfc().congestion.vegas);
        assert_eq!(rfc.needs(), Needs::default());
    }

    #[test]
    fn rtt_of_zero_is_no_sample() {
        let mut vegas = vegas();
        feed(&mut vegas, 40, 0, 0, 40);
        feed(&mut vegas, 50, 1, 0, 0);
        assert_eq!(vegas.base_rtt(), 0.01, "the sample is zero, the lone segment's round 10 ms");
        feed(&mut vegas, 60, 2, 0, 0);
        assert_eq!(vegas.base_rtt(), 0.01, "the mean of the round is zero");
    }
}
