//! Flows of the resolved scenario, each between two nodes of the network.

use crate::app::AppConfig;
use crate::kernel::RegisteredPart;
use crate::kernel::{Bytes, FlowId, NodeId, Rate, Span, Time};
use crate::packet::Category;
use crate::scenario::schema::protocols::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::traffic::external_controller::ExternalController;
use crate::scenario::schema::traffic::flow::FlowTable;
use crate::scenario::schema::traffic::flow_config::FlowConfig;
use crate::scenario::schema::traffic::node_ref::{NodeRef, Place};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{no_such_node, not_supported_with, requires};
use crate::scenario::syntax::source::Origin;
use crate::scenario::topology::Topology;
use crate::scenario::transports::{Admission, Transport};
use crate::transport;
use crate::transport::stream::Reading;
use std::sync::Arc;

/// A flow between two different nodes of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Its number.
    pub id: FlowId,
    /// Source.
    pub src: NodeId,
    /// Destination.
    pub dst: NodeId,
    /// Traffic.
    pub app: AppConfig,
    /// Protocol that carries it.
    pub transport: &'static Transport,
    /// Access category of its packets.
    pub priority: Category,
    /// External congestion control in place of the transport's, if there is one.
    pub controller: Option<Arc<ExternalController>>,
    /// External application in place of `app`, if there is one.
    pub source: Option<Arc<RegisteredPart>>,
    /// Payload of a packet.
    pub segment: Bytes,
    /// Limit of the window, in segments.
    pub window: u32,
    /// Start of its traffic.
    pub start: Time,
    /// Range of a random delay of the start.
    pub start_spread: Span,
    /// When it ends, if before the end of the run.
    pub stop: Option<Time>,
    /// Maximum number of packets of the flow.
    pub max_packets: Option<u32>,
    /// Longest payload of a datagram, if longer packets of the application are split.
    pub max_datagram: Option<Bytes>,
    /// Bytes of a finite transfer (real TCP).
    pub bytes: Option<Bytes>,
    /// When the receiving application begins to read (real TCP).
    pub read_from: Option<Time>,
    /// How fast it reads (real TCP).
    pub read_rate: Option<Rate>,
    /// What it carries on from another flow, if it does.
    pub relays: Option<Relayed>,
    /// Number of the workload that it belongs to.
    pub workload: Option<u32>,
    /// Number of its session in the workload, and its number in the session.
    pub session: Option<(u32, u32)>,
}

/// Default of [`Relayed::buffer`].
const RELAY_BUFFER: Bytes = Bytes(64_000);

/// What a flow carries on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relayed {
    /// The flow that ends at its source.
    pub flow: FlowId,
    /// Bytes not sent yet up to which it takes data.
    pub buffer: Bytes,
}

impl FlowSpec {
    /// Whether its source uses pull admission.
    pub fn is_pulled(&self, semi_tcp: &SemiTcpConfig) -> bool {
        self.transport.admission == Admission::Pull || (self.transport.is_udp() && semi_tcp.udp_source_admission)
    }

    /// Its transport in results: the protocol, or the external controller.
    pub fn transport_name(&self) -> &str {
        self.controller.as_ref().map_or(self.transport.name, |controller| &controller.name)
    }

    /// What it transfers, if it is a real TCP connection.
    pub fn transfer(&self) -> transport::Transfer {
        let reading =
            Reading { from: self.read_from.unwrap_or(Time::ZERO), rate: self.read_rate.map(|rate| rate.0 / 8.0) };
        transport::Transfer { bytes: self.bytes.map(|bytes| u64::from(bytes.0)), reading }
    }

    /// The parameters of its connection.
    pub fn connection(&self, semi_tcp: &SemiTcpConfig) -> transport::FlowSpec {
        transport::FlowSpec {
            id: self.id,
            protocol: self.transport.protocol,
            segment: self.segment.0,
            window: self.window,
            app: self.app,
            pull: self.is_pulled(semi_tcp).then(|| semi_tcp.pull()),
        }
    }
}

/// Nodes that a flow can name: those of the topology, and hosts after them.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'t> {
    pub(super) topology: &'t Topology,
    pub(super) hosts: usize,
}

