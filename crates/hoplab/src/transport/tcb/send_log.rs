//! When each segment in flight was sent, and how often.

use crate::kernel::Time;
use crate::packet::SegNo;
use std::collections::VecDeque;

/// The history of every segment that is sent and not acknowledged.
#[derive(Clone, Debug, Default)]
pub struct SendLog {
    /// Lowest segment that is not acknowledged.
    una: SegNo,
    entries: VecDeque<Entry>,
    ring: Option<Ring>,
}

/// How a segment has been sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransmitHistory {
    /// When last; `None` if never.
    pub last: Option<Time>,
    /// How often.
    pub times: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    first_sent: Time,
    sendings: TransmitHistory,
}

/// The same as ns-2's Vegas keeps it: one place per segment of the window, which the next segment in that place takes
/// over. An acknowledgment that reaches past the end of the ring forgets to clear what it acknowledges.
#[derive(Clone, Debug)]
struct Ring(Vec<TransmitHistory>);

impl SendLog {
    /// From now on as ns-2's Vegas, with a ring of `window` places.
    pub fn use_ring(&mut self, window: u32) {
        self.ring = Some(Ring(vec![TransmitHistory::default(); window.max(1) as usize]));
    }

    /// `seq` is sent: one in flight, or the next one that never was. When it was sent for the first time.
    pub fn on_send(&mut self, now: Time, seq: SegNo) -> Time {
        let place = (seq - self.una) as usize;
        // A pacer may have forgotten some: holes that were never sent.
        while place > self.entries.len() {
            self.entries.push_back(Entry { first_sent: now, sendings: TransmitHistory::default() });
        }
        if place == self.entries.len() {
            let before = self.sendings(seq);
            self.entries.push_back(Entry { first_sent: now, sendings: before });
        }
        let entry = &mut self.entries[place];
        if entry.sendings.times == 0 {
            entry.first_sent = now;
        }
        entry.sendings = TransmitHistory { last: Some(now), times: entry.sendings.times + 1 };
        if let Some(ring) = &mut self.ring {
            *ring.at(seq) = entry.sendings;
        }
        entry.first_sent
    }

    /// Everything below `una` is acknowledged. How the highest of it had been sent.
    pub fn acknowledge(&mut self, una: SegNo) -> TransmitHistory {
        if let Some(ring) = &mut self.ring {
            ring.forget(self.una, una - 1);
        }
        let count = (una - self.una) as usize;
        self.una = una;
        self.entries.drain(..count).next_back().map_or(TransmitHistory::default(), |entry| entry.sendings)
    }

    /// How `seq`, not acknowledged yet, has been sent.
    pub fn sendings(&self, seq: SegNo) -> TransmitHistory {
        let entry = usize::try_from(seq - self.una).ok().and_then(|place| self.entries.get(place));
        match (entry, &self.ring) {
            (Some(entry), _) => entry.sendings,
            (None, Some(ring)) => ring.0[ring.place(seq)],
            (None, None) => TransmitHistory::default(),
        }
    }
}

impl Ring {
    fn place(&self, seq: SegNo) -> usize {
        seq as usize % self.0.len()
    }

    fn at(&mut self, seq: SegNo) -> &mut TransmitHistory {
        let place = self.place(seq);
        &mut self.0[place]
    }

    fn forget(&mut self, first: SegNo, last: SegNo) {
        let (first, last) = (self.place(first), self.place(last));
        // Past the end of the ring: nothing, as in ns-2.
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
    fn keeps_first_and_last() {
        let mut log = SendLog::default();
        for seq in 0..4 {
            assert_eq!(log.on_send(Time(10 + seq as u64), seq), Time(10 + seq as u64));
        }
        assert_eq!(log.on_send(Time(20), 1), Time(11));
        assert_eq!((log.sendings(1), log.sendings(4)), (sent(20, 2), TransmitHistory::default()));
        assert_eq!(log.acknowledge(2), sent(20, 2));
        assert_eq!(log.acknowledge(4), sent(13, 1));
        assert_eq!(log.on_send(Time(30), 4), Time(30));
    }

    #[test]
    fn the_ring_forgets_to_forget() {
        let mut log = SendLog::default();
        log.use_ring(4);
        for seq in 0..4 {
            log.on_send(Time(10), seq);
        }
        log.acknowledge(2);
        log.on_send(Time(20), 4);
        assert_eq!(log.sendings(4), sent(20, 1));
        log.on_send(Time(20), 5);
        // 2 to 5 lie in places 2, 3, 0, 1: past the end.
        log.acknowledge(6);
        assert_eq!((log.sendings(6), log.sendings(9)), (sent(10, 1), sent(20, 1)));
        log.on_send(Time(30), 6);
        assert_eq!(log.sendings(6), sent(30, 2));
    }
}
