//! The scoreboard of SACK-based recoveries: which segments the receiver reports.
//!
//! # Source
//! RFC 6675 sections 3 and 4; `tcp/scoreboard-rq.cc` of ns-2.35.

use crate::packet::{Ack, SegNo};
use crate::transport::ranges::Ranges;

/// Segments that the receiver reports out of order, and how far gaps are retransmitted.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: Ranges,
    /// Lowest segment that is not acknowledged.
    una: SegNo,
    /// One past the highest segment retransmitted in this recovery (`HighRxt` of RFC 6675, plus one).
    retransmitted: SegNo,
}

impl Scoreboard {
    /// Applies the blocks of an acknowledgment; `una` is the lowest segment not acknowledged by now. Returns whether they
    /// report anything new (in ns-2 also whether segments reported before are acknowledged by now).
    pub fn update(&mut self, una: SegNo, ack: &Ack) -> bool {
        let mut has_news = false;
        if self.una < una {
            self.una = una;
            has_news = !self.sacked.is_empty();
            self.sacked.remove_below(una);
        }
        for &(first, last) in ack.blocks() {
            has_news |= self.sacked.insert(first.max(una), last) > 0;
        }
        has_news
    }

    /// Discards all reports.
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.retransmitted = 0;
    }

    /// Counts retransmissions from now on only.
    pub fn begin_recovery(&mut self) {
        self.retransmitted = 0;
    }

    /// `seq` is retransmitted.
    pub fn mark_retransmitted(&mut self, seq: SegNo) {
        self.retransmitted = self.retransmitted.max(seq + 1);
    }

    /// The lowest gap below a reported segment that is not retransmitted.
    pub fn next_gap(&self) -> Option<SegNo> {
        let gap = self.sacked.first_gap(self.retransmitted.max(self.una));
        self.sacked.end().filter(|&end| gap < end).map(|_| gap)
    }

    /// The highest segment not reported, below `snd_max`.
    pub fn last_gap(&self, snd_max: SegNo) -> Option<SegNo> {
        let mut last = snd_max - 1;
        while let Some((first, _)) = self.sacked.run_of(last) {
            last = first - 1;
        }
        (last >= self.una).then_some(last)
    }

    /// Segments below this are lost: at least `threshold` above them are reported (`IsLost` of RFC 6675, in segments).
    pub fn lost_below(&self, threshold: u32) -> SegNo {
        self.sacked.nth_highest(threshold).unwrap_or(self.una)
    }

    /// Segments in the network (`SetPipe` of RFC 6675): those not reported and not lost, and those retransmitted.
    pub fn pipe(&self, snd_max: SegNo, threshold: u32) -> i64 {
        let missing = |first: SegNo, last: SegNo| (last - first).max(0) - self.sacked.count(first, last) as i64;
        missing(self.lost_below(threshold).max(self.una), snd_max) + missing(self.una, self.retransmitted.min(snd_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;

    fn ack(cumulative: SegNo, blocks: &[(SegNo, SegNo)]) -> Ack {
        let mut ack = Ack::plain(cumulative, Time::ZERO);
        ack.blocks[..blocks.len()].copy_from_slice(blocks);
        ack.block_count = blocks.len() as u8;
        ack
    }

    #[test]
    fn gaps_are_returned_in_order_and_once() {
        let mut board = Scoreboard::default();
        assert!(board.update(5, &ack(4, &[(8, 9), (6, 7)])));
        assert!(!board.update(5, &ack(4, &[(6, 7)])));
        let mut gaps = Vec::new();
        while let Some(gap) = board.next_gap() {
            board.mark_retransmitted(gap);
            gaps.push(gap);
        }
        assert_eq!(gaps, [5, 7]);
        assert!(board.update(7, &ack(6, &[(8, 11)])));
        assert_eq!(board.next_gap(), None);
        board.begin_recovery();
        assert_eq!(board.next_gap(), Some(7));
    }

    #[test]
    fn pipe_excludes_lost_and_reported_segments() {
        let mut board = Scoreboard::default();
        // Sent 10..20; 12, 14 and 16 to 17 have arrived.
        board.update(10, &ack(9, &[(16, 18), (14, 15), (12, 13)]));
        // Above 13 there are three (14, 16, 17), above 15 only two.
        assert_eq!(board.lost_below(3), 14);
        // 15, 18, 19 may be in the network.
        assert_eq!(board.pipe(20, 3), 3);
        board.mark_retransmitted(10);
        board.mark_retransmitted(11);
        assert_eq!(board.pipe(20, 3), 5);
        assert_eq!((board.last_gap(20), board.last_gap(18)), (Some(19), Some(15)));
    }

    #[test]
    fn blocks_below_the_acknowledgment_are_ignored() {
        let mut board = Scoreboard::default();
        assert!(!board.update(10, &ack(9, &[(4, 9)])));
        assert_eq!(board.lost_below(1), 10);
    }
}
