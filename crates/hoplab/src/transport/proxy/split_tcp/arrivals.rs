//! The receiving side of a leg: which segments of a flow arrived, and their local acknowledgments.

use crate::kernel::NodeId;
use crate::packet::{Lack, SegNo, SplitSegment, SplitTag};
use crate::transport::ranges::Ranges;

/// Segments of one flow that arrived at a proxy or destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    seen: Ranges,
    /// Numbers below it are dropped.
    horizon: SegNo,
    /// Legs they arrived on, the most recent last, for cumulative acknowledgments.
    legs: Vec<LegNumbers>,
}

/// What arrived of one leg's own numbers.
#[derive(Clone, Debug)]
struct LegNumbers {
    resp: NodeId,
    epoch: u16,
    next: u32,
    /// Numbers that arrived out of order, unsorted.
    ahead: Vec<u32>,
}

/// Numbers this far below the highest are dropped: only an end-to-end timeout can retransmit them.
const HISTORY: SegNo = 4096;

/// Maximum number of legs stored for a flow.
const MAX_LEGS: usize = 4;

/// Maximum number of out-of-order numbers stored for a leg.
const MAX_AHEAD: usize = 512;

impl Arrivals {
    /// Whether this segment arrived before, as far as that is stored.
    pub(super) fn has(&self, seq: SegNo) -> bool {
        self.seen.contains(seq)
    }

    /// Records the arrival of a segment.
    pub(super) fn note(&mut self, seq: SegNo) {
        self.seen.insert(seq, seq + 1);
        let horizon = self.seen.end().unwrap_or(0) - HISTORY;
        // The lowest run, if it begins at 0, is the cumulative acknowledgment; it is one entry, however long.
        if horizon > self.horizon && self.seen.runs().len() > 1 {
            self.horizon = horizon;
            let complete = self.cumulative();
            self.seen.remove_below(horizon);
            self.seen.insert(0, complete);
        }
    }

    /// Everything below has arrived.
    pub(super) fn cumulative(&self) -> SegNo {
        self.seen.first_gap(0)
    }

    /// Records a segment's number on the leg that it arrived on.
    pub(super) fn note_number(&mut self, tag: &SplitTag) {
        let is_same = |leg: &LegNumbers| leg.resp == tag.resp && leg.epoch == tag.epoch;
        let at = self.legs.iter().position(is_same);
        let mut leg = match at {
            Some(at) => self.legs.remove(at),
            // A proxy that joins later has no record of segments on another route.
            None => LegNumbers { resp: tag.resp, epoch: tag.epoch, next: tag.oldest, ahead: Vec::new() },
        };
        leg.skip_to(tag.oldest);
        leg.on_arrival(tag.number);
        if self.legs.len() == MAX_LEGS {
            self.legs.remove(0);
        }
        self.legs.push(leg);
    }

    /// The acknowledgment of `split` by node `from`, which is responsible for it now and can store `win` more.
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
    /// The sender is not responsible for numbers below `oldest` any longer.
    fn skip_to(&mut self, oldest: u32) {
        let is_ahead = |number: u32| number.wrapping_sub(self.next) < u32::MAX / 2;
        if is_ahead(oldest) {
            self.next = oldest;
            self.ahead.retain(|number| number.wrapping_sub(oldest) < u32::MAX / 2);
            self.advance();
        }
    }

    fn on_arrival(&mut self, number: u32) {
        let ahead = number.wrapping_sub(self.next);
        // The number that fills the gap needs no storage.
        let has_room = ahead == 0 || self.ahead.len() < MAX_AHEAD;
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
    fn only_the_lowest_run_survives_below_the_horizon() {
        let mut arrivals = with([0, 1, 3, 10, 11, HISTORY + 10]);
        assert_eq!(
            [0, 1, 3, 10, 11, HISTORY + 10].map(|seq| arrivals.has(seq)),
            [true, true, false, false, true, true]
        );
        assert_eq!(arrivals.cumulative(), 2);
        arrivals.note(4);
        assert!(arrivals.has(4), "the latest arrival is known, however late");
        arrivals.note(HISTORY + 11);
        assert!(!arrivals.has(4) && !arrivals.has(11));
    }

    #[test]
    fn single_run_is_kept_whole() {
        let arrivals = with(100..HISTORY + 200);
        assert!(arrivals.has(100));
    }

    #[test]
    fn number_of_out_of_order_numbers_is_bounded() {
        let mut leg = LegNumbers { resp: NodeId(0), epoch: 0, next: 0, ahead: Vec::new() };
        (1..MAX_AHEAD as u32 + 10).for_each(|number| leg.on_arrival(number));
        leg.skip_to(1);
        assert_eq!(leg.next, MAX_AHEAD as u32 + 1);
    }

    #[test]
    fn number_that_fills_the_gap_needs_no_room() {
        let mut leg = LegNumbers { resp: NodeId(0), epoch: 0, next: 0, ahead: Vec::new() };
        (1..=MAX_AHEAD as u32).for_each(|number| leg.on_arrival(number));
        leg.on_arrival(0);
        assert_eq!((leg.next, leg.ahead.len()), (MAX_AHEAD as u32 + 1, 0));
    }
}
