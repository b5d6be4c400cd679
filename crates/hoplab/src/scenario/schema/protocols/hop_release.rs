//! Table `[hop_release]`: release by overhearing, at nodes and at the ends of its flows.
//!
//! Source: `docs/protocols/hop_release.md`, which argues each default.

use crate::kernel::{Bytes, Span};
use crate::mac::handshake::HopReleaseRules;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME};
use crate::transport::{OooAck, PullConfig, SACK_EVERY};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[hop_release]` of a scenario. An exchange is that of the longest packet, or A-MPDU, of the node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HopReleaseConfig {
    /// Packets of other nodes from which on a node grants no more to a neighbor that is not their next hop; 0: any number.
    #[schemars(range(max = 1_000_000))]
    pub hold: u32,
    /// Exchanges that a node waits, after that of its next hop, at most. Default: 2, with aggregation 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub extra: Option<f64>,
    /// Exchanges of this wait for each hop that is left beyond two. Default: 0.5, with aggregation 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0))]
    pub extra_per_hop: Option<f64>,
    /// Exchanges after which a next hop that is not heard is waited for no longer.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub timeout: f64,
    /// Such waits in a row after which a hop that was never heard is not waited for.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub misses: u32,
    /// Times that a packet is tried again after its retry limit, with the first contention window.
    #[schemars(range(max = 1000))]
    pub requeue: u32,
    /// Whether a parked packet makes way for one to another next hop.
    pub swap: bool,
    /// Length from which on a packet is long: it waits, and is refused. Default: more than half of the longest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub long_from: Option<Bytes>,
    /// Exchanges that an own packet waits for flows in transit, at most.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub turn_wait: u32,
    /// Packets of an A-MPDU that one grant lets through.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub ampdu: u32,
    /// Segments that may be unacknowledged.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_outstanding: u32,
    /// Longest delay of an acknowledgment. Default: 80 exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Span>,
    /// Minimum retransmission timeout beyond that delay. Default: 128 exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// Retransmission timeout before the first measurement.
    pub initial_rto: Span,
}

impl Default for HopReleaseConfig {
    fn default() -> Self {
        HopReleaseConfig {
            hold: 2,
            extra: None,
            extra_per_hop: None,
            timeout: 6.0,
            misses: 3,
            requeue: 3,
            swap: true,
            long_from: None,
            turn_wait: 128,
            ampdu: 8,
            max_outstanding: 128,
            ack_delay: None,
            min_rto: None,
            initial_rto: Span::from_millis(3000),
        }
    }
}

impl HopReleaseConfig {
    /// Rules of the exchange at one node.
    pub fn rules(&self) -> HopReleaseRules {
        HopReleaseRules {
            hold: self.hold,
            extra: self.extra,
            extra_per_hop: self.extra_per_hop,
            timeout: self.timeout,
            misses: self.misses,
            requeue: self.requeue,
            swap: self.swap,
            long_from: self.long_from.map(|bytes| bytes.0),
        }
    }

    /// Rules of the ends of a flow, at a node with this exchange of so many packets.
    pub fn pull(&self, exchange: Span, turn: u32) -> PullConfig {
        PullConfig {
            max_outstanding: self.max_outstanding,
            ooo_ack: OooAck::Dupack,
            rto_backoff: false,
            min_rto: self.min_rto.unwrap_or(exchange * 128),
            initial_rto: self.initial_rto,
            ack_queue: 1,
            coalesce_acks: false,
            // An acknowledgment of its own exchange is dear beside an A-MPDU.
            sack_every: if turn > 1 { 2 * SACK_EVERY } else { SACK_EVERY },
            ack_delay: self.ack_delay.unwrap_or(exchange * 80),
            paced: false,
        }
    }
}

impl Table for HopReleaseConfig {
    const KEY: &'static str = "hop_release";

    fn defaults(_: RuleSet, _: Section<'_>) -> HopReleaseConfig {
        HopReleaseConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let longest = Span::from_millis(1_000_000);
        let times = [("ack_delay", self.ack_delay), ("min_rto", self.min_rto), ("initial_rto", Some(self.initial_rto))];
        for (key, time) in times.into_iter().filter_map(|(key, time)| Some((key, time?))) {
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
            section.rule(reader, key, time <= longest, OUT_OF_RANGE, "at most 1000 s");
        }
    }
}
