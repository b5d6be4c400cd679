//! Lists of who senses frames of nodes that move.
//!
//! A list serves all frames that its node sends while distances hold, RTS and data for example. Then it is filled anew for
//! whoever sends next: a few lists, which stay in cache, serve a network.

use super::receiver::Receiver;
use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Lists of receivers, by number.
#[derive(Debug)]
pub(in crate::phy) struct ReceiverLists {
    lists: Vec<List>,
    /// Numbers of those that may hold, those first that were filled first.
    filled: VecDeque<u32>,
    /// Numbers of those that do not.
    spare: Vec<u32>,
    /// How long a list is_valid.
    validity: Span,
}

#[derive(Debug)]
struct List {
    receivers: Vec<Receiver>,
    filled_at: Time,
    /// Frames on their way past these receivers.
    frames: u32,
}

impl ReceiverLists {
    pub(in crate::phy) fn new(validity: Span) -> ReceiverLists {
        ReceiverLists { lists: Vec::new(), filled: VecDeque::new(), spare: Vec::new(), validity }
    }

    /// Whether a list that was filled then is_valid at `now`.
    #[inline]
    pub(in crate::phy) fn is_valid(&self, filled_at: Time, now: Time) -> bool {
        now.since(filled_at) <= self.validity
    }

    /// A list to be filled at `now`, empty.
    pub(in crate::phy) fn fill(&mut self, now: Time) -> (u32, &mut Vec<Receiver>) {
        while let Some(&oldest) = self.filled.front()
            && !self.is_valid(self.lists[oldest as usize].filled_at, now)
        {
            self.filled.pop_front();
            if self.lists[oldest as usize].frames > 0 {
                self.filled.push_back(oldest);
                break;
            }
            self.spare.push(oldest);
        }
        let number = self.spare.pop().unwrap_or_else(|| {
            self.lists.push(List { receivers: Vec::new(), filled_at: now, frames: 0 });
            self.lists.len() as u32 - 1
        });
        self.filled.push_back(number);
        let list = &mut self.lists[number as usize];
        list.filled_at = now;
        list.receivers.clear();
        (number, &mut list.receivers)
    }

    /// The receivers on a list.
    #[inline]
    pub(in crate::phy) fn receivers(&self, number: u32) -> &[Receiver] {
        &self.lists[number as usize].receivers
    }

    /// A frame begins to pass the receivers on a list.
    #[inline]
    pub(in crate::phy) fn begin(&mut self, number: u32) {
        self.lists[number as usize].frames += 1;
    }

    /// A frame has passed them all.
    #[inline]
    pub(in crate::phy) fn end(&mut self, number: u32) {
        self.lists[number as usize].frames -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_reused_when_outdated_and_unused() {
        let mut lists = ReceiverLists::new(Span(100));
        assert_eq!(lists.fill(Time(0)).0, 0);
        assert_eq!(lists.fill(Time(100)).0, 1, "the first still is_valid");
        lists.begin(0);
        assert_eq!(lists.fill(Time(150)).0, 2, "a frame needs the first");
        lists.end(0);
        assert_eq!(lists.fill(Time(250)).0, 0, "that which was found not to hold last is likely to be in cache");
        assert_eq!(lists.fill(Time(250)).0, 1);
        assert_eq!(lists.fill(Time(251)).0, 2);
        assert_eq!(lists.fill(Time(251)).0, 3);
    }
}
