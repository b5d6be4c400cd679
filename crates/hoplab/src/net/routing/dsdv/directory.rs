//! Where the entries of a table are, by destination.
//!
//! Entries stay where they were first put: to make room for each new one in its order would move most of the table. A directory
//! keeps the order, and the places of nodes by their numbers as far as enough of those have been heard of.

use crate::kernel::NodeId;

/// Places of entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    /// Every destination and its place, in the order of destinations.
    sorted: Vec<(NodeId, u32)>,
    /// Places by the numbers of nodes, of the lowest.
    places: Vec<u32>,
}

/// Place of no entry.
const NOWHERE: u32 = u32::MAX;

/// Numbers that are worth a place for each entry, and some to begin with: a few nodes with high numbers are not worth one
/// for all below them.
const NUMBERS_PER_ENTRY: usize = 4;
const LEAST_NUMBERS: usize = 64;

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

    /// Notes where the entry of a destination not heard of before has been put.
    pub(super) fn insert(&mut self, dst: NodeId, place: usize) {
        let position = self.sorted.partition_point(|&(other, _)| other < dst);
        self.sorted.insert(position, (dst, place as u32));
        if let Some(known) = self.places.get_mut(dst.index()) {
            *known = place as u32;
        }
        let most = LEAST_NUMBERS + NUMBERS_PER_ENTRY * self.sorted.len();
        let last = self.sorted.last().map_or(0, |(last, _)| last.index() + 1);
        let (before, numbers) = (self.places.len(), most.min(last));
        if numbers > before {
            self.places.resize(numbers, NOWHERE);
            let from = self.sorted.partition_point(|(dst, _)| dst.index() < before);
            for &(dst, place) in &self.sorted[from..] {
                if let Some(known) = self.places.get_mut(dst.index()) {
                    *known = place;
                }
            }
        }
    }

    /// From this number on, nodes are searched for.
    pub(super) fn reach(&self) -> usize {
        self.places.len()
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
            for dst in heard {
                let dst = NodeId(if few { dst % 40 } else { dst });
                if !known.contains_key(&dst) {
                    directory.insert(dst, known.len());
                    known.insert(dst, known.len());
                }
            }
            for dst in (0..2_001).map(NodeId) {
                prop_assert_eq!(directory.find(dst), known.get(&dst).copied());
            }
            prop_assert!(directory.iter().eq(known.values().copied()));
            let last = known.keys().last().map_or(0, |last| last.index() + 1);
            prop_assert_eq!(directory.reach(), last.min(LEAST_NUMBERS + NUMBERS_PER_ENTRY * known.len()) * usize::from(last > 0));
        }
    }
}
