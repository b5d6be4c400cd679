//! Fast recovery of NewReno: the repair goes on until everything sent before the loss was found has arrived.
//!
//! # Model
//! As Reno up to the third duplicate. An acknowledgment of new data short of `recover` (a partial one) tells of the next
//! missing segment: it is sent again at once, and the window gives back what was acknowledged, less one. The full
//! acknowledgment ends the repair.
//!
//! # Source
//! `Agent/TCP/Newreno` of ns-2.35 (`tcp/tcp-newreno.cc`) with `newreno_changes1_` 1 (`impatient`) or 0
//! (`slow_but_steady`) and `partial_window_deflation_` 1; RFC 6582 in profile `rfc`.
//!
//! # Deviations
//! As in ns-2: duplicates up to `recover` outside of a repair neither repair nor let more segments out, but they do
//! let what the window allows out, two at a time; a partial acknowledgment leaves the count of duplicates; one that
//! acknowledges the timed segment ends the back-off without being a sample. In `rfc`: bursts are not limited, the
//! repair ends with `min(ssthresh, flight + 1)`. TCP Muzha's form (muzha.md section 4) never moves the window, lets out
//! few segments at once after a repair, and has switches of its own in `[muzha]`.

use super::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::config::{NewRenoVariant, TcpConfig};
use crate::transport::congestion::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Fast retransmit and fast recovery of NewReno.
#[derive(Clone, Debug)]
pub struct NewReno {
    variant: NewRenoVariant,
    repair: Option<Repair>,
    keeping: Option<Keeping>,
}

/// A repair that leaves the window to the controller.
#[derive(Clone, Copy, Debug)]
struct Keeping {
    /// Most new segments per acknowledgment while the window fills after a repair.
    max_burst: u32,
    /// Whether it is filling.
    is_filling: bool,
    /// Instead of what `[tcp]` says.
    limited_transmit: Option<bool>,
    /// Whether the timer's end with nothing in flight costs the window.
    restarts_idle: bool,
}

#[derive(Clone, Copy, Debug)]
struct Repair {
    /// Segments that duplicates let out beyond the window.
    inflation: u32,
    /// Whether a partial acknowledgment has come.
    is_partly_done: bool,
}

impl NewReno {
    /// Nothing to repair yet.
    pub fn new(config: &TcpConfig) -> NewReno {
        NewReno { variant: config.new_reno_variant, repair: None, keeping: None }
    }

    /// The same for a controller that alone decides the window.
    pub fn keeping_window(config: &TcpConfig) -> NewReno {
        let muzha = &config.congestion.muzha;
        let keeping = Keeping {
            max_burst: muzha.max_burst,
            is_filling: false,
            limited_transmit: muzha.limited_transmit,
            restarts_idle: muzha.restart_idle,
        };
        NewReno { keeping: Some(keeping), ..NewReno::new(config) }
    }

    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self.repair.take() {
            Some(repair) if ack.cumulative < tcb.recover => {
                self.repair = Some(self.on_partial(repair, tcb, ack));
            }
            Some(_) if tcb.rules.is_rfc && self.keeping.is_none() => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_repair_ack(&new);
                let rest = f64::from(new.in_flight.max(1) + 1);
                tcb.control.on_repaired(tcb.control.ssthresh().min(rest));
            }
            repair => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
                if let Some(keeping) = &mut self.keeping {
                    keeping.is_filling |= repair.is_some();
                }
            }
        }
    }

    fn on_partial(&self, mut repair: Repair, tcb: &mut Tcb, ack: &Ack) -> Repair {
        if self.variant == NewRenoVariant::SlowButSteady || !repair.is_partly_done {
            tcb.restart_timer();
        }
        repair.is_partly_done = true;
        let new = tcb.advance(ack);
        if self.keeping.is_some() {
            repair.inflation = (repair.inflation + 1).saturating_sub(new.newly_acked);
        } else if repair.inflation > new.newly_acked {
            repair.inflation -= new.newly_acked - 1;
        } else {
            let less = f64::from(new.newly_acked - repair.inflation);
            tcb.control.set_cwnd((tcb.control.cwnd() - less).max(1.0));
            repair.inflation = 1;
        }
        if tcb.rules.is_rfc {
            tcb.measure(ack);
        } else if tcb.ends_timing(ack).is_some() {
            tcb.rtt.end_back_off();
        }
        tcb.control.on_repair_ack(&new);
        tcb.send(tcb.snd_una);
        repair
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        match tcb.dup_acks.cmp(&tcb.rules.dup_ack_threshold) {
            Ordering::Less => tcb.limited_transmit(),
            Ordering::Equal if tcb.can_enter_recovery() => {
                tcb.enter_recovery();
                tcb.transmit(tcb.snd_una);
                self.repair = Some(Repair { inflation: tcb.rules.dup_ack_threshold, is_partly_done: false });
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                if let Some(repair) = &mut self.repair {
                    repair.inflation += 1;
                }
            }
        }
    }

    /// Sends what the window allows; after a repair that has kept the window, a few at a time.
    fn fill_after_ack(&mut self, tcb: &mut Tcb) {
        let window = self.window(tcb);
        let filling = self.keeping.as_mut().filter(|keeping| keeping.is_filling);
        tcb.fill(window, filling.as_ref().map(|keeping| keeping.max_burst));
        if let Some(keeping) = filling {
            keeping.is_filling = tcb.snd_nxt < tcb.snd_una + window && tcb.has_next();
        }
    }

    fn window(&self, tcb: &Tcb) -> SegNo {
        tcb.window(self.repair.map_or(0, |repair| repair.inflation))
    }
}

