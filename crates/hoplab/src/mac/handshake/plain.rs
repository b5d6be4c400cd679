//! Plain 802.11: every RTS is answered by a CTS.
//!
//! # Model
//! The exchange reserves the medium and decides nothing else.
//! # Source
//! IEEE 802.11-1999 section 9.2.5.4.
//! # Deviations
//! None.
//! # Parameters
//! None.

use super::{Answer, HandshakePolicy, Own};
use crate::kernel::{Span, Time};
use crate::mac::timing::Timing;
use crate::packet::Frame;

/// The policy of the standard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl HandshakePolicy for Plain {
    #[inline]
    fn answer(&mut self, _now: Time, _rts: &Frame, _own: &Own) -> Answer {
        Answer::Grant { order: false }
    }

    #[inline]
    fn answer_airtime(&self, timing: &Timing) -> Span {
        timing.cts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::NodeId;
    use crate::mac::handshake::{Decision, Handshake, Marks};
    use crate::packet::FrameKind;

    #[test]
    fn beyond_its_answer_it_decides_nothing() {
        let mut plain = Handshake::Plain(Plain);
        let (now, own, neighbor) = (Time(1000), Own::default(), NodeId(1));
        let rts = Frame::blank(FrameKind::Rts, neighbor, NodeId(0));
        assert_eq!((plain.decide(now, &own, true), plain.marks(&own)), (Decision::Contend, Marks::default()));
        assert!(!plain.is_congested(&own) && !plain.on_frame(now, &rts) && !plain.counts_reuse());
        assert!(!plain.is_refusal(&rts) && plain.may_unpark(now, &own));
        assert!(!plain.on_grant_over(now, neighbor, true, &own));
        assert_eq!((plain.on_refused(now, neighbor), plain.window(now, 63, 31)), (now, 63));
    }
}
