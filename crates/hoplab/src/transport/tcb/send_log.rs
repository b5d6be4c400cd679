//! When each segment in flight was sent, and how often.
//!
//! # Source
//! The ring of `Agent/TCP/Vegas` of ns-2.35 (`v_sendtime_`, `v_transmits_` in `tcp/tcp-vegas.cc`), with its quirk.

use crate::kernel::Time;
use crate::packet::SegNo;
use std::collections::VecDeque;

/// The transmit history of every segment that is sent and not acknowledged.
#[derive(Clone, Debug, Default)]
pub struct SendLog {
    /// Lowest segment that is not acknowledged.
    una: SegNo,
    entries: VecDeque<Entry>,
    ring: Option<Ring>,
}

/// How a segment was transmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransmitHistory {
    /// Time of the last transmission; `None` if there was none.
    pub last: Option<Time>,
    /// Number of transmissions.
    pub times: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    first_sent: Time,
    history: TransmitHistory,
}

/// Histories as in ns-2's Vegas: one slot per segment of the window, reused by the next segment of that slot. An
/// acknowledgment across the end of the ring does not clear what it acknowledges.
#[derive(Clone, Debug)]
struct Ring(Vec<TransmitHistory>);

impl SendLog {
    /// Switches to the ring of ns-2's Vegas, with `window` slots.
    pub fn use_ring(&mut self, window: u32) {
        self.ring = Some(Ring(vec![TransmitHistory::default(); window.max(1) as usize]));
    }

    /// Records the transmission of `seq`, which is in flight or the next new segment. Returns the time of its first.
    pub fn on_send(&mut self, now: Time, seq: SegNo) -> Time {
        let index = (seq - self.una) as usize;
        // The pacer may have discarded some: holes that were never sent.
        while index > self.entries.len() {
            self.entries.push_back(Entry { first_sent: now, history: TransmitHistory::default() });
        }
        if index == self.entries.len() {
            let history = self.history(seq);
            self.entries.push_back(Entry { first_sent: now, history });
        }
        let entry = &mut self.entries[index];
        if entry.history.times == 0 {
            entry.first_sent = now;
        }
        entry.history = TransmitHistory { last: Some(now), times: entry.history.times + 1 };
        if let Some(ring) = &mut self.ring {
            *ring.slot_mut(seq) = entry.history;
        }
        entry.first_sent
    }

    /// Drops everything below `una`, which is acknowledged. Returns the history of the highest of it.
    pub fn acknowledge(&mut self, una: SegNo) -> TransmitHistory {
        if let Some(ring) = &mut self.ring {
            ring.clear(self.una, una - 1);
        }
        let count = (una - self.una) as usize;
        self.una = una;
        self.entries.drain(..count).next_back().map_or(TransmitHistory::default(), |entry| entry.history)
    }

    /// The history of `seq`, which is not acknowledged.
    pub fn history(&self, seq: SegNo) -> TransmitHistory {
        let entry = usize::try_from(seq - self.una).ok().and_then(|index| self.entries.get(index));
        match (entry, &self.ring) {
            (Some(entry), _) => entry.history,
            (None, Some(ring)) => ring.0[ring.slot(seq)],
            (None, None) => TransmitHistory::default(),
        }
    }
}

impl Ring {
    fn slot(&self, seq: SegNo) -> usize {
        seq as usize % self.0.len()
    }

    fn slot_mut(&mut self, seq: SegNo) -> &mut TransmitHistory {
        let slot = self.slot(seq);
        &mut self.0[slot]
    }

    fn clear(&mut self, first: SegNo, last: SegNo) {
        let (first, last) = (self.slot(first), self.slot(last));
        // Across the end of the ring, no entry is cleared, as in ns-2.
        if first <= last {
            self.0[first..=last].fill(TransmitHistory::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(last: u64, times: u32) -> TransmitHistory {
        TransmitHistory { last: Some(Time(last)), times }
    }

    #[test]
    fn log_keeps_first_and_last_transmission() {
        let mut log = SendLog::default();
        for seq in 0..4 {
            assert_eq!(log.on_send(Time(10 + seq as u64), seq), Time(10 + seq as u64));
        }
        assert_eq!(log.on_send(Time(20), 1), Time(11));
        assert_eq!((log.history(1), log.history(4)), (sent(20, 2), TransmitHistory::default()));
        assert_eq!(log.acknowledge(2), sent(20, 2));
        assert_eq!(log.acknowledge(4), sent(13, 1));
        assert_eq!(log.on_send(Time(30), 4), Time(30));
    }

    #[test]
    fn ring_keeps_histories_across_its_end() {
        let mut log = SendLog::default();
        log.use_ring(4);
        for seq in 0..4 {
            log.on_send(Time(10), seq);
        }
        log.acknowledge(2);
        log.on_send(Time(20), 4);
        assert_eq!(log.history(4), sent(20, 1));
        log.on_send(Time(20), 5);
        // 2 to 5 are in slots 2, 3, 0, 1: across the end.
        log.acknowledge(6);
        assert_eq!((log.history(6), log.history(9)), (sent(10, 1), sent(20, 1)));
        log.on_send(Time(30), 6);
        assert_eq!(log.history(6), sent(30, 2));
    }
}
