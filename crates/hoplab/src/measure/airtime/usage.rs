//! The uses of a node's time (IEEE 802.11-1999 section 9.2), and the sum of each.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;

/// What a node's time is used for. If several apply, the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AirtimeUse {
    /// The radio is off.
    Off,
    /// Transmits data to a neighbor.
    Data,
    /// Transmits a broadcast.
    Broadcast,
    /// Transmits an RTS.
    Rts,
    /// Transmits a CTS.
    Cts,
    /// Transmits a MAC acknowledgment, a Block Ack, a request for one, or a CF-End.
    Ack,
    /// Receives a frame for this node, or a broadcast.
    Received,
    /// Receives frames that have collided.
    Collision,
    /// Receives a frame for another node, or energy that is no frame.
    Overheard,
    /// In the gaps of its own exchange: SIFS, and the wait for a response.
    Exchange,
    /// Defers for EIFS after an undecodable frame.
    Eifs,
    /// Defers because the NAV is set.
    Reserved,
    /// Contends for a packet: DIFS and backoff on an idle medium.
    Backoff,
    /// Withholds a packet because a neighbor is congested.
    Parked,
    /// The medium is idle, and no packet is pending.
    Idle,
}

/// Number of uses.
const USES: usize = 15;

/// Time of one node by use, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeAirtime(pub [u64; USES]);

/// Airtime of one radio in the results, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AirtimeReport {
    /// The node.
    pub node: u32,
    /// Channel of the radio, if the node has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<u16>,
    /// Seconds by use; see `docs/use/reference/trace.md`.
    #[serde(flatten)]
    pub airtime: NodeAirtime,
}

impl AirtimeUse {
    /// Whether the node's air is free: it is not used, and the node does not wait for it.
    pub fn is_free(self) -> bool {
        matches!(self, AirtimeUse::Parked | AirtimeUse::Idle)
    }

    /// All uses, in the order of their numbers.
    pub const ALL: [AirtimeUse; USES] = [
        AirtimeUse::Off,
        AirtimeUse::Data,
        AirtimeUse::Broadcast,
        AirtimeUse::Rts,
        AirtimeUse::Cts,
        AirtimeUse::Ack,
        AirtimeUse::Received,
        AirtimeUse::Collision,
        AirtimeUse::Overheard,
        AirtimeUse::Exchange,
        AirtimeUse::Eifs,
        AirtimeUse::Reserved,
        AirtimeUse::Backoff,
        AirtimeUse::Parked,
        AirtimeUse::Idle,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            AirtimeUse::Off => "off",
            AirtimeUse::Data => "data",
            AirtimeUse::Broadcast => "broadcast",
            AirtimeUse::Rts => "rts",
            AirtimeUse::Cts => "cts",
            AirtimeUse::Ack => "ack",
            AirtimeUse::Received => "received",
            AirtimeUse::Collision => "collision",
            AirtimeUse::Overheard => "overheard",
            AirtimeUse::Exchange => "exchange",
            AirtimeUse::Eifs => "eifs",
            AirtimeUse::Reserved => "reserved",
            AirtimeUse::Backoff => "backoff",
            AirtimeUse::Parked => "parked",
            AirtimeUse::Idle => "idle",
        }
    }
}

impl NodeAirtime {
    /// Time of one use.
    pub fn of(&self, what: AirtimeUse) -> u64 {
        self.0[what as usize]
    }

    /// Time of all uses.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl JsonSchema for NodeAirtime {
    fn schema_name() -> Cow<'static, str> {
        "NodeAirtime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let seconds = |what: AirtimeUse| (what.name().to_owned(), json!({ "type": "number", "format": "double" }));
        let properties: serde_json::Map<_, _> = AirtimeUse::ALL.into_iter().map(seconds).collect();
        let required: Vec<_> = AirtimeUse::ALL.into_iter().map(AirtimeUse::name).collect();
        json_schema!({ "type": "object", "properties": properties, "required": required })
    }
}

impl Serialize for NodeAirtime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(AirtimeUse::ALL.into_iter().map(|what| (what.name(), self.of(what) as f64 * 1e-9)))
    }
}
