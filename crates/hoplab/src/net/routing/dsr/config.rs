//! Table `[routing.dsr]`: the constants of DSR (RFC 4728 section 9).

use crate::kernel::Span;
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::setup::{RoutingConstants, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[routing.dsr]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DsrConfig {
    /// Paths that a node's cache holds (the RFC states none; ns-2's two caches hold 30 and 34).
    pub cache_limit: u32,
    /// Time after its last use for which a path is kept (`RouteCacheTimeout`).
    pub cache_timeout: Span,
    /// Whether nodes other than the target reply to RREQs, from their caches (section 3.3.2).
    pub reply_from_cache: bool,
    /// Delay of a reply from the cache per hop of its route (section 8.2.5 leaves it open; ns-2: 3 ms).
    pub reply_delay: Span,
    /// Whether the first RREQ of a discovery has a TTL of 1 (section 3.3.3).
    pub nonpropagating_request: bool,
    /// Wait for a RREP after it (`NonpropRequestTimeout`).
    pub nonpropagating_timeout: Span,
    /// Wait for a RREP after the first network-wide RREQ; it doubles with each (`RequestPeriod`).
    pub request_period: Span,
    /// Maximum wait for a RREP (`MaxRequestPeriod`).
    pub max_request_period: Span,
    /// Network-wide RREQs after the first one before discovery fails (`MaxRequestRexmt`).
    pub max_request_retries: u8,
    /// TTL of a network-wide RREQ (`DiscoveryHopLimit`).
    pub discovery_hop_limit: u8,
    /// Nodes whose RREQs are remembered, to ignore copies (`RequestTableSize`).
    pub request_table_size: u32,
    /// RREQs that are remembered of each (`RequestTableIds`).
    pub request_table_ids: u32,
    /// Maximum random delay of a forwarded RREQ and of a RREP (`BroadcastJitter`).
    pub broadcast_jitter: Span,
    /// Packets that can wait at a node for routes.
    pub buffer_limit: u32,
    /// Maximum wait of a packet for a route (`SendBufferTimeout`).
    pub buffer_timeout: Span,
    /// Times that a packet may be salvaged (`MAX_SALVAGE_COUNT`); 0: never.
    pub max_salvage: u8,
    /// Whether nodes learn from packets for other nodes that they decode (section 3.3.1), and shorten routes (section 3.4.3).
    pub promiscuous: bool,
    /// Time between gratuitous RREPs of a node to one source about one neighbor (`GratReplyHoldoff`).
    pub gratuitous_holdoff: Span,
    /// Maximum hops of a packet (TTL at its source).
    pub ttl: u8,
}

/// Most that the 4 bits of the salvage field hold (RFC 4728 section 6.7).
const MAX_SALVAGE: u8 = 15;

impl Default for DsrConfig {
    fn default() -> Self {
        DsrConfig::rfc()
    }
}

impl DsrConfig {
    /// RFC 4728.
    pub fn rfc() -> DsrConfig {
        DsrConfig {
            cache_limit: 64,
            cache_timeout: Span::from_millis(300_000),
            reply_from_cache: true,
            reply_delay: Span::from_millis(3),
            nonpropagating_request: true,
            nonpropagating_timeout: Span::from_millis(30),
            request_period: Span::from_millis(500),
            max_request_period: Span::from_millis(10_000),
            max_request_retries: 16,
            discovery_hop_limit: 255,
            request_table_size: 64,
            request_table_ids: 16,
            broadcast_jitter: Span::from_millis(10),
            buffer_limit: 64,
            buffer_timeout: Span::from_millis(30_000),
            max_salvage: MAX_SALVAGE,
            promiscuous: true,
            gratuitous_holdoff: Span::from_millis(1_000),
            ttl: 64,
        }
    }

    /// Wait for a RREP after network-wide RREQ number `count`, from 1.
    pub fn request_wait(&self, count: u8) -> Span {
        let doublings = u32::from(count.saturating_sub(1)).min(u64::BITS - 1);
        Span(self.request_period.0.saturating_mul(1 << doublings)).min(self.max_request_period)
    }
}

impl RoutingConstants for DsrConfig {
    fn of_profile(_: RoutingProfile) -> DsrConfig {
        DsrConfig::rfc()
    }

    fn rules(&self) -> Vec<Rule> {
        vec![
            (self.cache_limit > 0, "cache_limit", "at least 1 path"),
            (self.cache_timeout > Span::ZERO, "cache_timeout", "longer than 0 s"),
            (self.nonpropagating_timeout > Span::ZERO, "nonpropagating_timeout", "longer than 0 s"),
            (self.request_period > Span::ZERO, "request_period", "longer than 0 s"),
            (self.max_request_period >= self.request_period, "max_request_period", "at least request_period"),
            (self.discovery_hop_limit > 0, "discovery_hop_limit", "at least 1 hop"),
            (self.request_table_size > 0, "request_table_size", "at least 1 node"),
            (self.request_table_ids > 0, "request_table_ids", "at least 1 RREQ"),
            (self.buffer_limit > 0, "buffer_limit", "at least 1 packet"),
            (self.max_salvage <= MAX_SALVAGE, "max_salvage", "at most 15"),
            (self.ttl > 0, "ttl", "at least 1 hop"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_for_a_reply_doubles_up_to_ten_seconds() {
        let waits = [1, 2, 3, 5, 6, 16, 255].map(|count| DsrConfig::rfc().request_wait(count).secs());
        assert_eq!(waits, [0.5, 1.0, 2.0, 8.0, 10.0, 10.0, 10.0]);
    }
}
