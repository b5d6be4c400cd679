//! The routing table of one node: an entry per known destination (ns-2's `rtable.cc`).

use super::clocks::{Clocks, Trigger};
use super::config::DsdvConfig;
use super::directory::{Directory, Rank};
use super::entry::{Entry, INFINITY, Offer, Weight};
use crate::kernel::{BitSet, NodeId, RadioId, Span, Time, TimerId};
use std::ops::Index;

/// The result of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// How it was judged.
    pub(super) verdict: Verdict,
    /// Next hop of the route before, if there was one.
    pub(super) before: Option<RadioId>,
    /// Whether there is a route now.
    pub(super) has_route: bool,
}

/// How an offer was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No better than the known route.
    Refused,
    /// It is the route now, advertised with other changes or in the next full update.
    Accepted,
    /// It is the route now, and a triggered update is due once it has settled.
    AcceptedAndTriggers,
    /// The neighbor has lost a route whose newer number it lacks: a triggered update is due at once.
    Outdated,
}

/// Entries in the order in which destinations became known. None is removed, as in ns-2.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    directory: Directory,
    clocks: Vec<Clocks>,
    /// Indexes of entries that have requested a triggered update.
    triggering: BitSet,
    /// Time at which each watched neighbor is lost; zero for other destinations. Apart from the clocks, as every update
    /// changes it.
    silent_from: Vec<Time>,
}

impl Table {
    /// A node's table at the start, with the node itself.
    pub(super) fn new(node: NodeId, config: &DsdvConfig) -> Table {
        let mut table = Table::default();
        table.insert(Entry::own(node), Clocks::new(Time::ZERO, config));
        table
    }

    /// Adds a host whose gateway is the node, `hops` away over wires.
    pub(super) fn serve(&mut self, host: NodeId, hops: u8, config: &DsdvConfig) {
        self.insert(Entry::served(host, hops), Clocks::new(Time::ZERO, config));
    }

    /// Index of an entry that exists.
    fn index_of(&self, dst: NodeId) -> usize {
        self.directory.find(dst).expect("a known destination")
    }

    /// The entry of a destination, if it is known.
    pub(super) fn get(&self, dst: NodeId) -> Option<&Entry> {
        self.directory.find(dst).map(|index| &self.entries[index])
    }

    /// Adds a destination that is not advertised, unless it is known. Returns whether it was added.
    pub(super) fn add(&mut self, offer: Offer, now: Time, config: &DsdvConfig) -> bool {
        let is_new = self.directory.find(offer.dst).is_none();
        if is_new {
            self.insert(Entry::new(offer, false, Time::NEVER), Clocks::new(now, config));
        }
        is_new
    }

    fn insert(&mut self, entry: Entry, clocks: Clocks) {
        let index = self.entries.len();
        self.entries.push(entry);
        self.clocks.push(clocks);
        self.silent_from.push(Time::ZERO);
        self.directory.insert(entry.dst, index, |index| self.entries[index].rank());
    }

    /// Follows a change of an entry's number or hops.
    fn update_rank(&mut self, index: usize) {
        let entry = &self.entries[index];
        self.directory.set_rank(entry.dst, entry.rank());
    }

    /// Replaces the sequence number of the node itself.
    pub(super) fn set_seq(&mut self, node: NodeId, seq: u32) {
        let index = self.index_of(node);
        self.entries[index].set_seq(seq);
        self.update_rank(index);
    }

    /// Extends the timeout of a watched neighbor. Returns whether it is watched.
    pub(super) fn extend_watch(&mut self, neighbor: NodeId, until: Time) -> bool {
        let known = self.directory.find(neighbor).map(|index| &mut self.silent_from[index]);
        let watched = known.filter(|silent_from| **silent_from != Time::ZERO);
        watched.map(|silent_from| *silent_from = until).is_some()
    }

    /// Starts the timeout of a neighbor.
    pub(super) fn begin_watch(&mut self, neighbor: NodeId, until: Time) {
        let index = self.index_of(neighbor);
        self.silent_from[index] = until;
    }

