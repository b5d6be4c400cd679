//! Where the entries of a table are, by destination, and how good their routes are.
//!
//! Entries stay where they were first put: to make room for each new one in its order would move most of the table. A directory
//! keeps the order, and what is known of nodes by their numbers as far as enough of those have been heard of.

use crate::kernel::NodeId;

/// Places of entries, and their ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    /// Every destination and its place, in the order of destinations.
    sorted: Vec<(NodeId, u32)>,
    /// Places by the numbers of nodes, of the lowest.
    places: Vec<u32>,
    /// Ranks by the same numbers: what every line of every update is held against, so small that it stays in cache.
    ranks: Vec<Rank>,
}

/// What makes one of two routes the better one: a newer sequence number, then fewer hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u32);

/// Place of no entry.
const NOWHERE: u32 = u32::MAX;

/// Numbers that are worth a place for each entry, and some to begin with: a few nodes with high numbers are not worth one
/// for all below them.
const NUMBERS_PER_ENTRY: usize = 4;
const LEAST_NUMBERS: usize = 64;

impl Rank {
    /// Below that of every route: nothing is known.
    const UNKNOWN: Rank = Rank(0);

    /// That of a route; `None` from sequence number 2^24 on.
    #[inline]
    pub(super) fn of(seq: u32, hops: u8) -> Option<Rank> {
        (seq < 1 << 24).then_some(Rank(seq << 8 | u32::from(u8::MAX - hops)))
    }

    /// Its sequence number.
    #[inline]
    pub(super) fn seq(self) -> u32 {
        self.0 >> 8
    }

    /// Its hops.
    #[inline]
    pub(super) fn hops(self) -> u8 {
        u8::MAX - self.0 as u8
    }
}

impl Directory {
    /// Place of a destination's entry, if it has been heard of.
    #[inline]
    pub(super) fn find(&self, dst: NodeId) -> Option<usize> {
        match self.places.get(dst.index()) {
            Some(&place) => (place != NOWHERE).then_some(place as usize),
            None => self.search(dst),
        }
    }

    /// Of a node with a high number.
    #[inline(never)]
    fn search(&self, dst: NodeId) -> Option<usize> {
        let found = self.sorted.binary_search_by_key(&dst, |&(dst, _)| dst);
        found.ok().map(|position| self.sorted[position].1 as usize)
    }

    /// Rank of a destination's route, or one below all others if nothing is known of it here.
    #[inline]
    pub(super) fn rank(&self, dst: NodeId) -> Rank {
        self.ranks.get(dst.index()).copied().unwrap_or(Rank::UNKNOWN)
    }

    /// The route to a destination has changed.
    #[inline]
    pub(super) fn set_rank(&mut self, dst: NodeId, rank: Option<Rank>) {
        if let Some(known) = self.ranks.get_mut(dst.index()) {
            *known = rank.unwrap_or(Rank::UNKNOWN);
        }
    }

    /// Notes where the entry of a destination not heard of before has been put. `rank_at`: ranks of entries by their places.
    pub(super) fn insert(&mut self, dst: NodeId, place: usize, rank_at: impl Fn(usize) -> Option<Rank>) {
        let position = self.sorted.partition_point(|&(other, _)| other < dst);
        self.sorted.insert(position, (dst, place as u32));
        if let Some(known) = self.places.get_mut(dst.index()) {
            *known = place as u32;
        }
        self.set_rank(dst, rank_at(place));
        let most = LEAST_NUMBERS + NUMBERS_PER_ENTRY * self.sorted.len();
        let last = self.sorted.last().map_or(0, |(last, _)| last.index() + 1);
        let (before, numbers) = (self.places.len(), most.min(last));
        if numbers > before {
            self.places.resize(numbers, NOWHERE);
            self.ranks.resize(numbers, Rank::UNKNOWN);
            let from = self.sorted.partition_point(|(dst, _)| dst.index() < before);
            for &(dst, place) in self.sorted[from..].iter().take_while(|(dst, _)| dst.index() < numbers) {
                self.places[dst.index()] = place;
                self.ranks[dst.index()] = rank_at(place as usize).unwrap_or(Rank::UNKNOWN);
            }
        }
    }

    /// Places of all entries, in the order of their destinations.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.sorted.iter().map(|&(_, place)| place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn whoever_is_missing_all_others_are_found(heard in proptest::collection::vec(0u32..2_000, 0..300), few: bool) {
            let mut directory = Directory::default();
            let mut known = BTreeMap::new();
            let rank_at = |place: usize| Rank::of(3 * place as u32, place as u8 / 2);
            for dst in heard {
                let dst = NodeId(if few { dst % 40 } else { dst });
                if !known.contains_key(&dst) {
                    directory.insert(dst, known.len(), rank_at);
                    known.insert(dst, known.len());
                }
            }
            let last = known.keys().last().map_or(0, |last| last.index() + 1);
            let reach = last.min(LEAST_NUMBERS + NUMBERS_PER_ENTRY * known.len()) * usize::from(last > 0);
            for dst in (0..2_001).map(NodeId) {
                let place = known.get(&dst).copied();
                prop_assert_eq!(directory.find(dst), place);
                let rank = place.filter(|_| dst.index() < reach).and_then(rank_at);
                prop_assert_eq!(directory.rank(dst), rank.unwrap_or(Rank::UNKNOWN));
            }
            prop_assert!(directory.iter().eq(known.values().copied()));
        }

        #[test]
        fn a_rank_is_what_it_was_made_of(seq in 0u32..1 << 24, hops in 0u8..255) {
            let rank = Rank::of(seq, hops).expect("numbers that low have ranks");
            prop_assert_eq!((rank.seq(), rank.hops()), (seq, hops));
            prop_assert!(rank > Rank::UNKNOWN);
        }
    }

    #[test]
    fn high_numbers_have_no_ranks() {
        assert_eq!(Rank::of(1 << 24, 3), None);
        let mut directory = Directory::default();
        directory.insert(NodeId(1), 0, |_| Rank::of(7, 3));
        directory.set_rank(NodeId(1), Rank::of(1 << 24, 3));
        assert_eq!(directory.rank(NodeId(1)), Rank::UNKNOWN);
    }
}
