//! The routing table of one node: an entry per destination ever heard of.

use super::constants::DsdvConstants;
use super::directory::{Directory, Rank};
use crate::kernel::{BitSet, NodeId, Span, Time, TimerId};
use std::ops::{Index, IndexMut};

/// The route to one destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Which destination.
    pub(super) dst: NodeId,
    /// Neighbor towards it.
    pub(super) next_hop: NodeId,
    /// Its last known sequence number; odd if whoever lost the route gave it.
    seq: u32,
    /// Hops to it; [`INFINITY`] without a route.
    hops: u8,
    /// Hops as last told to the neighbors.
    told_hops: u8,
    /// Whether the neighbors have not been told of the sequence number.
    seq_is_news: bool,
    /// Whether the neighbors have not been told of the hops by a full update.
    hops_are_news: bool,
    /// From when on neighbors may be told.
    pub(super) tell_from: Time,
}

/// The times of one destination, which only a change of its route touches; in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Clocks {
    /// Weighted time from a sequence number's first arrival to its shortest route's (wst).
    settling: Span,
    /// When the sequence number was first heard.
    first_heard: Time,
    /// When the route was last taken over.
    changed_at: Time,
    /// The triggered update that this entry has asked for.
    trigger: Option<Trigger>,
    /// Ends when the destination, a neighbor, has been silent for too long, or before if it has been heard since this began.
    watch: Option<TimerId>,
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

/// What came of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// What came of it.
    pub(super) verdict: Verdict,
    /// Neighbor that the route led through before, if there was one.
    pub(super) before: Option<NodeId>,
    /// Whether there is a route now.
    pub(super) has_route: bool,
}

/// How an offer was judged.
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

/// Entries of the destinations heard of, in the order in which they were. Nothing is ever removed, as in ns-2.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    directory: Directory,
    clocks: Vec<Clocks>,
    /// Places of entries that have asked for a triggered update.
    asking: BitSet,
    /// From when on each destination, if it is a neighbor under watch, has been silent for too long; else zero. Apart from
    /// the clocks, as every update changes it.
    silent_from: Vec<Time>,
}

/// Number of hops that means: no route (ns-2: BIG).
pub(super) const INFINITY: u8 = 250;

impl Offer {
    /// A neighbor whose update did not name itself: a route that nobody else is told of.
    pub(super) fn neighbor(neighbor: NodeId) -> Offer {
        Offer { dst: neighbor, from: neighbor, seq: 0, hops: 1 }
    }

    /// A destination that packets have come for and nobody has told of.
    pub(super) fn unknown(dst: NodeId) -> Offer {
        Offer { dst, from: dst, seq: 0, hops: INFINITY }
    }
}

/// Weighs an offer against a known route: whether it is newer, or as new and shorter.
#[inline]
fn weigh(offer: Offer, seq: u32, hops: u8) -> Weight {
    if offer.seq > seq {
        Weight::Newer
    } else if offer.seq == seq && offer.hops < hops {
        Weight::Shorter
    } else if offer.seq < seq && offer.hops == INFINITY && hops != INFINITY {
        Weight::Outdated
    } else {
        Weight::Worse
    }
}

impl Entry {
    fn new(offer: Offer, is_news: bool, tell_from: Time) -> Entry {
        let Offer { dst, from: next_hop, seq, hops } = offer;
        Entry { dst, next_hop, seq, hops, told_hops: 0, seq_is_news: false, hops_are_news: is_news, tell_from }
    }

    /// Its last known sequence number.
    pub(super) fn seq(&self) -> u32 {
        self.seq
    }

    /// Hops to it; [`INFINITY`] without a route.
    pub(super) fn hops(&self) -> u8 {
        self.hops
    }

    fn rank(&self) -> Option<Rank> {
        Rank::of(self.seq, self.hops)
    }

    /// Whether a way is known.
    pub(super) fn has_route(&self) -> bool {
        self.hops != INFINITY
    }

    /// Whether there is something that neighbors have not been told.
    fn is_news(&self) -> bool {
        self.seq_is_news || self.hops_are_news
    }

    /// Whether neighbors may be told at `now`; `only_news`: if there is something new.
    fn is_due(&self, now: Time, only_news: bool) -> bool {
        (self.is_news() || !only_news) && self.tell_from <= now
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
}

/// How an offer stands to what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Newer,
    Shorter,
    Worse,
    Outdated,
}

impl Clocks {
    fn new(now: Time, constants: &DsdvConstants) -> Clocks {
        let settling = constants.settling_time;
        Clocks { settling, first_heard: now, changed_at: now, trigger: None, watch: None }
    }

