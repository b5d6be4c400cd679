//! Accounts of receivers' time, for those who want to know what it goes into.
//!
//! A receiver that has begun to follow a frame knows since when, so that its account need not be looked at for that; it is
//! when the frame meets another one, and when it is over.

use crate::kernel::{NodeId, Time};
use crate::packet::Frame;
use crate::phy::receiver::Radio;

/// Who keeps account of what receivers' time goes into.
pub trait AirtimeProbe {
    /// Whether anybody does.
    const IS_KEPT: bool;

    /// A bit is about to change a receiver: what its time has gone into so far may be booked. It follows this frame, if
    /// any.
    fn settle(&mut self, now: Time, node: NodeId, radio: &Radio, followed: Option<&Frame>);

    /// A frame that could not be read may have extended a reservation, which had ended at `before` until then.
    fn on_unreadable(&mut self, now: Time, node: NodeId, radio: &Radio, before: Time);
}

/// Nobody does.
#[derive(Clone, Copy, Debug)]
pub struct NoProbe;

impl AirtimeProbe for NoProbe {
    const IS_KEPT: bool = false;

    #[inline]
    fn settle(&mut self, _: Time, _: NodeId, _: &Radio, _: Option<&Frame>) {}

    #[inline]
    fn on_unreadable(&mut self, _: Time, _: NodeId, _: &Radio, _: Time) {}
}
