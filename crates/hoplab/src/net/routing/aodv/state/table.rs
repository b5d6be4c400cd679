//! The routing table of one node (ns-2's `aodv_rtable.cc`).

use super::entry::Entry;
use crate::kernel::NodeId;
use std::ops::{Index, IndexMut};

/// Entries in order of creation, with an index by destination. None is removed, as in ns-2.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Table {
    entries: Vec<Entry>,
    by_destination: Vec<(NodeId, u32)>,
}

impl Table {
    /// Index of a destination's entry, if there is one.
    pub(in super::super) fn find(&self, dst: NodeId) -> Option<usize> {
        let at = self.by_destination.binary_search_by_key(&dst, |&(dst, _)| dst).ok()?;
        Some(self.by_destination[at].1 as usize)
    }

    /// Index of a destination's entry, which is added if there is none.
    pub(in super::super) fn find_or_add(&mut self, dst: NodeId, is_seq_known: bool) -> usize {
        match self.by_destination.binary_search_by_key(&dst, |&(dst, _)| dst) {
            Ok(at) => self.by_destination[at].1 as usize,
            Err(at) => {
                let index = self.entries.len();
                self.entries.push(Entry::new(dst, is_seq_known));
                self.by_destination.insert(at, (dst, index as u32));
                index
            }
        }
    }

    /// Number of entries.
    pub(in super::super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries, the newest first, in the order of ns-2's list.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev()
    }
}

impl Index<usize> for Table {
    type Output = Entry;
    fn index(&self, index: usize) -> &Entry {
        &self.entries[index]
    }
}

impl IndexMut<usize> for Table {
    fn index_mut(&mut self, index: usize) -> &mut Entry {
        &mut self.entries[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_destination_and_listed_newest_first() {
        let mut table = Table::default();
        for dst in [5, 1, 9, 1] {
            table.find_or_add(NodeId(dst), true);
        }
        assert_eq!(table.iter().map(|entry| entry.dst.0).collect::<Vec<_>>(), [9, 1, 5]);
        assert_eq!(table.find(NodeId(9)).map(|index| table[index].dst), Some(NodeId(9)));
        assert_eq!(table.find(NodeId(2)), None);
    }
}
