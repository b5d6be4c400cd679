//! The routing table of one node: an entry per destination ever heard of.

use super::constants::DsdvConstants;
use crate::kernel::{NodeId, Span, Time, TimerId};
use std::ops::{Index, IndexMut};

/// What a node knows of one destination.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Which destination.
    pub(super) dst: NodeId,
    /// Neighbor towards it.
    pub(super) next_hop: NodeId,
    /// Its last known sequence number; odd if whoever lost the route gave it.
    pub(super) seq: u32,
    /// Hops to it; [`INFINITY`] without a route.
    pub(super) hops: u8,
    /// Hops as last told to the neighbors.
    told_hops: u8,
    /// Whether the neighbors have not been told of the sequence number.
    seq_is_news: bool,
    /// Whether the neighbors have not been told of the hops by a full update.
    hops_are_news: bool,
    /// Weighted time from a sequence number's first arrival to its shortest route's (wst).
    settling: Span,
    /// When the sequence number was first heard.
    first_heard: Time,
    /// When the route was last taken over.
    changed_at: Time,
    /// From when on neighbors may be told.
    pub(super) tell_from: Time,
    /// The triggered update that this entry has asked for.
    pub(super) trigger: Option<Trigger>,
    /// Until when the destination, a neighbor, may be silent.
    pub(super) watch: Option<Watch>,
}

/// An eye on a neighbor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// From this moment on it has been silent for too long.
    pub(super) until: Time,
    /// Ends then, or before if the neighbor has been heard since it began.
    pub(super) timer: TimerId,
}

/// A triggered update that is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trigger {
    /// When.
    pub(super) at: Time,
    /// Its timer.
    pub(super) timer: TimerId,
}

/// A route as a neighbor offers it: hops from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// Where to.
    pub(super) dst: NodeId,
    /// By whom.
    pub(super) from: NodeId,
    /// Sequence number.
    pub(super) seq: u32,
    /// Hops from here, or [`INFINITY`].
    pub(super) hops: u8,
}

/// What came of an offer, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Place of the destination's entry.
    pub(super) place: usize,
    /// What came of it.
    pub(super) verdict: Verdict,
    /// Neighbor that the route led through before, if there was one.
    pub(super) before: Option<NodeId>,
}

/// What came of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is worse than what is known.
    Refused,
    /// It is the route now; neighbors learn of it with other news, or with the next full update.
    Taken,
    /// It is the route now, and a triggered update is due as soon as neighbors may be told.
    TakenAsNews,
    /// Its sender believes the destination lost and has not heard the newer number: an update is due at once.
    Outdated,
}

/// Entries by destination. Nothing is ever removed, as in ns-2.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Their destinations, in order: searching them touches little memory.
    dsts: Vec<NodeId>,
    /// Behind the entry of the last offer: updates name destinations in order, so the next is mostly for this one.
    next: usize,
}

/// Number of hops that means: no route (ns-2: BIG).
pub(super) const INFINITY: u8 = 250;

impl Entry {
    fn new(offer: Offer, now: Time, constants: &DsdvConstants) -> Entry {
        Entry {
            dst: offer.dst,
            next_hop: offer.from,
            seq: offer.seq,
            hops: offer.hops,
            told_hops: 0,
            seq_is_news: false,
            hops_are_news: false,
            settling: constants.settling_time,
            first_heard: now,
            changed_at: now,
            tell_from: Time::NEVER,
            trigger: None,
            watch: None,
        }
    }

    /// A node's entry of itself: always to be told.
    pub(super) fn own(node: NodeId, constants: &DsdvConstants) -> Entry {
        let itself = Offer { dst: node, from: node, seq: 0, hops: 0 };
        Entry {
            tell_from: Time::ZERO,
            seq_is_news: true,
            hops_are_news: true,
            ..Entry::new(itself, Time::ZERO, constants)
        }
    }

    /// A neighbor whose update did not name itself: a route that nobody else is told of.
    pub(super) fn neighbor(neighbor: NodeId, now: Time, constants: &DsdvConstants) -> Entry {
        Entry::new(Offer { dst: neighbor, from: neighbor, seq: 0, hops: 1 }, now, constants)
    }

    /// A destination that packets have come for and nobody has told of.
    pub(super) fn unknown(dst: NodeId, now: Time, constants: &DsdvConstants) -> Entry {
        Entry::new(Offer { dst, from: dst, seq: 0, hops: INFINITY }, now, constants)
    }

