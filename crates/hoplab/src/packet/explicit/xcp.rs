//! XCP (Katabi 2002, draft-falk-xcp-spec-03), XCP-b and XCP-Winf: the header, and the parameters that senders and routers share.

use super::form::Form;
use crate::kernel::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// XCP's congestion header (Katabi 2002, section 3.1; draft-falk-xcp-spec-03).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XcpHeader {
    /// Variant of the protocol that reads it.
    pub kind: XcpKind,
    /// The sender's smoothed round-trip time, in seconds; 0 if unknown.
    pub rtt: f64,
    /// Interval between two packets of the flow, in seconds; 0 if unknown.
    pub spacing: f64,
    /// Change of the flow's rate that this packet requests, then what routers allow of it, in bytes per second.
    pub delta: f64,
}

/// Variants of XCP. A router reads the headers of its own variant only; other segments are load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XcpKind {
    /// Capacity known.
    Base,
    /// XCP-b: capacity unknown.
    Blind,
    /// Capacity and available bandwidth estimated.
    Winf,
}

/// Table `[xcp]` of a scenario: XCP, and what its variants have in common with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct XcpConfig {
    /// Share of the spare rate that is handed out per control interval.
    #[schemars(range(min = 0, max = 10))]
    pub alpha: f64,
    /// Share of the standing queue that is drained per round trip.
    #[schemars(range(min = 0, max = 10))]
    pub beta: f64,
    /// Share of the traffic that is shuffled among flows, for fairness.
    #[schemars(range(min = 0, max = 1))]
    pub gamma: f64,
    /// Capacity that every router assumes. Default: the data rate of its node's MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Rate>,
    /// Control interval before the first packet with a round-trip time.
    pub initial_interval: Span,
    /// Minimum control interval.
    pub min_interval: Span,
    /// Minimum interval over which the standing queue is measured.
    pub min_queue_interval: Span,
    /// Longest round-trip time that routers believe.
    pub max_rtt: Span,
    /// Bytes of the header in each segment and acknowledgment: 0 in ns-2, 20 in the Internet draft.
    pub header: Bytes,
    /// Tick of the clock that the sender's round-trip times are read from; "0 s" reads exactly, "10 ms" as ns-2.
    pub tick: Span,
    /// Window before the first feedback, in segments.
    #[schemars(range(min = 1))]
    pub initial_window: u32,
    /// Whether feedback in duplicate acknowledgments is heeded. ns-2 loses it.
    pub feedback_on_dup_ack: bool,
    /// Whether segments are spread over the round trip rather than sent in bursts.
    pub pacing: bool,
    /// Whether connections have timestamps, as ns-2's XCP always has. `tcp.timestamps` gives them to all.
    pub timestamps: bool,
}

/// Table `[xcp_b]` of a scenario: XCP without knowledge of the capacity. The rest is in `[xcp]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct XcpBConfig {
    /// Share of the queue's size that is probed for per round trip when the queue stays empty.
    #[schemars(range(min = 0, max = 1))]
    pub chi: f64,
    /// Size of the queue in packets of 1500 bytes. Default: that of the node's interface queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub queue: Option<u32>,
    /// Standing queue that is aimed at.
    pub target: Bytes,
    /// Intervals with an empty queue before one is believed.
    pub late_reaction: u32,
    /// Maximum rate that a probe requests, as a share of the data rate of the node's MAC.
    #[schemars(range(min = 0, max = 1000))]
    pub max_step: f64,
}

/// Table `[xcp_winf]` of a scenario: XCP with capacity and available bandwidth from rt-Winf. The rest is in `[xcp]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct XcpWinfConfig {
    /// Reading of all equations, unless their own key differs.
    pub mode: Form,
    /// Request of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq15: Option<Form>,
    /// Weight of a packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq16: Option<Form>,
    /// Change of the aggregate rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq19: Option<Form>,
    /// Shuffled traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<Form>,
    /// Interval over which the standing queue is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eq24: Option<Form>,
    /// Limit by the available bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<Form>,
    /// What counts as spare if `eq19` is consistent.
    pub spare: SpareRule,
    /// By how much positive feedback is divided, for flows that cross several hops that contend.
    #[schemars(range(min = 1, max = 100))]
    pub path_share: f64,
    /// Time over which routers read the available bandwidth. Default: four round trips, 0.1 to 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Span>,
}

/// The value that a router of XCP-Winf uses as spare rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpareRule {
    /// The available bandwidth.
    #[default]
    Ab,
    /// Capacity less what arrives at the router's own queue.
    CMinusY,
    /// The available bandwidth, shared with the neighbors heard sending.
    AbShared,
}

impl Default for XcpConfig {
    fn default() -> Self {
        XcpConfig {
            alpha: 0.4,
            beta: 0.226,
            gamma: 0.1,
            capacity: None,
            initial_interval: Span::from_millis(50),
            min_interval: Span::from_millis(1),
            min_queue_interval: Span::from_millis(2),
            max_rtt: Span::from_millis(1000),
            header: Bytes(0),
            tick: Span::ZERO,
            initial_window: 2,
            feedback_on_dup_ack: false,
            pacing: false,
            timestamps: true,
        }
    }
}

impl Default for XcpBConfig {
    fn default() -> Self {
        XcpBConfig { chi: 0.15, queue: None, target: Bytes(1500), late_reaction: 1, max_step: 0.1 }
    }
}

impl Default for XcpWinfConfig {
    fn default() -> Self {
        XcpWinfConfig {
            mode: Form::Consistent,
            eq15: None,
            eq16: None,
            eq19: None,
            shuffle: None,
            eq24: None,
            cap: None,
            spare: SpareRule::Ab,
            path_share: 1.0,
            window: None,
        }
    }
}
