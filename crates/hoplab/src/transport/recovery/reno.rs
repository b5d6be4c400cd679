//! Reno: fast retransmit and fast recovery.
//!
//! # Model
//! The third duplicate acknowledgment retransmits the missing segment. Until the next new acknowledgment each further
//! duplicate inflates the window by one segment, since it shows that one has left the network. That acknowledgment ends
//! recovery, whatever else is missing.
//!
//! # Source
//! `Agent/TCP/Reno` of ns-2.35 (`tcp/tcp-reno.cc`); RFC 5681 section 3.2 in profile `rfc`.
//!
//! # Deviations
//! Duplicates start recovery only beyond the last loss event (`bugFix_` of ns-2, RFC 6582 section 3.2 step 2), in `rfc`
//! too. As in ns-2, the acknowledgment that ends recovery lets the window grow; in `rfc` it does not.
//!
//! # Parameters
//! `tcp.dup_ack_threshold`, `tcp.limited_transmit`.

use super::method::Recovery;
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Fast retransmit and fast recovery of Reno.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    /// Segments that duplicates add to the window, if recovery is in progress.
    inflation: Option<u32>,
}

impl Reno {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> Reno {
        Reno::default()
    }

    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let was_in_recovery = self.inflation.take().is_some();
        let new = tcb.acknowledge(ack);
        if was_in_recovery && !tcb.rules.recovery.exit_ack_grows {
            tcb.control.on_recovery_ack(&new);
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
        match tcb.kind_of(ack) {
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
