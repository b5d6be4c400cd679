//! SACK: which of its two rule sets repairs.

use super::{Recovery, Rfc6675, Sack1};
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::tcb::Tcb;

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
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self {
            Sack::Sack1(recovery) => recovery.on_ack(tcb, ack),
            Sack::Rfc6675(recovery) => recovery.on_ack(tcb, ack),
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        match self {
            Sack::Sack1(recovery) => recovery.on_timeout(tcb),
            Sack::Rfc6675(recovery) => recovery.on_timeout(tcb),
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        match self {
            Sack::Sack1(recovery) => recovery.on_supply(tcb),
            Sack::Rfc6675(recovery) => recovery.on_supply(tcb),
        }
    }

    fn in_recovery(&self) -> bool {
        match self {
            Sack::Sack1(recovery) => recovery.in_recovery(),
            Sack::Rfc6675(recovery) => recovery.in_recovery(),
        }
    }
}
