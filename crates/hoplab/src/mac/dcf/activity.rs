//! What a station is about at a moment: asked by who accounts for its time, without any effect.

use super::station::{Mac, TxState};
use crate::kernel::Time;
use crate::packet::FrameKind;

/// What a station is about, apart from what is on the air around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationActivity {
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
    pub fn activity(&self) -> StationActivity {
        let sent = match self.state {
            TxState::Idle => None,
            TxState::Rts => Some(Sent::To(FrameKind::Rts)),
            TxState::Cts => Some(Sent::To(FrameKind::Cts)),
            TxState::Ack => Some(Sent::To(FrameKind::Ack)),
            TxState::Data if self.service.is_some_and(|service| service.frame.is_broadcast()) => Some(Sent::Broadcast),
            TxState::Data => Some(Sent::To(FrameKind::Data)),
        };
        StationActivity {
            sent,
            is_engaged: sent.is_some() || self.response.is_some() || self.is_in_sifs(),
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

    fn is_in_sifs(&self) -> bool {
        self.sifs_timer.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{NodeId, Span};
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::packet::Frame;
    use crate::phy::Reception;

    #[test]
    fn a_station_is_engaged_from_its_request_to_the_acknowledgment_with_the_gaps_between() {
        let mut station = Station::plain(&MacConfig::default());
        let doing = |station: &Station| {
            let activity = station.mac.activity();
            (activity.sent, activity.is_engaged, activity.is_contending)
        };
        station.send(OTHER, 552);
        assert_eq!(doing(&station), (None, false, true));
        station.step();
        assert_eq!(doing(&station), (Some(Sent::To(FrameKind::Rts)), true, true));
        station.ctx.now += Span::from_micros(352 + 10 + 304);
        station.hear(&Frame::blank(FrameKind::Cts, OTHER, ME), Reception::Clean);
        assert_eq!(doing(&station), (None, true, true));
        station.step();
        assert_eq!(doing(&station), (Some(Sent::To(FrameKind::Data)), true, true));
        station.hear(&Frame::blank(FrameKind::Ack, OTHER, ME), Reception::Clean);
        assert_eq!(doing(&station), (None, false, false));
    }

    #[test]
    fn only_after_a_frame_that_could_not_be_read_the_wait_is_longer() {
        // IEEE 802.11-1999 section 9.2.3.4: EIFS ends with the next frame that is read. Profile `ns2` reserves instead.
        let frame = Frame::blank(FrameKind::Cts, OTHER, NodeId(3));
        for (config, is_std) in [(MacConfig::std(), true), (MacConfig::default(), false)] {
            let mut station = Station::plain(&config);
            let eifs = station.mac.timing().eifs;
            assert_eq!(station.mac.activity().eifs_until, Time::ZERO);
            station.ctx.now = Time(1_000_000);
            station.hear(&frame, Reception::Collided);
            let until = if is_std { Time(1_000_000) + eifs } else { Time::ZERO };
            assert_eq!(station.mac.activity().eifs_until, until);
            station.hear(&frame, Reception::Clean);
            assert_eq!(station.mac.activity().eifs_until, Time::ZERO);
        }
    }
}
