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
