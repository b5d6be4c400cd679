//! What a station is about at a moment: asked by who accounts for its time, without any effect.

use super::dcf::{Mac, TxState};
use crate::kernel::Time;
use crate::packet::FrameKind;

/// What a station is about, apart from what is on the air around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duty {
    /// The frame that it has sent last, if that is of the exchange under way.
    pub sent: Option<Sent>,
    /// An exchange is under way: an answer is awaited, or follows after a gap.
    pub is_engaged: bool,
    /// It has a packet to send.
    pub is_contending: bool,
    /// Its packet does not contend, for a neighbor's congestion.
    pub is_parked: bool,
    /// Until when it waits longer than usual, for a frame that it could not read (profile `std`).
    pub eifs_until: Time,
}

/// A frame of the station's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// To one station.
    To(FrameKind),
    /// To everybody.
    Broadcast,
}

impl Mac {
    /// What the station is about.
    pub fn duty(&self) -> Duty {
        let sent = match self.state {
            TxState::Idle => None,
            TxState::Rts => Some(Sent::To(FrameKind::Rts)),
            TxState::Cts => Some(Sent::To(FrameKind::Cts)),
            TxState::Ack => Some(Sent::To(FrameKind::Ack)),
            TxState::Data if self.service.is_some_and(|service| service.frame.is_broadcast()) => Some(Sent::Broadcast),
            TxState::Data => Some(Sent::To(FrameKind::Data)),
        };
        Duty {
            sent,
            is_engaged: sent.is_some() || self.response.is_some() || self.gap_timer_is_set(),
            is_contending: self.service.is_some(),
            is_parked: self.parked.is_some(),
            eifs_until: self.eifs_until,
        }
    }

    /// Whether the node was congested when that was last looked at.
    pub fn was_congested(&self) -> bool {
        self.was_congested
    }

    /// Whether a data packet is parked.
    pub fn has_parked(&self) -> bool {
        self.parked.is_some()
    }

    fn gap_timer_is_set(&self) -> bool {
        self.gap_timer.is_some()
    }
}
