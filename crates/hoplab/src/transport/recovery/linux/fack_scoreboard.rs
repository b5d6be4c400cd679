//! What the Linux sender holds of each segment that may be missing.
//!
//! The board covers what lies between the lowest segment not acknowledged and the highest reported one; everything
//! beyond is in flight. A segment is lost if it lies four or more below the highest reported one (FACK), or, sent again,
//! once a segment that was new at that time is reported, or a resending five later than its own.
//!
//! One walk from below looks at every segment, but stops behind the last block of the acknowledgment unless something
//! changed that may concern the rest. What it has not reached is not sent again until a later walk reaches it.

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
    /// Where the search for a lost segment begins; without it there is none to be found.
    search: Option<SegNo>,
    /// Segments sent again since the board was cleared or everything was lost.
    resends: u64,
    /// One past the latest of these that has arrived.
    resends_arrived: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    InFlight,
    Reported,
    Lost,
    /// Sent again as the `order`th, when `snd_nxt` was next to be sent for the first time.
    Resent {
        order: u64,
        snd_nxt: SegNo,
    },
}

/// What an acknowledgment has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Something sent again has arrived: round-trip times are not to be trusted.
    pub(super) is_ambiguous: bool,
    /// Something new was reported beyond a gap.
    pub(super) has_reported: bool,
    /// Something was found lost.
    pub(super) has_lost: bool,
}

impl FackScoreboard {
    /// Segments sent that are not in the network: reported, or lost.
    pub(super) fn out_of_network(&self) -> SegNo {
        self.reported + self.lost
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        *self = FackScoreboard { marks, ..FackScoreboard::default() };
    }

