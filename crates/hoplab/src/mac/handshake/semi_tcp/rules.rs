//! Rules of Semi-TCP's exchange, as values: Cai 2013 leaves some of them open, and the published program differs in others.
//! `docs/protocols/semi_tcp.md` compares the two presets.

use crate::kernel::Span;
use crate::packet::Urgency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rules of the exchange at one node.
#[derive(Clone, Debug, PartialEq)]
pub struct SemiTcpRules {
    /// Packets that a node's own traffic may fill: T_c.
    pub t_c: u32,
    /// Packets of neighbors beyond that: m.
    pub m: u32,
    /// Whether m follows the number of neighbors.
    pub m_from: Reserve,
    /// Packets against deadlocks beyond both: g.
    pub g: u32,
    /// Whether g follows the number of neighbors.
    pub g_from: Reserve,
    /// Whether a CTSC needs room for its packet (rule 5).
    pub limits_deadlock_grants: bool,
    /// Data frames after which a neighbor's congestion is over: k.
    pub k: u32,
    /// Length of an exchange; k of them end a neighbor's congestion. Default: that of the longest packet.
    pub exchange: Option<Span>,
    /// From when on a node is congested.
    pub congested_at: CongestedAt,
    /// Whether a congested node grants by a CTSC.
    pub ctsc_while_congested: bool,
    /// Which frames carry the congestion of their sender.
    pub signals: Signals,
    /// What counts as held by a node.
    pub n_fwd_counts: ForwardCount,
    /// How the congestion of neighbors is stored.
    pub table: NeighborTable,
    /// Whether a plain RTS or CTS clears the congestion of its sender.
    pub rts_clears: bool,
    /// To which neighbor a CTSC is attributed.
    pub ctsc_attribution: CtscAttribution,
    /// How the RTS for a control packet is marked.
    pub urgent_rts: UrgentRts,
    /// Whether such an RTS indicates congestion of its sender.
    pub urgent_rts_marks_congestion: bool,
    /// Whether a congested node defers to a congested next hop.
    pub defer_when_self_congested: bool,
    /// When the policy decides whether a packet contends.
    pub defer_check: DeferCheck,
    /// Times that a packet is parked without an RTS of its own before it contends once; 0 for no limit.
    pub max_park: u32,
    /// Which RTSs a node refuses while its packet is parked.
    pub refuse_while_parked: RefuseWhileParked,
    /// Whether a refusal ends the NAV that the refused RTS has set. Default: where one grant lets several packets through.
    pub refusal_frees_nav: Option<bool>,
    /// Which RTS of the next hop is a refusal.
    pub refused_by: RefusedBy,
    /// Whether a CTSC is repaid by a plain CTS.
    pub reciprocity: bool,
    /// Response to a congested neighbor that has got a CTSC already.
    pub on_monopoly: OnMonopoly,
    /// First contention window after that, in slots.
    pub min_congestion: u32,
    /// Whether a refusal by a parked packet counts as a short retry.
    pub refusal_bumps_ssrc: bool,
    /// Whether the CTS timeout lasts until the end of an RTS in its place.
    pub cts_timeout_extended: bool,
    /// Whether a control packet in service is sent to refuse a neighbor.
    pub answer_with_control_hol: bool,
    /// Time after which a CTSC no longer prevents the next.
    pub granted_ttl: Span,
}

/// How many packets m or g is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reserve {
    /// The number that is given.
    Fixed,
    /// The number of known neighbors, and at least that number.
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
    /// With T_c packets it says so and defers; it refuses transit from T_c + m on (equations 3 and 4).
    TcAndM,
}

/// Frames that can carry the congestion of their sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalFrame {
    /// RTS, as RTSC.
    Rts,
    /// CTS, as CTSC.
    Cts,
    /// Data that are sent without RTS.
    Data,
    /// The ACK of such data.
    Ack,
}

/// Which frames carry the congestion of their sender, in the Order bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signals {
    /// RTS.
    pub rts: bool,
    /// CTS.
    pub cts: bool,
    /// Data without RTS.
    pub data: bool,
    /// ACK of data without RTS.
    pub ack: bool,
}

impl Signals {
    /// Those of the list.
    pub fn of(frames: &[SignalFrame]) -> Signals {
        let [rts, cts, data, ack] = [SignalFrame::Rts, SignalFrame::Cts, SignalFrame::Data, SignalFrame::Ack]
            .map(|frame| frames.contains(&frame));
        Signals { rts, cts, data, ack }
    }
}

/// Which packets count as held by a node when a neighbor sends an RTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForwardCount {
    /// Those in the interface queue, in service or parked, and without a route.
    All,
    /// Those in the interface queue, in service or parked.
    IfqAndService,
}

/// How the congestion of neighbors is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeighborTable {
    /// One entry for each neighbor.
    PerNeighbor,
    /// One entry for the whole neighborhood.
    Global,
}

/// To which neighbor a CTS or CTSC is attributed, which carries no TA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CtscAttribution {
    /// The RA of the RTS just before it; an unknown neighbor if that RTS was not decoded.
    InferElseAnonymous,
    /// Its sender, by a TA field of six more bytes.
    TaField,
    /// An unknown neighbor.
    Anonymous,
}

/// How the RTS for a control packet is marked.
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

/// When the policy decides whether a packet contends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeferCheck {
    /// Before each of its RTSs.
    EveryContention,
    /// When it enters the MAC.
    FirstOnly,
}

/// Which RTSs a node refuses while its packet is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefuseWhileParked {
    /// Those that arrive while it is congested, as without a parked packet.
    IfCongested,
    /// All, by silence.
    Always,
}

/// Which RTS of the next hop is a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBy {
    /// Any.
    AnyRts,
    /// One with a mark: RTSC or an urgent RTS.
    MarkedRts,
}

/// Response to a congested neighbor that has got a CTSC already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnMonopoly {
    /// None; the own packet contends with a smaller CW.
    SilentMinCw,
    /// The own RTS.
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
