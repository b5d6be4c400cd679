//! A station for unit tests: no other one receives its frames, and the test supplies what it receives.

use super::station::Mac;
use crate::kernel::{FlowId, RadioId, Time};
use crate::mac::handshake::{Handshake, Plain};
use crate::mac::{MacConfig, MacCtx, MacOut, Timing};
use crate::mobility::Trajectory;
use crate::packet::{Datagram, Frame, NewPacket, PacketId, Payload};
use crate::phy::{Medium, RadioConfig, Reception};
use crate::sim::{Ctx, Event};
use std::marker::PhantomData;
use std::sync::Arc;

pub(in crate::mac) const ME: RadioId = RadioId(1);
pub(in crate::mac) const OTHER: RadioId = RadioId(2);

/// The station with context and medium.
pub(in crate::mac) struct Station {
    pub(in crate::mac) ctx: Ctx,
    pub(in crate::mac) medium: Medium,
    pub(in crate::mac) out: Vec<MacOut>,
    pub(in crate::mac) mac: Mac,
}

impl Station {
    pub(in crate::mac) fn new(config: &MacConfig, handshake: Handshake) -> Station {
        let ctx = Ctx::new(1, 1, 4);
        let radio = RadioConfig::default();
        let far_apart = (0..4).map(|radio| Trajectory::still(1e5 * f64::from(radio), 0.0)).collect();
        let medium = Medium::new(far_apart, &radio, &[radio.tx_power; 4], 1);
        let mac = Mac::new(ME, Arc::new(Timing::new(config)), handshake, &ctx.streams);
        Station { ctx, medium, out: Vec::new(), mac }
    }

    pub(in crate::mac) fn plain(config: &MacConfig) -> Station {
        Station::new(config, Handshake::Plain(Plain))
    }

    pub(in crate::mac) fn act(&mut self, act: impl FnOnce(&mut Mac, &mut MacCtx<'_>)) {
        let Station { ctx, medium, out, mac } = self;
        act(mac, &mut MacCtx { ctx, medium, out, kind: PhantomData });
    }

    /// A frame ends now.
    pub(in crate::mac) fn hear(&mut self, frame: &Frame, reception: Reception) {
        self.act(|mac, cx| mac.on_frame_end(cx, frame, reception));
    }

    /// From now on there is energy on the air, or none.
    pub(in crate::mac) fn has_carrier(&mut self, is_on: bool) {
        self.medium.radio_mut(ME).has_carrier = is_on;
    }

    /// Hands it a packet of so many bytes.
    pub(in crate::mac) fn send(&mut self, next_hop: RadioId, bytes: u32) {
        let packet = self.packet(ME, next_hop, bytes);
        self.act(|mac, cx| mac.send(cx, packet));
    }

    /// A packet of so many bytes, on one hop.
    pub(in crate::mac) fn packet(&mut self, from: RadioId, next_hop: RadioId, bytes: u32) -> PacketId {
        let payload = Payload::Datagram(Datagram { seq: 0, payload: bytes - 20, sent_at: Time::ZERO });
        let [src, dst] = [from, next_hop].map(|radio| self.ctx.radios.owner(radio));
        let packet = self.ctx.originate(NewPacket { flow: FlowId(0), src, dst, bytes, payload }, 2);
        self.ctx.packet_mut(packet).hop.next = next_hop;
        packet
    }

    /// Fires the next timer.
    pub(in crate::mac) fn step(&mut self) {
        let (key, event) = self.ctx.events.pop().expect("a timer");
        self.ctx.now = key.time();
        let Event::Mac { timer, .. } = event else { panic!("{event:?}") };
        self.act(|mac, cx| mac.on_timer(cx, timer));
    }

    /// Fires the timers that are due by then.
    pub(in crate::mac) fn run_until(&mut self, until: Time) {
        while self.ctx.events.next_time().is_some_and(|at| at <= until) {
            self.step();
        }
        self.ctx.now = until;
    }
}
