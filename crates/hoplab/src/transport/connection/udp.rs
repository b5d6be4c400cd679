//! Datagrams: sent as they are supplied, never again.
//!
//! # Model
//! Each packet of the application is a datagram. The receiver counts the distinct ones; nothing goes back.
//!
//! # Source
//! RFC 768; `Agent/UDP` and `Agent/LossMonitor` of ns-2.35.
//!
//! # Deviations
//! A packet is never split (ns-2's `packetSize_` splits at 1000 bytes by default). Bytes of headers are added by routing,
//! as in ns-2 (`routing.udp_header`).
//!
//! # Parameters
//! None.

use crate::kernel::Time;
use crate::packet::{Datagram, SegNo};
use crate::transport::ranges::Ranges;

/// Sends datagrams.
#[derive(Clone, Debug, Default)]
pub struct UdpSource {
    next: u64,
}

/// Counts datagrams.
#[derive(Clone, Debug, Default)]
pub struct UdpSink {
    /// Everything up to here has come.
    layer: SegNo,
    beyond: Ranges,
}

impl UdpSource {
    /// The next datagram, with `payload` bytes.
    pub fn next(&mut self, now: Time, payload: u32) -> Datagram {
        let seq = self.next;
        self.next += 1;
        Datagram { seq, payload, sent_at: now }
    }
}

impl UdpSink {
    /// A datagram has come. Whether for the first time.
    pub fn on_datagram(&mut self, datagram: &Datagram) -> bool {
        let seq = datagram.seq as SegNo;
        if seq < self.layer || self.beyond.insert(seq, seq + 1) == 0 {
            return false;
        }
        self.layer = self.beyond.first_gap(self.layer);
        self.beyond.remove_below(self.layer);
        // A gap that has not been filled by now never will: routes change within this many packets.
        if self.beyond.runs().len() > MOST_GAPS {
            self.layer = self.beyond.runs()[0].1;
            self.beyond.remove_below(self.layer);
        }
        true
    }
}

/// Gaps that are remembered, so that memory is bounded however long a lossy flow runs.
const MOST_GAPS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(seq: u64) -> Datagram {
        Datagram { seq, payload: 512, sent_at: Time::ZERO }
    }

    #[test]
    fn datagrams_are_numbered() {
        let mut source = UdpSource::default();
        assert_eq!((source.next(Time(5), 512).seq, source.next(Time(6), 512).seq), (0, 1));
    }

    #[test]
    fn distinct_ones_count_in_any_order() {
        let mut sink = UdpSink::default();
        let is_first: Vec<bool> = [0, 2, 1, 2, 0, 5, 5, 4].map(|seq| sink.on_datagram(&datagram(seq))).to_vec();
        assert_eq!(is_first, [true, true, true, false, false, true, false, true]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sink = UdpSink::default();
        for seq in 0..100_000 {
            assert!(sink.on_datagram(&datagram(2 * seq)));
            assert!(!sink.on_datagram(&datagram(2 * seq)));
        }
        assert!(sink.beyond.runs().len() <= MOST_GAPS);
    }

    #[test]
    fn one_that_fills_the_oldest_gap_remembered_counts() {
        for (gaps, is_first) in [(MOST_GAPS as u64, true), (MOST_GAPS as u64 + 1, false)] {
            let mut sink = UdpSink::default();
            (0..=gaps).for_each(|gap| assert!(sink.on_datagram(&datagram(2 * gap))));
            assert_eq!(sink.on_datagram(&datagram(1)), is_first, "{gaps} gaps");
        }
    }
}
