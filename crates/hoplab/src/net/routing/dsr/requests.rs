//! The route request table of one node (RFC 4728 section 4.3): its own discoveries, and RREQs of others.

use crate::kernel::{NodeId, Time, TimerId};

/// Own discoveries and RREQs of others.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    own: Vec<Discovery>,
    seen: Vec<Initiator>,
    nodes: usize,
    ids: usize,
}

/// A discovery in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discovery {
    pub(super) target: NodeId,
    /// Network-wide RREQs so far.
    pub(super) count: u8,
    /// End of the wait for a RREP.
    pub(super) timer: TimerId,
}

#[derive(Clone, Debug)]
struct Initiator {
    node: NodeId,
    used: Time,
    /// Number and target of its last RREQs, in a ring.
    recent: Vec<(u16, NodeId)>,
    next: usize,
}

impl Requests {
    /// A table of `ids` RREQs of each of `nodes` initiators.
    pub(super) fn new(nodes: u32, ids: u32) -> Requests {
        Requests { own: Vec::new(), seen: Vec::new(), nodes: nodes as usize, ids: ids as usize }
    }

    /// The discovery for `target`, if one is in progress.
    pub(super) fn of(&self, target: NodeId) -> Option<&Discovery> {
        self.own.iter().find(|discovery| discovery.target == target)
    }

    /// Begins or continues a discovery.
    pub(super) fn set(&mut self, discovery: Discovery) {
        self.end(discovery.target);
        self.own.push(discovery);
    }

    /// Ends a discovery. Returns its timer, if there was one.
    pub(super) fn end(&mut self, target: NodeId) -> Option<TimerId> {
        let index = self.own.iter().position(|discovery| discovery.target == target)?;
        Some(self.own.swap_remove(index).timer)
    }

    /// Adds a RREQ of another node. Returns whether it is new.
    pub(super) fn is_first(&mut self, now: Time, initiator: NodeId, id: u16, target: NodeId) -> bool {
        let ids = self.ids;
        let entry = self.entry(initiator);
        entry.used = now;
        if entry.recent.contains(&(id, target)) {
            return false;
        }
        if entry.recent.len() < ids {
            entry.recent.push((id, target));
        } else {
            entry.recent[entry.next] = (id, target);
            entry.next = (entry.next + 1) % ids;
        }
        true
    }

    /// The entry of an initiator; a new one takes the place of the least recently used.
    fn entry(&mut self, node: NodeId) -> &mut Initiator {
        let known = self.seen.iter().position(|initiator| initiator.node == node);
        let index = known.unwrap_or_else(|| {
            let new = Initiator { node, used: Time::ZERO, recent: Vec::new(), next: 0 };
            if self.seen.len() < self.nodes {
                self.seen.push(new);
                return self.seen.len() - 1;
            }
            let oldest = (0..self.seen.len()).min_by_key(|&index| self.seen[index].used).unwrap_or(0);
            self.seen[oldest] = new;
            oldest
        });
        &mut self.seen[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_requests_of_the_last_initiators_are_remembered() {
        let mut requests = Requests::new(2, 2);
        let mut is_first =
            |secs, initiator, id| requests.is_first(Time::from_secs(secs), NodeId(initiator), id, NodeId(9));
        assert!(is_first(1.0, 0, 1) && !is_first(1.1, 0, 1) && is_first(1.2, 0, 2));
        assert!(is_first(1.3, 0, 3) && is_first(1.4, 0, 1), "two are remembered");
        assert!(is_first(2.0, 1, 1) && is_first(2.1, 2, 1), "of two nodes");
        assert!(!is_first(2.2, 1, 1) && is_first(2.3, 0, 3));
    }
}
