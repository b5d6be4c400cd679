//! Table `[routing.dsdv]`: the constants of DSDV, those of ns-2.35 (`dsdv.h`, `dsdv.cc`) or of Perkins and Bhagwat 1994.

use crate::kernel::{Bytes, Span};
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::setup::{RoutingConstants, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Table `[routing.dsdv]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DsdvConfig {
    /// Settling time of a destination's first route, of which twice passes before neighbors are informed (`wst0_`).
    pub settling_time: Span,
    /// Weight of the past when the settling time is updated (`alpha_`).
    pub settling_weight: f64,
    /// Maximum time between full updates; they are sent after 0.75 to 1 of it (`perup_`).
    pub update_period: Span,
    /// Time after which a neighbor without updates is lost (3 update periods; `min_update_periods_`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbor_timeout: Option<Span>,
    /// Whether a frame that exceeds the MAC's retry limit is a broken link (ns2 false, rfc true; `use_mac_`).
    pub use_mac: bool,
    /// Packets that can wait at a node for a route to one destination (`MAX_QUEUE_LENGTH`).
    pub buffer_per_destination: u32,
    /// TTL of packets at their source (`IP_DEF_TTL`).
    pub ttl: u8,
}

/// Longest of the times.
const MAX_TIME: Span = Span::from_millis(3_600_000);
/// Accepted update periods.
const PERIODS: RangeInclusive<Span> = Span::from_millis(100)..=MAX_TIME;

/// Update periods without an update after which ns-2's DSDV considers a neighbor lost.
const MISSED_UPDATES: u64 = 3;

/// IP header that ns-2's DSDV adds to TCP's packets, which contain one already.
const NS2_EXTRA: Bytes = Bytes(20);

impl Default for DsdvConfig {
    fn default() -> Self {
        DsdvConfig::ns2()
    }
}

impl DsdvConfig {
    /// ns-2.35.
    pub fn ns2() -> DsdvConfig {
        DsdvConfig {
            settling_time: Span::from_millis(6_000),
            settling_weight: 0.875,
            update_period: Span::from_millis(15_000),
            neighbor_timeout: None,
            use_mac: false,
            buffer_per_destination: 5,
            ttl: 32,
        }
    }

    /// Perkins and Bhagwat 1994: as ns-2, but link failures of the MAC count.
    pub fn rfc() -> DsdvConfig {
        DsdvConfig { use_mac: true, ..DsdvConfig::ns2() }
    }

    /// Time after which a neighbor without updates is lost.
    pub fn neighbor_timeout(&self) -> Span {
        self.neighbor_timeout.unwrap_or(self.update_period * MISSED_UPDATES)
    }
}

impl RoutingConstants for DsdvConfig {
    fn of_profile(profile: RoutingProfile) -> DsdvConfig {
        match profile {
            RoutingProfile::Ns2 => DsdvConfig::ns2(),
            RoutingProfile::Rfc => DsdvConfig::rfc(),
        }
    }

    fn extra_bytes(profile: RoutingProfile) -> Bytes {
        match profile {
            RoutingProfile::Ns2 => NS2_EXTRA,
            RoutingProfile::Rfc => Bytes(0),
        }
    }

    fn resolved(&self) -> DsdvConfig {
        DsdvConfig { neighbor_timeout: Some(self.neighbor_timeout()), ..self.clone() }
    }

    fn rules(&self) -> Vec<Rule> {
        let is_weight = (0.0..=1.0).contains(&self.settling_weight);
        vec![
            (self.settling_time <= MAX_TIME, "settling_time", "at most 1 h"),
            (is_weight, "settling_weight", "0 to 1"),
            (PERIODS.contains(&self.update_period), "update_period", "100 ms to 1 h"),
            (self.neighbor_timeout() > self.update_period, "neighbor_timeout", "longer than update_period"),
            (self.buffer_per_destination > 0, "buffer_per_destination", "at least 1 packet"),
            (self.ttl > 1, "ttl", "at least 2 hops"),
        ]
    }
}
