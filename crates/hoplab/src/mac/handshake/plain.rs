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

use super::{Answer, HandshakePolicy};
use crate::kernel::Span;
use crate::mac::timing::Timing;
use crate::packet::Frame;

/// The policy of the standard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl HandshakePolicy for Plain {
    fn order_bit(&mut self) -> bool {
        false
    }

    fn answer(&mut self, _rts: &Frame) -> Answer {
        Answer::Grant { order: false }
    }

    fn on_frame(&mut self, _frame: &Frame) {}

    fn answer_airtime(&self, timing: &Timing) -> Span {
        timing.cts
    }
}
