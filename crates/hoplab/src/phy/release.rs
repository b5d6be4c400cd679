//! The ends of reservations, for stations that wait for them.
//!
//! A frame that is not for a station reserves the medium there (NAV), and so do, as EIFS, frames that could not be read.
//! Whoever wants to send waits for that end: in a dense network many hearers of a frame, each a little later than the
//! one before. A timer for each would be most of the events of such a network. Instead one event goes past all those
//! who wait for the end of what one frame has reserved.
//!
//! Where a frame has few hearers, as along a chain, those who wait are one or two, and a timer of theirs costs less.
//!
//! A radio knows when the end of its wait is looked at ([`Radio::visit_at`]): a visit at any other time means nothing to
//! it, and is left out. Reservations that have another cause, or lasted already when a station began to wait, are for the
//! station's own timer.

use super::medium::{Hearer, Medium, READ_RELEASE, UNREAD_RELEASE, walk_event};
use super::radio::{Awaits, Radio};
use super::walk::Walk;
use crate::kernel::{NodeId, Span, Time};
use crate::trace::Ctx;

/// A hearer that waits for the end of what a frame has reserved, and its propagation delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) node: NodeId,
    pub(super) delay: u32,
}

/// Hearers of a frame from which on the ends of its reservations are walked: chains and grids of ns-2's ranges (4 to 20
/// hearers) are slower by a tenth with it, 50 nodes of one neighborhood (30) quicker.
pub(super) const MANY: usize = 24;

impl Medium {
    /// The last bit of this walk's frame is being told to a MAC.
    #[inline]
    pub fn begin_telling(&mut self, walk: &Walk) {
        self.telling = Some((walk.transmission(), walk.place()));
    }

    /// The telling is over.
    #[inline]
    pub fn end_telling(&mut self) {
        self.telling = None;
    }

    /// Whether a node will be told when its reservation is over; if not, it has to look after that itself.
    pub fn tells_release(&mut self, ctx: &mut Ctx, node: NodeId) -> bool {
        let until = self.radios[node.index()].reserved_until;
        let Some((id, place)) = self.telling else { return false };
        let sent = &self.transmissions[id as usize];
        let hearers = self.places.hearers(sent.frame.ta, &sent.hearers);
        if hearers.len() < MANY {
            return false;
        }
        let hearer = hearers[place as usize];
        let slots = [READ_RELEASE, UNREAD_RELEASE];
        let Some(slot) = slots.into_iter().find(|&slot| sent.base(slot, self.unreadable) + hearer.delay() == until)
        else {
            return false;
        };
        self.expect_release(ctx, id, slot, &hearer)
    }

    /// Puts a hearer on a list of those who wait, if there are enough hearers that this is worth it.
    #[inline(never)]
    pub(super) fn expect_release(&mut self, ctx: &mut Ctx, id: u32, slot: u8, hearer: &Hearer) -> bool {
        let sent = &mut self.transmissions[id as usize];
        if self.places.hearers(sent.frame.ta, &sent.hearers).len() < MANY {
            return false;
        }
        let radio = &mut self.radios[hearer.node.index()];
        radio.visit_at = radio.reserved_until;
        let list = &mut sent.waiting[list_of(slot)];
        list.push(Waiting { node: hearer.node, delay: hearer.delay });
        if list.len() == 1 {
            self.schedule_release(ctx, id, slot);
        }
        true
    }

    /// Whether a station that looks after the end of a reservation itself is to act on it now.
    pub fn is_released(&mut self, now: Time, node: NodeId) -> bool {
        release(&mut self.radios[node.index()], now)
    }

    /// The first hearer has been put on a list of those who wait.
    #[inline(never)]
    pub(super) fn schedule_release(&mut self, ctx: &mut Ctx, id: u32, slot: u8) {
        let sent = &mut self.transmissions[id as usize];
        sent.visited[usize::from(slot)] = 0;
        sent.walks += 1;
        let at = sent.base(slot, self.unreadable) + Span(u64::from(sent.waiting[list_of(slot)][0].delay));
        let ticket = ctx.events.ticket(at);
        sent.tickets[usize::from(slot)] = ticket;
        ctx.events.reschedule(ticket, at, walk_event(slot, sent.frame.ta, id));
    }

    /// The end of what a frame has reserved goes past those who wait for it. Who is to be told, if anybody is before
    /// `until` and all other events; to be called until nobody is.
    #[inline(never)]
    pub fn pass_release(&mut self, ctx: &mut Ctx, id: u32, slot: u8, until: Time) -> Option<NodeId> {
        let bound = ctx.events.bound(until);
        let sent = &mut self.transmissions[id as usize];
        let base = sent.base(slot, self.unreadable);
        let (list, ticket) = (&mut sent.waiting[list_of(slot)], sent.tickets[usize::from(slot)]);
        let from = sent.visited[usize::from(slot)];
        for (place, wait) in (from..).zip(&list[from as usize..]) {
            let at = base + Span(u64::from(wait.delay));
            let radio = &mut self.radios[wait.node.index()];
            if radio.visit_at != at {
                continue;
            }
            if ticket.moved(at) >= bound {
                sent.visited[usize::from(slot)] = place;
                ctx.events.reschedule(ticket, at, walk_event(slot, sent.frame.ta, id));
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

/// Which list of those who wait is walked in this timer slot.
#[inline]
pub(super) fn list_of(slot: u8) -> usize {
    usize::from(slot - READ_RELEASE)
}

/// The end of a reservation passes a receiver. Whether its station is to be told.
#[inline]
fn release(radio: &mut Radio, now: Time) -> bool {
    if radio.awaits != Awaits::Reservation || now != radio.visit_at {
        return false;
    }
    if radio.is_receiving() {
        // The end of that frame is what it waits for.
        radio.awaits = Awaits::Quiet;
        return false;
    }
    true
}
