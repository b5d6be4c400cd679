//! The route to one destination (RFC 3561 section 2; ns-2's `aodv_rtable.h`).

use super::request::Request;
use crate::kernel::{NodeId, RadioId, Time};
use smallvec::SmallVec;

/// A route, or what is left of one.
#[derive(Clone, Debug)]
pub(in super::super) struct Entry {
    /// Destination.
    pub(in super::super) dst: NodeId,
    /// Last known sequence number; ns-2 makes it odd when the route breaks.
    pub(in super::super) seq: u32,
    /// Whether `seq`, otherwise 0, is known. Always in ns-2, which starts from 0.
    pub(in super::super) is_seq_known: bool,
    /// `seq` of the last valid route, as neighbors may have received it from here.
    pub(in super::super) last_seq: u32,
    /// Hops; [`UNREACHABLE`] without a route.
    pub(in super::super) hops: u8,
    /// Hops of the last route that was lost; [`UNREACHABLE`] if there was none.
    pub(in super::super) last_hops: u8,
    /// TTL of the last RREQ, or hops that the last RREP had travelled (ns-2).
    pub(in super::super) last_ttl: u8,
    /// Radio of the next hop; [`RadioId::BROADCAST`] without a route.
    pub(in super::super) next_hop: RadioId,
    /// Whether the route can be used.
    pub(in super::super) state: State,
    /// End of its lifetime; of a lost route, end of its memory (RFC).
    pub(in super::super) expire: Time,
    /// Radios of neighbors that use this route.
    pub(in super::super) precursors: SmallVec<[RadioId; 2]>,
    /// Route discovery, once there has been one.
    pub(in super::super) request: Option<Box<Request>>,
}

/// Whether a route can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum State {
    /// No.
    Down,
    /// Yes.
    Up,
    /// No: packets wait for its local repair.
    InRepair,
}

/// Hops that mean: no route.
pub(in super::super) const UNREACHABLE: u8 = 255;

impl Entry {
    /// An entry without a route.
    pub(super) fn new(dst: NodeId, is_seq_known: bool) -> Entry {
        Entry {
            dst,
            seq: 0,
            is_seq_known,
            last_seq: 0,
            hops: UNREACHABLE,
            last_hops: UNREACHABLE,
            last_ttl: 0,
            next_hop: RadioId::BROADCAST,
            state: State::Down,
            expire: Time::ZERO,
            precursors: SmallVec::new(),
            request: None,
        }
    }

    /// Whether there is a route, valid or in repair.
    pub(in super::super) fn has_next_hop(&self) -> bool {
        self.hops != UNREACHABLE
    }

    /// Whether a route with this number and distance is better (RFC 3561 section 6.2).
    pub(in super::super) fn accepts(&self, seq: u32, hops: u8) -> bool {
        !self.is_seq_known || is_newer(seq, self.seq) || seq == self.seq && hops < self.hops
    }

    /// Replaces the route.
    pub(in super::super) fn update(&mut self, seq: u32, hops: u8, next_hop: RadioId, expire: Time) {
        self.set_seq(seq);
        self.hops = hops;
        self.next_hop = next_hop;
        self.state = State::Up;
        self.expire = expire;
    }

    /// Sets the number of a valid route.
    pub(in super::super) fn set_seq(&mut self, seq: u32) {
        self.seq = seq;
        self.last_seq = seq;
        self.is_seq_known = true;
    }

    /// Gives the route up, if there is one.
    pub(in super::super) fn invalidate(&mut self) {
        if self.state == State::Down {
            return;
        }
        self.last_hops = self.hops;
        self.hops = UNREACHABLE;
        self.next_hop = RadioId::BROADCAST;
        self.state = State::Down;
        self.expire = Time::ZERO;
    }

    /// Invalidates the route, with a number that only a newer route exceeds, if its number is known.
    pub(in super::super) fn break_route(&mut self) {
        if self.is_seq_known {
            self.seq = self.seq.wrapping_add(1);
        }
        self.invalidate();
    }

    /// Deletes the route at the end of `DELETE_PERIOD` (RFC). The number remains: a neighbor could still offer an old route
    /// through this node.
    pub(in super::super) fn forget(&mut self) {
        self.last_hops = UNREACHABLE;
        self.precursors.clear();
    }

    /// Route discovery for this destination.
    pub(in super::super) fn request_mut(&mut self) -> &mut Request {
        self.request.get_or_insert_default()
    }

    /// Adds a radio of a neighbor that uses this route.
    pub(in super::super) fn add_precursor(&mut self, neighbor: RadioId) {
        if !self.precursors.contains(&neighbor) {
            self.precursors.push(neighbor);
        }
    }

    /// Removes a radio of a neighbor that is lost.
    pub(in super::super) fn remove_precursor(&mut self, neighbor: RadioId) {
        self.precursors.retain(|precursor| *precursor != neighbor);
    }
}

/// Whether sequence number `a` is newer than `b`, in 32-bit arithmetic that wraps (RFC 3561 section 6.1).
pub(in super::super) fn is_newer(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_number_wins_then_fewer_hops() {
        let mut entry = Entry::new(NodeId(7), true);
        assert!(entry.accepts(0, 3), "an entry without a route accepts the same number");
        entry.update(4, 3, RadioId(1), Time(9));
        assert!(entry.accepts(6, 9) && entry.accepts(4, 2));
        assert!(!entry.accepts(4, 3) && !entry.accepts(2, 1));
        entry.break_route();
        assert_eq!((entry.seq, entry.last_hops, entry.state), (5, 3, State::Down));
        assert!(!entry.accepts(4, 1) && entry.accepts(5, 9) && entry.accepts(6, 9));
        entry.invalidate();
        assert_eq!(entry.last_hops, 3, "given up only once");
    }

    #[test]
    fn sequence_numbers_wrap() {
        assert!(is_newer(1, u32::MAX) && !is_newer(u32::MAX, 1) && !is_newer(3, 3));
    }
}
