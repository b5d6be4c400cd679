//! An index of a table by destination, and the rank of each route.
//!
//! Entries keep their index: insertion in the order of destinations would move most of the table. The directory has that
//! order. For low node numbers, if enough of them are known, it uses arrays instead of searches.

use crate::kernel::NodeId;

/// Indexes of entries, and the ranks of their routes.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    /// Every destination and its index, in the order of destinations.
    sorted: Vec<(NodeId, u32)>,
    /// Indexes by node number, for low numbers.
    indexes: Vec<u32>,
    /// Ranks by node number, for the same numbers. Every line of every update is compared with them; they fit in the cache.
    ranks: Vec<Rank>,
}

/// Order of routes: the better one has a newer sequence number, or the same and fewer hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u32);

/// Index of no entry.
const NO_INDEX: u32 = u32::MAX;

/// Length of the arrays: so many node numbers per entry, and a minimum. A few nodes with high numbers do not extend them to
/// all numbers below.
const NUMBERS_PER_ENTRY: usize = 4;
const MIN_NUMBERS: usize = 64;

impl Rank {
    /// That of an unknown route, below all others.
    const UNKNOWN: Rank = Rank(0);

    /// The rank of a route; `None` from sequence number 2^24 on.
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
    /// Index of a destination's entry, if it is known.
    #[inline]
    pub(super) fn find(&self, dst: NodeId) -> Option<usize> {
        match self.indexes.get(dst.index()) {
            Some(&index) => (index != NO_INDEX).then_some(index as usize),
            None => self.search(dst),
        }
    }

    /// For a high node number.
    #[inline(never)]
    fn search(&self, dst: NodeId) -> Option<usize> {
        let found = self.sorted.binary_search_by_key(&dst, |&(dst, _)| dst);
        found.ok().map(|position| self.sorted[position].1 as usize)
    }

    /// Rank of a destination's route; [`Rank::UNKNOWN`] also for high node numbers.
    #[inline]
    pub(super) fn rank(&self, dst: NodeId) -> Rank {
        self.ranks.get(dst.index()).copied().unwrap_or(Rank::UNKNOWN)
    }

    /// Replaces the rank of a route.
    #[inline]
    pub(super) fn set_rank(&mut self, dst: NodeId, rank: Option<Rank>) {
        if let Some(known) = self.ranks.get_mut(dst.index()) {
            *known = rank.unwrap_or(Rank::UNKNOWN);
        }
    }

    /// Adds a destination with the index of its entry. `rank_at` returns the rank of the entry at an index.
    pub(super) fn insert(&mut self, dst: NodeId, index: usize, rank_at: impl Fn(usize) -> Option<Rank>) {
        let position = self.sorted.partition_point(|&(other, _)| other < dst);
        self.sorted.insert(position, (dst, index as u32));
        if let Some(known) = self.indexes.get_mut(dst.index()) {
            *known = index as u32;
        }
        self.set_rank(dst, rank_at(index));
        let max = MIN_NUMBERS + NUMBERS_PER_ENTRY * self.sorted.len();
        let last = self.sorted.last().map_or(0, |(last, _)| last.index() + 1);
        let (before, numbers) = (self.indexes.len(), max.min(last));
        if numbers > before {
            self.indexes.resize(numbers, NO_INDEX);
            self.ranks.resize(numbers, Rank::UNKNOWN);
            let from = self.sorted.partition_point(|(dst, _)| dst.index() < before);
            for &(dst, index) in self.sorted[from..].iter().take_while(|(dst, _)| dst.index() < numbers) {
                self.indexes[dst.index()] = index;
                self.ranks[dst.index()] = rank_at(index as usize).unwrap_or(Rank::UNKNOWN);
            }
        }
    }

    /// Indexes of all entries, in the order of destinations.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.sorted.iter().map(|&(_, index)| index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn all_destinations_are_found(added in proptest::collection::vec(0u32..2_000, 0..300), few: bool) {
            let mut directory = Directory::default();
            let mut known = BTreeMap::new();
            let rank_at = |index: usize| Rank::of(3 * index as u32, index as u8 / 2);
            for dst in added {
                let dst = NodeId(if few { dst % 40 } else { dst });
                if !known.contains_key(&dst) {
                    directory.insert(dst, known.len(), rank_at);
                    known.insert(dst, known.len());
                }
            }
            let last = known.keys().last().map_or(0, |last| last.index() + 1);
            let reach = last.min(MIN_NUMBERS + NUMBERS_PER_ENTRY * known.len()) * usize::from(last > 0);
            for dst in (0..2_001).map(NodeId) {
                let index = known.get(&dst).copied();
                prop_assert_eq!(directory.find(dst), index);
                let rank = index.filter(|_| dst.index() < reach).and_then(rank_at);
                prop_assert_eq!(directory.rank(dst), rank.unwrap_or(Rank::UNKNOWN));
            }
            prop_assert!(directory.iter().eq(known.values().copied()));
        }

        #[test]
        fn rank_contains_number_and_hops(seq in 0u32..1 << 24, hops in 0u8..255) {
            let rank = Rank::of(seq, hops).expect("a rank of a low number");
            prop_assert_eq!((rank.seq(), rank.hops()), (seq, hops));
            prop_assert!(rank > Rank::UNKNOWN);
        }
    }

    #[test]
    fn high_numbers_have_no_rank() {
        assert_eq!(Rank::of(1 << 24, 3), None);
        let mut directory = Directory::default();
        directory.insert(NodeId(1), 0, |_| Rank::of(7, 3));
        directory.set_rank(NodeId(1), Rank::of(1 << 24, 3));
        assert_eq!(directory.rank(NodeId(1)), Rank::UNKNOWN);
    }
}
