//! TCP Muzha's sender: the window follows the lowest level of the routers on the path.
//!
//! # Model
//! Each segment requests the highest level, 5; routers lower it, acknowledgments return it. Once per round trip the
//! lowest level of the round moves the window: 5 doubles it, 4 adds a segment, 3 keeps it, 2 removes one, 1 halves it.
//! There is no slow start and no `ssthresh`. The phases are congestion avoidance (CA), and fast retransmit and recovery (FF).
//! The third duplicate acknowledgment leads from CA to FF. If any of the three carries a level of 2 or less it is marked,
//! and the loss counts as congestion: the window halves. Otherwise the loss counts as random, and the window stays. A full
//! acknowledgment leads back to CA, a timeout too, with one segment.
//! # Source
//! Lien and Hsiao, sections on DRAI, MRAI and the sender, Tables 1 and 3, Figure 1; what they leave open is filled as in
//! docs/specs/muzha.md section 4.
//! # Deviations
//! After a timeout the first round ends with the retransmitted segment, not with all that had been in flight, so
//! that the window doubles per round trip where the path allows. A round after recovery uses no level of the recovery.
//! The triggering and the latest segment of an acknowledgment are the same here.
//! # Parameters
//! Table `[muzha]`.

mod round;

use crate::kernel::Time;
use crate::packet::explicit::{
    Echo, EchoChoice, EchoRule, Feedback, MAX_LEVEL, MIN_LEVEL, MarkRule, MuzhaConfig, RoundRule,
};
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::{CongestionControl, FeedbackNeeds, HeaderBytes, Needs};
use crate::transport::congestion::cross_layer::{CrossLayer, Sending};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use round::Round;

/// TCP Muzha's sender.
#[derive(Clone, Debug)]
pub struct Muzha {
    config: MuzhaConfig,
    cwnd: f64,
    /// Largest window: rwnd and the configured one.
    w_max: f64,
    phase: Phase,
    round: Round,
    duplicates: Duplicates,
    /// Highest segment acknowledged.
    acked: SegNo,
    /// Smoothed round-trip time, in seconds; 0 before the first sample.
    srtt: f64,
}

/// Phases of a session (Lien and Hsiao, Figure 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Congestion avoidance.
    Avoidance,
    /// Fast retransmit and fast recovery.
    Recovery,
}

/// Consecutive duplicate acknowledgments.
#[derive(Clone, Copy, Debug, Default)]
struct Duplicates {
    count: u32,
    marked: u32,
    is_last_marked: bool,
}

/// Weight of a new round-trip time (RFC 6298).
const RTT_GAIN: f64 = 1.0 / 8.0;

impl Muzha {
    /// Before the connection is established.
    pub fn new(_setup: &Setup, config: &MuzhaConfig) -> Muzha {
        Muzha {
            config: config.clone(),
            cwnd: 1.0,
            w_max: config.w_max.map_or(f64::INFINITY, f64::from),
            phase: Phase::Avoidance,
            round: Round::new(-1, Time::ZERO),
            duplicates: Duplicates::default(),
            acked: -1,
            srtt: 0.0,
        }
    }

    fn clamp(&self, window: f64) -> f64 {
        window.min(self.w_max).max(f64::from(self.config.w_min))
    }

    /// One of the five actions (Lien and Hsiao, Table 3).
    fn act(&mut self, level: u8) {
        let window = match level {
            1 if self.phase == Phase::Recovery => self.cwnd,
            1 => self.cwnd / 2.0,
            2 => self.cwnd - 1.0,
            4 => self.cwnd + 1.0,
            5 => self.cwnd * 2.0,
            _ => self.cwnd,
        };
        self.cwnd = self.clamp(window);
    }

    /// Counts the level of an acknowledgment; if it ends the round, acts.
    fn follow(&mut self, ack: &NewAck<'_>) {
        self.round.count(level_of(ack.packet));
        if self.is_round_over(ack) {
            if let Some(level) = self.round.level(self.config.aggregate) {
                self.act(level);
            }
            self.begin_round(ack);
        }
    }

