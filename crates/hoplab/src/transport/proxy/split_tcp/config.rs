//! Parameters of Split TCP. `docs/protocols/split_tcp.md` explains each.

use crate::kernel::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[split_tcp]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SplitTcpConfig {
    /// Inter-proxy distance: the relay, counted from the responsible node, that accepts a packet.
    #[schemars(range(min = 1))]
    pub d_p: u8,
    /// Segments in order per end-to-end acknowledgment.
    #[schemars(range(min = 1))]
    pub e2e_every: u32,
    /// End-to-end window: segments sent and not acknowledged by the destination. In mode `tcp`, its upper limit.
    #[schemars(range(min = 1))]
    pub w_e2e: u32,
    /// How the end-to-end window moves.
    pub w_e2e_mode: WindowMode,
    /// Most segments of a source or proxy in flight to the next proxy; also its first slow-start threshold.
    #[schemars(range(min = 1))]
    pub window_max: u32,
    /// How a loss reduces a leg's window.
    pub flavor: Flavor,
    /// What a local acknowledgment acknowledges.
    pub local_ack: LocalAck,
    /// Segments sent later that must be acknowledged before one counts as lost.
    #[schemars(range(min = 1))]
    pub reorder_threshold: u32,
    /// Retransmission timeout of a leg before its first sample.
    pub initial_rto: Span,
    /// Minimum retransmission timeout of a leg.
    pub min_rto: Span,
    /// Maximum retransmission timeout, of a leg and end to end.
    pub max_rto: Span,
    /// End-to-end timeout before the first sample.
    pub initial_e2e_rto: Span,
    /// Minimum end-to-end timeout.
    pub min_e2e_rto: Span,
    /// Whether a proxy has a store and a window for each flow, or one for all.
    pub state: StoreState,
    /// Room of a proxy for each flow, in segments (`per_flow`).
    #[schemars(range(min = 1))]
    pub store_per_flow: u32,
    /// Room of a proxy for all flows together, in segments (`aggregate`).
    #[schemars(range(min = 1))]
    pub store_total: u32,
    /// What a proxy without room does with a segment.
    pub on_full: OnFull,
    /// Whether the room that a local acknowledgment advertises limits the sender.
    pub use_win: bool,
    /// Whether a proxy advertises the minimum room from itself on, rather than its own.
    pub propagate_min: bool,
    /// Whether a proxy forwards a segment before it acknowledges it.
    pub forward_then_lack: bool,
    /// Route of local acknowledgments.
    pub lack_routing: LackRouting,
    /// Whether the option's bytes are on the air.
    pub charge_option_bytes: bool,
    /// Length of a local acknowledgment without the option.
    pub lack_bytes: Bytes,
    /// Idle time after which the destination acknowledges what it has not acknowledged.
    pub e2e_idle: Span,
    /// Minimum hops left to the destination for a relay to act as proxy.
    pub tail_min: u8,
    /// Transmissions after which a proxy drops a segment.
    #[schemars(range(min = 1))]
    pub max_local_tries: u32,
    /// Time after which a proxy drops a segment.
    pub store_ttl: Span,
    /// Idle time after which a proxy drops the state of a flow without stored segments.
    pub state_ttl: Span,
    /// Whether the oldest segment is retransmitted at once when routing finds a route.
    pub kick_on_route: bool,
    /// Whether a leg's window restarts when another proxy than before acknowledges.
    pub reset_cwnd_on_new_proxy: bool,
    /// Proxies that fail at random.
    pub failure: FailureConfig,
}

/// Table `[split_tcp.failure]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FailureConfig {
    /// What fails.
    pub mode: FailureMode,
    /// Share of the time in which a proxy is failed.
    pub rate: f64,
    /// Mean length of a failure; both it and the time between failures are exponential.
    pub mean_off: Span,
}

/// Where a node acts as proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyPlace {
    /// Nowhere.
    Never,
    /// Where it is the relay at the inter-proxy distance.
    Distance,
    /// There, and for all that crosses between its wires and its radios.
    Gateway,
}

