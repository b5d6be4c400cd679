//! The receiving side of a leg: which segments of a flow have come, and the acknowledgments that say so.

use crate::kernel::NodeId;
use crate::packet::{Lack, SegNo, SplitSegment, SplitTag};
use crate::transport::Ranges;

/// Segments of one flow that have come to a proxy or destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    seen: Ranges,
    /// Numbers below it are forgotten.
    floor: SegNo,
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
        let floor = self.seen.end().unwrap_or(0) - REMEMBERED;
        // The lowest run says how far everything has come; it costs nothing to keep whole.
        if floor > self.floor && self.seen.runs().len() > 1 {
            self.floor = floor;
            let complete = self.cumulative();
            self.seen.remove_below(floor);
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

    /// The number up to which everything of a leg has come.
    pub(super) fn number(&self, resp: NodeId, epoch: u16) -> u32 {
        self.legs.iter().find(|leg| leg.resp == resp && leg.epoch == epoch).map_or(0, |leg| leg.next)
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
        if ahead < u32::MAX / 2 && self.ahead.len() < MOST_AHEAD && !self.ahead.contains(&number) {
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
