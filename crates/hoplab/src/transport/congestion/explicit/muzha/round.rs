//! A round of TCP Muzha: the levels that returned since the window was last adjusted (docs/specs/muzha.md section 4).

use crate::kernel::Time;
use crate::packet::SegNo;
use crate::packet::explicit::{Aggregate, MAX_LEVEL, MIN_LEVEL};

/// The levels since the last action on the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// Acknowledgments per level, from 1.
    counts: [u32; MAX_LEVEL as usize],
    last: Option<u8>,
    /// The segment whose acknowledgment ends it.
    pub(super) end: SegNo,
    /// Whether segments sent now still belong to it.
    pub(super) is_filling: bool,
    pub(super) began: Time,
}

impl Round {
    pub(super) fn new(end: SegNo, began: Time) -> Round {
        Round { counts: [0; MAX_LEVEL as usize], last: None, end, is_filling: false, began }
    }

    pub(super) fn count(&mut self, level: Option<u8>) {
        if let Some(level) = level {
            self.counts[usize::from(level - MIN_LEVEL)] += 1;
            self.last = Some(level);
        }
    }

    /// The level that decides; none if no acknowledgment carried one.
    pub(super) fn level(&self, rule: Aggregate) -> Option<u8> {
        let mut levels = (MIN_LEVEL..=MAX_LEVEL).zip(self.counts).filter(|(_, count)| *count > 0);
        match rule {
            Aggregate::Min => levels.next().map(|(level, _)| level),
            Aggregate::Last => self.last,
            Aggregate::Majority => levels.rev().max_by_key(|(_, count)| *count).map(|(level, _)| level),
        }
    }
}
