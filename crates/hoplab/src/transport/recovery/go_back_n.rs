//! Go-back-N: a loss retransmits everything from the lowest missing segment on, as the window opens.
//!
//! # Model
//! At a timeout, and at three duplicate acknowledgments, once per loss event; the first and the second duplicate release a
//! new segment.
//!
//! # Source
//! Jacobson 1988; `Agent/TCP` of ns-2.35 (`TcpAgent::recv`, `dupack_action`, `timeout`).
//!
//! # Deviations
//! None known. As in ns-2, a timeout keeps Tahoe's count of duplicates until the next new acknowledgment.
//!
//! # Parameters
//! `tcp.dup_ack_threshold`, `tcp.limited_transmit`.

use super::method::Recovery;
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};
use std::cmp::Ordering;

/// Back to the lowest missing segment, and everything after it again.
#[derive(Clone, Copy, Debug)]
pub struct GoBackN;

impl GoBackN {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> GoBackN {
        GoBackN
    }

    fn on_duplicate(tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        match tcb.dup_acks.cmp(&tcb.rules.dup_ack_threshold) {
            Ordering::Less => tcb.limited_transmit(),
            Ordering::Equal if tcb.can_enter_recovery() => {
                tcb.enter_recovery();
                tcb.go_back();
            }
            _ => {}
        }
    }
}

impl Recovery for GoBackN {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.kind_of(ack) {
            AckKind::New => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
            }
            AckKind::Duplicate => {
                tcb.control.on_dup_ack(tcb.now(), ack);
                GoBackN::on_duplicate(tcb);
            }
            AckKind::Old => {}
        }
        tcb.fill_window();
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        tcb.fill_window();
    }

    fn in_recovery(&self) -> bool {
        false
    }
}
