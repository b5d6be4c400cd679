//! SACK: the recovery that the profile selects, ns-2's Sack1 (`sack1.rs`) or RFC 6675 (`rfc6675.rs`).

use super::method::Recovery;
use super::rfc6675::Rfc6675;
use super::sack1::Sack1;
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::rules::SackRule;
use crate::transport::tcb::Tcb;
use enum_dispatch::enum_dispatch;

/// Recovery that uses the receiver's reports of out-of-order segments.
#[enum_dispatch(Recovery)]
#[derive(Clone, Debug)]
pub enum Sack {
    /// As Sack1 of ns-2 (the profiles of ns-2).
    Sack1(Sack1),
    /// As RFC 6675 (profile `rfc`).
    Rfc6675(Rfc6675),
}

impl Sack {
    /// By the rules of the profile.
    pub fn new(config: &TcpConfig) -> Sack {
        match config.profile.rules().recovery.sack {
            SackRule::Sack1 => Sack::Sack1(Sack1::default()),
            SackRule::Rfc6675 => Sack::Rfc6675(Rfc6675::default()),
        }
    }
}