    /// A newer number has come: the old one's settling is over, so long after its first route its best one had come.
    fn restart(&mut self, now: Time, weight: f64) {
        let settled_in = self.changed_at.since(self.first_heard).secs();
        self.settling = Span::from_secs(weight * self.settling.secs() + (1.0 - weight) * settled_in);
        self.first_heard = now;
    }
}

impl Table {
    /// A node's table at the start: itself, always to be told.
    pub(super) fn new(node: NodeId, constants: &DsdvConstants) -> Table {
        let mut table = Table::default();
        let itself = Offer { dst: node, from: node, seq: 0, hops: 0 };
        let own = Entry { seq_is_news: true, ..Entry::new(itself, true, Time::ZERO) };
        table.insert(own, Clocks::new(Time::ZERO, constants));
        table
    }

    /// Place of an entry that is there: nothing is removed.
    fn place(&self, dst: NodeId) -> usize {
        self.directory.find(dst).expect("a destination that has been heard of")
    }

    /// The entry of a destination, if it has been heard of.
    pub(super) fn get(&self, dst: NodeId) -> Option<&Entry> {
        self.directory.find(dst).map(|place| &self.entries[place])
    }

    /// Makes the entry of a destination not heard of before, which is not to be told of. Whether there was none.
    pub(super) fn add(&mut self, offer: Offer, now: Time, constants: &DsdvConstants) -> bool {
        let is_new = self.directory.find(offer.dst).is_none();
        if is_new {
            self.insert(Entry::new(offer, false, Time::NEVER), Clocks::new(now, constants));
        }
        is_new
    }

    fn insert(&mut self, entry: Entry, clocks: Clocks) {
        let place = self.entries.len();
        self.entries.push(entry);
        self.clocks.push(clocks);
        self.silent_from.push(Time::ZERO);
        self.directory.insert(entry.dst, place, |place| self.entries[place].rank());
    }

    /// The number or the hops of an entry have changed.
    fn rank_anew(&mut self, place: usize) {
        let entry = &self.entries[place];
        self.directory.set_rank(entry.dst, entry.rank());
    }

    /// The node itself goes on to its next sequence number.
    pub(super) fn set_seq(&mut self, node: NodeId, seq: u32) {
        let place = self.place(node);
        self.entries[place].seq = seq;
        self.rank_anew(place);
    }

    /// A neighbor has been heard and may be silent until then, if it is under watch; whether it is.
    pub(super) fn extend_watch(&mut self, neighbor: NodeId, until: Time) -> bool {
        let known = self.directory.find(neighbor).map(|place| &mut self.silent_from[place]);
        let watched = known.filter(|silent_from| **silent_from != Time::ZERO);
        watched.map(|silent_from| *silent_from = until).is_some()
    }

    /// A neighbor is under watch from now on and may be silent until then.
    pub(super) fn begin_watch(&mut self, neighbor: NodeId, until: Time) {
        let place = self.place(neighbor);
        self.silent_from[place] = until;
    }

    /// From when on a neighbor under watch has been silent for too long.
    pub(super) fn silent_from(&self, neighbor: NodeId) -> Time {
        self.silent_from[self.place(neighbor)]
    }

    /// A neighbor is under watch no longer. The timer of the watch, if it was.
    pub(super) fn end_watch(&mut self, neighbor: NodeId) -> Option<TimerId> {
        let place = self.place(neighbor);
        self.silent_from[place] = Time::ZERO;
        self.clocks[place].watch.take()
    }

    /// Whether an offer would be refused, as most are; of nodes or routes with high numbers it may not be seen yet.
    #[inline]
    pub(super) fn refuses(&self, offer: Offer) -> bool {
        let known = self.directory.rank(offer.dst);
        if offer.hops == INFINITY {
            // Nothing is worse than what is not known.
            return weigh(offer, known.seq(), known.hops()) == Weight::Worse;
        }
        Rank::of(offer.seq, offer.hops).is_some_and(|offered| offered <= known)
    }

    /// Weighs an offer against what is known, and takes it over if it is better.
    pub(super) fn consider(&mut self, offer: Offer, now: Time, constants: &DsdvConstants) -> Outcome {
        let Some(place) = self.directory.find(offer.dst) else {
            let verdict = self.hear(offer, now, constants);
            return Outcome { verdict, before: None, has_route: offer.hops != INFINITY };
        };
        let entry = &self.entries[place];
        let before = entry.has_route().then_some(entry.next_hop);
        let verdict = match weigh(offer, entry.seq, entry.hops) {
            Weight::Worse => Verdict::Refused,
            Weight::Outdated => Verdict::Outdated,
            weight => self.take(place, offer, weight, now, constants.settling_weight),
        };
        Outcome { verdict, before, has_route: self.entries[place].has_route() }
    }

