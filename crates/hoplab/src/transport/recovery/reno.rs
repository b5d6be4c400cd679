//! Fast retransmit and fast recovery of Reno.
//!
//! # Model
//! The third duplicate acknowledgment sends the missing segment again. Until the next new acknowledgment each further
//! duplicate lets one more segment out, since it tells that one has left the network. That acknowledgment ends the
//! repair, whatever else is missing.
//!
//! # Source
//! `Agent/TCP/Reno` of ns-2.35 (`tcp/tcp-reno.cc`); RFC 5681 section 3.2 in profile `rfc`.
//!
//! # Deviations
//! Duplicates are believed only beyond the last episode (`bugFix_` of ns-2, RFC 6582 section 3.2 step 2), in `rfc`
//! too. As in ns-2, the acknowledgment that ends the repair makes the window grow; in `rfc` it does not.

use super::Recovery;
use crate::packet::Ack;
use crate::transport::congestion::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Fast retransmit and fast recovery of Reno.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    /// Segments that duplicates have let out beyond the window, if a loss is being repaired.
    inflation: Option<u32>,
}

impl Reno {
    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let was_repairing = self.inflation.take().is_some();
        let new = tcb.acknowledge(ack);
        if was_repairing && tcb.rules.is_rfc {
            tcb.control.on_repair_ack(&new);
        } else {
            tcb.control.on_ack(&new);
        }
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        match tcb.dup_acks.cmp(&tcb.rules.dup_ack_threshold) {
            Ordering::Less => tcb.limited_transmit(),
            Ordering::Equal if tcb.can_enter_recovery() => {
                tcb.enter_recovery();
                tcb.transmit(tcb.snd_una);
                self.inflation = Some(tcb.rules.dup_ack_threshold);
            }
            Ordering::Equal => {}
            Ordering::Greater => self.inflation = self.inflation.map(|segments| segments + 1),
        }
    }

    fn fill(&self, tcb: &mut Tcb) {
        tcb.fill(tcb.window(self.inflation.unwrap_or(0)), None);
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.meaning(ack) {
            AckKind::New => self.on_new(tcb, ack),
            AckKind::Duplicate => {
                tcb.control.on_dup_ack(tcb.now(), ack);
                self.on_duplicate(tcb);
            }
            AckKind::Old => {}
        }
        if tcb.dup_acks == 0 || tcb.dup_acks >= tcb.rules.dup_ack_threshold {
            self.fill(tcb);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        self.inflation = None;
        tcb.dup_acks = 0;
        tcb.time_out();
        self.fill(tcb);
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        self.fill(tcb);
    }

    fn in_recovery(&self) -> bool {
        self.inflation.is_some()
    }
}
