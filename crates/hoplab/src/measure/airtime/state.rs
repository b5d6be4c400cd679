//! The state of a node that an airtime account reads: its radio, its station, and the frame that the radio is locked on.

use super::usage::AirtimeUse;
use crate::kernel::{RadioId, Time};
use crate::mac::Mac;
use crate::packet::Frame;
use crate::phy::{Medium, Radio};

/// A node at one time; it determines the use of the time since the node's last change.
#[derive(Clone, Copy, Debug)]
pub struct NodeState<'a> {
    pub(super) now: Time,
    pub(super) at: RadioId,
    pub(super) radio: &'a Radio,
    /// The frame that the radio is locked on.
    pub(super) locked_on: Option<&'a Frame>,
    /// Stations of all nodes.
    pub(super) macs: &'a [Mac],
}

impl<'a> NodeState<'a> {
    /// The node at one of its radios, now.
    pub fn new(now: Time, at: RadioId, medium: &'a Medium, macs: &'a [Mac]) -> NodeState<'a> {
        NodeState { now, at, radio: medium.radio(at), locked_on: medium.locked_frame(at), macs }
    }

    /// Since when the medium has been busy; now, if it is idle. Unknown (zero) with cumulative interference and after a
    /// collision: the account was then updated when the interferer arrived.
    #[inline]
    pub(super) fn busy_since(&self) -> Time {
        match self.locked_on {
            Some(frame) if !self.radio.has_collided() => self.radio.rx_start(frame.airtime),
            None if !self.radio.is_receiving() => self.now,
            _ => Time::ZERO,
        }
    }

    /// What the time is used for while the medium is busy.
    #[inline]
    pub(super) fn reception(&self) -> AirtimeUse {
        match self.locked_on {
            _ if self.radio.has_collided() => AirtimeUse::Collision,
            Some(frame) if frame.ra == self.at || frame.is_broadcast() => AirtimeUse::Received,
            _ => AirtimeUse::Overheard,
        }
    }
}
