//! Requests that a node has seen, so that it ignores their copies.

use crate::kernel::{NodeId, Span, Time};

/// Requests seen lately, by origin and number.
///
/// ns-2 walks its list every 6 s and removes what is at least 6 s old. The same is done here without a timer: the walk
/// that would have come is made up for before the next look.
#[derive(Clone, Debug)]
pub(super) struct RreqCache {
    memory: Span,
    next_walk: Time,
    requests: Vec<(NodeId, u32, Time)>,
}

impl RreqCache {
    /// Nothing seen; each request will be remembered for `memory` at least, and less than twice that.
    pub(super) fn new(memory: Span) -> RreqCache {
        RreqCache { memory, next_walk: Time::ZERO, requests: Vec::new() }
    }

    /// Whether request number `id` of `origin` is new. It is remembered from now on.
    pub(super) fn is_first(&mut self, now: Time, origin: NodeId, id: u32) -> bool {
        if now >= self.next_walk {
            let last_walk = Time(now.0 - now.0 % self.memory.0);
            self.requests.retain(|&(.., until)| until > last_walk);
            self.next_walk = last_walk + self.memory;
        }
        match self.requests.binary_search_by_key(&(origin, id), |&(origin, id, _)| (origin, id)) {
            Ok(_) => false,
            Err(place) => {
                self.requests.insert(place, (origin, id, now + self.memory));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_until_the_walk_after_six_seconds() {
        let mut seen = RreqCache::new(Span::from_millis(6_000));
        let at = Time::from_secs;
        assert!(seen.is_first(at(100.0), NodeId(3), 1));
        assert!(!seen.is_first(at(100.1), NodeId(3), 1));
        assert!(seen.is_first(at(100.1), NodeId(4), 1) && seen.is_first(at(100.1), NodeId(3), 2));
        // Due at 106 s; the walks come at 102 s and 108 s.
        assert!(!seen.is_first(at(107.9), NodeId(3), 1));
        assert!(seen.is_first(at(108.0), NodeId(3), 1));
        assert_eq!(seen.requests.len(), 1, "the others went with it");
    }
}
