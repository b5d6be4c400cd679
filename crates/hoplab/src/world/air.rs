//! Between radios and MACs: the bits of frames pass their hearers, and radios are switched.

use super::World;
use crate::kernel::{NodeId, Time};
use crate::packet::Frame;
use crate::phy::{Arrival, Departure, FIRST_BITS, Hearer, Reception, Switched, Walk};
use crate::trace::{Loss, What};

impl World {
    /// Switches a node's radio; its MAC and everything above go on, and find out by themselves.
    pub(super) fn switch(&mut self, node: NodeId, is_on: bool) {
        self.book(node);
        self.ctx.note(node, What::Switched { is_on });
        let switched = self.medium.switch(self.ctx.now, node, is_on);
        let is_watched = self.medium.radio(node).watched;
        let (mac, mut cx) = self.mac(node);
        match switched {
            Switched::Released(frame) => mac.on_frame_end(&mut cx, &frame, Reception::Deaf),
            Switched::Quiet => mac.on_quiet(&mut cx),
            Switched::Busy if is_watched => mac.on_busy(&mut cx),
            Switched::Busy | Switched::Unnoticed => {}
        }
        self.carry_up(node);
    }

    /// Walks the first or last bit of a frame past its hearers.
    pub(super) fn walk(&mut self, id: u32, slot: u8, until: Time) {
        let mut walk = self.medium.begin_walk(id, slot);
        loop {
            let hearer = walk.hearer();
            if slot == FIRST_BITS {
                self.on_first_bit(&walk, hearer);
            } else if self.medium.adds_up() {
                self.on_departure(&walk, hearer.node);
            } else {
                self.on_last_bit(id, &walk.frame, hearer.node);
            }
            match walk.step(&self.ctx, until) {
                Some(at) => self.ctx.now = at,
                None => break,
            }
        }
        self.medium.end_walk(&mut self.ctx, walk);
    }

    #[inline]
    fn on_first_bit(&mut self, walk: &Walk, hearer: Hearer) {
        self.book(hearer.node);
        match self.medium.arrive(self.ctx.now, walk, hearer) {
            Some(Arrival::Followed) => {
                if self.medium.radio(hearer.node).watched {
                    let (mac, mut cx) = self.mac(hearer.node);
                    mac.on_busy(&mut cx);
                }
            }
            Some(Arrival::Ignored) => {
                let before = self.reserved(hearer.node);
                let (mac, mut cx) = self.mac(hearer.node);
                mac.on_ignored(&mut cx, &walk.frame);
                self.book_unreadable(hearer.node, before);
            }
            Some(Arrival::Collided) | None => {}
        }
    }

    #[inline]
    fn on_last_bit(&mut self, id: u32, frame: &Frame, node: NodeId) {
        self.book(node);
        let before = self.reserved(node);
        let radio = self.medium.radio_mut(node);
        if radio.follows(id) {
            let outcome = radio.outcome(self.ctx.now);
            if frame.ra != node && !frame.is_broadcast() && radio.pass_by(self.ctx.now, frame.duration) {
                if outcome != Reception::Clean {
                    self.book_unreadable(node, before);
                }
                return;
            }
            let (mac, mut cx) = self.mac(node);
            mac.on_frame_end(&mut cx, frame, outcome);
            if outcome != Reception::Clean {
                self.book_unreadable(node, before);
            }
            self.carry_up(node);
        }
    }

    /// The last bit of a frame passes a receiver that adds interference up.
    fn on_departure(&mut self, walk: &Walk, node: NodeId) {
        self.book(node);
        let before = self.reserved(node);
        let departure = self.medium.leave(self.ctx.now, walk, node);
        if walk.frame.ra == node && !matches!(departure, Departure::Received(_)) {
            let (kind, from) = (walk.frame.kind, walk.frame.ta);
            self.ctx.trace.frame_lost(self.ctx.now, node, kind, from, Loss::Busy);
        }
        match departure {
            Departure::Received(reception) => {
                let (mac, mut cx) = self.mac(node);
                mac.on_frame_end(&mut cx, &walk.frame, reception);
                if reception != Reception::Clean {
                    self.book_unreadable(node, before);
                }
                self.carry_up(node);
            }
            Departure::Quiet => {
                let (mac, mut cx) = self.mac(node);
                mac.on_quiet(&mut cx);
            }
            Departure::Unnoticed => {}
        }
    }
}