    /// Time at which a watched neighbor is lost.
    pub(super) fn silent_from(&self, neighbor: NodeId) -> Time {
        self.silent_from[self.index_of(neighbor)]
    }

    /// Ends the timeout of a neighbor. Returns its timer, if it was watched.
    pub(super) fn end_watch(&mut self, neighbor: NodeId) -> Option<TimerId> {
        let index = self.index_of(neighbor);
        self.silent_from[index] = Time::ZERO;
        self.clocks[index].watch.take()
    }

    /// Whether an offer is refused, as most are. False also if that is unknown: for high node or sequence numbers.
    #[inline]
    pub(super) fn refuses(&self, offer: Offer) -> bool {
        let known = self.directory.rank(offer.dst);
        if offer.hops == INFINITY {
            // No offer is worse than an unknown route.
            return offer.weigh(known.seq(), known.hops()) == Weight::Worse;
        }
        Rank::of(offer.seq, offer.hops).is_some_and(|offered| offered <= known)
    }

    /// Compares an offer with the known route, and accepts it if it is better.
    pub(super) fn consider(&mut self, offer: Offer, now: Time, config: &DsdvConfig) -> Outcome {
        let Some(index) = self.directory.find(offer.dst) else {
            let verdict = self.accept_first(offer, now, config);
            return Outcome { verdict, before: None, has_route: offer.hops != INFINITY };
        };
        let entry = &self.entries[index];
        let before = entry.has_route().then_some(entry.next_hop);
        let verdict = match offer.weigh(entry.seq(), entry.hops()) {
            Weight::Worse => Verdict::Refused,
            Weight::Outdated => Verdict::Outdated,
            weight => self.accept(index, offer, weight, now, config.settling_weight),
        };
        Outcome { verdict, before, has_route: self.entries[index].has_route() }
    }

    /// Accepts an offer for an unknown destination.
    fn accept_first(&mut self, offer: Offer, now: Time, config: &DsdvConfig) -> Verdict {
        let has_route = offer.hops != INFINITY;
        let settling = if has_route { config.settling_time * 2 } else { Span::ZERO };
        self.insert(Entry::new(offer, has_route, now + settling), Clocks::new(now, config));
        if has_route { Verdict::AcceptedAndTriggers } else { Verdict::Accepted }
    }

    fn accept(&mut self, index: usize, offer: Offer, weight: Weight, now: Time, settling_weight: f64) -> Verdict {
        let (entry, clocks) = (&mut self.entries[index], &mut self.clocks[index]);
        if weight == Weight::Newer {
            clocks.restart(now, settling_weight);
        }
        let settles = offer.hops != INFINITY && entry.has_route();
        let advertised_from = if settles { now + clocks.settling * 2 } else { now };
        clocks.changed_at = now;
        let has_changed = entry.accept(offer, weight == Weight::Newer, advertised_from);
        self.update_rank(index);
        if weight == Weight::Shorter && has_changed { Verdict::AcceptedAndTriggers } else { Verdict::Accepted }
    }

    /// Gives a route up.
    pub(super) fn break_route(&mut self, dst: NodeId, now: Time) {
        let index = self.index_of(dst);
        self.entries[index].break_route();
        self.update_rank(index);
        self.entries[index].set_changed(now);
    }

    /// Marks an entry as changed, to be advertised from `now`.
    pub(super) fn set_changed(&mut self, dst: NodeId, now: Time) {
        let index = self.index_of(dst);
        self.entries[index].set_changed(now);
    }

    /// Number of known destinations.
    pub(super) fn known(&self) -> usize {
        self.entries.len()
    }

    /// Destinations whose route leads through a radio of a neighbor.
    pub(super) fn through(&self, radio: RadioId) -> Vec<NodeId> {
        let is_through = |entry: &Entry| entry.next_hop == radio && entry.has_route();
        let entries = self.directory.iter().map(|index| &self.entries[index]);
        entries.filter(|entry| is_through(entry)).map(|entry| entry.dst).collect()
    }

