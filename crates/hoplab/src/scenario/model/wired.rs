//! Hosts and wires of a scenario, and what does not work across wires.

use super::flow::FlowSpec;
use super::workload::WorkloadSpec;
use crate::kernel::{NodeId, Part};
use crate::mac::handshake::HandshakeKind;
use crate::net::routing::RoutingConfig;
use crate::net::wires::WireSpec;
use crate::scenario::schema::network::host::{self, Host};
use crate::scenario::schema::network::wire;
use crate::scenario::schema::protocols::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::not_supported_with;
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::traffic::TrafficConfig;
use crate::scenario::transports::{Admission, Transport};

/// Hosts and wires.
#[derive(Default)]
pub(super) struct Wired {
    pub(super) hosts: Vec<Host>,
    pub(super) wires: Vec<WireSpec>,
}

/// Whether all nodes of a scenario are hosts.
pub(super) fn has_hosts_only(tree: &Node) -> bool {
    host::tables(tree).next().is_some() && tree.get("mobility").is_none()
}

impl Wired {
    /// Reads `[[wire]]` and hosts, and numbers the ends of flows. `radio` is the number of nodes with a radio, if it is known;
    /// `names` are theirs.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        tree: &mut Node,
        radio: Option<u64>,
        names: &[String],
        routing: &RoutingConfig,
    ) -> Wired {
        let Some(radio) = radio else { return Wired::default() };
        let mut hosts = host::read_all(reader, tree, radio, names);
        host::number_ends(reader, tree, &hosts, names);
        let wires = wire::read_all(reader, tree, &hosts, radio);
        let discovers = radio > 0 && routing.discovers_routes();
        if reader.is_clean("node") && reader.is_clean("wire") {
            host::connect(reader, tree, &mut hosts, (&wires, names), discovers);
        }
        let section = Section { key: "routing", table: tree.get("routing") };
        let serves_hosts = matches!(routing.protocol, Part::Engine(kind) if kind.serves_hosts());
        let is_known = wires.is_empty() || radio == 0 || serves_hosts;
        section.rule(
            reader,
            "protocol",
            is_known,
            &not_supported_with("[[wire]]: the protocol does not make hosts known"),
            "a protocol of the engine, such as \"aodv\", \"olsr\" or \"static\"",
        );
        if discovers {
            refuse_bridges(reader, tree, &wires, radio);
        }
        Wired { hosts, wires }
    }

    /// Reports connections over wires whose protocol the MAC takes part in: a wire has none.
    pub(super) fn check(
        &self,
        reader: &mut Reader<'_>,
        tree: &Node,
        (flows, workloads): (&[FlowSpec], &[WorkloadSpec]),
        traffic: Option<&TrafficConfig>,
        semi_tcp: &SemiTcpConfig,
    ) {
        if self.wires.is_empty() {
            return;
        }
        let is_host = |node: NodeId| self.hosts.iter().any(|host| host.id == node);
        // Packets between two nodes with a radio take wires between such nodes, and no host.
        let is_bridged = self.wires.iter().any(|wire| !wire.ends.into_iter().any(is_host));
        let is_wired = |(src, dst): (NodeId, NodeId)| is_bridged || is_host(src) || is_host(dst);
        let needs_radios = |transport: &Transport| {
            let is_pulled = transport.is_udp() && semi_tcp.udp_source_admission;
            is_pulled || transport.nodes.handshake != HandshakeKind::Plain || transport.admission != Admission::Push
        };
        let rule = |reader: &mut Reader<'_>, section: Section<'_>, transport: &Transport, is_wired: bool| {
            let what = not_supported_with("[[wire]]: its handshake is of radios");
            let expected = "a transport without a handshake of its own, such as \"new_reno\" or \"xcp\"";
            let hint =
                "end it at the gateway, with a second [[flow]] between gateway and host that carries it on: relays";
            let holds = !(is_wired && needs_radios(transport));
            section.rule_with_hint(reader, "transport", holds, &what, expected, Some(hint));
        };
        let tables = |name: &str| match tree.get(name).map(|list| &list.value) {
            Some(Value::List(items)) => &items[..],
            _ => &[],
        };
        for flow in flows {
            let key = format!("flow.{}", flow.id.0);
            let section = Section { key: &key, table: tables("flow").get(flow.id.index()) };
            rule(reader, section, flow.transport, is_wired((flow.src, flow.dst)));
        }
        for (i, workload) in workloads.iter().enumerate() {
            let key = format!("workload.{i}");
            let section = Section { key: &key, table: tables("workload").get(i) };
            rule(reader, section, workload.transport, workload.pairs.iter().copied().any(is_wired));
        }
        if let Some(transport) = traffic.and_then(TrafficConfig::transport) {
            let section = Section { key: "traffic", table: tree.get("traffic") };
            rule(reader, section, transport, is_bridged);
        }
    }
}

/// Reports wires between nodes with a radio, which routing protocols that discover routes do not use.
fn refuse_bridges(reader: &mut Reader<'_>, tree: &Node, wires: &[WireSpec], radio: u64) {
    let tables = match tree.get("wire").map(|list| &list.value) {
        Some(Value::List(items)) if items.len() == wires.len() => &items[..],
        _ => return,
    };
    let is_radio = |node: NodeId| u64::from(node.0) < radio;
    for (i, (table, wire)) in tables.iter().zip(wires).enumerate() {
        let key = format!("wire.{i}");
        let section = Section { key: &key, table: Some(table) };
        let is_bridge = wire.ends.into_iter().all(is_radio);
        let what = "{} joins two nodes with a radio, whose routing protocol discovers routes by radio only";
        let hint = Some("set routing.protocol = \"static\"");
        section.rule_with_hint(reader, "between", !is_bridge, what, "a host at one end", hint);
    }
}
