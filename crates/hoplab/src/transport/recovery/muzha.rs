//! Recovery of TCP Muzha: as NewReno, but the congestion control alone decides the window.
//!
//! # Model
//! Detection, retransmissions and the end of recovery are NewReno's. Partial acknowledgments reduce the inflation and
//! leave `cwnd`. After recovery the window may be far from full; until it is full once, an acknowledgment releases at
//! most `max_burst` new segments.
//!
//! # Source
//! Lien and Hsiao, section on the sender, filled as in docs/specs/muzha.md section 4; otherwise as NewReno
//! (`new_reno.rs`).
//!
//! # Deviations
//! The source does not specify how the window refills: `max_burst` is ours. In no profile does recovery set the window.
//!
//! # Parameters
//! `muzha.max_burst`, `muzha.limited_transmit`, `muzha.restart_idle`; `tcp.new_reno_variant`.

use super::method::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::config::{NewRenoVariant, TcpConfig};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Recovery that leaves the window to the congestion control.
#[derive(Clone, Debug)]
pub struct Muzha {
    variant: NewRenoVariant,
    /// Maximum number of new segments per acknowledgment while the window refills.
    max_burst: u32,
    /// Replaces `tcp.limited_transmit`.
    limited_transmit: Option<bool>,
    /// Whether a timeout with nothing in flight restarts the window.
    restarts_idle: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The window limits the sender.
    Open,
    /// Recovery is over and the window refills.
    Refilling,
    /// Recovery is in progress.
    Recovery {
        /// Segments that duplicates add to the window.
        inflation: u32,
        /// Whether a partial acknowledgment arrived.
        had_partial_ack: bool,
    },
}

impl Muzha {
    /// Before the connection is established.
    pub fn new(config: &TcpConfig) -> Muzha {
        let muzha = &config.congestion.muzha;
        Muzha {
            variant: config.new_reno_variant,
            max_burst: muzha.max_burst,
            limited_transmit: muzha.limited_transmit,
            restarts_idle: muzha.restart_idle,
            state: State::Open,
        }
    }

    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self.state {
            State::Recovery { inflation, had_partial_ack } if ack.cumulative < tcb.recover => {
                if self.variant == NewRenoVariant::SlowButSteady || !had_partial_ack {
                    tcb.restart_timer();
                }
                let new = tcb.advance(ack);
                let inflation = (inflation + 1).saturating_sub(new.newly_acked);
                tcb.sample_rtt_in_recovery(ack);
                tcb.control.on_recovery_ack(&new);
                tcb.send(tcb.snd_una);
                self.state = State::Recovery { inflation, had_partial_ack: true };
            }
            state => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
                if matches!(state, State::Recovery { .. }) {
                    self.state = State::Refilling;
                }
            }
        }
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        match tcb.dup_acks.cmp(&tcb.rules.dup_ack_threshold) {
            Ordering::Less => tcb.limited_transmit(),
            Ordering::Equal if tcb.can_enter_recovery() => {
                tcb.enter_recovery();
                tcb.transmit(tcb.snd_una);
                self.state = State::Recovery { inflation: tcb.rules.dup_ack_threshold, had_partial_ack: false };
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                if let State::Recovery { inflation, .. } = &mut self.state {
                    *inflation += 1;
                }
            }
        }
    }

    /// Sends what the window allows; while it refills, a few segments at a time.
    fn fill_after_ack(&mut self, tcb: &mut Tcb) {
        let window = self.window(tcb);
        let is_refilling = self.state == State::Refilling;
        tcb.fill(window, is_refilling.then_some(self.max_burst));
        if is_refilling && !(tcb.snd_nxt < tcb.snd_una + window && tcb.has_next()) {
            self.state = State::Open;
        }
    }

    fn window(&self, tcb: &Tcb) -> SegNo {
        tcb.window(if let State::Recovery { inflation, .. } = self.state { inflation } else { 0 })
    }
}

impl Recovery for Muzha {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.kind_of(ack) {
            AckKind::New => self.on_new(tcb, ack),
            AckKind::Duplicate => {
                tcb.control.on_dup_ack(tcb.now(), ack);
                self.on_duplicate(tcb);
            }
            AckKind::Old => {}
        }
        if tcb.dup_acks == 0 {
            self.fill_after_ack(tcb);
        } else if tcb.dup_acks >= tcb.rules.dup_ack_threshold {
            tcb.fill(self.window(tcb), tcb.rules.recovery.max_burst);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        self.state = State::Open;
        tcb.dup_acks = 0;
        if tcb.in_flight() == 0 && !self.restarts_idle {
            tcb.go_back();
            return;
        }
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if let Some(own) = self.limited_transmit {
            tcb.rules.limited_transmit = own;
        }
        tcb.fill(self.window(tcb), None);
    }

    fn in_recovery(&self) -> bool {
        matches!(self.state, State::Recovery { .. })
    }
}
