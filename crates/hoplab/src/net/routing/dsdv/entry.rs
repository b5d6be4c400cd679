//! The route to one destination as a node stores it, and as a neighbor offers it (ns-2.35 `rtable_ent`).

use super::directory::Rank;
use crate::kernel::{NodeId, RadioId, Time};

/// The route to one destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Destination.
    pub(super) dst: NodeId,
    /// Radio of the next hop; [`RadioId::NONE`] of an entry that no neighbor has offered.
    pub(super) next_hop: RadioId,
    /// Last known sequence number; odd if it was raised by a node that lost the route.
    seq: u32,
    /// Hops; [`INFINITY`] without a route.
    hops: u8,
    /// Hops as last advertised.
    advertised_hops: u8,
    /// Whether the sequence number has changed since it was advertised.
    seq_changed: bool,
    /// Whether the hops have changed since a full update advertised them.
    hops_changed: bool,
    /// Time from which it is advertised.
    pub(super) advertised_from: Time,
}

/// A route that a neighbor offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// Destination.
    pub(super) dst: NodeId,
    /// Radio of the neighbor that offers it, or [`RadioId::NONE`].
    pub(super) from: RadioId,
    /// Sequence number.
    pub(super) seq: u32,
    /// Hops from this node; [`INFINITY`] if the neighbor has lost the route.
    pub(super) hops: u8,
}

/// An offer compared with the known route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It has a newer number.
    Newer,
    /// It has the same number and fewer hops.
    Shorter,
    /// It is no better.
    Worse,
    /// It has an older number and no route: the neighbor lacks the newer route.
    Outdated,
}

/// Hops that mean: no route (ns-2: `BIG`).
pub(super) const INFINITY: u8 = 250;

impl Offer {
    /// A neighbor whose update did not list itself: a route that is not advertised.
    pub(super) fn neighbor(neighbor: NodeId, from: RadioId) -> Offer {
        Offer { dst: neighbor, from, seq: 0, hops: 1 }
    }

    /// A destination that a packet has and no neighbor has advertised.
    pub(super) fn unknown(dst: NodeId) -> Offer {
        Offer { dst, from: RadioId::NONE, seq: 0, hops: INFINITY }
    }

    /// Compares it with a known route.
    #[inline]
    pub(super) fn weigh(self, seq: u32, hops: u8) -> Weight {
        if self.seq > seq {
            Weight::Newer
        } else if self.seq == seq && self.hops < hops {
            Weight::Shorter
        } else if self.seq < seq && self.hops == INFINITY && hops != INFINITY {
            Weight::Outdated
        } else {
            Weight::Worse
        }
    }
}

impl Entry {
    /// An entry for an offer, advertised from this time.
    pub(super) fn new(offer: Offer, hops_changed: bool, advertised_from: Time) -> Entry {
        let Offer { dst, from: next_hop, seq, hops } = offer;
        Entry { dst, next_hop, seq, hops, advertised_hops: 0, seq_changed: false, hops_changed, advertised_from }
    }

    /// The entry of the node itself, which every full update contains.
    pub(super) fn own(node: NodeId) -> Entry {
        Entry::served(node, 0)
    }

    /// The entry of a host at its gateway, which every full update contains.
    pub(super) fn served(host: NodeId, hops: u8) -> Entry {
        let offer = Offer { dst: host, from: RadioId::NONE, seq: 0, hops };
        Entry { seq_changed: true, ..Entry::new(offer, true, Time::ZERO) }
    }

    /// Last known sequence number.
    pub(super) fn seq(&self) -> u32 {
        self.seq
    }

    /// Hops; [`INFINITY`] without a route.
    pub(super) fn hops(&self) -> u8 {
        self.hops
    }

    /// See [`Rank`].
    pub(super) fn rank(&self) -> Option<Rank> {
        Rank::of(self.seq, self.hops)
    }

    /// Whether there is a route.
    pub(super) fn has_route(&self) -> bool {
        self.hops != INFINITY
    }

    /// Whether an update at `now` contains it; `only_changes` for a triggered one.
    pub(super) fn is_due(&self, now: Time, only_changes: bool) -> bool {
        let has_changed = self.seq_changed || self.hops_changed;
        (has_changed || !only_changes) && self.advertised_from <= now
    }

    /// Accepts an offer. Returns whether its hops differ from those advertised.
    pub(super) fn accept(&mut self, offer: Offer, is_newer: bool, advertised_from: Time) -> bool {
        self.seq_changed |= is_newer;
        self.advertised_from = advertised_from;
        self.hops_changed = offer.hops != self.advertised_hops;
        self.seq = offer.seq;
        self.hops = offer.hops;
        self.next_hop = offer.from;
        self.hops_changed
    }

    /// Gives the route up, by a number that only the destination itself exceeds.
    pub(super) fn break_route(&mut self) {
        self.hops = INFINITY;
        self.seq += 1;
        self.seq_changed = true;
    }

    /// Replaces the sequence number, which the next full update contains anyway.
    pub(super) fn set_seq(&mut self, seq: u32) {
        self.seq = seq;
    }

    /// Marks the hops as changed, to be advertised from `now`.
    pub(super) fn set_changed(&mut self, now: Time) {
        self.hops_changed = true;
        self.advertised_from = now;
    }

    /// An update with this entry is sent. Hops remain changed after a triggered one, so that another follows if it is lost.
    pub(super) fn note_advertised(&mut self, is_full: bool) {
        self.advertised_hops = self.hops;
        self.seq_changed = false;
        if is_full {
            self.hops_changed = false;
        }
    }
}
