//! Table `[routing.aodv]`: the constants of AODV, those of ns-2.35 (`aodv.h`, `aodv_rqueue.h`) or of RFC 3561 section 10.

use crate::kernel::Span;
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::setup::{RoutingConstants, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[routing.aodv]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AodvConfig {
    /// Lifetime of a route after its last use (ns2 10 s, rfc 3 s; `ACTIVE_ROUTE_TIMEOUT`).
    pub active_route_timeout: Span,
    /// Lifetime of a route that the destination states (ns2 10 s, rfc 6 s; `MY_ROUTE_TIMEOUT`).
    pub my_route_timeout: Span,
    /// Minimum lifetime of the reverse route of a RREQ (ns2 6 s; rfc by hops, section 6.5; `REV_ROUTE_LIFE`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_route_life: Option<Span>,
    /// Time for which a RREQ is remembered, to ignore its copies (ns2 6 s, rfc 5.6 s; `BCAST_ID_SAVE`, `PATH_DISCOVERY_TIME`).
    pub request_memory: Span,
    /// Network-wide RREQs after the first one before discovery fails (ns2 3, rfc 2; `RREQ_RETRIES`).
    pub rreq_retries: u8,
    /// Maximum wait for a RREP, and time without RREQs after discovery has failed (ns2 only; `MAX_RREQ_TIMEOUT`).
    pub max_rreq_timeout: Span,
    /// TTL of the first RREQ of an expanding ring search (ns2 5, rfc 1; `TTL_START`).
    pub ttl_start: u8,
    /// TTL added for the next ring (`TTL_INCREMENT`).
    pub ttl_increment: u8,
    /// Largest ring; beyond it the search is network-wide (`TTL_THRESHOLD`).
    pub ttl_threshold: u8,
    /// Estimated time per hop (ns2 30 ms, rfc 40 ms; `NODE_TRAVERSAL_TIME`).
    pub node_traversal_time: Span,
    /// TTL of a network-wide RREQ, and of packets at their source (ns2 30, rfc 35; `NETWORK_DIAMETER`, `NET_DIAMETER`).
    pub network_diameter: u8,
    /// Packets that can wait at a node for routes (`AODV_RTQ_MAX_LEN`).
    pub buffer_limit: u32,
    /// Maximum wait of a packet for a route (`AODV_RTQ_TIMEOUT`).
    pub buffer_timeout: Span,
    /// Whether a relay that is nearer to the destination than to the source repairs a broken route itself
    /// (`AODV_LOCAL_REPAIR`).
    pub local_repair: bool,
    /// Whether nodes send hello messages.
    pub hello: bool,
    /// Time between hello messages (`HELLO_INTERVAL`).
    pub hello_interval: Span,
    /// Hello messages in a row that may be lost (ns2 3, rfc 2; `ALLOWED_HELLO_LOSS`).
    pub allowed_hello_loss: u8,
}

/// Accepted values of `rreq_retries`: waits double with each.
const MAX_RETRIES: u8 = 32;

impl Default for AodvConfig {
    fn default() -> Self {
        AodvConfig::ns2()
    }
}

impl AodvConfig {
    /// ns-2.35.
    pub fn ns2() -> AodvConfig {
        AodvConfig {
            active_route_timeout: Span::from_millis(10_000),
            my_route_timeout: Span::from_millis(10_000),
            reverse_route_life: Some(Span::from_millis(6_000)),
            request_memory: Span::from_millis(6_000),
            rreq_retries: 3,
            max_rreq_timeout: Span::from_millis(10_000),
            ttl_start: 5,
            ttl_increment: 2,
            ttl_threshold: 7,
            node_traversal_time: Span::from_millis(30),
            network_diameter: 30,
            buffer_limit: 64,
            buffer_timeout: Span::from_millis(30_000),
            local_repair: true,
            hello: false,
            hello_interval: Span::from_millis(1_000),
            allowed_hello_loss: 3,
        }
    }

    /// RFC 3561. The RFC does not specify the buffer; it is ns-2's.
    pub fn rfc() -> AodvConfig {
        AodvConfig {
            active_route_timeout: Span::from_millis(3_000),
            my_route_timeout: Span::from_millis(6_000),
            reverse_route_life: None,
            request_memory: Span::from_millis(5_600),
            rreq_retries: 2,
            ttl_start: 1,
            node_traversal_time: Span::from_millis(40),
            network_diameter: 35,
            allowed_hello_loss: 2,
            ..AodvConfig::ns2()
        }
    }

    /// Estimated time for a RREQ and its RREP to cross the network, `NET_TRAVERSAL_TIME`.
    pub fn net_traversal_time(&self) -> Span {
        self.node_traversal_time * (2 * u64::from(self.network_diameter))
    }

    /// Time for which an invalid route is remembered, `DELETE_PERIOD`.
    pub fn delete_period(&self) -> Span {
        self.active_route_timeout.max(self.hello_interval) * 5
    }

    /// Maximum hops to a destination for local repair, `MAX_REPAIR_TTL`: 0.3 of the diameter.
    pub fn max_repair_ttl(&self) -> u8 {
        (u16::from(self.network_diameter) * 3 / 10) as u8
    }

    /// Time for which RREQs of a neighbor are ignored that a RREP did not reach, `BLACKLIST_TIMEOUT`.
    pub fn blacklist_timeout(&self) -> Span {
        self.net_traversal_time() * u64::from(self.rreq_retries)
    }
}

impl RoutingConstants for AodvConfig {
    fn of_profile(profile: RoutingProfile) -> AodvConfig {
        match profile {
            RoutingProfile::Ns2 => AodvConfig::ns2(),
            RoutingProfile::Rfc => AodvConfig::rfc(),
        }
    }

    fn rules(&self) -> Vec<Rule> {
        vec![
            (self.active_route_timeout > Span::ZERO, "active_route_timeout", "longer than 0 s"),
            (self.my_route_timeout > Span::ZERO, "my_route_timeout", "longer than 0 s"),
            (self.request_memory > Span::ZERO, "request_memory", "longer than 0 s"),
            (self.ttl_start > 0, "ttl_start", "at least 1 hop"),
            (self.ttl_increment > 0, "ttl_increment", "at least 1 hop"),
            (self.rreq_retries < MAX_RETRIES, "rreq_retries", "below 32"),
            (self.node_traversal_time > Span::ZERO, "node_traversal_time", "longer than 0 s"),
            (self.network_diameter > 1, "network_diameter", "at least 2 hops"),
            (self.buffer_limit > 0, "buffer_limit", "at least 1 packet"),
            (self.hello_interval > Span::ZERO, "hello_interval", "longer than 0 s"),
            (self.allowed_hello_loss > 0, "allowed_hello_loss", "at least 1"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_times_are_those_of_the_rfc() {
        let rfc = AodvConfig::rfc();
        assert_eq!(rfc.net_traversal_time(), Span::from_millis(2_800));
        assert_eq!((rfc.delete_period(), rfc.max_repair_ttl()), (Span::from_millis(15_000), 10));
        assert_eq!(rfc.blacklist_timeout(), Span::from_millis(5_600));
    }
}
