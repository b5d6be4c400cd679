//! NewReno: recovery lasts until everything sent before the loss was detected is acknowledged.
//!
//! # Model
//! As Reno up to the third duplicate. An acknowledgment of new data short of `recover` (a partial one) reveals the next
//! lost segment: it is retransmitted at once, and the window is deflated by what was acknowledged, less one. The full
//! acknowledgment ends recovery.
//!
//! # Source
//! `Agent/TCP/Newreno` of ns-2.35 (`tcp/tcp-newreno.cc`) with `newreno_changes1_` 1 (`impatient`) or 0
//! (`slow_but_steady`) and `partial_window_deflation_` 1; RFC 6582 in profile `rfc`.
//!
//! # Deviations
//! As in ns-2: duplicates up to `recover` outside of recovery neither retransmit nor inflate the window, but they do
//! release what the window allows, two at a time; a partial acknowledgment keeps the count of duplicates; one that
//! acknowledges the timed segment ends the backoff without being a sample. In `rfc`: bursts are not limited, recovery
//! exits with `min(ssthresh, flight + 1)`.
//!
//! # Parameters
//! `tcp.new_reno_variant`, `tcp.dup_ack_threshold`, `tcp.limited_transmit`.

use super::method::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::config::{NewRenoVariant, TcpConfig};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Fast retransmit and fast recovery of NewReno.
#[derive(Clone, Debug)]
pub struct NewReno {
    variant: NewRenoVariant,
    episode: Option<Episode>,
}

/// Recovery from a loss.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// Segments that duplicates add to the window.
    inflation: u32,
    /// Whether a partial acknowledgment arrived.
    had_partial_ack: bool,
}

impl NewReno {
    /// Before the connection is established.
    pub fn new(config: &TcpConfig) -> NewReno {
        NewReno { variant: config.new_reno_variant, episode: None }
    }

    /// Sends everything that is unacknowledged again, as the window allows; no loss is counted.
    pub(in crate::transport::recovery) fn resume(&mut self, tcb: &mut Tcb) {
        self.episode = None;
        tcb.dup_acks = 0;
        // Duplicates of what arrives twice signal no loss.
        tcb.recover = tcb.snd_max - 1;
        tcb.go_back();
        tcb.fill_window();
    }

    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self.episode.take() {
            Some(episode) if ack.cumulative < tcb.recover => {
                self.episode = Some(self.on_partial(episode, tcb, ack));
            }
            Some(_) if !tcb.rules.recovery.exit_ack_grows => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_recovery_ack(&new);
                let rest = f64::from(new.in_flight.max(1) + 1);
                tcb.control.on_recovery_exit(tcb.control.ssthresh().min(rest));
            }
            _ => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
            }
        }
    }

    fn on_partial(&self, mut episode: Episode, tcb: &mut Tcb, ack: &Ack) -> Episode {
        if self.variant == NewRenoVariant::SlowButSteady || !episode.had_partial_ack {
            tcb.restart_timer();
        }
        episode.had_partial_ack = true;
        let new = tcb.advance(ack);
        if episode.inflation > new.newly_acked {
            episode.inflation -= new.newly_acked - 1;
        } else {
            let less = f64::from(new.newly_acked - episode.inflation);
            tcb.control.set_cwnd((tcb.control.cwnd() - less).max(1.0));
            episode.inflation = 1;
        }
        tcb.sample_rtt_in_recovery(ack);
        tcb.control.on_recovery_ack(&new);
        tcb.send(tcb.snd_una);
        episode
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        match tcb.dup_acks.cmp(&tcb.rules.dup_ack_threshold) {
            Ordering::Less => tcb.limited_transmit(),
            Ordering::Equal if tcb.can_enter_recovery() => {
                tcb.enter_recovery();
                tcb.transmit(tcb.snd_una);
                self.episode = Some(Episode { inflation: tcb.rules.dup_ack_threshold, had_partial_ack: false });
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                if let Some(episode) = &mut self.episode {
                    episode.inflation += 1;
                }
            }
        }
    }

    fn window(&self, tcb: &Tcb) -> SegNo {
        tcb.window(self.episode.map_or(0, |episode| episode.inflation))
    }
}

impl Recovery for NewReno {
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
            tcb.fill(self.window(tcb), None);
        } else if tcb.dup_acks >= tcb.rules.dup_ack_threshold {
            tcb.fill(self.window(tcb), tcb.rules.recovery.max_burst);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        let episode = self.episode.take();
        tcb.dup_acks = 0;
        if let Some(episode) = episode.filter(|_| tcb.needs().cuts_inflated_window) {
            tcb.control.set_cwnd(tcb.control.cwnd() + f64::from(episode.inflation));
        }
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        tcb.fill(self.window(tcb), None);
    }

    fn in_recovery(&self) -> bool {
        self.episode.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::CongestionKind;
    use crate::transport::congestion::TcpApPreset;

    /// A TCB whose timer expires during recovery: at a window of 19, 13 duplicates arrived.
    fn timed_out(congestion: CongestionKind, config: &TcpConfig, window: u32) -> Tcb {
        let mut tcb = Tcb::new(config, congestion, 1000, window, 0.0);
        let mut recovery = NewReno::new(config);
        tcb.supply(Some(40));
        (0..20).for_each(|seq| tcb.transmit(seq));
        tcb.snd_nxt = 20;
        recovery.on_ack(&mut tcb, &Ack::plain(0, Time::ZERO));
        tcb.control.set_cwnd(19.0);
        (0..13).for_each(|_| recovery.on_ack(&mut tcb, &Ack::plain(0, Time::ZERO)));
        assert!(recovery.in_recovery() && tcb.control.cwnd() == 9.5);
        recovery.on_timeout(&mut tcb);
        assert_eq!(tcb.control.cwnd(), 1.0);
        tcb
    }

    #[test]
    fn timeout_in_recovery_cuts_the_inflated_window_in_tcp_ap_only() {
        let code = TcpConfig::default();
        let mut paper = TcpConfig::default();
        paper.congestion.tcp_ap.preset = TcpApPreset::Paper;
        let ssthresh = |kind, config: &TcpConfig, window| timed_out(kind, config, window).control.ssthresh();
        assert_eq!(ssthresh(CongestionKind::Reno, &code, 64), 4.0);
        assert_eq!(ssthresh(CongestionKind::TcpAp, &paper, 64), 4.0);
        // Half of 9.5 and 13; of rwnd at most.
        assert_eq!(ssthresh(CongestionKind::TcpAp, &code, 64), 11.0);
        assert_eq!(ssthresh(CongestionKind::TcpAp, &code, 20), 10.0);
    }

    #[test]
    fn timeout_of_tcp_ap_does_not_double_the_next() {
        // docs/specs/tcp-ap.md section 5.
        let config = TcpConfig::default();
        let mut doubling = TcpConfig::default();
        doubling.congestion.tcp_ap.rto_backoff = true;
        let backoff = |kind, config: &TcpConfig| timed_out(kind, config, 64).rtt.backoff();
        assert_eq!(backoff(CongestionKind::TcpAp, &config), 1);
        assert_eq!(backoff(CongestionKind::TcpAp, &doubling), 2);
        assert_eq!(backoff(CongestionKind::Reno, &config), 2);
    }
}
