//! One bit at one receiver, where chance takes part or interference adds up.

use super::airtime_probe::AirtimeProbe;
use super::arrivals::{ArrivalCursor, PhyIndication};
use super::medium::{Medium, Receiver, SIGNAL_STARTS};
use super::signal::SignalEnd;
use crate::kernel::Time;
use crate::packet::Frame;
use crate::phy::receiver::NavUpdate;
use crate::phy::receiver::{Arrival, Reception};
use crate::phy::reception::Bit;
use crate::sim::Ctx;

/// A bit at one receiver, with what chance and sums need to know of its frame.
struct Visit {
    now: Time,
    receiver: Receiver,
    transmission: u32,
    frame: Frame,
    count: u64,
    is_cut: bool,
}

impl Visit {
    fn bit(&self) -> Bit<'_> {
        let (now, node) = (self.now, self.receiver.node);
        Bit { now, node, transmission: self.transmission, frame: &self.frame, count: self.count }
    }
}

impl Medium {
    /// Visits the next receiver of a walk, which does not move on. What its MAC is to be told, if anything.
    pub(in crate::phy) fn visit<L: AirtimeProbe>(
        &mut self,
        ctx: &mut Ctx,
        walk: &ArrivalCursor,
        ledger: &mut L,
    ) -> Option<PhyIndication> {
        let (now, id) = (ctx.now, walk.transmission);
        let receiver = self.receivers(id)[walk.next as usize];
        let sent = &self.transmissions[id as usize];
        let (frame, count, is_cut) = (sent.frame, sent.count, sent.is_cut);
        let visit = Visit { now, receiver, transmission: id, frame, count, is_cut };
        let radio = &self.radios[receiver.node.index()];
        let followed = radio.followed().map(|followed| &self.transmissions[followed as usize].frame);
        ledger.settle(now, receiver.node, radio, followed);
        if walk.slot == SIGNAL_STARTS {
            return self.first_bit(&visit);
        }
        if self.sinr.is_some() {
            return self.leave(&visit);
        }
        let listed = self.has_many(id).then(|| sent.listed(self.rule));
        match SignalEnd::of(id, &frame).pass(
            &mut self.radios[receiver.node.index()],
            now,
            receiver.node,
            listed,
            ledger,
        ) {
            NavUpdate::RxEnd(reception) => Some(PhyIndication::RxEnd(reception)),
            NavUpdate::Quiet => Some(PhyIndication::Idle),
            NavUpdate::Awaited(reservation) => {
                self.expect_release(ctx, id, reservation, &receiver);
                None
            }
            NavUpdate::Unnoticed => None,
        }
    }

    /// The first bit of a frame reaches a receiver.
    fn first_bit(&mut self, visit: &Visit) -> Option<PhyIndication> {
        let node = visit.receiver.node;
        let mut power = visit.receiver.power;
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
                radio.on_carrier(visit.now).then_some(PhyIndication::Busy)
            }
            Arrival::Ignored => Some(PhyIndication::Ignored),
            Arrival::Collided => None,
        }
    }

    /// A frame joins the sum at a receiver.
    fn join(&mut self, visit: &Visit, power: f64) -> Option<PhyIndication> {
        let sinr = self.sinr.as_mut()?;
        let (now, node) = (visit.now, visit.receiver.node);
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
        (heard.is_busy && !was_busy && radio.on_carrier(now)).then_some(PhyIndication::Busy)
    }

    /// A frame leaves the sum at a receiver: its last bit has passed.
    fn leave(&mut self, visit: &Visit) -> Option<PhyIndication> {
        let sinr = self.sinr.as_mut()?;
        let radio = &mut self.radios[visit.receiver.node.index()];
        let was_busy = radio.is_receiving();
        let (reception, is_busy) = sinr.on_last_bit(&visit.bit());
        let is_for_it = visit.frame.ra == visit.receiver.node;
        if radio.is_off() {
            return is_for_it.then_some(PhyIndication::Missed { is_quiet: false });
        }
        radio.has_carrier = is_busy;
        let is_quiet = was_busy && !is_busy;
        match reception {
            // What happened at this node itself weighs more: it was sending, or noise was drawn for it.
            Some(reception) => Some(PhyIndication::RxEnd(match radio.outcome(visit.now) {
                Reception::Clean => reception,
                own => own,
            })),
            None if is_for_it => Some(PhyIndication::Missed { is_quiet }),
            None => is_quiet.then_some(PhyIndication::Idle),
        }
    }
}
