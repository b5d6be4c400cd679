//! The whole file as one struct: the source of the published JSON Schema, and of the keys that are read.
//!
//! A table of a layer is that layer's own config struct. The tables of `scenario` itself are in the sibling rooms.

use super::fields::Fields;
use super::network::live::LiveConfig;
use super::network::node::NodeConfig;
use super::network::wire::WireConfig;
use super::profile::Profile;
use super::protocols::hop_release::HopReleaseConfig;
use super::protocols::semi_tcp::SemiTcpConfig;
use super::times::{default_duration, default_seed};
use super::traffic::flow_config::FlowConfig;
use super::traffic::workload_config::WorkloadConfig;
use crate::kernel::Span;
use crate::mac::MacConfig;
use crate::mac::observer::{IdleGapConfig, WinfConfig};
use crate::mobility::MobilityConfig;
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::RoutingConfig;
use crate::packet::explicit::{
    AtpConfig, MuzhaConfig, RcpConfig, RcpWinfConfig, WcpConfig, XcpBConfig, XcpConfig, XcpWinfConfig,
};
use crate::phy::RadioConfig;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::overrides::{self, ListKey, Lists};
use crate::scenario::syntax::source::{Origin, Source};
use crate::scenario::syntax::tree::{self, Node};
use crate::scenario::topology::TopologyConfig;
use crate::scenario::traffic::TrafficConfig;
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use crate::transport::{StreamConfig, TcpConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
    /// Source of the rules of each part; a part's own `profile` has precedence.
    #[serde(default)]
    pub profile: Profile,
    /// Length of the run.
    #[serde(default = "default_duration")]
    pub duration: Span,
    /// Time at the beginning that is not measured.
    #[serde(default)]
    pub warmup: Span,
    /// Interval of the goodput series, `goodput_series_bps` in results. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodput_interval: Option<Span>,
    /// Root of all random streams.
    #[serde(default = "default_seed")]
    #[schemars(range(max = u64::MAX))]
    pub seed: u64,
    /// Positions of the nodes. Required unless a movement file has them.
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
    /// Real TCP connections: transports `tcp_reno` and `tcp_cubic`.
    #[serde(default)]
    pub stream: StreamConfig,
    /// Semi-TCP: what nodes and ends of its flows go by.
    #[serde(default)]
    pub semi_tcp: SemiTcpConfig,
    /// Release by overhearing: transport `hop_release`.
    #[serde(default)]
    pub hop_release: HopReleaseConfig,
    /// Split TCP: proxies on the route accept packets.
    #[serde(default)]
    pub split_tcp: SplitTcpConfig,
    /// TCP Muzha: its sender and its routers.
    #[serde(default)]
    pub muzha: MuzhaConfig,
    /// XCP, and what its variants share with it.
    #[serde(default)]
    pub xcp: XcpConfig,
    /// XCP-b: XCP without knowledge of the capacity.
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
    /// ATP: its ends and its nodes.
    #[serde(default)]
    pub atp: AtpConfig,
    /// WCP: its sender and its nodes.
    #[serde(default)]
    pub wcp: WcpConfig,
    /// rt-Winf: capacity and available bandwidth, estimated at the MAC.
    #[serde(default)]
    pub winf: WinfConfig,
    /// IdleGap: available bandwidth from the idle share of time.
    #[serde(default)]
    pub idle_gap: IdleGapConfig,
    /// What is different at single nodes.
    #[serde(default)]
    pub node: Vec<NodeConfig>,
    /// Wires between hosts and nodes, in both directions.
    #[serde(default)]
    pub wire: Vec<WireConfig>,
    /// Nodes where packets of real programs enter and leave the network (`hoplab live`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveConfig>,
    /// Flows between randomly drawn nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<TrafficConfig>,
    /// The flows; at least one, unless there is `[traffic]`, `[[workload]]` or `[live]`.
    #[serde(default)]
    pub flow: Vec<FlowConfig>,
    /// Flows that begin and end as users come and go.
    #[serde(default)]
    pub workload: Vec<WorkloadConfig>,
}

