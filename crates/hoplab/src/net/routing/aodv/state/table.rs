//! The routing table of one node: an entry per destination ever heard of.

use crate::kernel::{NodeId, Span, Time, TimerId};
use smallvec::SmallVec;
use std::ops::{Index, IndexMut};

/// What a node knows of one destination.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Which destination.
    pub(super) dst: NodeId,
    /// Its last known sequence number; odd once the route has broken (ns2).
    pub(super) seq: u32,
    /// Whether `seq`, 0 otherwise, means anything (rfc; ns-2 starts from 0).
    pub(super) is_seq_known: bool,
    /// `seq` of the last route, as others may have heard it from here.
    pub(super) last_seq: u32,
    /// Hops to it; [`UNREACHABLE`] without a route.
    pub(super) hops: u8,
    /// `hops` of the route that was lost last; [`UNREACHABLE`] if there was none.
    pub(super) last_hops: u8,
    /// Hops that the last request for it travelled, or that the last reply had come (ns2).
    pub(super) last_ttl: u8,
    /// Neighbor towards it; [`NodeId::BROADCAST`] without a route.
    pub(super) next_hop: NodeId,
    /// Whether the route may be used.
    pub(super) state: State,
    /// When the route, or in profile rfc the memory of it, ends.
    pub(super) expire: Time,
    /// Neighbors that send packets for it here.
    pub(super) precursors: SmallVec<[NodeId; 2]>,
    /// State of requests for it, once there has been one.
    pub(super) request: Option<Box<Request>>,
}

/// What may be done with a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing.
    Down,
    /// Packets go along it.
    Up,
    /// Packets wait until it is found again.
    InRepair,
}

/// State of the requests of one node for one destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    /// Network-wide requests in a row.
    pub(super) count: u8,
    /// Hops that the last one travels (rfc).
    pub(super) ttl: u8,
    /// No request before this time (ns2).
    pub(super) timeout: Time,
    /// End of the wait for a reply (rfc).
    pub(super) timer: Option<TimerId>,
    latencies: [Span; HISTORY],
    newest: u8,
}

/// Entries in order of creation, found by destination. Nothing is ever removed, as in ns-2.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    index: Vec<(NodeId, u32)>,
}

/// Number of hops that means: no route.
pub(super) const UNREACHABLE: u8 = 255;

/// Discovery times that are averaged.
const HISTORY: usize = 3;

impl Entry {
    fn fresh(dst: NodeId, is_seq_known: bool) -> Entry {
        Entry {
            dst,
            seq: 0,
            is_seq_known,
            last_seq: 0,
            hops: UNREACHABLE,
            last_hops: UNREACHABLE,
            last_ttl: 0,
            next_hop: NodeId::BROADCAST,
            state: State::Down,
            expire: Time::ZERO,
            precursors: SmallVec::new(),
            request: None,
        }
    }

    /// Whether a way is known, be it under repair.
    pub(super) fn has_next_hop(&self) -> bool {
        self.hops != UNREACHABLE
    }

    /// Whether news with this sequence number and distance is better than what is known.
    pub(super) fn accepts(&self, seq: u32, hops: u8) -> bool {
        !self.is_seq_known || is_newer(seq, self.seq) || seq == self.seq && hops < self.hops
    }

    /// Takes a route over.
    pub(super) fn update(&mut self, seq: u32, hops: u8, next_hop: NodeId, expire: Time) {
        self.set_seq(seq);
        self.hops = hops;
        self.next_hop = next_hop;
        self.state = State::Up;
        self.expire = expire;
    }

    /// The number of a route.
    pub(super) fn set_seq(&mut self, seq: u32) {
        self.seq = seq;
        self.last_seq = seq;
        self.is_seq_known = true;
    }

    /// Gives the route up, once.
    pub(super) fn invalidate(&mut self) {
        if self.state == State::Down {
            return;
        }
        self.last_hops = self.hops;
        self.hops = UNREACHABLE;
        self.next_hop = NodeId::BROADCAST;
        self.state = State::Down;
        self.expire = Time::ZERO;
    }

    /// Gives the route up by a sequence number that only a newer route can beat, if it had one.
    pub(super) fn break_route(&mut self) {
        if self.is_seq_known {
            self.seq = self.seq.wrapping_add(1);
        }
        self.invalidate();
    }

