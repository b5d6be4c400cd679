//! Replies and route errors of one node that wait or were sent, so that none is sent in vain (RFC 4728 sections 3.4.2, 4.4
//! and 8.2.5).

use crate::kernel::{NodeId, Time, TimerId};

/// A reply from the cache that waits for its delay: the initiator may get a shorter route meanwhile (section 8.2.5).
#[derive(Debug)]
pub(super) struct PendingReply {
    /// From the initiator to the target.
    pub(super) path: Vec<NodeId>,
    /// Position of this node.
    pub(super) at: usize,
    pub(super) due: Time,
    pub(super) timer: TimerId,
}

/// A gratuitous reply that was sent (section 4.4).
#[derive(Clone, Copy, Debug)]
pub(super) struct Gratuitous {
    pub(super) source: NodeId,
    pub(super) from: NodeId,
    pub(super) until: Time,
}

/// Nodes that a RERR was sent to for one broken link: each gets one for all packets in the queue (section 3.4.2).
#[derive(Debug)]
pub(super) struct Reported {
    at: Time,
    to: NodeId,
    sources: Vec<NodeId>,
}

impl Default for Reported {
    fn default() -> Self {
        Reported { at: Time::NEVER, to: NodeId::BROADCAST, sources: Vec::new() }
    }
}

impl Reported {
    /// Whether `source` has got no RERR about the link to `to` at this time; it counts as sent from now on.
    pub(super) fn is_first(&mut self, now: Time, to: NodeId, source: NodeId) -> bool {
        if (self.at, self.to) != (now, to) {
            (self.at, self.to) = (now, to);
            self.sources.clear();
        }
        let is_first = !self.sources.contains(&source);
        if is_first {
            self.sources.push(source);
        }
        is_first
    }
}
