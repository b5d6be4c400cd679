//! The scoreboard of the Linux sender: a mark for each segment that may be missing.
//!
//! It covers the segments between the lowest one not acknowledged and the highest reported one; everything beyond is in
//! flight. A segment is lost if it is four or more below the highest reported one (FACK). A retransmitted one is lost once
//! a segment that was new at that time is reported, or a retransmission five later than its own.
//!
//! One scan from below visits every segment, but stops behind the last block of the acknowledgment unless a change may
//! concern the rest. What it has not reached is not retransmitted until a later scan reaches it.
//!
//! # Source
//! `ScoreBoard1` of ns-2.35 (`tcp/scoreboard1.cc`).

use crate::packet::{Ack, MAX_BLOCKS, SegNo};
use std::collections::VecDeque;

/// The marks of segments that may be missing.
#[derive(Clone, Debug, Default)]
pub(super) struct FackScoreboard {
    /// Segment of the first mark.
    base: SegNo,
    marks: VecDeque<Mark>,
    /// Highest segment reported.
    highest: SegNo,
    reported: SegNo,
    lost: SegNo,
    /// Where the search for a lost segment begins; `None` if there is none.
    search: Option<SegNo>,
    /// Retransmissions since the board was cleared or everything was lost.
    retransmissions: u64,
    /// One past the latest of these that has arrived.
    retransmissions_arrived: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    InFlight,
    Reported,
    Lost,
    /// The `order`th retransmission, sent when `snd_nxt` was the next new segment.
    Retransmitted {
        order: u64,
        snd_nxt: SegNo,
    },
}

/// What an acknowledgment changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// A retransmission arrived: round-trip times are ambiguous.
    pub(super) is_ambiguous: bool,
    /// A segment was reported for the first time.
    pub(super) has_reported: bool,
    /// A segment is marked lost.
    pub(super) has_lost: bool,
}

impl FackScoreboard {
    /// Segments sent that left the network: reported, or lost.
    pub(super) fn out_of_network(&self) -> SegNo {
        self.reported + self.lost
    }