/// What fails when a proxy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// The proxy alone: it loses its store, and packets pass it.
    Agent,
    /// Its node's radio as well. Ends of flows, and nodes with an `off` of their own, keep theirs.
    Node,
}

/// How the end-to-end window moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowMode {
    /// Not at all.
    Fixed,
    /// It starts at two end-to-end acknowledgments' worth, grows by what is acknowledged, halves at a timeout.
    Tcp,
}

/// How a loss reduces a leg's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flavor {
    /// It halves once for all losses of a window.
    NewReno,
    /// It halves for each loss.
    Reno,
    /// It restarts with slow start.
    Tahoe,
}

/// What a local acknowledgment acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalAck {
    /// The segment that caused it.
    Selective,
    /// All of a leg's own numbers up to the first that is missing.
    Cumulative,
}

/// Whether a proxy has a store and a window for each flow, or one for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// For each flow.
    PerFlow,
    /// One for all.
    Aggregate,
}

/// What a proxy without room does with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFull {
    /// It is forwarded to the destination past all proxies; the responsible node stays responsible.
    Bypass,
    /// It is dropped; the responsible node stays responsible.
    Drop,
}

/// Routes of local acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LackRouting {
    /// Towards the flow's source; the node it is for removes it on that route.
    ViaSource,
    /// To the node it is for, over its own route.
    Direct,
    /// Over the reverse route of the data, hop by hop.
    ReverseHops,
}

/// The option: type and length, address, relays, flags, epoch, padded to a multiple of four.
const OPTION: u32 = 12;
/// The option with a leg's own number and the distance to the lowest unacknowledged one.
const OPTION_NUMBERED: u32 = 16;

impl Default for SplitTcpConfig {
    fn default() -> Self {
        SplitTcpConfig {
            d_p: 3,
            e2e_every: 100,
            w_e2e: 300,
            w_e2e_mode: WindowMode::Fixed,
            window_max: 32,
            flavor: Flavor::NewReno,
            local_ack: LocalAck::Selective,
            reorder_threshold: 3,
            initial_rto: Span::from_millis(1000),
            min_rto: Span::from_millis(200),
            max_rto: Span::from_millis(60_000),
            initial_e2e_rto: Span::from_millis(10_000),
            min_e2e_rto: Span::from_millis(3000),
            state: StoreState::PerFlow,
            store_per_flow: 50,
            store_total: 200,
            on_full: OnFull::Bypass,
            use_win: true,
            propagate_min: true,
            forward_then_lack: true,
            // Under AODV a LACK towards the source misses half of the proxies it is for (measured in
            // docs/protocols/split_tcp.md).
            lack_routing: LackRouting::ReverseHops,
            charge_option_bytes: true,
            lack_bytes: Bytes(40),
            e2e_idle: Span::from_millis(1000),
            tail_min: 0,
            max_local_tries: 12,
            store_ttl: Span::from_millis(30_000),
            state_ttl: Span::from_millis(60_000),
            kick_on_route: false,
            reset_cwnd_on_new_proxy: false,
            failure: FailureConfig::default(),
        }
    }
}

impl Default for FailureConfig {
    fn default() -> Self {
        FailureConfig { mode: FailureMode::Agent, rate: 0.0, mean_off: Span::from_millis(5000) }
    }
}

impl SplitTcpConfig {
    /// Bytes that the option adds to data and local acknowledgments.
    pub fn option_bytes(&self) -> u32 {
        match (self.charge_option_bytes, self.local_ack) {
            (false, _) => 0,
            (true, LocalAck::Selective) => OPTION,
            (true, LocalAck::Cumulative) => OPTION_NUMBERED,
        }
    }

    /// The minimum end-to-end window that does not stall: what the destination may leave unacknowledged, and a full
    /// leg.
    pub fn least_w_e2e(&self) -> u32 {
        self.e2e_every.saturating_add(self.window_max)
    }
}
