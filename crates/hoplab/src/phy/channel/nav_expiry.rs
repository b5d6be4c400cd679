//! The ends of reservations, for stations that wait for them.
//!
//! A frame that is not for a station reserves the medium there (NAV), and so do, as EIFS, frames that could not be read or
//! were too weak to disturb the one being received.
//! Whoever wants to send waits for that end: in a dense network many receivers of a frame, each a little later than the
//! one before. A timer for each would be most of the events of such a network. Instead one event goes past all those
//! who wait for the end of what one frame has reserved.
//!
//! Where a frame has few receivers, as along a chain, those who wait are one or two, and a timer of theirs costs less.
//!
//! A radio knows when the end of its wait is looked at ([`Radio::nav_check_at`]): a visit at any other time means nothing to
//! it, and is left out. Reservations that have another cause, or lasted already when a station began to wait, are for the
//! station's own timer.

use super::medium::{IGNORED_RELEASE, Medium, READ_RELEASE, Receiver, Transmission, UNREAD_RELEASE, walk_event};
use crate::kernel::{NodeId, Span, Time};
use crate::phy::receiver::{AccessWait, Radio};
use crate::phy::receiver::{NavRule, Reservation};
use crate::sim::{Ctx, PhyTimer};

/// A receiver that waits for the end of what a frame has reserved, and its propagation delay.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    node: NodeId,
    delay: u32,
}

/// Receivers of a frame from which on the ends of its reservations are walked: chains and grids of ns-2's ranges (mostly 4 to
/// 19 receivers) are slower by a tenth with it, a cell of 20 stations and 50 nodes of one neighborhood (30) quicker.
const MANY: usize = 20;

/// Receivers that wait for the same, in the order of their delays.
#[derive(Clone, Debug, Default)]
pub(in crate::phy) struct List(Vec<Waiting>);

impl List {
    /// A receiver waits for the present end of its reservation. Whether it is the first on this list.
    #[inline]
    pub(in crate::phy) fn join(&mut self, radio: &mut Radio, receiver: &Receiver) -> bool {
        radio.nav_check_at = radio.nav_until;
        self.0.push(Waiting { node: receiver.node, delay: receiver.delay });
        self.0.len() == 1
    }
}

impl Reservation {
    /// Those that a frame's last bit makes.
    pub(in crate::phy) const AFTER: [Reservation; 2] = [Reservation::Read, Reservation::Unread];

    /// Timer slot of those who wait for its end.
    fn slot(self) -> PhyTimer {
        match self {
            Reservation::Read => READ_RELEASE,
            Reservation::Unread => UNREAD_RELEASE,
            Reservation::Ignored => IGNORED_RELEASE,
        }
    }

    fn of_slot(slot: PhyTimer) -> Reservation {
        match slot {
            READ_RELEASE => Reservation::Read,
            UNREAD_RELEASE => Reservation::Unread,
            _ => Reservation::Ignored,
        }
    }
}

impl Transmission {
    /// For how long after its last bit it reserves the medium where nothing else does, at stations with this rule.
    #[inline]
    pub(in crate::phy) fn reserves(&self, reservation: Reservation, rule: Option<NavRule>) -> Span {
        let micros = match (reservation, rule) {
            (Reservation::Read, _) => u64::from(self.frame.duration),
            (Reservation::Unread, Some(rule)) => u64::from(rule.unreadable),
            (Reservation::Ignored, Some(rule)) => return rule.passing_over(self.frame.airtime) - self.frame.airtime,
            (Reservation::Unread | Reservation::Ignored, None) => 0,
        };
        Span::from_micros(micros)
    }

    /// The same of each [`Reservation`] that its last bit makes.
    #[inline]
    pub(in crate::phy) fn listed(&self, rule: Option<NavRule>) -> [Span; 2] {
        let micros = [self.frame.duration, rule.map_or(0, |rule| rule.unreadable)];
        micros.map(|micros| Span::from_micros(u64::from(micros)))
    }
}

impl Medium {
    /// Whether a node will be told when its reservation is over; if not, it has to look after that itself.
    pub fn tells_release(&mut self, ctx: &mut Ctx, node: NodeId) -> bool {
        let Some((id, place)) = self.telling.filter(|&(id, _)| self.has_many(id)) else { return false };
        let receiver = self.receivers(id)[place as usize];
        debug_assert_eq!(
            receiver.node, node,
            "only the MAC that is told of a frame's end asks for that of its reservation"
        );
        Reservation::AFTER.into_iter().any(|reservation| self.expect_release(ctx, id, reservation, &receiver))
    }

    /// Whether so many hear a transmission that those who wait are put on lists.
    #[inline]
    pub(in crate::phy) fn has_many(&self, id: u32) -> bool {
        self.receivers(id).len() >= MANY
    }

