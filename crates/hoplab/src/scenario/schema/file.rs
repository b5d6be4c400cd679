//! The tables of a scenario file, as they are written. The layers' own tables are the layers' configs.

use crate::kernel::{Bytes, Rate, Span, Time, Watts};
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::{IdleGapConfig, ObserverKind, WinfConfig};
use crate::mobility::MobilityConfig;
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::RoutingConfig;
use crate::packet::{MuzhaConfig, RcpConfig, RcpWinfConfig, XcpBConfig, XcpConfig, XcpWinfConfig};
use crate::phy::RadioConfig;
use crate::scenario::schema::reader::Fields;
use crate::scenario::schema::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::topology::TopologyConfig;
use crate::scenario::schema::traffic::TrafficConfig;
use crate::scenario::scheme::SCHEMES;
use crate::transport::TcpConfig;
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A scenario: a network, the flows in it, and how long they are watched.
///
/// Quantities are texts with a unit ("250 m", "2 Mb/s"), counts are bare numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// Name for tables and figures. Default: the file's name without its ending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose rules each part follows; a part's own `profile` wins.
    #[serde(default)]
    pub profile: Profile,
    /// Length of the run.
    #[serde(default = "default_duration")]
    pub duration: Span,
    /// Time at the beginning that is not measured.
    #[serde(default)]
    pub warmup: Span,
    /// Time between two counts of what each flow has delivered, `progress_bps` in results. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Span>,
    /// Root of all random streams.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Where the nodes are. Needed unless a movement file says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologyConfig>,
    /// How the nodes move.
    #[serde(default)]
    pub mobility: MobilityConfig,
    /// The radio of every node.
    #[serde(default)]
    pub radio: RadioConfig,
    /// The MAC of every node.
    #[serde(default)]
    pub mac: MacConfig,
    /// Between network layer and MAC.
    #[serde(default)]
    pub link: LinkConfig,
    /// The interface queue of every node.
    #[serde(default)]
    pub queue: QueueConfig,
    /// Finding the next hop.
    #[serde(default)]
    pub routing: RoutingConfig,
    /// The TCP machine, whatever its congestion control.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// Semi-TCP: what nodes and ends of its flows go by.
    #[serde(default)]
    pub semi_tcp: SemiTcpConfig,
    /// Split TCP: proxies on the way take packets over.
    #[serde(default)]
    pub split_tcp: SplitTcpConfig,
    /// TCP Muzha: its sender and its routers.
    #[serde(default)]
    pub muzha: MuzhaConfig,
    /// XCP, and what its variants share with it.
    #[serde(default)]
    pub xcp: XcpConfig,
    /// XCP-b: XCP that knows no capacity.
    #[serde(default)]
    pub xcp_b: XcpBConfig,
    /// XCP-Winf: XCP that takes capacity and available bandwidth from rt-Winf.
    #[serde(default)]
    pub xcp_winf: XcpWinfConfig,
    /// RCP, and what RCP-Winf shares with it.
    #[serde(default)]
    pub rcp: RcpConfig,
    /// RCP-Winf: RCP that takes the capacity from rt-Winf.
    #[serde(default)]
    pub rcp_winf: RcpWinfConfig,
    /// rt-Winf: capacity and available bandwidth, estimated at the MAC.
    #[serde(default)]
    pub winf: WinfConfig,
    /// IdleGap: available bandwidth from the idle share of time.
    #[serde(default)]
    pub idle_gap: IdleGapConfig,
    /// What is different at single nodes.
    #[serde(default)]
    pub node: Vec<NodeConfig>,
    /// Flows between nodes drawn by chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<TrafficConfig>,
    /// The flows; at least one, unless there is `[traffic]`.
    #[serde(default)]
    pub flow: Vec<FlowConfig>,
}

/// Whose rules the parts follow where sources differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// As ns-2.35.
    #[default]
    Ns2,
    /// As the standards: IEEE 802.11, and the RFCs.
    Std,
}

/// Table `[[node]]`: what is different at one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Which node.
    pub id: u32,
    /// Keys of `[mac]` that differ. A `profile` brings its own defaults for what neither the node nor `[mac]` gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<MacConfig>,
    /// Keys of `[queue]` that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// When the node's radio is off: from a time to a later one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<[Time; 2]>,
    /// Keys of `[radio]` that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radio: Option<NodeRadio>,
    /// What the node decides in the RTS/CTS exchange. Default: what the flows' protocols need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<HandshakeKind>,
    /// Whether the node may act as proxy. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<bool>,
    /// Router assist of this node, instead of those that the flows' protocols ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = with_none(FeedbackKind::ALL.iter().map(|kind| kind.name()))))]
    pub assist: Option<String>,
    /// Observer at this node's MAC, instead of those that the flows' protocols ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = with_none(ObserverKind::ALL.iter().map(|kind| kind.name()))))]
    pub observer: Option<String>,
}

/// What of the radio can differ at single nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRadio {
    /// Power that the node sends with. Default: that of `[radio]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_power: Option<Watts>,
}

