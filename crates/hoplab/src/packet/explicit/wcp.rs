//! WCP (after Rangwala et al. 2008): the header that nodes change, the record that neighbors share, and the parameters.

use crate::kernel::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// WCP's header.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WcpHeader {
    /// Whether the packet has crossed the neighborhood of a congested node.
    pub is_congested: bool,
    /// The flow's mean round-trip time, in seconds; 0 if unknown.
    pub rtt: f64,
    /// Longest control interval of the neighborhoods crossed so far, in seconds.
    pub interval: f64,
    /// What the node that sends the packet shares with its neighbors: a [`WcpRecord`].
    pub record: u32,
}

/// What a node shares with all that decode its data frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WcpRecord {
    /// Whether the node is congested.
    pub is_congested: bool,
    /// Whether a neighbor of it is.
    pub has_congested_neighbor: bool,
    /// Longest mean round-trip time of its links, in seconds.
    pub interval: f64,
    /// Longest one of its neighbors.
    pub neighbors_interval: f64,
}

/// Bits of an interval, in units of 2 ms: up to 32 s.
const INTERVAL_BITS: u32 = 14;
const UNIT: f64 = 0.002;

impl WcpRecord {
    /// As a number that is not 0.
    pub fn encode(self) -> u32 {
        let units = |interval: f64| (libm::ceil(interval / UNIT) as u32).min((1 << INTERVAL_BITS) - 1);
        1 << 30
            | u32::from(self.is_congested) << 29
            | u32::from(self.has_congested_neighbor) << 28
            | units(self.interval) << INTERVAL_BITS
            | units(self.neighbors_interval)
    }

    /// From a number; `None` from 0.
    pub fn decode(record: u32) -> Option<WcpRecord> {
        let interval = |bits: u32| f64::from(bits & ((1 << INTERVAL_BITS) - 1)) * UNIT;
        (record != 0).then(|| WcpRecord {
            is_congested: record >> 29 & 1 == 1,
            has_congested_neighbor: record >> 28 & 1 == 1,
            interval: interval(record >> INTERVAL_BITS),
            neighbors_interval: interval(record),
        })
    }
}

/// Table `[wcp]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WcpConfig {
    /// Mean queue from which on a node is congested, in packets.
    #[schemars(range(min = 0, max = 1000))]
    pub threshold: f64,
    /// Weight of the newest queue length in the mean.
    #[schemars(range(min = 0.0001, max = 1))]
    pub weight: f64,
    /// Whether neighbors share congestion and round-trip times. Without, each node marks for its own queue only.
    pub shared: bool,
    /// How long a record of a neighbor or of a flow counts.
    pub memory: Span,
    /// Segments per control interval by which the rate grows each control interval.
    #[schemars(range(min = 0.001, max = 100))]
    pub increase: f64,
    /// Minimum rate, in segments per second.
    #[schemars(range(min = 0.01, max = 1000))]
    pub min_rate: f64,
    /// Header of segments, with IP's and the shared record.
    pub header: Bytes,
    /// Header of acknowledgments, with IP's.
    pub ack: Bytes,
}

impl Default for WcpConfig {
    fn default() -> Self {
        WcpConfig {
            threshold: 4.0,
            weight: 0.02,
            shared: true,
            memory: Span::from_millis(2000),
            increase: 1.0,
            min_rate: 0.5,
            header: Bytes(52),
            ack: Bytes(48),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_survives_its_encoding() {
        for (is_congested, has_congested_neighbor) in [(false, true), (true, false)] {
            let record = WcpRecord { is_congested, has_congested_neighbor, interval: 0.25, neighbors_interval: 1.5 };
            assert_eq!(WcpRecord::decode(record.encode()), Some(record));
        }
        let longest = WcpRecord { interval: 99.0, ..WcpRecord::default() };
        let decoded = WcpRecord::decode(longest.encode()).expect("a record");
        assert!((decoded.interval - 32.766).abs() < 1e-9 && decoded.neighbors_interval == 0.0);
        assert_eq!(WcpRecord::decode(0), None);
    }
}
