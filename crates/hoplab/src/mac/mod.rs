//! Medium access by the distributed coordination function of IEEE 802.11, one packet at a time.

mod access;
mod backoff;
mod config;
mod dcf;
mod duty;
mod exchange;
pub mod handshake;
pub mod observer;
mod parking;
mod receive;
mod timing;

pub use config::{MacConfig, MacProfile, Preamble};
pub use dcf::Mac;
pub use duty::{Duty, Sent};
pub use timing::{ACK_BYTES, CTS_BYTES, RTS_BYTES, Timing};

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::phy::Medium;
use crate::sim::Ctx;

/// What the MAC tells the layer above, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacOut {
    /// A packet has arrived for this node (or everybody). Whoever keeps it takes a copy, at once.
    Received {
        /// The sender's.
        packet: PacketId,
        /// Neighbor that sent it.
        from: NodeId,
    },
    /// The packet has been acknowledged, or broadcast: the MAC needs it no longer.
    Sent {
        /// Which.
        packet: PacketId,
    },
    /// All attempts have failed. Comes before the [`MacOut::Ready`] that follows.
    Failed {
        /// Which.
        packet: PacketId,
        /// Neighbor it was for.
        next_hop: NodeId,
        /// The neighbor had taken a copy over all the same: only its acknowledgments were lost.
        reached_next_hop: bool,
    },
    /// The MAC can take the next packet.
    Ready,
    /// The packet in service is parked: the MAC can take a control packet, and no other.
    Parked,
    /// It contends again: the MAC takes nothing.
    Unparked,
}

/// What the MAC may use while it handles an event.
#[derive(Debug)]
pub struct MacCtx<'a> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// The air.
    pub medium: &'a mut Medium,
    /// What it tells the layer above.
    pub out: &'a mut Vec<MacOut>,
}

#[cfg(test)]
mod tests {
    //! One station that is called by hand: nobody hears it, and it hears what a test says.

    use super::dcf::TxState;
    use super::handshake::{Handshake, Plain};
    use super::observer::{Busy, Observer};
    use super::{Mac, MacConfig, MacCtx, MacOut, Sent, Timing};
    use crate::kernel::{FlowId, NodeId, Span, Time};
    use crate::mobility::Trajectory;
    use crate::packet::{Datagram, Frame, FrameKind, Packet, PacketId, Payload};
    use crate::phy::{CcaReporting, Medium, NavRule, Radio, RadioConfig, Reception};
    use crate::sim::Ctx;
    use crate::sim::Event;
    use std::sync::Arc;

    pub(super) const ME: NodeId = NodeId(1);
    pub(super) const OTHER: NodeId = NodeId(2);

    /// The station, and all that it needs.
    pub(super) struct Station {
        pub(super) ctx: Ctx,
        pub(super) medium: Medium,
        pub(super) out: Vec<MacOut>,
        pub(super) mac: Mac,
    }

    impl Station {
        pub(super) fn new(config: &MacConfig, handshake: Handshake) -> Station {
            let ctx = Ctx::new(1, 1, 4);
            let radio = RadioConfig::default();
            let far_apart = (0..4).map(|node| Trajectory::still(1e5 * f64::from(node), 0.0)).collect();
            let medium = Medium::new(far_apart, &radio, &[radio.tx_power; 4], 1);
            let mac = Mac::new(ME, Arc::new(Timing::new(config)), handshake, &ctx.streams);
            Station { ctx, medium, out: Vec::new(), mac }
        }

        pub(super) fn plain(config: &MacConfig) -> Station {
            Station::new(config, Handshake::Plain(Plain))
        }