    /// Takes over an offer for a destination that has not been heard of before.
    fn hear(&mut self, offer: Offer, now: Time, constants: &DsdvConstants) -> Verdict {
        let has_route = offer.hops != INFINITY;
        let settling = if has_route { constants.settling_time * 2 } else { Span::ZERO };
        self.insert(Entry::new(offer, has_route, now + settling), Clocks::new(now, constants));
        if has_route { Verdict::TakenAsNews } else { Verdict::Taken }
    }

    fn take(&mut self, place: usize, offer: Offer, weight: Weight, now: Time, settling_weight: f64) -> Verdict {
        let (entry, clocks) = (&mut self.entries[place], &mut self.clocks[place]);
        if weight == Weight::Newer {
            clocks.restart(now, settling_weight);
            entry.seq_is_news = true;
        }
        let settles = offer.hops != INFINITY && entry.has_route();
        entry.tell_from = if settles { now + clocks.settling * 2 } else { now };
        clocks.changed_at = now;
        entry.hops_are_news = offer.hops != entry.told_hops;
        entry.seq = offer.seq;
        entry.hops = offer.hops;
        entry.next_hop = offer.from;
        let is_news = entry.hops_are_news;
        self.rank_anew(place);
        if weight == Weight::Shorter && is_news { Verdict::TakenAsNews } else { Verdict::Taken }
    }

    /// Gives a route up, by a sequence number that only the destination itself can beat.
    pub(super) fn break_route(&mut self, dst: NodeId, now: Time) {
        let place = self.place(dst);
        let entry = &mut self.entries[place];
        entry.hops = INFINITY;
        entry.seq += 1;
        entry.seq_is_news = true;
        self.rank_anew(place);
        self.set_news(dst, now);
    }

    /// The neighbors are to be told of an entry's hops at once.
    pub(super) fn set_news(&mut self, dst: NodeId, now: Time) {
        let entry = &mut self[dst];
        entry.hops_are_news = true;
        entry.tell_from = now;
    }

    /// Number of destinations that have been heard of.
    pub(super) fn known(&self) -> usize {
        self.entries.len()
    }

    /// The destinations with a route through a neighbor.
    pub(super) fn through(&self, neighbor: NodeId) -> Vec<NodeId> {
        let is_through = |entry: &Entry| entry.next_hop == neighbor && entry.has_route();
        let entries = self.directory.iter().map(|place| &self.entries[place]);
        entries.filter(|entry| is_through(entry)).map(|entry| entry.dst).collect()
    }

    /// How many entries there are of which there is something that neighbors have not been told and may be told.
    pub(super) fn due(&self, now: Time) -> usize {
        self.entries.iter().filter(|entry| entry.is_due(now, true)).count()
    }

    /// Lets `tell` tell of the entries that neighbors may be told of, or only of those that are news, in the order of their
    /// destinations.
    pub(super) fn tell<T>(&mut self, now: Time, only_news: bool, mut tell: impl FnMut(&mut Entry) -> T) -> Vec<T> {
        let mut tell_one = |place: usize| {
            let entry = &mut self.entries[place];
            entry.is_due(now, only_news).then(|| tell(entry))
        };
        self.directory.iter().filter_map(&mut tell_one).collect()
    }

    /// The timer of the watch over a neighbor.
    pub(super) fn set_watch(&mut self, neighbor: NodeId, timer: TimerId) {
        let place = self.place(neighbor);
        self.clocks[place].watch = Some(timer);
    }

    /// The triggered update that an entry asks for from now on, if any; that which it asked for before.
    pub(super) fn set_trigger(&mut self, dst: NodeId, trigger: Option<Trigger>) -> Option<Trigger> {
        let place = self.place(dst);
        if trigger.is_some() {
            self.asking.insert(place);
        } else {
            self.asking.remove(place);
        }
        std::mem::replace(&mut self.clocks[place].trigger, trigger)
    }

    /// Withdraws triggered updates that are due before then.
    pub(super) fn withdraw_triggers_before(&mut self, then: Time, mut withdraw: impl FnMut(TimerId)) {
        let Table { asking, clocks, .. } = self;
        asking.retain(|place| {
            let trigger = &mut clocks[place].trigger;
            if let Some(early) = trigger.take_if(|trigger| trigger.at < then) {
                withdraw(early.timer);
            }
            trigger.is_some()
        });
    }
}

impl Index<NodeId> for Table {
    type Output = Entry;
    fn index(&self, dst: NodeId) -> &Entry {
        &self.entries[self.place(dst)]
    }
}