/// Lists of tables at the top of a file.
pub(crate) const LISTS: Lists =
    &[("flow", ListKey::Index), ("node", ListKey::Id), ("wire", ListKey::Index), ("workload", ListKey::Index)];

/// The keys of a whole file.
pub(crate) fn root() -> &'static Fields {
    // Derived from the type alone, so once per process.
    static ROOT: OnceLock<Fields> = OnceLock::new();
    ROOT.get_or_init(Fields::of::<ScenarioFile>)
}

/// Longest text that is parsed, with its overrides.
const MAX_TEXT: usize = 2 << 20;

/// The tree of a scenario, with overrides set. Overrides that cannot be set go to `refuse`.
///
/// # Errors
/// If the text is too long, or not TOML.
pub(crate) fn parse_tree(
    source: &Source<'_>,
    refuse: impl FnMut(Origin, RawDiagnostic),
) -> Result<Node, Box<(Origin, RawDiagnostic)>> {
    if source.length() > MAX_TEXT {
        let message = format!("{} bytes exceed the size limit of a scenario", source.length());
        let expected = format!("at most {} MiB", MAX_TEXT >> 20);
        return Err(Box::new((Origin::Nowhere, RawDiagnostic { message, expected, ..RawDiagnostic::default() })));
    }
    let mut tree = tree::parse(source)?;
    overrides::apply(&mut tree, source, LISTS, refuse);
    Ok(tree)
}

/// JSON Schema of a scenario file, for editors and other programs.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(ScenarioFile).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::schema::fields::Shape;
    use crate::scenario::syntax::quantity::{LENGTH, RATE, TIME};

    #[test]
    fn shapes_follow_the_schema() {
        let root = root();
        let at = |table: &str, key: &str| root.table(table).get(key).cloned();
        assert_eq!(root.get("duration"), Some(&Shape::Quantity(&TIME)));
        assert_eq!(root.get("seed"), Some(&Shape::Integer(0, i128::from(u64::MAX))));
        assert_eq!(root.get("name"), Some(&Shape::Text));
        assert_eq!(at("mac", "data_rate"), Some(Shape::Quantity(&RATE)));
        assert_eq!(at("mac", "ssrl"), Some(Shape::Integer(0, i128::from(u32::MAX))));
        assert_eq!(at("mac", "profile"), Some(Shape::Choice(vec!["ns2".into(), "std".into()])));
        assert_eq!(at("link", "arp"), Some(Shape::Bool));
        assert_eq!(at("queue", "ssrl"), None);
        // Optional ones.
        assert_eq!(at("radio", "rx_range"), Some(Shape::Quantity(&LENGTH)));
        assert_eq!(at("radio", "cs_range"), Some(Shape::Quantity(&LENGTH)));
        // Tables within a table.
        assert_eq!(root.table("routing").table("aodv").get("hello"), Some(&Shape::Bool));
        assert_eq!(at("topology", "hops"), Some(Shape::Integer(1, i128::from(i64::MAX))));
        let words = ["first", "last", "center"].map(str::to_owned).to_vec();
        assert_eq!(at("flow", "from"), Some(Shape::NodeRef(words)));
        let pair = Shape::List(Box::new(Shape::Real(f64::NEG_INFINITY, f64::INFINITY)), Some(2));
        assert_eq!(at("topology", "positions"), Some(Shape::List(Box::new(pair), None)));
        assert_eq!(root.table("node").table("mac"), root.table("mac"));
    }

    #[test]
    fn headers_are_written_as_in_files() {
        let keys = ["mac", "flow", "flow.3", "node.3.mac", "tcp.congestion"];
        let headers = keys.map(|key| root().header_of(key));
        assert_eq!(headers, ["[mac]", "[[flow]]", "[[flow]]", "[node.mac]", "[tcp.congestion]"]);
    }

    #[test]
    fn every_list_of_tables_takes_overrides() {
        let is_list = |name: &&str| matches!(root().get(name), Some(Shape::List(..)));
        let lists: Vec<&str> = root().names().filter(is_list).collect();
        assert_eq!(LISTS.iter().map(|(list, _)| *list).collect::<Vec<_>>(), lists);
    }
}
