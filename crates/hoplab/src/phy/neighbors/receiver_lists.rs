//! A shared pool of receiver lists for mobile nodes.
//!
//! A list serves all frames of its node while distances are valid, such as RTS and data. Then it is reused for the next
//! sender: a few lists, which fit in the cache, serve a network.

use super::receiver::Receiver;
use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Lists of receivers, by number.
#[derive(Debug)]
pub(in crate::phy) struct ReceiverLists {
    lists: Vec<List>,
    /// Numbers of lists that may be valid, in order of filling.
    filled: VecDeque<u32>,
    /// Numbers of lists to reuse.
    spare: Vec<u32>,
    /// Validity of a list after filling.
    validity: Span,
}

#[derive(Debug)]
struct List {
    receivers: Vec<Receiver>,
    filled_at: Time,
    /// Frames on the air that use the list.
    frames: u32,
}

impl ReceiverLists {
    pub(in crate::phy) fn new(validity: Span) -> ReceiverLists {
        ReceiverLists { lists: Vec::new(), filled: VecDeque::new(), spare: Vec::new(), validity }
    }

    /// Whether a list that was filled at `filled_at` is valid at `now`.
    #[inline]
    pub(in crate::phy) fn is_valid(&self, filled_at: Time, now: Time) -> bool {
        now.since(filled_at) <= self.validity
    }

    /// An empty list for filling at `now`, and its number.
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

    /// Retains a list for a frame on the air.
    #[inline]
    pub(in crate::phy) fn begin(&mut self, number: u32) {
        self.lists[number as usize].frames += 1;
    }

    /// Releases the list of a frame.
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
        assert_eq!(lists.fill(Time(100)).0, 1, "the first list is valid");
        lists.begin(0);
        assert_eq!(lists.fill(Time(150)).0, 2, "the first list is in use");
        lists.end(0);
        assert_eq!(lists.fill(Time(250)).0, 0, "the last outdated list is likely in cache");
        assert_eq!(lists.fill(Time(250)).0, 1);
        assert_eq!(lists.fill(Time(251)).0, 2);
        assert_eq!(lists.fill(Time(251)).0, 3);
    }
}
