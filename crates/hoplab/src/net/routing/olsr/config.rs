//! Table `[routing.olsr]`: the constants of OLSR, those of RFC 3626 section 18, and of olsrd for ETX.

use crate::kernel::Span;
use crate::net::routing::config::RouteMetric;
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::setup::{RoutingConstants, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Table `[routing.olsr]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OlsrConfig {
    /// Time between HELLO messages (`HELLO_INTERVAL`).
    pub hello_interval: Span,
    /// Time between TC messages, and between HNA messages of gateways (`TC_INTERVAL`, `HNA_INTERVAL`).
    pub tc_interval: Span,
    /// Validity of a HELLO message (3 HELLO intervals; `NEIGHB_HOLD_TIME`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbor_hold: Option<Span>,
    /// Validity of a TC message (3 TC intervals; `TOP_HOLD_TIME`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_hold: Option<Span>,
    /// Maximum random time of messages, against collisions (a quarter of the HELLO interval; `MAXJITTER`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_jitter: Option<Span>,
    /// Whether the random time shortens the interval between own messages, as in the RFC; if not, it delays each message,
    /// and the interval is fixed, as in ns-3. Forwarded messages are always delayed.
    pub jitter_in_interval: bool,
    /// Willingness of all nodes to forward, 0 (never) to 7 (always) (`WILL_DEFAULT` 3).
    pub willingness: u8,
    /// What routes are shortest by.
    pub metric: RouteMetric,
    /// HELLO messages over which the delivery ratio of a link is measured, 1 to 64 (with `metric = "etx"`; olsrd:
    /// `LinkQualityWinSize`).
    pub etx_window: u8,
    /// Links in TC messages: 0 those to MPR selectors, 1 also those to MPRs, 2 those to all neighbors (hops 0, etx 2;
    /// `TC_REDUNDANCY`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc_redundancy: Option<u8>,
    /// Whether a frame that exceeds the MAC's retry limit is a lost link (RFC 3626 section 13).
    pub use_link_layer_feedback: bool,
    /// TTL of packets at their source.
    pub ttl: u8,
}

/// Willingness never to forward.
pub(super) const WILL_NEVER: u8 = 0;
/// Willingness always to forward.
pub(super) const WILL_ALWAYS: u8 = 7;

/// Intervals without a message after which its information expires.
const MISSED: u64 = 3;
/// Part of the HELLO interval that is the maximum jitter.
const JITTER_PART: u64 = 4;

/// Accepted intervals.
const INTERVALS: RangeInclusive<Span> = Span::from_millis(100)..=Span::from_millis(600_000);
/// Accepted validity times: those that messages can represent.
const HOLDS: RangeInclusive<Span> = Span::from_millis(100)..=Span::from_millis(3_600_000);

impl Default for OlsrConfig {
    fn default() -> Self {
        OlsrConfig {
            hello_interval: Span::from_millis(2_000),
            tc_interval: Span::from_millis(5_000),
            neighbor_hold: None,
            topology_hold: None,
            max_jitter: None,
            jitter_in_interval: true,
            willingness: 3,
            metric: RouteMetric::Hops,
            etx_window: 10,
            tc_redundancy: None,
            use_link_layer_feedback: false,
            ttl: 64,
        }
    }
}

impl OlsrConfig {
    /// Validity of a HELLO message.
    pub fn neighbor_hold(&self) -> Span {
        self.neighbor_hold.unwrap_or(self.hello_interval * MISSED)
    }

    /// Validity of a TC message.
    pub fn topology_hold(&self) -> Span {
        self.topology_hold.unwrap_or(self.tc_interval * MISSED)
    }

    /// Maximum random time of a message.
    pub fn max_jitter(&self) -> Span {
        self.max_jitter.unwrap_or(Span(self.hello_interval.0 / JITTER_PART))
    }

    /// Links in TC messages, as a number.
    pub fn tc_redundancy(&self) -> u8 {
        self.tc_redundancy.unwrap_or(match self.metric {
            RouteMetric::Hops => 0,
            RouteMetric::Etx => 2,
        })
    }

    /// Whether messages carry the quality of links.
    pub(super) fn has_quality(&self) -> bool {
        self.metric == RouteMetric::Etx
    }
}

impl RoutingConstants for OlsrConfig {
    fn of_profile(_: RoutingProfile) -> OlsrConfig {
        OlsrConfig::default()
    }

    fn resolved(&self) -> OlsrConfig {
        OlsrConfig {
            neighbor_hold: Some(self.neighbor_hold()),
            topology_hold: Some(self.topology_hold()),
            max_jitter: Some(self.max_jitter()),
            tc_redundancy: Some(self.tc_redundancy()),
            ..self.clone()
        }
    }

    fn rules(&self) -> Vec<Rule> {
        let jitter = self.max_jitter();
        let is_short = jitter * 2 <= self.hello_interval.min(self.tc_interval);
        let hello = self.neighbor_hold();
        let topology = self.topology_hold();
        vec![
            (INTERVALS.contains(&self.hello_interval), "hello_interval", "100 ms to 10 min"),
            (INTERVALS.contains(&self.tc_interval), "tc_interval", "100 ms to 10 min"),
            (
                HOLDS.contains(&hello) && hello > self.hello_interval,
                "neighbor_hold",
                "above hello_interval, at most 1 h",
            ),
            (
                HOLDS.contains(&topology) && topology > self.tc_interval,
                "topology_hold",
                "above tc_interval, at most 1 h",
            ),
            (is_short, "max_jitter", "at most half of hello_interval and of tc_interval"),
            (self.willingness <= WILL_ALWAYS, "willingness", "0 to 7"),
            ((1..=64).contains(&self.etx_window), "etx_window", "1 to 64"),
            (self.tc_redundancy() <= 2, "tc_redundancy", "0, 1 or 2"),
            (self.ttl > 1, "ttl", "at least 2 hops"),
        ]
    }
}
