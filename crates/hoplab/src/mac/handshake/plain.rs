//! Plain 802.11: a CTS for every RTS.
//!
//! # Model
//! The exchange sets the NAV of other stations and decides nothing else.
//! # Source
//! IEEE 802.11-1999 sections 9.2.5.4 and 9.2.5.7.
//! # Deviations
//! None.
//! # Parameters
//! None.

use super::policy::{HandshakePolicy, LocalState, RtsResponse};
use super::setup::{EngineHandshake, HandshakeSetup};
use crate::kernel::{Span, Time};
use crate::mac::timing::Timing;
use crate::packet::Frame;

/// The policy of the standard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl HandshakePolicy for Plain {
    #[inline]
    fn respond(&mut self, _now: Time, _rts: &Frame, _local: &LocalState) -> RtsResponse {
        RtsResponse::Cts { order: false }
    }

    #[inline]
    fn response_airtime(&self, timing: &Timing) -> Span {
        timing.cts
    }
}

impl EngineHandshake for Plain {
    const PAGE: &'static str = "dcf";
    type Rules = ();

    fn build(_rules: &(), _setup: &HandshakeSetup<'_>) -> Plain {
        Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::RadioId;
    use crate::mac::handshake::{Decision, Handshake, RtsBits};
    use crate::packet::FrameKind;

    #[test]
    fn plain_policy_decides_nothing_but_its_response() {
        let mut plain = Handshake::Plain(Plain);
        let (now, local, neighbor) = (Time(1000), LocalState::default(), RadioId(1));
        let rts = Frame::blank(FrameKind::Rts, neighbor, RadioId(0));
        assert_eq!((plain.decide(now, &local, true), plain.rts_bits(&local)), (Decision::Contend, RtsBits::default()));
        assert!(!plain.is_congested(&local) && !plain.on_frame(now, &rts) && !plain.counts_refusal());
        assert!(!plain.is_refusal(&rts) && plain.may_unpark(now, &local));
        assert!(!plain.on_grant_over(now, neighbor, true, &local));
        assert_eq!((plain.on_refused(now, neighbor, &local), plain.window(now, 63, 31)), (now, 63));
    }
}
