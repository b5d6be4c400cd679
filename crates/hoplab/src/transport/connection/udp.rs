//! UDP: datagrams that are sent as they are supplied, and never retransmitted.
//!
//! # Model
//! Each packet of the application is a datagram. The receiver counts the distinct ones and sends nothing.
//!
//! # Source
//! RFC 768; `Agent/UDP` and `Agent/LossMonitor` of ns-2.35.
//!
//! # Deviations
//! A packet is split only where `flow.max_datagram` says so; ns-2's `Agent/UDP` splits at its `packetSize_`, 1000 bytes by default.
//! Bytes of headers are added by routing, as in ns-2 (`routing.udp_header`).
//!
//! # Parameters
//! `flow.max_datagram`.

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
    /// Everything below has arrived.
    complete: SegNo,
    /// Datagrams that arrived out of order.
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
    /// A datagram arrived. Returns whether it did for the first time.
    pub fn on_datagram(&mut self, datagram: &Datagram) -> bool {
        let seq = datagram.seq as SegNo;
        if seq < self.complete || self.beyond.insert(seq, seq + 1) == 0 {
            return false;
        }
        self.complete = self.beyond.first_gap(self.complete);
        self.beyond.remove_below(self.complete);
        // A gap that is open for so long will not be filled: routes change within this many packets.
        if self.beyond.runs().len() > MAX_GAPS {
            self.complete = self.beyond.runs()[0].1;
            self.beyond.remove_below(self.complete);
        }
        true
    }
}

/// Maximum number of stored gaps: memory is bounded however long a lossy flow runs.
const MAX_GAPS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(seq: u64) -> Datagram {
        Datagram { seq, payload: 512, sent_at: Time::ZERO }
    }

    #[test]
    fn datagrams_are_numbered_from_zero() {
        let mut source = UdpSource::default();
        assert_eq!((source.next(Time(5), 512).seq, source.next(Time(6), 512).seq), (0, 1));
    }

    #[test]
    fn distinct_datagrams_count_in_any_order() {
        let mut sink = UdpSink::default();
        let is_first: Vec<bool> = [0, 2, 1, 2, 0, 5, 5, 4].map(|seq| sink.on_datagram(&datagram(seq))).to_vec();
        assert_eq!(is_first, [true, true, true, false, false, true, false, true]);
    }

    #[test]
    fn number_of_gaps_is_bounded() {
        let mut sink = UdpSink::default();
        for seq in 0..100_000 {
            assert!(sink.on_datagram(&datagram(2 * seq)));
            assert!(!sink.on_datagram(&datagram(2 * seq)));
        }
        assert!(sink.beyond.runs().len() <= MAX_GAPS);
    }

    #[test]
    fn datagram_that_fills_the_oldest_gap_counts() {
        for (gaps, is_first) in [(MAX_GAPS as u64, true), (MAX_GAPS as u64 + 1, false)] {
            let mut sink = UdpSink::default();
            (0..=gaps).for_each(|gap| assert!(sink.on_datagram(&datagram(2 * gap))));
            assert_eq!(sink.on_datagram(&datagram(1)), is_first, "{gaps} gaps");
        }
    }
}