    /// Number of changed entries that can be advertised.
    pub(super) fn due(&self, now: Time) -> usize {
        self.entries.iter().filter(|entry| entry.is_due(now, true)).count()
    }

    /// Calls `advertise` for the entries that can be advertised, or only for changed ones, in the order of destinations.
    pub(super) fn advertise<T>(
        &mut self,
        now: Time,
        only_changes: bool,
        mut advertise: impl FnMut(&mut Entry) -> T,
    ) -> Vec<T> {
        let mut advertise_one = |index: usize| {
            let entry = &mut self.entries[index];
            entry.is_due(now, only_changes).then(|| advertise(entry))
        };
        self.directory.iter().filter_map(&mut advertise_one).collect()
    }

    /// Sets the timer of a neighbor's timeout.
    pub(super) fn set_watch(&mut self, neighbor: NodeId, timer: TimerId) {
        let index = self.index_of(neighbor);
        self.clocks[index].watch = Some(timer);
    }

    /// Replaces the request of an entry for a triggered update. Returns the former one.
    pub(super) fn set_trigger(&mut self, dst: NodeId, trigger: Option<Trigger>) -> Option<Trigger> {
        let index = self.index_of(dst);
        if trigger.is_some() {
            self.triggering.insert(index);
        } else {
            self.triggering.remove(index);
        }
        std::mem::replace(&mut self.clocks[index].trigger, trigger)
    }

