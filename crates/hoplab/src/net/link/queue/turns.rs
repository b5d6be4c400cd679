//! Whose turn it is in fair queueing (RFC 8290 section 4.2): those that begin to send come first, once.

use std::collections::VecDeque;

/// Slots of queues that are not empty, or have just become so.
#[derive(Debug, Default)]
pub(super) struct Turns {
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Turns {
    /// A queue that was empty has a packet.
    pub(super) fn join(&mut self, slot: usize) {
        self.new.push_back(slot);
    }

    /// The first of the new ones, else of the old ones.
    pub(super) fn first(&self) -> Option<usize> {
        self.new.front().or(self.old.front()).copied()
    }

    /// The first one has used up its turn: it joins the end of the old ones.
    pub(super) fn pass(&mut self) {
        let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
        let slot = list.pop_front();
        self.old.extend(slot);
    }

    /// The first one is empty: an old one leaves, a new one joins the end of the old ones. Returns whether it leaves.
    pub(super) fn rest(&mut self) -> bool {
        let is_old = self.new.is_empty();
        if is_old {
            self.old.pop_front();
        } else {
            self.pass();
        }
        is_old
    }

    /// Whether each has had its first turn.
    pub(super) fn are_old(&self) -> bool {
        self.new.is_empty()
    }

    /// All slots in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.new.iter().chain(&self.old).copied()
    }
}
