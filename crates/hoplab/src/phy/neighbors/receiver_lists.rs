//! Lists of who senses frames of nodes that move.
//!
//! A list serves all frames that its node sends while distances hold, RTS and data for example. Then it is filled anew for
//! whoever sends next: a few lists, which stay in cache, serve a network.

use super::receiver::Receiver;
use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// Lists of receivers, by number.
#[derive(Debug)]
pub(in crate::phy) struct Heard {
    lists: Vec<List>,
    /// Numbers of those that may hold, those first that were filled first.
    filled: VecDeque<u32>,
    /// Numbers of those that do not.
    spare: Vec<u32>,
    /// How long a list holds.
    lasting: Span,
}

#[derive(Debug)]
struct List {
    receivers: Vec<Receiver>,
    filled_at: Time,
    /// Frames on their way past these receivers.
    frames: u32,
}

impl Heard {
    pub(in crate::phy) fn new(lasting: Span) -> Heard {
        Heard { lists: Vec::new(), filled: VecDeque::new(), spare: Vec::new(), lasting }
    }

    /// Whether a list that was filled then holds at `now`.
    #[inline]
    pub(in crate::phy) fn holds(&self, filled_at: Time, now: Time) -> bool {
        now.since(filled_at) <= self.lasting
    }

    /// A list to be filled at `now`, empty.
    pub(in crate::phy) fn fill(&mut self, now: Time) -> (u32, &mut Vec<Receiver>) {
        while let Some(&oldest) = self.filled.front()
            && !self.holds(self.lists[oldest as usize].filled_at, now)
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
    fn a_list_is_filled_anew_when_it_no_longer_holds_and_no_frame_needs_it() {
        let mut heard = Heard::new(Span(100));
        assert_eq!(heard.fill(Time(0)).0, 0);
        assert_eq!(heard.fill(Time(100)).0, 1, "the first still holds");
        heard.begin(0);
        assert_eq!(heard.fill(Time(150)).0, 2, "a frame needs the first");
        heard.end(0);
        assert_eq!(heard.fill(Time(250)).0, 0, "that which was found not to hold last is likely to be in cache");
        assert_eq!(heard.fill(Time(250)).0, 1);
        assert_eq!(heard.fill(Time(251)).0, 2);
        assert_eq!(heard.fill(Time(251)).0, 3);
    }
}