    /// Puts a receiver, past which a last bit has just gone, on a list of those who wait, if that is about the end of the
    /// receiver's reservation.
    #[inline(never)]
    pub(in crate::phy) fn expect_release(
        &mut self,
        ctx: &mut Ctx,
        id: u32,
        reservation: Reservation,
        receiver: &Receiver,
    ) -> bool {
        let sent = &mut self.transmissions[id as usize];
        let radio = &mut self.radios[receiver.node.index()];
        if radio.nav_until != ctx.now + sent.reserves(reservation, self.rule) {
            return false;
        }
        if sent.waiting[reservation as usize].join(radio, receiver) {
            self.schedule_release(ctx, id, reservation);
        }
        true
    }

    /// Whether a station that looks after the end of a reservation itself is to act on it now.
    pub fn is_released(&mut self, now: Time, node: NodeId) -> bool {
        release(&mut self.radios[node.index()], now)
    }

    /// Puts a receiver that has ignored a frame on the list of those who wait for the end of what it reserves.
    #[inline]
    pub(in crate::phy) fn expect_release_of_ignored(&mut self, ctx: &mut Ctx, id: u32, receiver: &Receiver) {
        let list = &mut self.transmissions[id as usize].waiting[Reservation::Ignored as usize];
        if list.join(&mut self.radios[receiver.node.index()], receiver) {
            self.schedule_release(ctx, id, Reservation::Ignored);
        }
    }

    /// Takes that list, which is to be handed back by [`Medium::keep_ignoring`].
    #[inline]
    pub(in crate::phy) fn take_ignoring(&mut self, id: u32) -> List {
        std::mem::take(&mut self.transmissions[id as usize].waiting[Reservation::Ignored as usize])
    }

    /// Keeps that list; if it is new, its walk is scheduled.
    #[inline]
    pub(in crate::phy) fn keep_ignoring(&mut self, ctx: &mut Ctx, id: u32, list: List, is_new: bool) {
        self.transmissions[id as usize].waiting[Reservation::Ignored as usize] = list;
        if is_new {
            self.schedule_release(ctx, id, Reservation::Ignored);
        }
    }

    /// The first receiver has been put on a list of those who wait.
    #[inline(never)]
    pub(in crate::phy) fn schedule_release(&mut self, ctx: &mut Ctx, id: u32, reservation: Reservation) {
        let sent = &mut self.transmissions[id as usize];
        let slot = reservation.slot();
        sent.visited[usize::from(slot)] = 0;
        sent.walks += 1;
        let first = sent.waiting[reservation as usize].0[0].delay;
        let at = sent.end() + sent.reserves(reservation, self.rule) + Span(u64::from(first));
        // That of who has ignored the frame was taken when it was sent.
        if reservation != Reservation::Ignored {
            sent.tickets[usize::from(slot)] = ctx.events.reserve_key(at);
        }
        ctx.events.schedule_reserved(sent.tickets[usize::from(slot)], at, walk_event(slot, sent.frame.ta, id));
    }

    /// The end of what a frame has reserved goes past those who wait for it. Who is to be told, if anybody is before
    /// `until` and all other events; to be called until nobody is.
    #[inline(never)]
    pub fn pass_release(&mut self, ctx: &mut Ctx, id: u32, slot: PhyTimer, until: Time) -> Option<NodeId> {
        let bound = ctx.events.bound(until);
        let reservation = Reservation::of_slot(slot);
        let sent = &mut self.transmissions[id as usize];
        let base = sent.end() + sent.reserves(reservation, self.rule);
        let (list, ticket) = (&mut sent.waiting[reservation as usize].0, sent.tickets[usize::from(slot)]);
        let from = sent.visited[usize::from(slot)];
        for (place, wait) in (from..).zip(&list[from as usize..]) {
            let at = base + Span(u64::from(wait.delay));
            let radio = &mut self.radios[wait.node.index()];
            if radio.nav_check_at != at {
                continue;
            }
            if ticket.moved(at) >= bound {
                sent.visited[usize::from(slot)] = place;
                ctx.events.schedule_reserved(ticket, at, walk_event(slot, sent.frame.ta, id));
                return None;
            }
            ctx.now = at;
            if release(radio, at) {
                sent.visited[usize::from(slot)] = place + 1;
                return Some(wait.node);
            }
        }
        list.clear();
        self.end_of_walk(id);
        None
    }
}

/// The end of a reservation passes a receiver. Whether its station is to be told.
#[inline]
fn release(radio: &mut Radio, now: Time) -> bool {
    if radio.awaits != AccessWait::Reservation || now != radio.nav_check_at {
        return false;
    }
    if radio.is_receiving() {
        // The end of that frame is what it waits for.
        radio.awaits = AccessWait::Quiet;
        return false;
    }
    true
}