/// Flows with their end points, from tables that name existing nodes. Tables without end points take the natural pairs of
/// the topology in order.
pub(super) fn resolve(reader: &mut Reader<'_>, tables: Vec<FlowTable<'_>>, nodes: Nodes<'_>) -> Vec<FlowSpec> {
    let mut taken = 0;
    let with_ends = |table: FlowTable<'_>| {
        let section = Section { key: &table.key, table: Some(table.table) };
        let (src, dst) = ends(reader, section, &table.config, nodes, &mut taken)?;
        let FlowTable { id, config, transport, controller, source, .. } = table;
        Some(FlowSpec {
            id: FlowId(id),
            src,
            dst,
            app: config.application(),
            transport,
            priority: config.priority.unwrap_or_default(),
            controller,
            source,
            segment: config.segment,
            window: config.window,
            start: config.start,
            start_spread: config.start_spread.unwrap_or(Span::ZERO),
            stop: config.stop,
            max_packets: config.max_packets,
            max_datagram: config.max_datagram,
            bytes: config.bytes,
            read_from: config.read_from,
            read_rate: config.read_rate,
            relays: config
                .relays
                .map(|flow| Relayed { flow: number(flow, id), buffer: config.relay_buffer.unwrap_or(RELAY_BUFFER) }),
            workload: None,
            session: None,
        })
    };
    tables.into_iter().filter_map(with_ends).collect()
}

/// The flow that `relays` of the flow `id` names; none below the first.
fn number(relays: i64, id: u32) -> FlowId {
    let number = if relays < 0 { relays.saturating_add(i64::from(id)) } else { relays };
    u32::try_from(number).map_or(FlowId::NONE, FlowId)
}

/// The two ends: those named, or the next natural pair of the topology.
fn ends(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    config: &FlowConfig,
    nodes: Nodes<'_>,
    taken: &mut usize,
) -> Option<(NodeId, NodeId)> {
    let (from, to) = match (config.from, config.to) {
        (Some(from), Some(to)) => (from, to),
        (None, None) => {
            let topology = nodes.topology;
            let pair = topology.layout.natural_pair(*taken);
            *taken += 1;
            if let Some((src, dst)) = pair {
                return Some((NodeId(src), NodeId(dst)));
            }
            let (kind, pairs) = (topology.layout.kind().name(), topology.layout.natural_pairs());
            let message =
                format!("{}: {}: default pairs of kind = \"{kind}\": {pairs}", section.key, requires("from and to"));
            let hint = match topology.nodes() {
                0 => "add from and to with the names of two hosts",
                _ => "add from and to, such as from = \"first\", to = \"last\"",
            };
            let hint = Some(hint.to_owned());
            let key = section.key.to_owned();
            let origin = section.table.map_or(Origin::Nowhere, |table| table.origin.clone());
            reader.refuse(&origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
            return None;
        }
        (from, _) => {
            let (there, missing) = if from.is_some() { ("from", "to") } else { ("to", "from") };
            let what = requires(missing);
            section.rule(reader, there, false, &what, "from and to, or neither for the default pair of the topology");
            return None;
        }
    };
    let src = node(reader, section, "from", from, nodes)?;
    let dst = node(reader, section, "to", to, nodes)?;
    section.rule(
        reader,
        "to",
        src != dst,
        &format!("source and destination are node {}", src.0),
        &format!("a node other than {}", src.0),
    );
    (src != dst).then_some((src, dst))
}

/// The node that a flow or a workload names.
pub(super) fn node(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    key: &str,
    node: NodeRef,
    Nodes { topology, hosts }: Nodes<'_>,
) -> Option<NodeId> {
    let is_nowhere = node == NodeRef::Place(Place::Center) && topology.layout.random().is_some();
    section.rule(reader, key, !is_nowhere, &not_supported_with("random positions"), "node number");
    let [own, all] = [topology.layout.nodes(), topology.nodes() + hosts as u64].map(u64::cast_signed);
    let number = match node {
        NodeRef::Number(number) if number < 0 => own.checked_add(number)?.max(-1),
        NodeRef::Number(number) => number,
        NodeRef::Place(_) if own == 0 => -1,
        NodeRef::Place(Place::First) => 0,
        NodeRef::Place(Place::Last) => own - 1,
        NodeRef::Place(Place::Center) => i64::from(topology.layout.center()),
    };
    let exists = (0..all).contains(&number);
    let expected = match own {
        0 => format!("0 to {}, or the name of a host", all - 1),
        _ => format!("0 to {}, -1 to -{own}, \"first\", \"last\" or \"center\"", all - 1),
    };
    section.rule(reader, key, exists, &no_such_node("{}"), &expected);
    exists.then_some(NodeId(number as u32))
}
