//! Paths of one node, and the acceptance of new ones (IEEE 802.11-2016 clause 14.10.8).

use super::message::Travel;
use crate::kernel::{NodeId, Time, TimerId};
use std::ops::{Index, IndexMut};

/// What a node knows about a destination (clause 14.10.8.2: forwarding information).
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) dst: NodeId,
    /// Whether packets may take it.
    pub(super) is_active: bool,
    pub(super) next_hop: NodeId,
    pub(super) hops: u8,
    pub(super) metric: u32,
    /// HWMP sequence number of the destination, if it is known.
    pub(super) seq: Option<u32>,
    /// End of its lifetime.
    pub(super) expire: Time,
    /// Neighbors that use this path.
    pub(super) precursors: Vec<NodeId>,
    /// When it was last found or requested again.
    pub(super) checked: Time,
    /// Discovery in progress.
    pub(super) discovery: Option<Discovery>,
}

/// Requests for a path so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Discovery {
    /// Requests after the first one.
    pub(super) retries: u8,
    /// End of the wait for a reply.
    pub(super) timer: Option<TimerId>,
}

/// Paths, by destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths(Vec<Path>);

impl Path {
    fn new(dst: NodeId) -> Path {
        Path {
            dst,
            is_active: false,
            next_hop: NodeId::BROADCAST,
            hops: 0,
            metric: u32::MAX,
            seq: None,
            expire: Time::ZERO,
            precursors: Vec::new(),
            checked: Time::ZERO,
            discovery: None,
        }
    }

    /// Whether a path with this sequence number and metric replaces this one (clause 14.10.8.4).
    pub(super) fn accepts(&self, seq: u32, travel: Travel) -> bool {
        match self.seq {
            Some(known) if self.is_active && known == seq => travel.metric < self.metric,
            Some(known) => !is_newer(known, seq),
            // A path to a neighbor that was heard: its number is not known yet.
            None => true,
        }
    }

    /// Ends the path. `is_broken`: because of a link, so that information from before is no longer accepted
    /// (clause 14.10.8.3).
    pub(super) fn end(&mut self, is_broken: bool) {
        self.is_active = false;
        if is_broken {
            self.seq = self.seq.map(|seq| seq.wrapping_add(1));
        }
    }

    /// Adds a neighbor that uses this path.
    pub(super) fn add_precursor(&mut self, neighbor: NodeId) {
        if !self.precursors.contains(&neighbor) {
            self.precursors.push(neighbor);
        }
    }
}

impl Paths {
    /// Index of a destination, if anything is known about it.
    pub(super) fn find(&self, dst: NodeId) -> Option<usize> {
        self.0.binary_search_by_key(&dst, |path| path.dst).ok()
    }

    /// Index of a destination, which is added if need be.
    pub(super) fn find_or_add(&mut self, dst: NodeId) -> usize {
        self.0.binary_search_by_key(&dst, |path| path.dst).unwrap_or_else(|index| {
            self.0.insert(index, Path::new(dst));
            index
        })
    }

    /// Index of a path that packets may take.
    pub(super) fn active(&self, dst: NodeId) -> Option<usize> {
        self.find(dst).filter(|&index| self.0[index].is_active)
    }

    /// All of them, by destination.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Path> {
        self.0.iter_mut()
    }
}

impl Index<usize> for Paths {
    type Output = Path;
    fn index(&self, index: usize) -> &Path {
        &self.0[index]
    }
}

impl IndexMut<usize> for Paths {
    fn index_mut(&mut self, index: usize) -> &mut Path {
        &mut self.0[index]
    }
}

/// Whether HWMP sequence number `a` is newer than `b`, modulo 2^32 (clause 14.10.8.3).
pub(super) fn is_newer(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn travel(metric: u32) -> Travel {
        Travel { hops: 3, ttl: 20, metric }
    }

    #[test]
    fn newer_number_wins_then_smaller_metric() {
        let mut path = Path::new(NodeId(7));
        assert!(path.accepts(0, travel(50)), "nothing is known");
        path = Path { is_active: true, seq: Some(4), metric: 50, ..path };
        assert!(path.accepts(5, travel(90)) && path.accepts(4, travel(49)));
        assert!(!path.accepts(4, travel(50)) && !path.accepts(3, travel(1)));
        path.end(false);
        assert!(path.accepts(4, travel(90)) && !path.accepts(3, travel(1)), "an ended path");
        path.end(true);
        assert!(!path.accepts(4, travel(1)) && path.accepts(5, travel(90)), "a broken path");
    }

    #[test]
    fn path_without_a_number_is_replaced_by_any_with_one() {
        let path = Path { is_active: true, metric: 50, ..Path::new(NodeId(7)) };
        assert!(path.accepts(9, travel(49)) && path.accepts(0, travel(90)));
    }

    #[test]
    fn paths_are_kept_by_destination() {
        let mut paths = Paths::default();
        for dst in [5, 1, 9, 1] {
            paths.find_or_add(NodeId(dst));
        }
        assert_eq!(paths.0.iter().map(|path| path.dst.0).collect::<Vec<_>>(), [1, 5, 9]);
        assert_eq!((paths.find(NodeId(5)), paths.active(NodeId(5)), paths.find(NodeId(2))), (Some(1), None, None));
    }
}
