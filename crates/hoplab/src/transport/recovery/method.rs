//! Loss recovery as a trait (RFC 5681 section 3.2, RFC 6582, RFC 6675).
//!
//! A recovery receives every acknowledgment and timeout first. It advances the TCB's sequence, reports new data and losses
//! to the congestion control, and sends. It does not decide how large the window is; it only inflates it for duplicate
//! acknowledgments.

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use crate::packet::Ack;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::Tcb;
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;

/// Decides what is retransmitted.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait Recovery: Debug {
    /// An acknowledgment arrived. The TCB's clock is set, its sequence is not yet advanced.
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack);

    /// The retransmission timer expired. The TCB's clock is set, nothing else has changed.
    fn on_timeout(&mut self, tcb: &mut Tcb);

    /// The application supplied more: send what may be sent.
    fn on_supply(&mut self, tcb: &mut Tcb);

    /// A node on the path has dropped a segment because it has no route, or its link has failed.
    fn on_route_failure(&mut self, _tcb: &mut Tcb) {}

    /// A node that had reported a failed route has a route again, or the sender's own node has.
    fn on_route_restored(&mut self, _tcb: &mut Tcb) {}

    /// An acknowledgment, whose other effects follow, echoes the mark of a queue (RFC 3168 section 6.1.2).
    fn on_mark_echo(&mut self, tcb: &mut Tcb) {
        tcb.reduce_for_mark();
    }

    /// A pulled sender has a slot for one segment. Returns whether it sent one.
    fn on_slot(&mut self, tcb: &mut Tcb) -> bool {
        tcb.send_next()
    }

    /// Whether recovery from a loss detected by acknowledgments is in progress.
    fn in_recovery(&self) -> bool;

    /// The window to be shown, in segments: the congestion control's, unless recovery allows more than that.
    fn shown_cwnd(&self, tcb: &Tcb) -> f64 {
        tcb.control.cwnd()
    }
}
