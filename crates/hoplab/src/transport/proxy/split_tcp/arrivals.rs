//! The receiving side of a leg: which segments of a flow have come, and the acknowledgments that say so.

use crate::kernel::NodeId;
use crate::packet::{Lack, SegNo, SplitSegment, SplitTag};
use crate::transport::Ranges;

/// Segments of one flow that have come to a proxy or destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    seen: Ranges,
    /// Numbers below it are forgotten.
    layer: SegNo,
    /// Who has sent them, the most recent last, for cumulative acknowledgments.
    legs: Vec<LegNumbers>,
}

/// What has come of one leg's own numbers.
#[derive(Clone, Debug)]
struct LegNumbers {
    resp: NodeId,
    epoch: u16,
    next: u32,
    /// Those that have come beyond a gap, in no order.
    ahead: Vec<u32>,
}

/// Numbers this far below the highest are forgotten: no window lets them come again but by an end-to-end timeout.
const REMEMBERED: SegNo = 4096;

/// Legs that are remembered for a flow.
const MOST_LEGS: usize = 4;

/// Numbers beyond a gap that are remembered for a leg.
const MOST_AHEAD: usize = 512;

impl Arrivals {
    /// Whether this segment has come before, as far as that is remembered.
    pub(super) fn has(&self, seq: SegNo) -> bool {
        self.seen.contains(seq)
    }

    /// A segment has come.
    pub(super) fn note(&mut self, seq: SegNo) {
        self.seen.insert(seq, seq + 1);
        let layer = self.seen.end().unwrap_or(0) - REMEMBERED;
        // The lowest run, if it begins at 0, says how far everything has come; it costs nothing to keep whole.
        if layer > self.layer && self.seen.runs().len() > 1 {
            self.layer = layer;
            let complete = self.cumulative();
            self.seen.remove_below(layer);
            self.seen.insert(0, complete);
        }
    }

    /// Everything below has come.
    pub(super) fn cumulative(&self) -> SegNo {
        self.seen.first_gap(0)
    }

    /// A segment's place among the numbers of the leg that it has come on.
    pub(super) fn note_number(&mut self, tag: &SplitTag) {
        let is_it = |leg: &LegNumbers| leg.resp == tag.resp && leg.epoch == tag.epoch;
        let at = self.legs.iter().position(is_it);
        let mut leg = match at {
            Some(at) => self.legs.remove(at),
            // A proxy that comes in later cannot know what went another way.
            None => LegNumbers { resp: tag.resp, epoch: tag.epoch, next: tag.oldest, ahead: Vec::new() },
        };
        leg.skip_to(tag.oldest);
        leg.take(tag.number);
        if self.legs.len() == MOST_LEGS {
            self.legs.remove(0);
        }
        self.legs.push(leg);
    }

    /// The acknowledgment of `split`, which node `from` answers for now and has `win` more places for.
    pub(super) fn lack(&self, from: NodeId, split: &SplitSegment, win: u32) -> Lack {
        let tag = &split.tag;
        let leg = self.legs.iter().find(|leg| leg.resp == tag.resp && leg.epoch == tag.epoch);
        Lack {
            resp: tag.resp,
            epoch: tag.epoch,
            from,
            seq: Some(split.segment.seq),
            cumulative: self.cumulative(),
            number: leg.map_or(0, |leg| leg.next),
            win,
            echo: split.segment.sent_at,
        }
    }
}

impl LegNumbers {
    /// The sender does not answer for numbers below any longer.
    fn skip_to(&mut self, oldest: u32) {
        let is_ahead = |number: u32| number.wrapping_sub(self.next) < u32::MAX / 2;
        if is_ahead(oldest) {
            self.next = oldest;
            self.ahead.retain(|number| number.wrapping_sub(oldest) < u32::MAX / 2);
            self.advance();
        }
    }

    fn take(&mut self, number: u32) {
        let ahead = number.wrapping_sub(self.next);
        // What fills the gap needs no room.
        let has_room = ahead == 0 || self.ahead.len() < MOST_AHEAD;
        if ahead < u32::MAX / 2 && has_room && !self.ahead.contains(&number) {
            self.ahead.push(number);
            self.advance();
        }
    }

    fn advance(&mut self) {
        while let Some(at) = self.ahead.iter().position(|&number| number == self.next) {
            self.ahead.swap_remove(at);
            self.next = self.next.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(numbers: impl IntoIterator<Item = SegNo>) -> Arrivals {
        let mut arrivals = Arrivals::default();
        numbers.into_iter().for_each(|seq| arrivals.note(seq));
        arrivals
    }

    #[test]
    fn what_is_far_below_the_highest_is_forgotten_but_for_the_lowest_run() {
        let mut arrivals = with([0, 1, 3, 10, 11, REMEMBERED + 10]);
        assert_eq!(
            [0, 1, 3, 10, 11, REMEMBERED + 10].map(|seq| arrivals.has(seq)),
            [true, true, false, false, true, true]
        );
        assert_eq!(arrivals.cumulative(), 2);
        arrivals.note(4);
        assert!(arrivals.has(4), "however late, what has just come is known");
        arrivals.note(REMEMBERED + 11);
        assert!(!arrivals.has(4) && !arrivals.has(11));
    }

    #[test]
    fn a_single_run_is_remembered_whole() {
        let arrivals = with(100..REMEMBERED + 200);
        assert!(arrivals.has(100));
    }

    #[test]
    fn no_more_numbers_beyond_a_gap_are_remembered_than_there_is_room_for() {
        let mut leg = LegNumbers { resp: NodeId(0), epoch: 0, next: 0, ahead: Vec::new() };
        (1..MOST_AHEAD as u32 + 10).for_each(|number| leg.take(number));
        leg.skip_to(1);
        assert_eq!(leg.next, MOST_AHEAD as u32 + 1);
    }

    #[test]
    fn what_fills_a_gap_is_taken_although_there_is_no_room() {
        let mut leg = LegNumbers { resp: NodeId(0), epoch: 0, next: 0, ahead: Vec::new() };
        (1..=MOST_AHEAD as u32).for_each(|number| leg.take(number));
        leg.take(0);
        assert_eq!((leg.next, leg.ahead.len()), (MOST_AHEAD as u32 + 1, 0));
    }
}
