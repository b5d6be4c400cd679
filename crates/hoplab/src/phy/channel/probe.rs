//! Records of receivers while signals pass them, for airtime accounts and traces.
//!
//! The arrival path is generic over its probe, so that a recorded run executes the same code as a plain one.

use crate::kernel::{RadioId, Time};
use crate::packet::Frame;
use crate::phy::receiver::Radio;

/// A record of radios, called before a signal changes one.
///
/// A radio that has locked on a frame stores the time ([`Radio::rx_start`]): so a signal start at an idle radio is not
/// recorded, unless interference is cumulative.
pub trait ArrivalProbe {
    /// Whether anything is recorded: the calls are left out at compile time if not.
    const RECORDS: bool;

    /// A signal is about to change a radio, which is locked on this frame, if any.
    fn before_change(&mut self, now: Time, at: RadioId, radio: &Radio, locked_on: Option<&Frame>);

    /// A frame has collided with another one at a station. Its signal had this power there, and began at `start`.
    fn on_collision(&mut self, now: Time, at: RadioId, radio: &Radio, frame: &Frame, power: f64, start: Time);

    /// An undecodable frame may have extended the NAV, which would have expired at `before`.
    fn on_unreadable(&mut self, now: Time, at: RadioId, radio: &Radio, before: Time);
}

/// Records nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoProbe;

impl ArrivalProbe for NoProbe {
    const RECORDS: bool = false;

    #[inline]
    fn before_change(&mut self, _: Time, _: RadioId, _: &Radio, _: Option<&Frame>) {}

    #[inline]
    fn on_collision(&mut self, _: Time, _: RadioId, _: &Radio, _: &Frame, _: f64, _: Time) {}

    #[inline]
    fn on_unreadable(&mut self, _: Time, _: RadioId, _: &Radio, _: Time) {}
}