    fn is_round_over(&self, ack: &NewAck<'_>) -> bool {
        match self.config.round {
            RoundRule::Window => ack.acked >= self.round.end,
            RoundRule::Srtt => self.srtt > 0.0 && ack.now.since(self.round.began).secs() >= self.srtt,
        }
    }

    /// A round of what is in flight now and what this acknowledgment releases.
    fn begin_round(&mut self, ack: &NewAck<'_>) {
        self.round = Round::new(ack.snd_nxt - 1, ack.now);
        self.round.is_filling = true;
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) {
        self.acked = ack.acked;
        self.round.is_filling = false;
        if let Some(rtt) = ack.rtt {
            let sample = rtt.secs();
            self.srtt = if self.srtt == 0.0 { sample } else { self.srtt + RTT_GAIN * (sample - self.srtt) };
        }
    }

    fn is_loss_marked(&self) -> bool {
        let Duplicates { count, marked, is_last_marked } = self.duplicates;
        match self.config.mark_rule {
            MarkRule::Any => marked > 0,
            MarkRule::Last => is_last_marked,
            MarkRule::All => marked == count,
        }
    }
}

impl CongestionControl for Muzha {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
        self.duplicates = Duplicates::default();
        let was_in_recovery = std::mem::replace(&mut self.phase, Phase::Avoidance) == Phase::Recovery;
        if ack.is_syn_ack() {
            self.cwnd = self.clamp(f64::from(self.config.initial_window));
            self.begin_round(ack);
        } else if was_in_recovery && !self.config.adjust_in_ff {
            self.begin_round(ack);
        } else {
            self.follow(ack);
        }
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
        if self.config.adjust_in_ff {
            self.follow(ack);
        }
    }

    fn on_dup_ack(&mut self, _now: Time, ack: &Ack) {
        self.round.is_filling = false;
        let is_marked = level_of(ack).is_some_and(|level| level <= self.config.mark_level);
        self.duplicates.count += 1;
        self.duplicates.marked += u32::from(is_marked);
        self.duplicates.is_last_marked = is_marked;
    }

    fn on_loss(&mut self, loss: &Loss) {
        match loss.signal {
            LossSignal::DupAcks => {
                if self.is_loss_marked() {
                    self.cwnd = self.clamp(self.cwnd / 2.0);
                }
                self.phase = Phase::Recovery;
            }
            LossSignal::Timeout => {
                if loss.is_syn {
                    self.config.initial_window = 1;
                }
                self.cwnd = 1.0;
                self.phase = Phase::Avoidance;
                self.duplicates = Duplicates::default();
                self.round = Round::new(self.acked + 1, loss.now);
            }
        }
    }

    fn on_idle(&mut self, restart: f64) {
        if self.config.restart_idle {
            self.cwnd = self.cwnd.min(restart);
        }
    }

    fn needs(&self) -> Needs {
        let MuzhaConfig { option_bytes, echo_bytes, ack_path, .. } = self.config;
        let own_option = if ack_path { option_bytes.0 } else { 0 };
        let echo_rule = match self.config.echo {
            EchoChoice::Triggering => EchoRule::Latest,
            EchoChoice::MinSinceLastAck => EchoRule::Least,
        };
        let header_bytes = HeaderBytes { segment: option_bytes.0, ack: echo_bytes.0 + own_option };
        Needs { feedback: Some(FeedbackNeeds { header_bytes, echo_rule }), ..Needs::default() }
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        Some(self)
    }
}

impl CrossLayer for Muzha {
    fn stamp(&mut self, sending: &Sending) -> Feedback {
        self.w_max = f64::from(self.config.w_max.map_or(sending.window, |own| own.min(sending.window)));
        if self.round.is_filling {
            self.round.end = self.round.end.max(sending.seq);
        }
        Feedback::Mrai(MAX_LEVEL)
    }
}

/// The level that an acknowledgment carries, clamped to the five.
fn level_of(ack: &Ack) -> Option<u8> {
    match ack.feedback {
        Echo::Mrai(level) => Some(level.clamp(MIN_LEVEL, MAX_LEVEL)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