    /// Discards all marks.
    pub(super) fn clear(&mut self) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        *self = FackScoreboard { marks, ..FackScoreboard::default() };
    }

    /// Applies an acknowledgment; `una` is the lowest segment not acknowledged by now.
    pub(super) fn update(&mut self, una: SegNo, ack: &Ack) -> News {
        let mut news = News::default();
        if ack.block_count == 0 && self.marks.is_empty() {
            return news;
        }
        let mut is_thorough = self.remove_below(una, &mut news);
        let mut blocks = [(0, 0); MAX_BLOCKS];
        let mut count = 0;
        for &block in ack.blocks().iter().filter(|block| block.0 >= una - 1) {
            blocks[count] = block;
            count += 1;
        }
        let blocks = &mut blocks[..count];
        blocks.sort_by_key(|block| block.0);
        if !is_thorough && blocks.is_empty() {
            return news;
        }
        if let Some(&(_, end)) = blocks.last().filter(|block| self.highest < block.1 - 1) {
            self.highest = end - 1;
            is_thorough = true;
        }
        if self.marks.is_empty() {
            self.base = una;
            self.extend();
        }
        self.scan(blocks, is_thorough, &mut news);
        news
    }

    /// Removes what is acknowledged. Returns whether a later retransmission than before was among it.
    fn remove_below(&mut self, una: SegNo, news: &mut News) -> bool {
        let mut has_later = false;
        while self.base < una {
            let Some(mark) = self.marks.pop_front() else { break };
            self.base += 1;
            match mark {
                Mark::Reported => self.reported -= 1,
                Mark::Lost => self.lost -= 1,
                Mark::Retransmitted { order, .. } => {
                    if order >= self.retransmissions_arrived {
                        self.retransmissions_arrived = order + 1;
                        has_later = true;
                    }
                    news.is_ambiguous = true;
                }
                Mark::InFlight => {}
            }
        }
        if self.marks.is_empty() {
            self.clear();
            return false;
        }
        self.search = self.search.map(|seq| seq.max(una));
        has_later
    }

    /// Covers everything up to the highest reported segment.
    fn extend(&mut self) {
        let length = (self.highest + 1 - self.base).max(0) as usize;
        if length > self.marks.len() {
            self.marks.resize(length, Mark::InFlight);
        }
    }

    fn scan(&mut self, blocks: &[(SegNo, SegNo)], mut is_thorough: bool, news: &mut News) {
        self.search = None;
        let lost_up_to = self.highest - REORDERING - 1;
        let mut block = 0;
        let mut index = 0;
        while index < self.marks.len() && (block < blocks.len() || is_thorough) {
            let seq = self.base + index as SegNo;
            let mark = self.marks[index];
            if mark != Mark::Reported {
                while blocks.get(block).is_some_and(|block| block.1 <= seq) {
                    block += 1;
                }
                if blocks.get(block).is_some_and(|block| block.0 <= seq) {
                    self.report(index, news, &mut is_thorough);
                } else if self.is_lost(mark, seq, lost_up_to) {
                    if mark != Mark::Lost {
                        self.marks[index] = Mark::Lost;
                        self.lost += 1;
                        news.has_lost = true;
                    }
                    self.search.get_or_insert(seq);
                }
            }
            index += 1;
            if index == self.marks.len() {
                self.extend();
            }
        }
    }

    fn report(&mut self, index: usize, news: &mut News, is_thorough: &mut bool) {
        match self.marks[index] {
            Mark::Lost => self.lost -= 1,
            Mark::Retransmitted { order, .. } => {
                self.retransmissions_arrived = order + 1;
                news.is_ambiguous = true;
                *is_thorough = true;
            }
            Mark::InFlight | Mark::Reported => {}
        }
        self.marks[index] = Mark::Reported;
        self.reported += 1;
        news.has_reported = true;
    }

    fn is_lost(&self, mark: Mark, seq: SegNo, lost_up_to: SegNo) -> bool {
        match mark {
            Mark::InFlight => seq <= lost_up_to,
            Mark::Retransmitted { order, snd_nxt } => {
                snd_nxt <= self.highest || order + REORDERING as u64 + 2 < self.retransmissions_arrived
            }
            Mark::Lost => true,
            Mark::Reported => false,
        }
    }

    /// A timeout: everything below `snd_nxt` that is not reported is lost.
    pub(super) fn lose_all(&mut self, una: SegNo, snd_nxt: SegNo) {
        if self.marks.is_empty() {
            self.base = una;
        }
        let length = (snd_nxt - self.base).max(0) as usize;
        if length > self.marks.len() {
            self.marks.resize(length, Mark::InFlight);
        }
        self.search = None;
        self.lost = 0;
        for (index, mark) in self.marks.iter_mut().enumerate() {
            if *mark != Mark::Reported {
                *mark = Mark::Lost;
                self.lost += 1;
                self.search.get_or_insert(self.base + index as SegNo);
            }
        }
        self.retransmissions = 0;
        self.retransmissions_arrived = 0;
    }

    /// The next lost segment to be retransmitted.
    pub(super) fn next_lost(&mut self) -> Option<SegNo> {
        let from = self.search?;
        let index = (from - self.base).max(0) as usize;
        let ahead = self.marks.iter().skip(index).position(|&mark| mark == Mark::Lost);
        self.search = ahead.map(|ahead| self.base + (index + ahead) as SegNo);
        self.search
    }

    /// `seq`, which is lost, is retransmitted.
    pub(super) fn mark_retransmitted(&mut self, seq: SegNo, snd_nxt: SegNo) {
        self.marks[(seq - self.base) as usize] = Mark::Retransmitted { order: self.retransmissions, snd_nxt };
        self.lost -= 1;
        self.retransmissions += 1;
    }
}

