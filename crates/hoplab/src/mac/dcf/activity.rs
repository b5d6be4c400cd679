//! The activity of a station at a time (IEEE 802.11-1999 section 9.2), for airtime accounts of `measure` and for samples.
//! Reading it changes nothing.

use super::state::SentFrame;
use super::station::Mac;
use crate::kernel::Time;
use crate::packet::FrameKind;

/// What a station does, apart from the signals around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationActivity {
    /// The frame that it has sent last in the current exchange.
    pub sent: Option<Sent>,
    /// An exchange has begun: a response is awaited, or a frame follows after SIFS.
    pub is_engaged: bool,
    /// It has a packet to send.
    pub is_contending: bool,
    /// Its packet is parked, for a neighbor's congestion.
    pub is_parked: bool,
    /// Until when EIFS runs, after a frame that it could not decode (profile `std`).
    pub eifs_until: Time,
}

/// A frame of the station's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Unicast.
    To(FrameKind),
    /// Broadcast.
    Broadcast,
}

impl Mac {
    /// What the station does now.
    pub fn activity(&self) -> StationActivity {
        let sent = self.exchange.sent().map(|frame| match frame {
            SentFrame::Broadcast => Sent::Broadcast,
            SentFrame::Rts => Sent::To(FrameKind::Rts),
            SentFrame::Cts { .. } | SentFrame::SelfCts => Sent::To(FrameKind::Cts),
            SentFrame::Data => Sent::To(FrameKind::Data),
            SentFrame::Aggregate => Sent::To(FrameKind::Aggregate),
            SentFrame::BlockAckRequest => Sent::To(FrameKind::BlockAckRequest),
            SentFrame::CfEnd => Sent::To(FrameKind::CfEnd),
            SentFrame::Ack { .. } => Sent::To(FrameKind::Ack),
        });
        StationActivity {
            sent,
            is_engaged: self.exchange.has_timer() || self.exchange.owes_response(),
            is_contending: self.outgoing.service.is_some() || self.has_other_service(),
            is_parked: self.has_parked(),
            eifs_until: self.access.eifs_until,
        }
    }

    /// Whether the node was congested when its congestion was last recorded.
    pub fn was_congested(&self) -> bool {
        self.was_congested
    }

    /// Whether a data packet is parked.
    pub fn has_parked(&self) -> bool {
        self.parking.is_parked() || self.functions.as_ref().is_some_and(|functions| functions.has_parked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{RadioId, Span};
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::packet::Frame;
    use crate::phy::Reception;

    #[test]
    fn station_is_engaged_from_rts_to_ack_with_each_sifs() {
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
    fn eifs_runs_after_an_undecodable_frame_in_std_alone() {
        // IEEE 802.11-1999 section 9.2.3.4: EIFS ends with the next decoded frame. Profile `ns2` sets the NAV instead.
        let frame = Frame::blank(FrameKind::Cts, OTHER, RadioId(3));
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
