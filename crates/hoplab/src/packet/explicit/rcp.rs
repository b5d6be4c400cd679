//! RCP (Dukkipati 2006) and RCP-Winf: the header, and the parameters that senders and routers share.

use super::form::Form;
use crate::kernel::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RCP's header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RcpHeader {
    /// Variant of the protocol that reads it.
    pub kind: RcpKind,
    /// The sender's latest round-trip time, in seconds; 0 if unknown.
    pub rtt: f64,
    /// Minimum rate of the routers passed so far, in bytes per second; infinite before the first.
    pub rate: f64,
}

/// Variants of RCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RcpKind {
    /// Capacity known.
    Base,
    /// Capacity estimated.
    Winf,
}

/// Table `[rcp]` of a scenario: RCP, and what RCP-Winf has in common with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RcpConfig {
    /// Weight of the spare rate.
    #[schemars(range(min = 0, max = 10))]
    pub alpha: f64,
    /// Weight of the queue.
    #[schemars(range(min = 0, max = 10))]
    pub beta: f64,
    /// Share of the capacity that is aimed at.
    #[schemars(range(min = 0.01, max = 1))]
    pub utilization: f64,
    /// Rate offered at first, as a share of the capacity.
    #[schemars(range(min = 0.0001, max = 1))]
    pub initial_share: f64,
    /// Capacity that every router assumes. Default: the data rate of its node's MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Rate>,
    /// Longest time between two changes of the rate.
    pub slot: Span,
    /// Round-trip time that is assumed at first.
    pub initial_rtt: Span,
    /// Minimum rate, in packets per round trip.
    #[schemars(range(min = 0, max = 100))]
    pub min_packets_per_rtt: f64,
    /// Length of the packets that `min_packets_per_rtt` counts.
    pub nominal_packet: Bytes,
    /// Header of every packet, with IP's.
    pub header: Bytes,
    /// Time between two requests for a rate before the first response, and maximum time between two probes.
    pub probe_interval: Span,
    /// When a slow sender requests the rate again.
    pub ref_clock: RefClock,
    /// Whether lost segments are retransmitted.
    pub recovery: Recovery,
}

/// What a sender of RCP knows of lost segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Which ones are missing: they are retransmitted, within `flow.window`; after three timeouts only Refs are sent.
    #[default]
    Selective,
    /// Their number only, as in the patch for ns-2: nothing is retransmitted, no window limits the sender, and RCP has no
    /// timeout. RCP-Winf's timeout empties the window of eq. 26.
    Count,
}

/// When a slow sender of RCP sends its next Ref.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefClock {
    /// One minimum round-trip time after the last Ref, with or without response, as in the patch for ns-2.
    MinRtt,
    /// That time after the last Ref or segment, but not before its response, or the end of `probe_interval`; and not if a
    /// segment, which requests the rate as well, leaves within a minimum round-trip time from then.
    #[default]
    Answered,
}

/// Table `[rcp_winf]` of a scenario: RCP with the capacity from rt-Winf. The rest is in `[rcp]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RcpWinfConfig {
    /// Reading of all equations, unless their own key differs.
    pub mode: Form,
    /// Distance of packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq27: Option<Form>,
    /// Change of the rate; literal takes the capacity for the traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq28: Option<Form>,
    /// Packets without a rate; literal gives them the capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq31: Option<Form>,
    /// What counts as traffic if `eq28` is consistent.
    pub traffic: TrafficRule,
    /// The capacity from which eq. 28 subtracts the traffic.
    pub first_capacity: FirstCapacity,
    /// What eq. 31 writes into a packet without a rate, or with one above the capacity.
    pub stamp: Stamp,
    /// Share of the capacity that is aimed at (C_w).
    #[schemars(range(min = 0.01, max = 1))]
    pub utilization: f64,
    /// Minimum rate, in packets of `mtu` per round trip.
    #[schemars(range(min = 0, max = 100))]
    pub min_packets_per_rtt: f64,
    /// Length of a full packet.
    pub mtu: Bytes,
    /// Headers that windows and pacing count.
    pub header: Bytes,
}

/// The value that a router of RCP-Winf uses as the traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficRule {
    /// What arrives at the router's own queue.
    #[default]
    Queue,
    /// Capacity less available bandwidth: all of the neighborhood.
    Channel,
}

/// The first capacity of eq. 28, from which the traffic is subtracted. Its divisor and the limit of eq. 29 are rt-Winf's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstCapacity {
    /// That of rt-Winf.
    #[default]
    Estimate,
    /// That of the interface, as in RCP: `rcp.capacity`, or the data rate of the MAC.
    Interface,
}

/// What a router of RCP-Winf writes into a packet that requests no rate, or one above the capacity (eq. 31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stamp {
    /// The rate R of eq. 28, which is below the capacity.
    #[default]
    Rate,
    /// The capacity: eq. 31 takes the place of RCP's rule, and R limits no packet.
    Capacity,
}

impl Default for RcpConfig {
    fn default() -> Self {
        RcpConfig {
            alpha: 0.4,
            beta: 0.4,
            utilization: 1.0,
            initial_share: 0.05,
            capacity: None,
            slot: Span::from_millis(10),
            initial_rtt: Span::from_millis(200),
            min_packets_per_rtt: 0.01,
            nominal_packet: Bytes(1000),
            header: Bytes(40),
            probe_interval: Span::from_millis(500),
            ref_clock: RefClock::Answered,
            recovery: Recovery::Selective,
        }
    }
}

impl Default for RcpWinfConfig {
    fn default() -> Self {
        RcpWinfConfig {
            mode: Form::Consistent,
            eq27: None,
            eq28: None,
            eq31: None,
            traffic: TrafficRule::Queue,
            first_capacity: FirstCapacity::Estimate,
            stamp: Stamp::Rate,
            utilization: 0.96,
            min_packets_per_rtt: 0.1,
            mtu: Bytes(1500),
            header: Bytes(32),
        }
    }
}
