//! Result of a signal edge at a receiver: an indication to the MAC (PHY-CCA and PHY-RXEND of IEEE 802.11-1999 section 12.3.5),
//! or an entry in a list of stations that wait for the NAV.

use super::nav_rule::NavCause;
use super::radio::Reception;

/// What the PHY reports to a MAC of a signal that has just started or ended at its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhyIndication {
    /// The medium has become busy.
    Busy,
    /// A frame has started while the radio captures a stronger one.
    Suppressed,
    /// The frame that the radio was locked on has ended.
    RxEnd(Reception),
    /// The medium has become idle, after energy that was no frame for this station.
    Idle,
    /// A frame for this node has ended on which its radio was not locked (cumulative interference).
    Missed {
        /// With it the medium has become idle.
        is_idle: bool,
        /// The radio could have locked on it, but for another signal that began in the same slot.
        has_collided: bool,
    },
}

/// What is to be done at a receiver that a signal start or end has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The MAC is to be called.
    Indicate(PhyIndication),
    /// The station waits for the expiry of the NAV that the frame has set for this reason: it joins that list.
    Await(NavCause),
}
