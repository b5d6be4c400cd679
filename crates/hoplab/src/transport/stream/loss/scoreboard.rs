//! What is in flight: a record per segment, as long as it is not acknowledged in order.

use crate::kernel::Time;
use crate::transport::stream::rate::RateStamp;
use std::collections::VecDeque;

/// A segment in flight.
#[expect(clippy::struct_field_names, reason = "times of sending, as everywhere")]
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) seq: u64,
    pub(crate) end: u64,
    /// When it was sent last.
    pub(crate) sent_at: Time,
    pub(crate) first_sent: Time,
    pub(crate) is_fin: bool,
    pub(crate) is_sacked: bool,
    pub(crate) is_lost: bool,
    /// Whether a retransmission is in flight.
    pub(crate) is_repeated: bool,
    pub(crate) was_repeated: bool,
    pub(crate) stamp: RateStamp,
}

/// A segment, or its retransmission, that was marked as lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    pub(crate) bytes: u64,
    pub(crate) stamp: RateStamp,
    /// Whether the segment before it was not marked together with it.
    pub(crate) starts_range: bool,
}

/// All segments in flight, by sequence number, with counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    pub(crate) segments: VecDeque<Sent>,
    pub(crate) sacked: u32,
    pub(crate) lost: u32,
    pub(crate) repeated: u32,
    /// No lost segment below this waits for its retransmission.
    pub(super) hint: u64,
    /// End of the highest segment that was ever SACKed.
    pub(crate) highest_sack: u64,
    /// Segments that were marked as lost and not taken yet, in order of marking.
    pub(super) newly_lost: Vec<Lost>,
    pub(super) lost_end: u64,
}

impl InFlight {
    /// Segments in the network: `packets_in_flight` of Linux.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.segments.len() as u32 - self.sacked - self.lost + self.repeated
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Removes the first segment, which is acknowledged in order.
    pub(crate) fn pop(&mut self) -> Option<Sent> {
        let sent = self.segments.pop_front()?;
        self.sacked -= u32::from(sent.is_sacked);
        self.lost -= u32::from(sent.is_lost);
        self.repeated -= u32::from(sent.is_repeated);
        Some(sent)
    }

    /// Indexes of the segments within `[first, beyond)`.
    pub(crate) fn range(&self, first: u64, beyond: u64) -> std::ops::Range<usize> {
        let start = self.segments.partition_point(|sent| sent.seq < first);
        let end = self.segments.partition_point(|sent| sent.end <= beyond);
        start..end.max(start)
    }

    /// Marks a segment as SACKed; it was not.
    pub(crate) fn sack(&mut self, index: usize) {
        let sent = &mut self.segments[index];
        debug_assert!(!sent.is_sacked, "a segment is SACKed once");
        self.lost -= u32::from(sent.is_lost);
        self.repeated -= u32::from(sent.is_repeated);
        (sent.is_sacked, sent.is_lost, sent.is_repeated) = (true, false, false);
        self.sacked += 1;
        self.highest_sack = self.highest_sack.max(sent.end);
    }

    /// Marks a segment, or its retransmission, as lost.
    pub(crate) fn lose(&mut self, index: usize) {
        let sent = &mut self.segments[index];
        self.lost += u32::from(!sent.is_lost);
        self.repeated -= u32::from(sent.is_repeated);
        (sent.is_lost, sent.is_repeated) = (true, false);
        self.hint = self.hint.min(sent.seq);
        let starts_range = self.newly_lost.is_empty() || self.lost_end != sent.seq;
        self.newly_lost.push(Lost { bytes: sent.end - sent.seq, stamp: sent.stamp, starts_range });
        self.lost_end = sent.end;
    }

    /// Takes what was marked as lost since the last call.
    pub(crate) fn take_lost(&mut self) -> std::vec::Drain<'_, Lost> {
        self.newly_lost.drain(..)
    }

    /// The first lost segment that waits for its retransmission.
    pub(crate) fn next_lost(&mut self) -> Option<usize> {
        if self.lost <= self.repeated {
            return None;
        }
        let start = self.segments.partition_point(|sent| sent.seq < self.hint);
        let found = (start..self.segments.len())
            .find(|&index| self.segments[index].is_lost && !self.segments[index].is_repeated);
        self.hint = found.map_or(u64::MAX, |index| self.segments[index].seq);
        found
    }

    /// A segment is retransmitted.
    pub(crate) fn repeat(&mut self, index: usize, now: Time, stamp: RateStamp) {
        let sent = &mut self.segments[index];
        self.repeated += u32::from(!sent.is_repeated && sent.is_lost);
        (sent.is_repeated, sent.was_repeated) = (sent.is_repeated || sent.is_lost, true);
        (sent.sent_at, sent.stamp) = (now, stamp);
    }
}
