//! Going back: a loss sends everything from the lowest missing segment on again, as the window opens.
//!
//! # Model
//! At a timeout, and at three duplicate acknowledgments, once per episode; the first and the second let a new segment
//! out.
//!
//! # Source
//! Jacobson 1988; `Agent/TCP` of ns-2.35 (`TcpAgent::recv`, `dupack_action`, `timeout`).
//!
//! # Deviations
//! None known. As in ns-2, a timeout does not forget Tahoe's duplicates: their count goes on until the next new
//! acknowledgment.

use super::Recovery;
use crate::packet::Ack;
use crate::transport::congestion::CongestionControl;
use crate::transport::machine::{Machine, Meaning};
use std::cmp::Ordering;

/// To the lowest missing segment, and everything after it again.
#[derive(Clone, Copy, Debug)]
pub struct GoBack;

impl GoBack {
    fn on_duplicate(machine: &mut Machine) {
        machine.dup_acks += 1;
        match machine.dup_acks.cmp(&machine.rules.dup_ack_threshold) {
            Ordering::Less => machine.limited_transmit(),
            Ordering::Equal if machine.may_recover() => {
                machine.begin_episode();
                machine.go_back();
            }
            _ => {}
        }
    }
}

impl Recovery for GoBack {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        match machine.meaning(ack) {
            Meaning::New => {
                let new = machine.acknowledge(ack);
                machine.control.on_ack(&new);
            }
            Meaning::Duplicate => {
                machine.control.on_dup_ack(machine.now(), ack);
                GoBack::on_duplicate(machine);
            }
            Meaning::Old => {}
        }
        machine.fill_window();
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        machine.time_out();
        machine.fill_window();
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        machine.fill_window();
    }

    fn is_repairing(&self) -> bool {
        false
    }
}