    /// A destination that a neighbor tells of and that has not been heard of before.
    fn heard(offer: Offer, now: Time, constants: &DsdvConstants) -> Entry {
        let has_route = offer.hops != INFINITY;
        let settling = if has_route { constants.settling_time * 2 } else { Span::ZERO };
        Entry { tell_from: now + settling, hops_are_news: has_route, ..Entry::new(offer, now, constants) }
    }

    /// Whether a way is known.
    pub(super) fn has_route(&self) -> bool {
        self.hops != INFINITY
    }

    /// Whether neighbors may be told.
    pub(super) fn is_settled(&self, now: Time) -> bool {
        self.tell_from <= now
    }

    /// Whether there is something that neighbors have not been told and may be told.
    pub(super) fn is_due(&self, now: Time) -> bool {
        (self.seq_is_news || self.hops_are_news) && self.is_settled(now)
    }

    /// An update with this entry is being sent. Hops count as told only by a full one, so that a triggered update that
    /// was not heard is followed by another.
    pub(super) fn tell(&mut self, is_full: bool) {
        self.told_hops = self.hops;
        self.seq_is_news = false;
        if is_full {
            self.hops_are_news = false;
        }
    }

    /// Gives the route up, by a sequence number that only the destination itself can beat.
    pub(super) fn break_route(&mut self, now: Time) {
        self.hops = INFINITY;
        self.seq += 1;
        self.seq_is_news = true;
        self.set_news(now);
    }

    /// The neighbors are to be told of the hops at once.
    pub(super) fn set_news(&mut self, now: Time) {
        self.hops_are_news = true;
        self.tell_from = now;
    }

    /// Weighs an offer against what is known, and takes it over if it is better: newer, or as new and shorter.
    fn consider(&mut self, offer: Offer, now: Time, weight: f64) -> Verdict {
        let is_newer = offer.seq > self.seq;
        let is_shorter = offer.seq == self.seq && offer.hops < self.hops;
        if !is_newer && !is_shorter {
            let is_outdated = offer.seq < self.seq && offer.hops == INFINITY && self.has_route();
            return if is_outdated { Verdict::Outdated } else { Verdict::Refused };
        }
        if is_newer {
            // The old number's settling is over: so long after its first route, its best one had come.
            let settled_in = self.changed_at.since(self.first_heard).secs();
            self.settling = Span::from_secs(weight * self.settling.secs() + (1.0 - weight) * settled_in);
            self.first_heard = now;
            self.seq_is_news = true;
        }
        let settles = offer.hops != INFINITY && self.has_route();
        self.tell_from = if settles { now + self.settling * 2 } else { now };
        self.hops_are_news = offer.hops != self.told_hops;
        self.seq = offer.seq;
        self.hops = offer.hops;
        self.next_hop = offer.from;
        self.changed_at = now;
        if is_shorter && self.hops_are_news { Verdict::TakenAsNews } else { Verdict::Taken }
    }
}

impl Table {
    /// Place of a destination's entry, or the place it would have.
    pub(super) fn find(&self, dst: NodeId) -> Result<usize, usize> {
        self.dsts.binary_search(&dst)
    }

    /// Puts an entry where [`Table::find`] said.
    pub(super) fn insert(&mut self, place: usize, entry: Entry) {
        self.dsts.insert(place, entry.dst);
        self.entries.insert(place, entry);
    }