    /// Removes the requests for triggered updates before `then`, and passes their timers to `withdraw`.
    pub(super) fn withdraw_triggers_before(&mut self, then: Time, mut withdraw: impl FnMut(TimerId)) {
        let Table { triggering, clocks, .. } = self;
        triggering.retain(|index| {
            let trigger = &mut clocks[index].trigger;
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
        &self.entries[self.index_of(dst)]
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

    fn note_advertised(table: &mut Table, is_full: bool) {
        table.advertise(Time::NEVER, false, |entry| entry.note_advertised(is_full));
    }

    fn offer(from: u32, seq: u32, hops: u8) -> Offer {
        Offer { dst: NINE, from: RadioId(from), seq, hops }
    }

    /// Whether a triggered update contains the only entry.
    fn is_due(table: &Table, now: Time) -> bool {
        table.due(now) > 0
    }

    /// A table with a route to node 9 since 100 s: by node 1, number 4, two hops.
    fn table() -> (Table, DsdvConfig) {
        let config = DsdvConfig::ns2();
        let mut table = Table::default();
        assert_eq!(table.consider(offer(1, 4, 2), at(100.0), &config).verdict, Verdict::AcceptedAndTriggers);
        (table, config)
    }

    #[test]
    fn new_destination_settles_for_twelve_seconds() {
        let (table, _) = table();
        assert_eq!(table[NINE].advertised_from, at(112.0));
        assert!(!is_due(&table, at(111.9)) && is_due(&table, at(112.0)));
    }

    #[test]
    fn new_number_shortens_settling_by_an_eighth() {
        let (mut table, config) = table();
        assert_eq!(table.consider(offer(1, 6, 2), at(110.0), &config).verdict, Verdict::Accepted);
        // 0.875 * 6 s + 0.125 * 0 s, twice.
        assert_eq!(table[NINE].advertised_from, at(110.0 + 10.5));
        table.consider(offer(2, 6, 1), at(113.0), &config);
        table.consider(offer(2, 8, 1), at(120.0), &config);
        // The best route of number 6 came 3 s after its first: 0.875 * 5.25 s + 0.125 * 3 s, twice.
        assert_eq!(table[NINE].advertised_from, at(120.0 + 9.9375));
    }

    #[test]
    fn shorter_route_triggers_unless_advertised_before() {
        let (mut table, config) = table();
        note_advertised(&mut table, true);
        assert_eq!(table.consider(offer(2, 4, 3), at(101.0), &config).verdict, Verdict::Refused);
        assert_eq!(table.consider(offer(2, 4, 2), at(101.0), &config).verdict, Verdict::Refused, "the first one stays");
        assert_eq!(
            table.consider(offer(2, 6, 3), at(102.0), &config).verdict,
            Verdict::Accepted,
            "newer, though longer"
        );
        assert_eq!((table[NINE].next_hop, table[NINE].hops()), (RadioId(2), 3));
        assert_eq!(
            table.consider(offer(1, 6, 2), at(103.0), &config).verdict,
            Verdict::Accepted,
            "two hops, as advertised"
        );
        assert_eq!(table.consider(offer(3, 6, 1), at(104.0), &config).verdict, Verdict::AcceptedAndTriggers);
        assert_eq!(table[NINE].advertised_from, at(104.0 + 10.5));
    }

    #[test]
    fn lost_route_and_its_successor_settle_at_once() {
        let (mut table, config) = table();
        assert_eq!(table.consider(offer(1, 5, INFINITY), at(101.0), &config).verdict, Verdict::Accepted);
        assert!(!table[NINE].has_route() && is_due(&table, at(101.0)));
        assert_eq!(table.consider(offer(2, 4, 1), at(102.0), &config).verdict, Verdict::Refused, "older than the loss");
        assert_eq!(table.consider(offer(2, 6, 1), at(103.0), &config).verdict, Verdict::Accepted);
        assert!(table[NINE].has_route() && is_due(&table, at(103.0)));
    }

    #[test]
    fn outdated_loss_triggers_an_update() {
        let (mut table, config) = table();
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(101.0), &config).verdict, Verdict::Outdated);
        assert_eq!(table.consider(offer(3, 2, 1), at(101.0), &config).verdict, Verdict::Refused);
        table.break_route(NINE, at(102.0));
        assert_eq!((table[NINE].seq(), table[NINE].hops()), (5, INFINITY));
        assert_eq!(table.consider(offer(3, 3, INFINITY), at(103.0), &config).verdict, Verdict::Refused);
    }

    #[test]
    fn first_route_of_waiting_packets_is_due_at_once() {
        let config = DsdvConfig::ns2();
        let mut table = Table::default();
        table.add(Offer::unknown(NINE), at(1.0), &config);
        assert_eq!(table.consider(offer(1, 4, 2), at(5.0), &config).verdict, Verdict::Accepted);
        assert!(is_due(&table, at(5.0)), "there was no route before");
    }

    #[test]
    fn hops_are_advertised_again_until_a_full_update() {
        let (mut table, _) = table();
        note_advertised(&mut table, false);
        assert!(is_due(&table, at(112.0)));
        note_advertised(&mut table, true);
        assert!(!is_due(&table, at(112.0)));
    }

    proptest! {
        #[test]
        fn refused_offer_is_worse_than_the_known_route(
            offers in proptest::collection::vec((0u32..6, 0u32..3, 0u32..9, 0u8..4), 0..80),
            breaks in proptest::collection::vec(0usize..80, 0..6),
            own in 0u32..6,
            apart in proptest::sample::select(vec![1u32, 40, 100_000]),
        ) {
            let config = DsdvConfig::ns2();
            let own = apart * own;
            let mut table = Table::new(NodeId(own), &config);
            for (count, (dst, from, seq, hops)) in offers.into_iter().enumerate() {
                let dst = NodeId(apart * dst);
                let offer = Offer { dst, from: RadioId(from), seq, hops: if hops == 3 { INFINITY } else { hops } };
                let is_worse = table.get(dst).is_some_and(|entry| offer.weigh(entry.seq(), entry.hops()) == Weight::Worse);
                prop_assert!(is_worse || !table.refuses(offer));
                prop_assert!(dst.0 > 64 || !is_worse || table.refuses(offer));
                table.consider(offer, at(count as f64), &config);
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