    /// Takes in an acknowledgment; `una` is the lowest segment not acknowledged by now.
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
        self.walk(blocks, is_thorough, &mut news);
        news
    }

    /// Takes out what is acknowledged. Whether a later resending than before was among it.
    fn remove_below(&mut self, una: SegNo, news: &mut News) -> bool {
        let mut has_later = false;
        while self.base < una {
            let Some(mark) = self.marks.pop_front() else { break };
            self.base += 1;
            match mark {
                Mark::Reported => self.reported -= 1,
                Mark::Lost => self.lost -= 1,
                Mark::Resent { order, .. } => {
                    if order >= self.resends_arrived {
                        self.resends_arrived = order + 1;
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

    fn walk(&mut self, blocks: &[(SegNo, SegNo)], mut is_thorough: bool, news: &mut News) {
        self.search = None;
        let lost_up_to = self.highest - REORDERING - 1;
        let mut block = 0;
        let mut place = 0;
        while place < self.marks.len() && (block < blocks.len() || is_thorough) {
            let seq = self.base + place as SegNo;
            let mark = self.marks[place];
            if mark != Mark::Reported {
                while blocks.get(block).is_some_and(|block| block.1 <= seq) {
                    block += 1;
                }
                if blocks.get(block).is_some_and(|block| block.0 <= seq) {
                    self.report(place, news, &mut is_thorough);
                } else if self.is_lost(mark, seq, lost_up_to) {
                    if mark != Mark::Lost {
                        self.marks[place] = Mark::Lost;
                        self.lost += 1;
                        news.has_lost = true;
                    }
                    self.search.get_or_insert(seq);
                }
            }
            place += 1;
            if place == self.marks.len() {
                self.extend();
            }
        }
    }

    fn report(&mut self, place: usize, news: &mut News, is_thorough: &mut bool) {
        match self.marks[place] {
            Mark::Lost => self.lost -= 1,
            Mark::Resent { order, .. } => {
                self.resends_arrived = order + 1;
                news.is_ambiguous = true;
                *is_thorough = true;
            }
            Mark::InFlight | Mark::Reported => {}
        }
        self.marks[place] = Mark::Reported;
        self.reported += 1;
        news.has_reported = true;
    }

    fn is_lost(&self, mark: Mark, seq: SegNo, lost_up_to: SegNo) -> bool {
        match mark {
            Mark::InFlight => seq <= lost_up_to,
            Mark::Resent { order, snd_nxt } => {
                snd_nxt <= self.highest || order + REORDERING as u64 + 2 < self.resends_arrived
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
        for (place, mark) in self.marks.iter_mut().enumerate() {
            if *mark != Mark::Reported {
                *mark = Mark::Lost;
                self.lost += 1;
                self.search.get_or_insert(self.base + place as SegNo);
            }
        }
        self.resends = 0;
        self.resends_arrived = 0;
    }

    /// The next lost segment to be sent again.
    pub(super) fn next_lost(&mut self) -> Option<SegNo> {
        let from = self.search?;
        let place = (from - self.base).max(0) as usize;
        let ahead = self.marks.iter().skip(place).position(|&mark| mark == Mark::Lost);
        self.search = ahead.map(|ahead| self.base + (place + ahead) as SegNo);
        self.search
    }

    /// `seq`, which is lost, is sent again.
    pub(super) fn mark_resent(&mut self, seq: SegNo, snd_nxt: SegNo) {
        self.marks[(seq - self.base) as usize] = Mark::Resent { order: self.resends, snd_nxt };
        self.lost -= 1;
        self.resends += 1;
    }
}

/// Segments that may overtake one before it is held for lost.
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

    /// All lost segments that can be found, each sent again.
    fn resend_all(board: &mut FackScoreboard, snd_nxt: SegNo) -> Vec<SegNo> {
        std::iter::from_fn(|| {
            let lost = board.next_lost()?;
            board.mark_resent(lost, snd_nxt);
            Some(lost)
        })
        .collect()
    }

    #[test]
    fn four_below_the_highest_report_is_lost() {
        let mut board = FackScoreboard::default();
        // 10 is missing; 11 to 13 have arrived.
        let news = board.update(10, &ack(9, &[(11, 14)]));
        assert_eq!((news.has_reported, news.has_lost, board.out_of_network()), (true, false, 3));
        let news = board.update(10, &ack(9, &[(11, 15)]));
        assert_eq!((news.has_lost, board.out_of_network()), (true, 5));
        assert_eq!(resend_all(&mut board, 20), [10]);
        assert_eq!(board.out_of_network(), 4);
    }

    #[test]
    fn a_resending_is_lost_when_later_segments_arrive() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(11, 15)]));
        assert_eq!(resend_all(&mut board, 15), [10]);
        // 15 was next when 10 was sent again.
        assert!(board.update(10, &ack(9, &[(11, 16)])).has_lost);
        assert_eq!(resend_all(&mut board, 17), [10]);
        let news = board.update(16, &ack(15, &[]));
        assert_eq!((news.is_ambiguous, board.out_of_network()), (true, 0));
    }

    #[test]
    fn a_timeout_loses_everything_that_is_not_reported() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 14)]));
        board.lose_all(10, 17);
        assert_eq!((board.out_of_network(), board.reported), (7, 2));
        assert_eq!(resend_all(&mut board, 17), [10, 11, 14, 15, 16]);
        assert_eq!(board.next_lost(), None);
        board.clear();
        board.lose_all(3, 5);
        assert_eq!(resend_all(&mut board, 5), [3, 4]);
    }

    #[test]
    fn what_a_walk_does_not_reach_waits() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 13), (20, 24)]));
        // 10, 11 and 13 to 19 are lost. An old block alone stops the walk behind it: one segment beyond is seen.
        assert_eq!(board.lost, 9);
        assert!(!board.update(10, &ack(9, &[(12, 13)])).has_reported);
        assert_eq!(board.next_lost(), Some(10));
    }

    #[test]
    fn blocks_that_begin_below_the_last_acknowledged_are_left_out() {
        for (first, is_told) in [(8, false), (9, true), (10, true), (11, true)] {
            let news = FackScoreboard::default().update(10, &ack(9, &[(first, 12)]));
            assert_eq!(news.has_reported, is_told, "from {first}");
        }
    }

    #[test]
    fn what_a_timeout_has_lost_is_found_after_an_acknowledgment_without_blocks() {
        let mut board = FackScoreboard::default();
        board.lose_all(10, 17);
        assert!(!board.update(11, &ack(10, &[])).has_reported);
        assert_eq!(resend_all(&mut board, 17), [11, 12, 13, 14, 15, 16]);
    }

    #[test]
    fn the_highest_report_once_more_is_no_reason_to_look_beyond_it() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(12, 14)]));
        board.lose_all(10, 17);
        for lost in [10, 11, 14] {
            assert_eq!(board.next_lost(), Some(lost));
            board.mark_resent(lost, 17);
        }
        // 15 and 16 are lost as well, but the walk sees only 14 beyond the block.
        board.update(10, &ack(9, &[(12, 14)]));
        assert_eq!(board.next_lost(), None);
    }

    /// A board whose segments from 10 on have been sent again in order, once a timeout had lost 10 to 19.
    fn resent() -> FackScoreboard {
        let mut board = FackScoreboard::default();
        board.lose_all(10, 20);
        assert_eq!(resend_all(&mut board, 20).len(), 10);
        board
    }

    #[test]
    fn a_resending_is_lost_when_one_more_than_four_later_arrives() {
        // `GetRtx() + dupack_threshold + 1 < acked_rtx_id_` of scoreboard1.cc, seen by the walk after the arrival.
        for (arrived, lost) in [(14, vec![]), (15, vec![10]), (16, vec![10, 11])] {
            let mut board = resent();
            (0..2).for_each(|_| {
                board.update(10, &ack(9, &[(arrived, arrived + 1)]));
            });
            assert_eq!(resend_all(&mut board, 20), lost, "{arrived} has arrived");
        }
    }

    #[test]
    fn a_resending_that_is_acknowledged_has_arrived() {
        let mut board = resent();
        (0..2).for_each(|_| {
            board.update(10, &ack(9, &[(16, 17)]));
        });
        // 10 is sent again as the tenth after its first, and arrives: 12 to 15 were sent more than four before that.
        assert_eq!(resend_all(&mut board, 20), [10, 11]);
        board.update(11, &ack(10, &[]));
        assert_eq!(resend_all(&mut board, 20), [12, 13, 14, 15]);
    }

    #[test]
    fn what_a_timeout_has_lost_begins_with_the_lowest_not_reported() {
        let mut board = FackScoreboard::default();
        board.update(10, &ack(9, &[(10, 12)]));
        board.lose_all(10, 15);
        assert_eq!(resend_all(&mut board, 15), [12, 13, 14]);
    }
}