/// Segments that may overtake one before it counts as lost.
const REORDERING: SegNo = 3;

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

    /// Retransmits all segments that a scan marks lost.
    fn retransmit_all(board: &mut FackScoreboard, snd_nxt: SegNo) -> Vec<SegNo> {
        std::iter::from_fn(|| {
            let lost = board.next_lost()?;
            board.mark_retransmitted(lost, snd_nxt);
            Some(lost)
        })
        .collect()
    }

    #[test]
    fn segment_four_below_the_highest_report_is_lost() {
        let mut board = FackScoreboard::default();
        // 10 is missing; 11 to 13 have arrived.
        let news = board.update(10, &ack(9, &[(11, 14)]));
        assert_eq!((news.has_reported, news.has_lost, board.out_of_network()), (true, false, 3));
        let news = board.update(10, &ack(9, &[(11, 15)]));
        assert_eq!((news.has_lost, board.out_of_network()), (true, 5));
        assert_eq!(retransmit_all(&mut board, 20), [10]);
        assert_eq!(board.out_of_network(), 4);
    }

    #[test]
    fn retransmission_is_lost_when_newer_segments_arrive() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(11, 15)]));
        assert_eq!(retransmit_all(&mut board, 15), [10]);
        // 15 was next when 10 was retransmitted.
        assert!(board.update(10, &ack(9, &[(11, 16)])).has_lost);
        assert_eq!(retransmit_all(&mut board, 17), [10]);
        let news = board.update(16, &ack(15, &[]));
        assert_eq!((news.is_ambiguous, board.out_of_network()), (true, 0));
    }

    #[test]
    fn timeout_loses_everything_not_reported() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 14)]));
        board.lose_all(10, 17);
        assert_eq!((board.out_of_network(), board.reported), (7, 2));
        assert_eq!(retransmit_all(&mut board, 17), [10, 11, 14, 15, 16]);
        assert_eq!(board.next_lost(), None);
        board.clear();
        board.lose_all(3, 5);
        assert_eq!(retransmit_all(&mut board, 5), [3, 4]);
    }

    #[test]
    fn segments_beyond_the_scan_wait() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 13), (20, 24)]));
        // 10, 11 and 13 to 19 are lost. An old block alone stops the scan behind it: one segment beyond is visited.
        assert_eq!(board.lost, 9);
        assert!(!board.update(10, &ack(9, &[(12, 13)])).has_reported);
        assert_eq!(board.next_lost(), Some(10));
    }

    #[test]
    fn blocks_below_the_last_acked_segment_are_ignored() {
        for (first, is_counted) in [(8, false), (9, true), (10, true), (11, true)] {
            let news = FackScoreboard::default().update(10, &ack(9, &[(first, 12)]));
            assert_eq!(news.has_reported, is_counted, "from {first}");
        }
    }

    #[test]
    fn losses_of_a_timeout_survive_an_ack_without_blocks() {
        let mut board = FackScoreboard::default();
        board.lose_all(10, 17);
        assert!(!board.update(11, &ack(10, &[])).has_reported);
        assert_eq!(retransmit_all(&mut board, 17), [11, 12, 13, 14, 15, 16]);
    }

    #[test]
    fn repeated_report_does_not_extend_the_scan() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 14)]));
        board.lose_all(10, 17);
        for lost in [10, 11, 14] {
            assert_eq!(board.next_lost(), Some(lost));
            board.mark_retransmitted(lost, 17);
        }
        // 15 and 16 are lost as well, but the scan visits only 14 beyond the block.
        board.update(10, &ack(9, &[(12, 14)]));
        assert_eq!(board.next_lost(), None);
    }

    /// A board whose segments from 10 on are retransmitted in order after a timeout lost 10 to 19.
    fn retransmitted() -> FackScoreboard {
        let mut board = FackScoreboard::default();
        board.lose_all(10, 20);
        assert_eq!(retransmit_all(&mut board, 20).len(), 10);
        board
    }

    #[test]
    fn retransmission_is_lost_when_a_fifth_later_one_arrives() {
        // `GetRtx() + dupack_threshold + 1 < acked_rtx_id_` of scoreboard1.cc, tested by the scan after the arrival.
        for (arrived, lost) in [(14, vec![]), (15, vec![10]), (16, vec![10, 11])] {
            let mut board = retransmitted();
            (0..2).for_each(|_| {
                board.update(10, &ack(9, &[(arrived, arrived + 1)]));
            });
            assert_eq!(retransmit_all(&mut board, 20), lost, "{arrived} has arrived");
        }
    }

    #[test]
    fn acked_retransmission_counts_as_arrived() {
        let mut board = retransmitted();
        (0..2).for_each(|_| {
            board.update(10, &ack(9, &[(16, 17)]));
        });
        // 10 is retransmitted as the tenth after its first, and arrives: 12 to 15 were sent more than four before that.
        assert_eq!(retransmit_all(&mut board, 20), [10, 11]);
        board.update(11, &ack(10, &[]));
        assert_eq!(retransmit_all(&mut board, 20), [12, 13, 14, 15]);
    }

    #[test]
    fn losses_of_a_timeout_begin_with_the_lowest_not_reported() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(10, 12)]));
        board.lose_all(10, 15);
        assert_eq!(retransmit_all(&mut board, 15), [12, 13, 14]);
    }
}