impl IndexMut<NodeId> for Table {
    fn index_mut(&mut self, dst: NodeId) -> &mut Entry {
        let place = self.place(dst);
        &mut self.entries[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NINE: NodeId = NodeId(9);

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    fn offer(from: u32, seq: u32, hops: u8) -> Offer {
        Offer { dst: NINE, from: NodeId(from), seq, hops }
    }

    /// Whether neighbors may be told of the only entry, and there is something to tell.
    fn is_due(table: &Table, now: Time) -> bool {
        table.due(now) > 0
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
        assert_eq!(table[NINE].tell_from, at(112.0));
        assert!(!is_due(&table, at(111.9)) && is_due(&table, at(112.0)));
    }

    #[test]
    fn a_new_number_shortens_the_settling_by_an_eighth() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(1, 6, 2), at(110.0), &constants).verdict, Verdict::Taken);
        // 0.875 * 6 s + 0.125 * 0 s, twice.
        assert_eq!(table[NINE].tell_from, at(110.0 + 10.5));
        table.consider(offer(2, 6, 1), at(113.0), &constants);
        table.consider(offer(2, 8, 1), at(120.0), &constants);
        // The best route of number 6 came 3 s after its first: 0.875 * 5.25 s + 0.125 * 3 s, twice.
        assert_eq!(table[NINE].tell_from, at(120.0 + 9.9375));
    }

    #[test]
    fn a_shorter_route_of_the_same_number_is_news_unless_it_was_told_before() {
        let (mut table, constants) = table();
        table[NINE].tell(true);
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
        assert_eq!((table[NINE].next_hop, table[NINE].hops), (NodeId(2), 3));
        assert_eq!(table.consider(offer(1, 6, 2), at(103.0), &constants).verdict, Verdict::Taken, "two hops as told");
        assert_eq!(table.consider(offer(3, 6, 1), at(104.0), &constants).verdict, Verdict::TakenAsNews);
        assert_eq!(table[NINE].tell_from, at(104.0 + 10.5));
    }

    #[test]
    fn bad_news_settles_at_once_and_so_does_what_ends_it() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(1, 5, INFINITY), at(101.0), &constants).verdict, Verdict::Taken);
        assert!(!table[NINE].has_route() && is_due(&table, at(101.0)));
        assert_eq!(
            table.consider(offer(2, 4, 1), at(102.0), &constants).verdict,
            Verdict::Refused,
            "older than the loss"
        );
        assert_eq!(table.consider(offer(2, 6, 1), at(103.0), &constants).verdict, Verdict::Taken);
        assert!(table[NINE].has_route() && is_due(&table, at(103.0)));
    }

    #[test]
    fn who_believes_a_destination_lost_by_an_old_number_is_set_right() {
        let (mut table, constants) = table();
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(101.0), &constants).verdict, Verdict::Outdated);
        assert_eq!(table.consider(offer(3, 2, 1), at(101.0), &constants).verdict, Verdict::Refused);
        table.break_route(NINE, at(102.0));
        assert_eq!((table[NINE].seq, table[NINE].hops), (5, INFINITY));
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(103.0), &constants).verdict, Verdict::Refused);
    }

    #[test]
    fn a_destination_that_packets_wait_for_is_told_of_at_once() {
        let constants = DsdvConstants::ns2();
        let mut table = Table::default();
        table.add(Offer::unknown(NINE), at(1.0), &constants);
        assert_eq!(table.consider(offer(1, 4, 2), at(5.0), &constants).verdict, Verdict::Taken);
        assert!(is_due(&table, at(5.0)), "there was no route before");
    }

    #[test]
    fn hops_are_repeated_until_a_full_update() {
        let (mut table, _) = table();
        table[NINE].tell(false);
        assert!(is_due(&table, at(112.0)));
        table[NINE].tell(true);
        assert!(!is_due(&table, at(112.0)));
    }

    proptest! {
        #[test]
        fn whatever_is_refused_would_be_when_weighed(
            offers in proptest::collection::vec((0u32..6, 0u32..3, 0u32..9, 0u8..4), 0..80),
            breaks in proptest::collection::vec(0usize..80, 0..6),
            own in 0u32..6,
            apart in proptest::sample::select(vec![1u32, 40, 100_000]),
        ) {
            let constants = DsdvConstants::ns2();
            let own = apart * own;
            let mut table = Table::new(NodeId(own), &constants);
            for (count, (dst, from, seq, hops)) in offers.into_iter().enumerate() {
                let dst = NodeId(apart * dst);
                let offer = Offer { dst, from: NodeId(from), seq, hops: if hops == 3 { INFINITY } else { hops } };
                let is_worse = table.get(dst).is_some_and(|entry| weigh(offer, entry.seq, entry.hops) == Weight::Worse);
                prop_assert!(is_worse || !table.refuses(offer));
                prop_assert!(dst.0 > 64 || !is_worse || table.refuses(offer));
                table.consider(offer, at(count as f64), &constants);
                if breaks.contains(&count) {
                    table.break_route(dst, at(count as f64));
                }
                if dst.0 == own {
                    table.set_seq(dst, 2 * count as u32);
                }
            }
        }


    }
}
