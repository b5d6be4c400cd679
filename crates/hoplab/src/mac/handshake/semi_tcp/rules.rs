//! What of Semi-TCP's exchange can be chosen.

use crate::kernel::Span;
use crate::packet::Urgency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rules of the exchange at one node.
#[derive(Clone, Debug, PartialEq)]
pub struct SemiTcpRules {
    /// Packets that a node's own traffic may fill: T_c.
    pub t_c: u32,
    /// Places beyond that for packets from neighbors: m.
    pub m: u32,
    /// Whether m follows the number of neighbors.
    pub m_from: Reserve,
    /// Places beyond that against deadlocks: g.
    pub g: u32,
    /// Whether g follows the number of neighbors.
    pub g_from: Reserve,
    /// Whether a grant against a deadlock needs a free place (rule 5).
    pub limits_deadlock_grants: bool,
    /// Data frames after which a neighbor's congestion is over: k.
    pub k: u32,
    /// Length of an exchange; k of them end a neighbor's congestion. Default: that of the longest packet.
    pub exchange: Option<Span>,
    /// From when on a node is congested.
    pub congested_at: CongestedAt,
    /// What counts as held by a node.
    pub n_fwd_counts: ForwardCount,
    /// How neighbors' congestion is kept.
    pub table: NeighborTable,
    /// Whether a plain RTS or CTS says that its sender is not congested.
    pub rts_clears: bool,
    /// Who is taken for the sender of a CTSC.
    pub ctsc_attribution: CtscAttribution,
    /// How a request for a control packet is marked.
    pub urgent_rts: UrgentRts,
    /// Whether such a request counts as one of a congested node.
    pub urgent_rts_marks_congestion: bool,
    /// Whether a congested node waits for a congested next hop.
    pub defer_when_self_congested: bool,
    /// How often a packet is asked whether it may contend.
    pub defer_check: DeferCheck,
    /// Times in a row, without a request of its own between them, that a packet is parked before it contends once all
    /// the same; 0 for no limit.
    pub max_park: u32,
    /// Whom a node refuses while its packet is parked.
    pub refuse_while_parked: RefuseWhileParked,
    /// What refuses a request.
    pub refused_by: RefusedBy,
    /// Whether help against a deadlock is repaid by a plain CTS.
    pub reciprocity: bool,
    /// What answers a congested neighbor that was helped already.
    pub on_monopoly: OnMonopoly,
    /// First contention window after that, in slots.
    pub min_congestion: u32,
    /// Whether a refusal by a parked packet counts as one of its attempts.
    pub refusal_bumps_ssrc: bool,
    /// Whether a CTS is awaited as long as an RTS would take.
    pub cts_timeout_extended: bool,
    /// Whether a control packet in service is sent to refuse a neighbor.
    pub answer_with_control_hol: bool,
    /// Time after which a grant against a deadlock no longer stands in the way of the next.
    pub granted_ttl: Span,
}

/// Where the number of places comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reserve {
    /// As given.
    Fixed,
    /// The number of neighbors heard, and at least as given.
    Neighbors,
}

/// From when on a node is congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CongestedAt {
    /// With T_c + m packets.
    TcPlusM,
    /// With T_c packets.
    Tc,
}

/// What counts as held by a node when a neighbor asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForwardCount {
    /// The interface queue, the data packet in service or parked, and what waits for a route.
    All,
    /// The same without what waits for a route.
    IfqAndService,
}

/// How neighbors' congestion is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeighborTable {
    /// One by one.
    PerNeighbor,
    /// One entry for the whole neighborhood.
    Global,
}

/// Who is taken for the sender of a CTS or CTSC, which names nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CtscAttribution {
    /// Whom the RTS just before was for; if that was not heard, somebody.
    InferElseAnonymous,
    /// Its sender, told by six more bytes.
    TaField,
    /// Somebody.
    Anonymous,
}

/// How a request for a control packet is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UrgentRts {
    /// By the More Data bit.
    MoreData,
    /// By control subtype 14.
    #[serde(rename = "subtype_0e")]
    Subtype0e,
    /// Not at all.
    PlainRts,
}

/// How often a packet is asked whether it may contend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeferCheck {
    /// Before each of its requests.
    EveryContention,
    /// When it comes down to the MAC.
    FirstOnly,
}

/// Whom a node refuses while its packet is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefuseWhileParked {
    /// As ever: whoever asks while it is congested.
    IfCongested,
    /// Everybody, by silence.
    Always,
}

/// What refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBy {
    /// Any request of the neighbor asked.
    AnyRts,
    /// One with a mark: RTSC or an urgent RTS.
    MarkedRts,
}

/// What answers a congested neighbor that was helped already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnMonopoly {
    /// Nothing; the own packet contends with a smaller window.
    SilentMinCw,
    /// The own request.
    Rtsc,
}

impl UrgentRts {
    pub(super) fn mark(self) -> Urgency {
        match self {
            UrgentRts::MoreData => Urgency::MoreData,
            UrgentRts::Subtype0e => Urgency::Subtype14,
            UrgentRts::PlainRts => Urgency::None,
        }
    }
}