        pub(super) fn act(&mut self, act: impl FnOnce(&mut Mac, &mut MacCtx<'_>)) {
            act(&mut self.mac, &mut MacCtx { ctx: &mut self.ctx, medium: &mut self.medium, out: &mut self.out });
        }

        /// A frame ends now.
        pub(super) fn hear(&mut self, frame: &Frame, reception: Reception) {
            self.act(|mac, cx| mac.on_frame_end(cx, frame, reception));
        }

        /// From now on there is energy on the air, or none.
        pub(super) fn has_carrier(&mut self, is_on: bool) {
            self.medium.radio_mut(ME).has_carrier = is_on;
        }

        /// It is handed a packet of so many bytes.
        pub(super) fn send(&mut self, next_hop: NodeId, bytes: u32) {
            let packet = self.packet(ME, next_hop, bytes);
            self.act(|mac, cx| mac.send(cx, packet));
        }

        /// A packet of so many bytes, on one hop.
        pub(super) fn packet(&mut self, from: NodeId, next_hop: NodeId, bytes: u32) -> PacketId {
            self.ctx.originate(Packet {
                flow: FlowId(0),
                src: from,
                dst: next_hop,
                next_hop,
                prev_hop: from,
                bytes,
                ttl: 2,
                forwards: 0,
                uid: 0,
                made_at: Time::ZERO,
                queued_at: Time::ZERO,
                entered_at: Time::NEVER,
                payload: Payload::Datagram(Datagram { seq: 0, payload: bytes - 20, sent_at: Time::ZERO }),
            })
        }

        /// Lets the next timer end.
        fn step(&mut self) {
            let (key, event) = self.ctx.events.pop().expect("a timer");
            self.ctx.now = key.time();
            let Event::Mac { timer, .. } = event else { panic!("{event:?}") };
            self.act(|mac, cx| mac.on_timer(cx, timer));
        }

        /// Lets the timers end that are due by then.
        pub(super) fn run_until(&mut self, until: Time) {
            while self.ctx.events.next_time().is_some_and(|at| at <= until) {
                self.step();
            }
            self.ctx.now = until;
        }
    }

    #[test]
    fn a_backoff_waits_for_nothing_where_its_slots_could_be_counted() {
        let mut station = Station::plain(&MacConfig::default());
        let mut reserved = Radio::default();
        reserved.reserve(Time::ZERO, 1);
        assert!(!station.mac.waits_for_nothing(Time(2000), &reserved), "there is no backoff");
        station.mac.backoff.draw(3);
        let waits = |mac: &Mac| [999, 1000, 1001].map(|at| mac.waits_for_nothing(Time(at), &reserved));
        assert_eq!(waits(&station.mac), [false, false, true]);
        station.mac.state = TxState::Rts;
        assert_eq!(waits(&station.mac), [false; 3]);
        station.mac.state = TxState::Idle;
        station.act(Mac::check_access);
        let radio = station.medium.radio_mut(ME);
        assert!(!station.mac.waits_for_nothing(Time(2000), radio), "it counts");
        radio.watch = CcaReporting::Paused;
        assert!(station.mac.waits_for_nothing(Time(2000), radio), "it was to pause, and the medium is idle again");
    }

    #[test]
    fn a_station_is_engaged_from_its_request_to_the_acknowledgment_with_the_gaps_between() {
        let mut station = Station::plain(&MacConfig::default());
        let doing = |station: &Station| {
            let duty = station.mac.duty();
            (duty.sent, duty.is_engaged, duty.is_contending)
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
            assert_eq!(station.mac.duty().eifs_until, Time::ZERO);
            station.ctx.now = Time(1_000_000);
            station.hear(&frame, Reception::Collided);
            let until = if is_std { Time(1_000_000) + eifs } else { Time::ZERO };
            assert_eq!(station.mac.duty().eifs_until, until);
            station.hear(&frame, Reception::Clean);
            assert_eq!(station.mac.duty().eifs_until, Time::ZERO);
        }
    }

    #[test]
    fn a_station_of_ns2_whose_frames_nobody_watches_needs_its_reservation_alone() {
        for (config, is_simple) in [
            (MacConfig::default(), true),
            (MacConfig { nav_reset_after_rts: true, ..MacConfig::default() }, false),
            (MacConfig::std(), false),
            (MacConfig { nav_reset_after_rts: false, ..MacConfig::std() }, false),
        ] {
            let mut mac = Station::plain(&config).mac;
            assert_eq!(mac.nav_rule(), NavRule::new(mac.timing().eifs).filter(|_| is_simple), "{config:?}");
            mac.observe(Observer::Busy(Box::new(Busy::new(ME))));
            assert_eq!(mac.nav_rule(), None);
        }
    }
}
