//! Segments from the lowest unacknowledged one on, with the times at which they were sent.
//!
//! # Source
//! A segment is missing once one that was sent later has arrived: RACK's rule (RFC 8985) without a reordering window, since queues
//! along a path keep the order.

use crate::kernel::Time;
use crate::packet::SegNo;
use std::collections::{BTreeSet, VecDeque};

/// Segments in flight, those that are missing, and those that arrived out of order.
#[derive(Debug)]
pub(super) struct Flight {
    /// Lowest segment that is not acknowledged, from 1 on.
    pub(super) una: SegNo,
    /// The segments from `una` on.
    sent: VecDeque<Sent>,
    missing: BTreeSet<SegNo>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    first: Time,
    last: Time,
    has_arrived: bool,
}

/// What a report changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Whether a segment is reported for the first time.
    pub(super) has_arrival: bool,
    /// Whether a segment is missing that was not before.
    pub(super) has_loss: bool,
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) seq: SegNo,
    pub(super) first_sent: Time,
    pub(super) is_retransmission: bool,
}

impl Flight {
    /// Before anything is sent.
    pub(super) fn new() -> Flight {
        Flight { una: 1, sent: VecDeque::new(), missing: BTreeSet::new() }
    }

    /// The segment to be sent for the first time next.
    pub(super) fn next(&self) -> SegNo {
        self.una + self.sent.len() as SegNo
    }

    /// Whether a segment waits to be retransmitted.
    pub(super) fn has_missing(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Whether a segment is not acknowledged.
    pub(super) fn has_unacknowledged(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Takes the lowest missing segment, or else the next new one, as sent now.
    pub(super) fn take_next(&mut self, now: Time) -> Next {
        if let Some(seq) = self.missing.pop_first() {
            let sent = &mut self.sent[(seq - self.una) as usize];
            sent.last = now;
            return Next { seq, first_sent: sent.first, is_retransmission: true };
        }
        let seq = self.next();
        self.sent.push_back(Sent { first: now, last: now, has_arrived: false });
        Next { seq, first_sent: now, is_retransmission: false }
    }

    /// A timeout: everything that has not arrived is missing.
    pub(super) fn lose_all(&mut self) {
        let absent = (self.una..).zip(&self.sent).filter(|(_, sent)| !sent.has_arrived);
        self.missing = absent.map(|(seq, _)| seq).collect();
    }

    /// Everything up to `cumulative` and in `blocks` has arrived, and so has a packet that was sent at `newest`. Segments below `judged` that
    /// were sent earlier and are not reported are missing.
    pub(super) fn on_report(
        &mut self,
        cumulative: SegNo,
        blocks: &[(SegNo, SegNo)],
        newest: Time,
        judged: SegNo,
    ) -> News {
        let mut news = News::default();
        while self.una <= cumulative && self.sent.pop_front().is_some() {
            self.una += 1;
            news.has_arrival = true;
        }
        for &(first, beyond) in blocks {
            for seq in first.max(self.una)..beyond.min(self.next()) {
                let sent = &mut self.sent[(seq - self.una) as usize];
                news.has_arrival |= !sent.has_arrived;
                sent.has_arrived = true;
            }
        }
        while self.sent.front().is_some_and(|sent| sent.has_arrived) {
            self.sent.pop_front();
            self.una += 1;
        }
        let (una, sent) = (self.una, &self.sent);
        self.missing.retain(|&seq| seq >= una && !sent[(seq - una) as usize].has_arrived);
        for (seq, sent) in (una..judged).zip(&self.sent) {
            news.has_loss |= !sent.has_arrived && sent.last < newest && self.missing.insert(seq);
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// Segments 1 to `count`, sent at 1 ms, 2 ms, and so on.
    fn sent(count: u64) -> Flight {
        let mut flight = Flight::new();
        (1..=count).for_each(|millis| assert!(!flight.take_next(at(millis)).is_retransmission));
        flight
    }

    fn missing(flight: &Flight) -> Vec<SegNo> {
        flight.missing.iter().copied().collect()
    }

    #[test]
    fn segments_sent_before_an_arrival_are_missing() {
        let mut flight = sent(9);
        let news = flight.on_report(1, &[(4, 6)], at(5), SegNo::MAX);
        assert_eq!(news, News { has_arrival: true, has_loss: true });
        assert_eq!((flight.una, missing(&flight)), (2, vec![2, 3]));
        let again = flight.on_report(1, &[(4, 6)], at(5), SegNo::MAX);
        assert_eq!(again, News::default());
    }

    #[test]
    fn retransmission_is_missing_again_after_a_later_arrival() {
        let mut flight = sent(5);
        flight.on_report(1, &[(3, 4)], at(3), SegNo::MAX);
        let next = flight.take_next(at(10));
        assert_eq!(next, Next { seq: 2, first_sent: at(2), is_retransmission: true });
        flight.on_report(1, &[(3, 6)], at(5), SegNo::MAX);
        assert!(!flight.has_missing());
        let probe = flight.on_report(1, &[(3, 6)], at(11), SegNo::MAX);
        assert_eq!((probe.has_loss, missing(&flight)), (true, vec![2]));
        flight.on_report(5, &[], at(11), SegNo::MAX);
        assert!(!flight.has_missing() && !flight.has_unacknowledged());
        assert_eq!(flight.next(), 6);
    }

    #[test]
    fn segments_beyond_a_short_report_are_not_judged() {
        let mut flight = sent(9);
        flight.on_report(0, &[(2, 3), (4, 5)], at(9), 5);
        assert_eq!(missing(&flight), [1, 3]);
    }

    #[test]
    fn blocks_beyond_what_was_sent_change_nothing() {
        let mut flight = sent(2);
        flight.on_report(40, &[(50, 60)], at(2), SegNo::MAX);
        assert_eq!((flight.una, flight.next()), (3, 3));
    }
}
