//! The segments of a rate-based sender: which are in flight, which have arrived, and which are missing.
//!
//! # Source
//! Acknowledgments with SACK blocks as RFC 2018; a segment is missing once three later ones have arrived (RFC 6675).

use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::ranges::Ranges;
use std::collections::{BTreeMap, BTreeSet};

/// Segments that were sent and may have to be retransmitted. Segment 0 is the Syn.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// Whether lost segments are only counted: what an acknowledgment has overtaken is done with.
    pub(super) is_counted: bool,
    /// Lowest segment that is not acknowledged.
    pub(super) una: SegNo,
    /// Next segment to be sent for the first time.
    pub(super) next: SegNo,
    /// Segments beyond `una` that have arrived.
    arrived: Ranges,
    /// Segments to be retransmitted.
    missing: BTreeSet<SegNo>,
    /// Retransmitted segments, with the next new one at that time.
    retransmitted: BTreeMap<SegNo, SegNo>,
    /// When each segment in flight was sent first.
    first_sent: Vec<(SegNo, Time)>,
}

/// What an acknowledgment reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Whether a segment is reported for the first time.
    pub(super) has_news: bool,
    /// Whether a segment is missing.
    pub(super) has_loss: bool,
}

/// Later segments that signal a loss.
const REORDERING: u32 = 3;

impl Segments {
    /// Before anything is sent; `is_counted` if lost segments are only counted.
    pub(super) fn new(is_counted: bool) -> Segments {
        Segments { is_counted, ..Segments::default() }
    }

    /// Segments neither acknowledged nor marked lost.
    pub(super) fn in_flight(&self) -> u32 {
        let beyond: SegNo = self.arrived.runs().iter().map(|run| run.1 - run.0).sum();
        (self.next - self.una.max(1) - beyond - self.missing.len() as SegNo).max(0) as u32
    }

    /// Whether a segment waits to be retransmitted.
    pub(super) fn has_missing(&self) -> bool {
        !self.missing.is_empty()
    }

    /// The segments that wait to be retransmitted.
    #[cfg(test)]
    pub(super) fn missing(&self) -> Vec<SegNo> {
        self.missing.iter().copied().collect()
    }

    /// Takes the next segment to send, and whether it is a retransmission.
    pub(super) fn take_next(&mut self) -> (SegNo, bool) {
        if let Some(seq) = self.missing.pop_first() {
            self.retransmitted.insert(seq, self.next);
            (seq, true)
        } else {
            self.next += 1;
            (self.next - 1, false)
        }
    }

    /// Records a transmission. Returns the time of the first one; a packet without data has none before.
    pub(super) fn on_send(&mut self, now: Time, seq: SegNo, has_data: bool) -> Time {
        match self.first_sent.binary_search_by_key(&seq, |(known, _)| *known) {
            Ok(index) => self.first_sent[index].1,
            Err(index) => {
                if has_data {
                    self.first_sent.insert(index, (seq, now));
                }
                now
            }
        }
    }

    /// Applies an acknowledgment.
    pub(super) fn on_ack(&mut self, ack: &Ack) -> Report {
        let before = self.una;
        if self.is_counted {
            let blocks = ack.blocks().iter().map(|(_, last)| (*last).min(self.next));
            self.una = blocks.fold(self.una.max(ack.cumulative + 1), SegNo::max);
            self.drop_below_una();
            return Report { has_news: self.una > before, has_loss: false };
        }
        self.una = self.una.max(ack.cumulative + 1);
        let mut report = Report { has_news: self.una > before, has_loss: false };
        for (first, last) in ack.blocks() {
            report.has_news |= self.arrived.insert(*first, (*last).min(self.next)) > 0;
        }
        self.arrived.remove_below(self.una);
        self.una = self.arrived.first_gap(self.una);
        self.arrived.remove_below(self.una);
        if self.una > before {
            self.drop_below_una();
        }
        // Segments below the third highest one have been overtaken by three later ones.
        let Some(third) = self.arrived.nth_highest(REORDERING) else { return report };
        for seq in self.una..third {
            // A retransmission is missing again once three segments arrive that were new after it.
            let is_overdue = self.retransmitted.get(&seq).is_none_or(|next| third >= *next);
            if is_overdue && !self.arrived.contains(seq) && self.missing.insert(seq) {
                self.retransmitted.remove(&seq);
                report.has_loss = true;
            }
        }
        let arrived = &self.arrived;
        self.missing.retain(|seq| !arrived.contains(*seq));
        report
    }

    fn drop_below_una(&mut self) {
        let una = self.una;
        self.missing = self.missing.split_off(&una);
        self.retransmitted = self.retransmitted.split_off(&una);
        self.first_sent.retain(|(seq, _)| *seq >= una);
    }

    /// A timeout: everything in flight is missing or, if lost segments are only counted, done with.
    pub(super) fn lose_all(&mut self) {
        if self.is_counted {
            self.una = self.next;
            self.drop_below_una();
            return;
        }
        self.retransmitted.clear();
        let all = (self.una.max(1)..self.next).filter(|seq| !self.arrived.contains(*seq));
        self.missing = all.collect();
    }
}
