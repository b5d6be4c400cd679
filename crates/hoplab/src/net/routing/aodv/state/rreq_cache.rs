//! RREQs that a node has received, so that it ignores their copies (RFC 3561 section 6.5; ns-2's broadcast id cache).

use crate::kernel::{NodeId, Span, Time};

/// Recent RREQs, by originator and number.
///
/// Every 6 s ns-2 removes those that are at least 6 s old. Here a removal that was due is executed at the next access, so
/// that no timer is needed.
#[derive(Clone, Debug)]
pub(in super::super) struct RreqCache {
    memory: Span,
    next_purge: Time,
    requests: Vec<(NodeId, u32, Time)>,
}

impl RreqCache {
    /// An empty cache that stores a RREQ for `memory` at least, and for less than twice that.
    pub(in super::super) fn new(memory: Span) -> RreqCache {
        RreqCache { memory, next_purge: Time::ZERO, requests: Vec::new() }
    }

    /// Adds RREQ number `id` of `origin`. Returns whether it is new.
    pub(in super::super) fn is_first(&mut self, now: Time, origin: NodeId, id: u32) -> bool {
        if now >= self.next_purge {
            let last_purge = Time(now.0 - now.0 % self.memory.0);
            self.requests.retain(|&(.., until)| until > last_purge);
            self.next_purge = last_purge + self.memory;
        }
        match self.requests.binary_search_by_key(&(origin, id), |&(origin, id, _)| (origin, id)) {
            Ok(_) => false,
            Err(index) => {
                self.requests.insert(index, (origin, id, now + self.memory));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rreq_is_remembered_until_the_purge_after_six_seconds() {
        let mut cache = RreqCache::new(Span::from_millis(6_000));
        let at = Time::from_secs;
        assert!(cache.is_first(at(100.0), NodeId(3), 1));
        assert!(!cache.is_first(at(100.1), NodeId(3), 1));
        assert!(cache.is_first(at(100.1), NodeId(4), 1) && cache.is_first(at(100.1), NodeId(3), 2));
        // Due at 106 s; purges are at 102 s and 108 s.
        assert!(!cache.is_first(at(107.9), NodeId(3), 1));
        assert!(cache.is_first(at(108.0), NodeId(3), 1));
        assert_eq!(cache.requests.len(), 1, "the others are purged, too");
    }
}