    /// Forgets the route (rfc, at the end of DELETE_PERIOD), but not its number: a neighbor may still know of an old
    /// route through this node, and would offer it.
    pub(super) fn forget(&mut self) {
        self.last_hops = UNREACHABLE;
        self.precursors.clear();
    }

    /// State of requests for this destination.
    pub(super) fn request_mut(&mut self) -> &mut Request {
        self.request.get_or_insert_default()
    }

    /// A neighbor sends packets for this destination here.
    pub(super) fn add_precursor(&mut self, neighbor: NodeId) {
        if !self.precursors.contains(&neighbor) {
            self.precursors.push(neighbor);
        }
    }

    /// A neighbor is gone.
    pub(super) fn remove_precursor(&mut self, neighbor: NodeId) {
        self.precursors.retain(|precursor| *precursor != neighbor);
    }
}

impl Request {
    /// A discovery took this long per hop, there and back.
    pub(super) fn record(&mut self, latency: Span) {
        self.latencies[self.newest as usize] = latency;
        self.newest = (self.newest + 1) % HISTORY as u8;
    }

    /// Mean time per hop of the last discoveries.
    pub(super) fn per_hop_time(&self) -> Option<Span> {
        let known = self.latencies.iter().filter(|latency| latency.0 > 0);
        let (count, total) = known.fold((0, 0), |(count, total), latency| (count + 1, total + latency.0));
        (count > 0).then(|| Span(total / count))
    }
}

impl Table {
    /// Place of a destination's entry.
    pub(super) fn find(&self, dst: NodeId) -> Option<usize> {
        let place = self.index.binary_search_by_key(&dst, |&(dst, _)| dst).ok()?;
        Some(self.index[place].1 as usize)
    }

    /// Place of a destination's entry, which is made if there is none.
    pub(super) fn find_or_add(&mut self, dst: NodeId, is_seq_known: bool) -> usize {
        match self.index.binary_search_by_key(&dst, |&(dst, _)| dst) {
            Ok(place) => self.index[place].1 as usize,
            Err(place) => {
                let number = self.entries.len();
                self.entries.push(Entry::fresh(dst, is_seq_known));
                self.index.insert(place, (dst, number as u32));
                number
            }
        }
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries, the newest first, as ns-2 walks them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev()
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

/// Whether sequence number `a` is newer than `b`, across the wrap of 32 bits (RFC 3561 section 6.1).
pub(super) fn is_newer(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_wins_then_shorter() {
        let mut table = Table::default();
        let place = table.find_or_add(NodeId(7), true);
        assert!(table[place].accepts(0, 3), "an entry without a route takes the same number");
        table[place].update(4, 3, NodeId(1), Time(9));
        assert!(table[place].accepts(6, 9) && table[place].accepts(4, 2));
        assert!(!table[place].accepts(4, 3) && !table[place].accepts(2, 1));
        table[place].break_route();
        assert_eq!((table[place].seq, table[place].last_hops, table[place].state), (5, 3, State::Down));
        assert!(!table[place].accepts(4, 1) && table[place].accepts(5, 9) && table[place].accepts(6, 9));
        table[place].invalidate();
        assert_eq!(table[place].last_hops, 3, "given up only once");
    }

    #[test]
    fn sequence_numbers_wrap() {
        assert!(is_newer(1, u32::MAX) && !is_newer(u32::MAX, 1) && !is_newer(3, 3));
    }

    #[test]
    fn found_by_destination_and_walked_from_the_newest() {
        let mut table = Table::default();
        for dst in [5, 1, 9, 1] {
            table.find_or_add(NodeId(dst), true);
        }
        assert_eq!(table.iter().map(|entry| entry.dst.0).collect::<Vec<_>>(), [9, 1, 5]);
        assert_eq!(table.find(NodeId(9)).map(|place| table[place].dst), Some(NodeId(9)));
        assert_eq!(table.find(NodeId(2)), None);
    }

    #[test]
    fn the_last_three_discoveries_count() {
        let mut request = Request::default();
        assert_eq!(request.per_hop_time(), None);
        for millis in [100, 2, 4, 6] {
            request.record(Span::from_millis(millis));
        }
        assert_eq!(request.per_hop_time(), Some(Span::from_millis(4)));
    }
}