impl Recovery for NewReno {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.meaning(ack) {
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
            let burst = (!tcb.rules.is_rfc).then_some(NS2_BURST);
            tcb.fill(self.window(tcb), burst);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        let repair = self.repair.take();
        tcb.dup_acks = 0;
        if let Some(keeping) = &mut self.keeping {
            keeping.is_filling = false;
            if tcb.in_flight() == 0 && !keeping.restarts_idle {
                tcb.go_back();
                return;
            }
        }
        if let Some(repair) = repair.filter(|_| tcb.control.cuts_inflated()) {
            tcb.control.set_cwnd(tcb.control.cwnd() + f64::from(repair.inflation));
        }
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if let Some(own) = self.keeping.and_then(|keeping| keeping.limited_transmit) {
            tcb.rules.limited_transmit = own;
        }
        tcb.fill(self.window(tcb), None);
    }

    fn in_recovery(&self) -> bool {
        self.repair.is_some()
    }
}

/// Segments that ns-2 sends at most at an acknowledgment while duplicates are counted, apart from the missing one.
const NS2_BURST: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::CongestionKind;
    use crate::transport::congestion::TcpApPreset;

    /// One whose timer ends while it repairs a loss: at a window of 19, 13 duplicates have come.
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
    fn a_timeout_in_a_repair_halves_the_window_without_what_duplicates_added_but_in_the_agent_of_tcp_ap() {
        let code = TcpConfig::default();
        let mut paper = TcpConfig::default();
        paper.congestion.tcp_ap.preset = TcpApPreset::Paper;
        let ssthresh = |kind, config: &TcpConfig, window| timed_out(kind, config, window).control.ssthresh();
        assert_eq!(ssthresh(CongestionKind::Reno, &code, 64), 4.0);
        assert_eq!(ssthresh(CongestionKind::TcpAp, &paper, 64), 4.0);
        // Half of 9.5 and 13; of no more than the receiver allows.
        assert_eq!(ssthresh(CongestionKind::TcpAp, &code, 64), 11.0);
        assert_eq!(ssthresh(CongestionKind::TcpAp, &code, 20), 10.0);
    }

    #[test]
    fn a_timeout_of_tcp_ap_does_not_double_the_next() {
        // tcp-ap.md section 8, test 6.
        let config = TcpConfig::default();
        let mut doubling = TcpConfig::default();
        doubling.congestion.tcp_ap.rto_backoff = true;
        let backoff = |kind, config: &TcpConfig| timed_out(kind, config, 64).rtt.backoff();
        assert_eq!(backoff(CongestionKind::TcpAp, &config), 1);
        assert_eq!(backoff(CongestionKind::TcpAp, &doubling), 2);
        assert_eq!(backoff(CongestionKind::Reno, &config), 2);
    }
}