/// Table `[[flow]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowConfig {
    /// Where data starts. Without `from` and `to`, the flow takes the topology's next natural pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<NodeRef>,
    /// Where data goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<NodeRef>,
    /// What there is to send.
    pub app: AppKind,
    /// Payload bits per second of `cbr`, and of `on_off` during a burst (there 64 kb/s by default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether distances of packets are spread by up to half of their mean (`cbr`). Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<bool>,
    /// Mean length of a burst (`on_off`). Default: 0.5 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_mean: Option<Span>,
    /// Mean length of the silence between bursts (`on_off`). Default: 0.5 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_mean: Option<Span>,
    /// Whether the speaker pauses (`voip`). Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub talk_spurts: Option<bool>,
    /// Time between two probes of `winf_probe`, or two pairs of `adhoc_probe`. Default: 0.25 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Span>,
    /// Pairs that a value is taken from (`adhoc_probe`). Default: 200.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Packets after which there is nothing more to send. Default: no limit; 4 for `winf_probe`.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_packets: Option<u32>,
    /// Protocol that carries it.
    #[schemars(extend("enum" = SCHEMES.iter().map(|scheme| scheme.name).collect::<Vec<_>>()))]
    pub transport: String,
    /// Congestion control instead of that of `transport`, which is to be `new_reno`, `sack`, `reno` or `tahoe`: a class in a
    /// Python file, as `FILE.py:CLASS`; or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Payload of a packet. Default: 1460 bytes; 210 for `on_off`, 1480 for probes; always 172 for `voip`.
    pub segment: Bytes,
    /// Limit of the window, in segments, as the receiver's advertised window.
    pub window: u32,
    /// When traffic begins.
    pub start: Time,
    /// It begins up to this much later, by chance, in each run anew. Default: 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_spread: Option<Span>,
    /// When it ends. Default: with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
}

/// What a flow has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppKind {
    /// A file without end: there is always more.
    Ftp,
    /// Packets at a constant rate.
    Cbr,
    /// Bursts of packets, and silence.
    OnOff,
    /// A voice call, one way.
    Voip,
    /// Pairs of packets that measure the capacity of the path.
    AdhocProbe,
    /// Packets for rt-Winf to measure, where there is no RTS and CTS.
    WinfProbe,
}

/// A node as a flow names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NodeRef {
    /// By number; a negative one counts from the topology's last node, which is -1.
    Number(i64),
    /// By its place.
    Place(Place),
}

/// Nodes that every topology has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Node 0.
    First,
    /// The topology's last node; `extra` ones do not count.
    Last,
    /// The node in the middle.
    Center,
}

/// Names of parts, and the word for having none.
fn with_none<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    std::iter::once("none").chain(names).collect()
}

/// Segments that may be in flight unless the flow says otherwise: `window_` of ns-2.35.
const WINDOW: u32 = 20;

impl Default for FlowConfig {
    fn default() -> Self {
        FlowConfig {
            from: None,
            to: None,
            app: AppKind::Ftp,
            rate: None,
            random: None,
            on_mean: None,
            off_mean: None,
            talk_spurts: None,
            interval: None,
            samples: None,
            max_packets: None,
            transport: "new_reno".to_owned(),
            controller: None,
            segment: Bytes(1460),
            window: WINDOW,
            start: Time::ZERO,
            start_spread: None,
            stop: None,
        }
    }
}

impl AppKind {
    /// All of them, in the order of documentation.
    pub const ALL: [AppKind; 6] =
        [AppKind::Ftp, AppKind::Cbr, AppKind::OnOff, AppKind::Voip, AppKind::AdhocProbe, AppKind::WinfProbe];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            AppKind::Ftp => "ftp",
            AppKind::Cbr => "cbr",
            AppKind::OnOff => "on_off",
            AppKind::Voip => "voip",
            AppKind::AdhocProbe => "adhoc_probe",
            AppKind::WinfProbe => "winf_probe",
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            AppKind::Ftp => "a file without end: there is always a segment to send",
            AppKind::Cbr => "packets of one size at a constant rate",
            AppKind::OnOff => "bursts of packets at a constant rate, and silence, both of exponential length",
            AppKind::Voip => "a voice call of G.711, one way: 160 bytes and an RTP header every 20 ms",
            AppKind::AdhocProbe => "pairs of packets whose distance at arrival tells the capacity of the path",
            AppKind::WinfProbe => "a few packets for rt-Winf to measure, where there is no RTS and CTS",
        }
    }
}

impl Profile {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Ns2 => "ns2",
            Profile::Std => "std",
        }
    }
}

impl JsonSchema for NodeRef {
    fn schema_name() -> Cow<'static, str> {
        "NodeRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A node by its number (negative: from the last), or by its place.",
            "oneOf": [{ "type": "integer" }, { "type": "string", "enum": ["first", "last", "center"] }],
            "x-node": true,
        })
    }
}

/// The keys of a whole file.
pub(crate) fn root() -> &'static Fields {
    // A constant: the same for every scenario of every run.
    static ROOT: OnceLock<Fields> = OnceLock::new();
    ROOT.get_or_init(Fields::of::<ScenarioFile>)
}

/// JSON Schema of a scenario file, for editors and other programs.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(ScenarioFile).to_value()
}

pub(crate) fn default_duration() -> Span {
    Span::from_millis(100_000)
}

pub(crate) fn default_seed() -> u64 {
    1
}
