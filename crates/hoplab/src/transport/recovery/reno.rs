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
use crate::transport::machine::{Machine, Meaning};
use std::cmp::Ordering;

/// Fast retransmit and fast recovery of Reno.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    /// Segments that duplicates have let out beyond the window, if a loss is being repaired.
    inflation: Option<u32>,
}

impl Reno {
    fn on_new(&mut self, machine: &mut Machine, ack: &Ack) {
        let was_repairing = self.inflation.take().is_some();
        let new = machine.acknowledge(ack);
        if was_repairing && machine.rules.is_rfc {
            machine.control.on_repair_ack(&new);
        } else {
            machine.control.on_ack(&new);
        }
    }

    fn on_duplicate(&mut self, machine: &mut Machine) {
        machine.dup_acks += 1;
        match machine.dup_acks.cmp(&machine.rules.dup_ack_threshold) {
            Ordering::Less => machine.limited_transmit(),
            Ordering::Equal if machine.may_recover() => {
                machine.begin_episode();
                machine.transmit(machine.snd_una);
                self.inflation = Some(machine.rules.dup_ack_threshold);
            }
            Ordering::Equal => {}
            Ordering::Greater => self.inflation = self.inflation.map(|segments| segments + 1),
        }
    }

    fn fill(&self, machine: &mut Machine) {
        machine.fill(machine.window(self.inflation.unwrap_or(0)), None);
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        match machine.meaning(ack) {
            Meaning::New => self.on_new(machine, ack),
            Meaning::Duplicate => {
                machine.control.on_dup_ack(machine.now(), ack);
                self.on_duplicate(machine);
            }
            Meaning::Old => {}
        }
        if machine.dup_acks == 0 || machine.dup_acks >= machine.rules.dup_ack_threshold {
            self.fill(machine);
        }
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        self.inflation = None;
        machine.dup_acks = 0;
        machine.time_out();
        self.fill(machine);
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        self.fill(machine);
    }

    fn is_repairing(&self) -> bool {
        self.inflation.is_some()
    }
}
