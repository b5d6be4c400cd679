//! One bit at one hearer, where chance takes part or interference adds up.

use super::bit::LastBit;
use super::bystander::Passing;
use super::ledger::Ledger;
use super::medium::{FIRST_BITS, Hearer, Medium};
use super::radio::{Arrival, Reception};
use super::sinr::Bit;
use super::walk::{Told, Walk};
use crate::kernel::Time;
use crate::packet::Frame;
use crate::trace::Ctx;

/// A bit at one hearer, with what chance and sums need to know of its frame.
struct Visit {
    now: Time,
    hearer: Hearer,
    transmission: u32,
    frame: Frame,
    count: u64,
    is_cut: bool,
}

impl Visit {
    fn bit(&self) -> Bit<'_> {
        let (now, node) = (self.now, self.hearer.node);
        Bit { now, node, transmission: self.transmission, frame: &self.frame, count: self.count }
    }
}

impl Medium {
    /// Visits the next hearer of a walk, which does not move on. What its MAC is to be told, if anything.
    pub(super) fn visit<L: Ledger>(&mut self, ctx: &mut Ctx, walk: &Walk, ledger: &mut L) -> Option<Told> {
        let (now, id) = (ctx.now, walk.transmission);
        let hearer = self.hearers(id)[walk.next as usize];
        let sent = &self.transmissions[id as usize];
        let (frame, count, is_cut) = (sent.frame, sent.count, sent.is_cut);
        let visit = Visit { now, hearer, transmission: id, frame, count, is_cut };
        let radio = &self.radios[hearer.node.index()];
        let followed = radio.followed().map(|followed| &self.transmissions[followed as usize].frame);
        ledger.settle(now, hearer.node, radio, followed);
        if walk.slot == FIRST_BITS {
            return self.first_bit(&visit);
        }
        if self.sinr.is_some() {
            return self.leave(&visit);
        }
        let listed = self.has_many(id).then(|| sent.listed(self.rule));
        match LastBit::of(id, &frame).pass(&mut self.radios[hearer.node.index()], now, hearer.node, listed, ledger) {
            Passing::Told(reception) => Some(Told::Over(reception)),
            Passing::Quiet => Some(Told::Quiet),
            Passing::Awaited(reservation) => {
                self.expect_release(ctx, id, reservation, &hearer);
                None
            }
            Passing::Unnoticed => None,
        }
    }

    /// The first bit of a frame reaches a hearer.
    fn first_bit(&mut self, visit: &Visit) -> Option<Told> {
        let node = visit.hearer.node;
        let mut power = visit.hearer.power;
        if let Some(fading) = &self.fading {
            power *= fading.factor(visit.frame.ta, node, visit.count);
            if power < self.cs_threshold && self.sinr.is_none() {
                return None;
            }
        }
        if self.sinr.is_some() {
            return self.join(visit, power);
        }
        let threshold = if visit.is_cut { f64::INFINITY } else { self.rx_threshold };
        let radio = &mut self.radios[node.index()];
        if radio.is_off() {
            return None;
        }
        let (airtime, ratio) = (visit.frame.airtime, self.capture_ratio);
        match radio.on_arrival(visit.now, visit.transmission, power, airtime, threshold, ratio) {
            Arrival::Followed => {
                if let Some(errors) = &mut self.errors
                    && radio.is_readable()
                    && errors.spoils(visit.now, &visit.frame, power, node, visit.count)
                {
                    radio.add_noise();
                }
                radio.on_carrier(visit.now).then_some(Told::Busy)
            }
            Arrival::Ignored => Some(Told::Ignored),
            Arrival::Collided => None,
        }
    }

    /// A frame joins the sum at a receiver.
    fn join(&mut self, visit: &Visit, power: f64) -> Option<Told> {
        let sinr = self.sinr.as_mut()?;
        let (now, node) = (visit.now, visit.hearer.node);
        let radio = &mut self.radios[node.index()];
        let was_busy = radio.is_receiving();
        let heard = sinr.on_first_bit(&visit.bit(), power, radio.is_sending(now) || radio.is_off());
        if radio.is_off() {
            return None;
        }
        if heard.is_locked {
            radio.follow(visit.transmission);
            if visit.is_cut {
                radio.spoil(visit.transmission);
            }
            if let Some(errors) = &mut self.errors
                && power >= self.rx_threshold
                && errors.spoils(now, &visit.frame, power, node, visit.count)
            {
                radio.add_noise();
            }
        }
        radio.has_carrier = heard.is_busy;
        (heard.is_busy && !was_busy && radio.on_carrier(now)).then_some(Told::Busy)
    }

    /// A frame leaves the sum at a receiver: its last bit has passed.
    fn leave(&mut self, visit: &Visit) -> Option<Told> {
        let sinr = self.sinr.as_mut()?;
        let radio = &mut self.radios[visit.hearer.node.index()];
        let was_busy = radio.is_receiving();
        let (reception, is_busy) = sinr.on_last_bit(&visit.bit());
        let is_for_it = visit.frame.ra == visit.hearer.node;
        if radio.is_off() {
            return is_for_it.then_some(Told::Missed { is_quiet: false });
        }
        radio.has_carrier = is_busy;
        let is_quiet = was_busy && !is_busy;
        match reception {
            // What happened at this node itself weighs more: it was sending, or noise was drawn for it.
            Some(reception) => Some(Told::Over(match radio.outcome(visit.now) {
                Reception::Clean => reception,
                own => own,
            })),
            None if is_for_it => Some(Told::Missed { is_quiet }),
            None => is_quiet.then_some(Told::Quiet),
        }
    }
}
