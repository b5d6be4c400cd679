//! Workloads of the resolved scenario, each between nodes of the network.

use super::flow::{Nodes, node};
use crate::app::WorkloadKeys;
use crate::kernel::{Bytes, NodeId, Rate};
use crate::net::routing::RoutingConfig;
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::section::Section;
use crate::scenario::schema::traffic::external_controller::ExternalController;
use crate::scenario::schema::traffic::node_ref::{NodeRef, Place};
use crate::scenario::schema::traffic::workload::WorkloadTable;
use crate::scenario::schema::traffic::workload_config::{NodeSet, WorkloadConfig};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{MISSING, OUT_OF_RANGE, mismatch, requires};
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::transports::Transport;
use crate::transport::TcpConfig;
use std::sync::Arc;

/// A workload between nodes of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSpec {
    /// The table, with numbers as nodes, and its segment set.
    pub config: WorkloadConfig,
    /// Pairs of nodes: the sender of the data, and the receiver.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// Protocol that carries it.
    pub transport: &'static Transport,
    /// External congestion control of its connections in place of the transport's, if there is one.
    pub controller: Option<Arc<ExternalController>>,
    /// Mean number of arrivals per second; 0 without arrivals.
    pub arrivals: f64,
}

impl WorkloadSpec {
    /// Payload of a packet.
    pub fn segment(&self) -> Bytes {
        self.config.segment.unwrap_or(Bytes(1))
    }

    /// Whether its sessions start at random times within `start_spread`.
    pub(super) fn spreads_starts(&self) -> bool {
        self.config.kind.keys().contains(&"start_spread")
    }

    /// The keys that depend on the kind.
    pub fn keys(&self) -> WorkloadKeys {
        self.config.keys()
    }
}

/// What the load of a workload refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel<'c> {
    /// Rate of the first wire.
    pub(super) wire: Option<Rate>,
    pub(super) tcp: &'c TcpConfig,
    pub(super) routing: &'c RoutingConfig,
}

/// Workloads between nodes that exist.
pub(super) fn resolve(
    reader: &mut Reader<'_>,
    tables: Vec<WorkloadTable<'_>>,
    nodes: Nodes<'_>,
    channel: Channel<'_>,
) -> Vec<WorkloadSpec> {
    let with_nodes = |table: WorkloadTable<'_>| {
        let section = Section { key: &table.key, table: Some(table.table) };
        let from = set(reader, section, "from", nodes);
        let to = set(reader, section, "to", nodes);
        let (from, to) = (from?, to?);
        let pairs: Vec<_> =
            from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b).collect();
        section.rule(reader, "to", !pairs.is_empty(), "no node of to differs from those of from", "another node");
        let WorkloadTable { mut config, transport, controller, .. } = table;
        let needs_wire = config.load.is_some() && channel.wire.is_none();
        section.rule(reader, "load", !needs_wire, &requires("[[wire]]"), "rate = \"1 /s\", or a [[wire]]");
        let arrivals = arrivals(&config, transport, channel);
        (config.from, config.to) = (Some(numbers(&from)), Some(numbers(&to)));
        (!pairs.is_empty() && !needs_wire).then_some(WorkloadSpec { config, pairs, transport, controller, arrivals })
    };
    tables.into_iter().filter_map(with_nodes).collect()
}

fn numbers(nodes: &[NodeId]) -> NodeSet {
    let number = |node: &NodeId| NodeRef::Number(i64::from(node.0));
    match nodes {
        [one] => NodeSet::One(number(one)),
        many => NodeSet::Many(many.iter().map(number).collect()),
    }
}

/// Arrivals per second: those given, or what loads the first wire, headers included.
fn arrivals(config: &WorkloadConfig, transport: &Transport, channel: Channel<'_>) -> f64 {
    if let (Some(load), Some(wire), Some(size), Some(segment)) =
        (config.load, channel.wire, &config.size, config.segment)
    {
        let headers = match transport {
            transport if transport.is_udp() => channel.routing.udp_header,
            // IP, TCP and timestamp.
            transport if transport.counts_bytes() => Bytes(52),
            _ => channel.tcp.header,
        };
        let bytes = size.mean() * f64::from(segment.0 + headers.0) / f64::from(segment.0);
        return load * wire.0 / (8.0 * bytes);
    }
    config.rate.map_or(0.0, |rate| rate.0)
}

/// A node or a list of nodes.
fn set(reader: &mut Reader<'_>, section: Section<'_>, key: &str, nodes: Nodes<'_>) -> Option<Vec<NodeId>> {
    let expected = "a node, or a list such as [1, 2, \"server\"]";
    let Some(given) = section.given(key) else {
        section.rule(reader, key, false, MISSING, expected);
        return None;
    };
    let items = match &given.value {
        Value::List(items) if items.is_empty() => {
            section.rule(reader, key, false, OUT_OF_RANGE, expected);
            return None;
        }
        Value::List(items) => &items[..],
        _ => std::slice::from_ref(given),
    };
    let found: Vec<Option<NodeId>> = items.iter().map(|item| one(reader, section, key, item, nodes)).collect();
    let mut found: Vec<NodeId> = found.into_iter().collect::<Option<_>>()?;
    found.sort_unstable();
    found.dedup();
    Some(found)
}

fn one(reader: &mut Reader<'_>, section: Section<'_>, key: &str, item: &Node, nodes: Nodes<'_>) -> Option<NodeId> {
    let named = match &item.value {
        Value::Integer(number) => NodeRef::Number(*number),
        Value::Text(name) => match name.as_str() {
            "first" => NodeRef::Place(Place::First),
            "last" => NodeRef::Place(Place::Last),
            "center" => NodeRef::Place(Place::Center),
            _ => {
                let raw = reader.wrong(item, &join(section.key, key), "unknown value {}");
                let expected = "node number, \"first\", \"last\", \"center\", or the name of a host".to_owned();
                reader.refuse(&item.origin, RawDiagnostic { expected, ..raw });
                return None;
            }
        },
        other => {
            let raw = reader.wrong(item, &join(section.key, key), &mismatch("node number or name", other.what()));
            reader.refuse(&item.origin, raw);
            return None;
        }
    };
    node(reader, section, key, named, nodes)
}
