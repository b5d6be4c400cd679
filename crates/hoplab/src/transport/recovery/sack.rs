//! SACK: which of its two rule sets repairs.

use super::{Recovery, Rfc6675, Sack1};
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::machine::Machine;

/// Recovery that knows what the receiver holds beyond a gap.
#[derive(Clone, Debug)]
pub enum Sack {
    /// As Sack1 of ns-2 (profile `ns2_oneway`).
    Sack1(Sack1),
    /// As RFC 6675 (profile `rfc`).
    Rfc6675(Rfc6675),
}

impl Sack {
    /// By the rules of the profile.
    pub fn new(config: &TcpConfig) -> Sack {
        if config.is_rfc() { Sack::Rfc6675(Rfc6675::default()) } else { Sack::Sack1(Sack1::default()) }
    }
}

impl Recovery for Sack {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        match self {
            Sack::Sack1(recovery) => recovery.on_ack(machine, ack),
            Sack::Rfc6675(recovery) => recovery.on_ack(machine, ack),
        }
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        match self {
            Sack::Sack1(recovery) => recovery.on_timeout(machine),
            Sack::Rfc6675(recovery) => recovery.on_timeout(machine),
        }
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        match self {
            Sack::Sack1(recovery) => recovery.on_supply(machine),
            Sack::Rfc6675(recovery) => recovery.on_supply(machine),
        }
    }

    fn is_repairing(&self) -> bool {
        match self {
            Sack::Sack1(recovery) => recovery.is_repairing(),
            Sack::Rfc6675(recovery) => recovery.is_repairing(),
        }
    }
}