    /// Weighs an offer against what is known, and takes it over if it is better.
    pub(super) fn consider(&mut self, offer: Offer, now: Time, constants: &DsdvConstants) -> Outcome {
        let found = if self.dsts.get(self.next) == Some(&offer.dst) { Ok(self.next) } else { self.find(offer.dst) };
        let outcome = match found {
            Ok(place) => {
                let entry = &mut self.entries[place];
                let before = entry.has_route().then_some(entry.next_hop);
                Outcome { place, verdict: entry.consider(offer, now, constants.settling_weight), before }
            }
            Err(place) => {
                self.insert(place, Entry::heard(offer, now, constants));
                let verdict = if offer.hops == INFINITY { Verdict::Taken } else { Verdict::TakenAsNews };
                Outcome { place, verdict, before: None }
            }
        };
        self.next = outcome.place + 1;
        outcome
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries, by destination.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// All entries, by destination, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }
}

impl Index<usize> for Table {
    type Output = Entry;
    fn index(&self, place: usize) -> &Entry {
        &self.entries[place]
    }
}

impl IndexMut<usize> for Table {
    fn index_mut(&mut self, place: usize) -> &mut Entry {
        &mut self.entries[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    fn offer(from: u32, seq: u32, hops: u8) -> Offer {
        Offer { dst: NodeId(9), from: NodeId(from), seq, hops }
    }

    /// A table that has heard of node 9 at 100 s: by node 1, number 4, two hops.
    fn table() -> (Table, DsdvConstants) {
        let constants = DsdvConstants::ns2();
        let mut table = Table::default();
        assert_eq!(table.consider(offer(1, 4, 2), at(100.0), &constants).verdict, Verdict::TakenAsNews);
        (table, constants)
    }

    #[test]
    fn a_new_destination_settles_for_twelve_seconds() {
        let (table, _) = table();
        assert_eq!(table[0].tell_from, at(112.0));
        assert!(!table[0].is_due(at(111.9)) && table[0].is_due(at(112.0)));
    }

    #[test]
    fn a_new_number_shortens_the_settling_by_an_eighth() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(1, 6, 2), at(110.0), &constants).verdict, Verdict::Taken);
        // 0.875 * 6 s + 0.125 * 0 s, twice.
        assert_eq!(table[0].tell_from, at(110.0 + 10.5));
        table.consider(offer(2, 6, 1), at(113.0), &constants);
        table.consider(offer(2, 8, 1), at(120.0), &constants);
        // The best route of number 6 came 3 s after its first: 0.875 * 5.25 s + 0.125 * 3 s, twice.
        assert_eq!(table[0].tell_from, at(120.0 + 9.9375));
    }

    #[test]
    fn a_shorter_route_of_the_same_number_is_news_unless_it_was_told_before() {
        let (mut table, constants) = table();
        table[0].tell(true);
        assert_eq!(table.consider(offer(2, 4, 3), at(101.0), &constants).verdict, Verdict::Refused);
        assert_eq!(
            table.consider(offer(2, 4, 2), at(101.0), &constants).verdict,
            Verdict::Refused,
            "the first one stays"
        );
        assert_eq!(
            table.consider(offer(2, 6, 3), at(102.0), &constants).verdict,
            Verdict::Taken,
            "newer, though longer"
        );
        assert_eq!((table[0].next_hop, table[0].hops), (NodeId(2), 3));
        assert_eq!(table.consider(offer(1, 6, 2), at(103.0), &constants).verdict, Verdict::Taken, "two hops as told");
        assert_eq!(table.consider(offer(3, 6, 1), at(104.0), &constants).verdict, Verdict::TakenAsNews);
        assert_eq!(table[0].tell_from, at(104.0 + 10.5));
    }

    #[test]
    fn bad_news_settles_at_once_and_so_does_what_ends_it() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(1, 5, INFINITY), at(101.0), &constants).verdict, Verdict::Taken);
        assert!(!table[0].has_route() && table[0].is_due(at(101.0)));
        assert_eq!(
            table.consider(offer(2, 4, 1), at(102.0), &constants).verdict,
            Verdict::Refused,
            "older than the loss"
        );
        assert_eq!(table.consider(offer(2, 6, 1), at(103.0), &constants).verdict, Verdict::Taken);
        assert!(table[0].has_route() && table[0].is_due(at(103.0)));
    }

    #[test]
    fn who_believes_a_destination_lost_by_an_old_number_is_set_right() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(101.0), &constants).verdict, Verdict::Outdated);
        assert_eq!(table.consider(offer(3, 2, 1), at(101.0), &constants).verdict, Verdict::Refused);
        table[0].break_route(at(102.0));
        assert_eq!((table[0].seq, table[0].hops), (5, INFINITY));
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(103.0), &constants).verdict, Verdict::Refused);
    }

    #[test]
    fn a_destination_that_packets_wait_for_is_told_of_at_once() {
        let constants = DsdvConstants::ns2();
        let mut table = Table::default();
        table.insert(0, Entry::unknown(NodeId(9), at(1.0), &constants));
        assert_eq!(table.consider(offer(1, 4, 2), at(5.0), &constants).verdict, Verdict::Taken);
        assert!(table[0].is_due(at(5.0)), "there was no route before");
    }

    #[test]
    fn hops_are_repeated_until_a_full_update() {
        let (mut table, _) = table();
        table[0].tell(false);
        assert!(table[0].is_due(at(112.0)));
        table[0].tell(true);
        assert!(!table[0].is_due(at(112.0)));
    }
}
