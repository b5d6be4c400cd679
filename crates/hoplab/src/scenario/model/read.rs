//! Resolves tables to a scenario, in steps. Each step reports a problem and continues with the default, so that one attempt
//! reports all problems.

use super::acks;
use super::draw::imported;
use super::flow::{self, FlowSpec};
use super::handshakes;
use super::links::listed;
use super::relays;
use super::resolved::{DrawnTraffic, Resolved};
use super::wired::{self, Wired};
use super::workload::{self, WorkloadSpec};
use crate::kernel::{NodeId, PartKind};
use crate::mac::MacConfig;
use crate::mac::aggregation::AggregationRules;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::{IdleGapConfig, WinfConfig};
use crate::mobility::{MobilityConfig, Trajectory};
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::{RouteMetric, RoutingConfig, RoutingKind};
use crate::packet::Category;
use crate::packet::explicit::ExplicitConfig;
use crate::phy::RadioConfig;
use crate::scenario::imports::movements::{self, Replay, Setting};
use crate::scenario::imports::traffic_file::{self, Nodes};
use crate::scenario::schema::layers::{edca, standard};
use crate::scenario::schema::network::{host, live, mobility, node, radios, topology};
use crate::scenario::schema::protocols::hop_release::HopReleaseConfig;
use crate::scenario::schema::protocols::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::protocols::{explicit, split_tcp};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::root::parse_tree;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::read;
use crate::scenario::schema::times::Top;
use crate::scenario::schema::traffic::external_controller::{self, ExternalController};
use crate::scenario::schema::traffic::{flow as flow_table, generator, workload as workload_table};
use crate::scenario::syntax::problem::{OUT_OF_RANGE, not_supported_with, requires};
use crate::scenario::syntax::tree::Node;
use crate::scenario::topology::Topology;
use crate::scenario::traffic::TrafficConfig;
use crate::scenario::transports::Admission;
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use crate::transport::{StreamConfig, TcpConfig};
use std::sync::Arc;

/// The scenario of a reader's source, without random draws; `None` if anything is wrong, which is reported.
pub(super) fn resolve(reader: &mut Reader<'_>) -> Option<Resolved> {
    let mut tree = parse(reader)?;
    let top = Top::read(reader, &tree);
    let mut layers = Layers::read(reader, &tree, &top);
    let protocols = Protocols::read(reader, &tree, &top, &layers);
    top.check(reader, &tree);
    let network = Network::read(reader, &tree, &top);
    let names = network.topology.as_ref().map_or(&[][..], |topology| &topology.names);
    match &network.topology {
        Some(_) => host::number_nodes(&mut tree, names),
        // Names of a network that is wrong are unknown: its own report is enough.
        None => host::forget_names(&mut tree),
    }
    let common = node::Common {
        phy: layers.radio.phy(),
        mac: &layers.mac,
        queue: &layers.queue,
        tx_power: layers.radio.tx_power,
        channels: layers.radio.usual_channels(),
    };
    let mut nodes = node::read_all(reader, &tree, network.nodes(), common);
    if let Some(replay) = &network.replay {
        node::switch_off_absent(&mut nodes, &replay.present, common);
    }
    if let Some(topology) = &network.topology {
        listed::set(reader, &tree, topology, &mut layers.radio, &layers.mac, &nodes);
    }
    let live = live::read(reader, &tree, network.nodes());
    let wired = Wired::read(reader, &mut tree, network.nodes(), names, &layers.routing);
    // Links that are wrong have no ratios: their own report is enough.
    let has_links = |topology: &&Topology| topology.layout.links().is_none() || layers.radio.links.is_some();
    if network.topology.as_ref().is_some_and(|topology| has_links(&topology)) {
        layers.check_metric(reader, &tree);
    }
    let tables = flow_table::read_all(reader, &tree, top.times());
    let workload_tables = workload_table::read_all(reader, &tree, top.times());
    let flow_keys = tables.iter().map(|table| (&table.key, table.table, table.config.priority));
    let workload_keys = workload_tables.iter().map(|table| (&table.key, table.table, table.config.priority));
    let user =
        flow_keys.chain(workload_keys).find(|(.., priority)| priority.unwrap_or_default() != Category::default());
    let user = user.map(|(key, table, _)| Section { key, table: Some(table) });
    let mut macs: Vec<&mut MacConfig> = nodes.iter_mut().map(|node| &mut node.mac).collect();
    let section = Section { key: "mac", table: tree.get("mac") };
    edca::complete(reader, section, user, &mut layers.mac, &mut macs);
    let (mut flows, mut workloads) = (Vec::new(), Vec::new());
    if let Some(topology) = &network.topology {
        let nodes = flow::Nodes { topology, hosts: wired.hosts.len() };
        relays::check_keys(reader, &tables);
        flows = flow::resolve(reader, tables, nodes);
        relays::check(reader, &tree, &flows);
        let wire = wired.wires.first().map(|wire| wire.ports[0].rate);
        let channel = workload::Channel { wire, tcp: &layers.tcp, routing: &layers.routing };
        workloads = workload::resolve(reader, workload_tables, nodes, channel);
    }
    let traffic = generator::read(reader, &tree, top.duration, network.mobility.renumber);
    wired.check(reader, &tree, (&flows, &workloads), traffic.as_ref(), &protocols.semi_tcp);
    handshakes::check(reader, &tree, (&flows, &workloads), traffic.as_ref());
    check_semi_tcp(reader, &tree, (&protocols.semi_tcp, &layers.tcp), (&flows, &workloads), traffic.as_ref());
    if !reader.diagnostics.is_empty() {
        return None;
    }
    let mut scenario = assemble(reader, top, layers, protocols, network, (nodes, wired), (flows, workloads))?;
    scenario.live = live;
    if let Some(traffic) = traffic {
        add_traffic(reader, &tree, &mut scenario, traffic);
    }
    check_aggregation(reader, &tree, &scenario);
    check_root(reader, &tree, &scenario);
    check_radios(reader, &tree, &scenario);
    acks::check(reader, &tree, &scenario);
    reader.diagnostics.is_empty().then_some(scenario)
}

/// Each node of a network that aggregates takes A-MPDUs.
fn check_aggregation(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
    if AggregationRules::of(&scenario.mac, scenario.radio.phy().limits()).is_none() {
        return;
    }
    let mut nodes = (0..scenario.topology.nodes() as u32).map(NodeId);
    let has_qos = nodes.all(|node| scenario.mac_of(node).has_qos());
    let section = Section { key: "mac", table: tree.get("mac") };
    let what = not_supported_with("qos = false of a [[node]], which takes no A-MPDU");
    let hint = "set mac.ampdu = \"0 B\", without mac.amsdu";
    section.rule_with_hint(reader, "ampdu", has_qos, &what, "\"0 B\"", Some(hint));
}

/// The root of HWMP is a node with a radio.
fn check_root(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
    let root = scenario.routing.tables.hwmp.as_ref().and_then(|hwmp| hwmp.root);
    let nodes = scenario.topology.nodes() as u32;
    let table = tree.get("routing").and_then(|routing| routing.get("hwmp"));
    let is_known = root.is_none_or(|root| root < nodes);
    let expected = format!("a node with a radio, 0 to {}", nodes.saturating_sub(1));
    Section { key: "routing.hwmp", table }.rule(reader, "root", is_known, OUT_OF_RANGE, &expected);
}

/// Several radios per node need routing that notes radios of neighbors, and parts that look at one radio of their node do not
/// combine with them.
fn check_radios(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
    if !scenario.radios().has_several() {
        return;
    }
    let supported = RoutingKind::ALL.iter().filter(|kind| kind.supports_several_radios());
    let supported: Vec<String> = supported.map(|kind| format!("\"{}\"", kind.name())).collect();
    let protocols = format!("set routing.protocol to {}", supported.join(" or "));
    let is_noted = scenario.routing.supports_several_radios();
    let conflicts = [
        ("routing.protocol", is_noted, "this routing protocol", protocols.as_str()),
        ("", scenario.live.is_none(), "[live]", "use one radio per node"),
    ];
    radios::check(reader, tree, &conflicts);
}

fn parse(reader: &mut Reader<'_>) -> Option<Node> {
    let Reader { source, diagnostics, .. } = reader;
    let refuse = |origin, raw| diagnostics.push((origin, raw));
    match parse_tree(source, refuse) {
        Ok(tree) => Some(tree),
        Err(error) => {
            let (origin, raw) = *error;
            reader.refuse(&origin, raw);
            None
        }
    }
}

/// The tables of the layers.
struct Layers {
    radio: RadioConfig,
    mac: MacConfig,
    rate_controller: Option<Arc<ExternalController>>,
    link: LinkConfig,
    queue: QueueConfig,
    routing: RoutingConfig,
    tcp: TcpConfig,
    stream: StreamConfig,
}

impl Layers {
    fn read(reader: &mut Reader<'_>, tree: &Node, top: &Top) -> Layers {
        let profile = top.profile;
        let mut radio: RadioConfig = read(reader, tree, profile);
        let mac = standard::read_mac(reader, tree, profile, radio.phy());
        standard::complete_radio(&mut radio, &mac);
        let section = Section { key: "mac", table: tree.get("mac") };
        let rate_controller = external_controller::read_rates(reader, section, mac.rate_controller.as_deref());
        Layers {
            rate_controller,
            mac,
            radio,
            link: read(reader, tree, profile),
            queue: read(reader, tree, profile),
            routing: read(reader, tree, profile),
            tcp: read(reader, tree, profile),
            stream: read(reader, tree, profile),
        }
    }
}

impl Layers {
    /// Paths by expected transmissions need delivery ratios, and a protocol that knows them.
    fn check_metric(&self, reader: &mut Reader<'_>, tree: &Node) {
        if self.routing.metric != Some(RouteMetric::Etx) {
            return;
        }
        let section = Section { key: "routing", table: tree.get("routing") };
        let has_ratios = self.radio.links.as_ref().is_some_and(|table| table.has_deliveries());
        let expected = "\"hops\"";
        section.rule(reader, "metric", has_ratios, &requires("delivery ratios of topology.kind = \"links\""), expected);
        let is_static = self.routing.protocol.is(RoutingKind::Static);
        section.rule(reader, "metric", is_static, &requires("protocol = \"static\""), expected);
    }
}

/// The tables of protocols that span layers.
struct Protocols {
    semi_tcp: SemiTcpConfig,
    hop_release: HopReleaseConfig,
    split_tcp: SplitTcpConfig,
    explicit: ExplicitConfig,
    winf: WinfConfig,
    idle_gap: IdleGapConfig,
}

impl Protocols {
    fn read(reader: &mut Reader<'_>, tree: &Node, top: &Top, layers: &Layers) -> Protocols {
        let split_tcp: SplitTcpConfig = read(reader, tree, top.profile);
        let section = Section { key: "split_tcp", table: tree.get("split_tcp") };
        split_tcp::check_routes(reader, section, &split_tcp, &layers.routing);
        Protocols {
            split_tcp,
            explicit: explicit::read_all(reader, tree, top.profile),
            winf: read(reader, tree, top.profile),
            idle_gap: read(reader, tree, top.profile),
            semi_tcp: SemiTcpConfig::read(reader, tree),
            hop_release: read(reader, tree, top.profile),
        }
    }
}

/// Where nodes are and how they move.
struct Network {
    mobility: MobilityConfig,
    replay: Option<Replay>,
    /// `None` if it is wrong.
    topology: Option<Topology>,
}

impl Network {
    /// Number of nodes with a radio, if it is known.
    fn nodes(&self) -> Option<u64> {
        self.topology.as_ref().map(Topology::nodes)
    }

    fn read(reader: &mut Reader<'_>, tree: &Node, top: &Top) -> Network {
        let (mut mobility, is_readable) = mobility::read(reader, tree);
        let has_topology = tree.get("topology").is_some();
        let is_of_file = is_readable && mobility.is_file() && !has_topology;
        let topology = if is_of_file {
            None
        } else if !has_topology && wired::has_hosts_only(tree) {
            Some(Topology::at(Vec::new()))
        } else {
            topology::read(reader, tree)
        };
        if let Some(topology) = topology.as_ref().filter(|_| is_readable) {
            mobility::default_area(&mut mobility, topology);
        }
        let mut network = Network { mobility, replay: None, topology };
        let is_known = is_readable && (network.topology.is_some() || is_of_file);
        if is_known && mobility::check_mobile_nodes(reader, tree, &network.mobility, network.topology.as_ref()) {
            network.move_nodes(reader, tree, top);
        }
        network
    }

    /// Checks the model, or reads the movements of a file, which also give the positions where there is no topology.
    fn move_nodes(&mut self, reader: &mut Reader<'_>, tree: &Node, top: &Top) {
        let nodes = self.topology.as_ref().map(|topology| topology.nodes() as u32);
        if !self.mobility.is_file() {
            mobility::check(reader, tree, &self.mobility, nodes, top.duration);
            return;
        }
        // Each run draws the positions of a random topology: only nodes that the file lacks stand there.
        let is_random = self.topology.as_ref().is_some_and(|topology| topology.layout.random().is_some());
        let placed = self.topology.as_ref().filter(|_| !is_random);
        let positions = placed.map(Topology::positions).unwrap_or_default();
        let drawn = nodes.filter(|_| is_random).unwrap_or(0);
        let rules = top.profile.rules().movement;
        let setting = Setting { nodes, positions: &positions, drawn, duration: top.duration, rules };
        self.replay = movements::read(reader, tree, &self.mobility, setting);
        if let (None, Some(replay)) = (&self.topology, &self.replay) {
            self.topology = Some(Topology::at(replay.trajectories.iter().map(Trajectory::start).collect()));
        }
    }
}

fn check_semi_tcp(
    reader: &mut Reader<'_>,
    tree: &Node,
    (semi_tcp, tcp): (&SemiTcpConfig, &TcpConfig),
    (flows, workloads): (&[FlowSpec], &[WorkloadSpec]),
    traffic: Option<&TrafficConfig>,
) {
    let of_workloads = workloads.iter().map(|workload| workload.transport);
    let mut transports =
        flows.iter().map(|flow| flow.transport).chain(of_workloads).chain(traffic.and_then(TrafficConfig::transport));
    let is_used = transports.any(|transport| transport.admission == Admission::Pull);
    semi_tcp.check(reader, Section { key: "semi_tcp", table: tree.get("semi_tcp") }, tcp, is_used);
}

/// The scenario of tables without problems.
fn assemble(
    reader: &Reader<'_>,
    top: Top,
    layers: Layers,
    protocols: Protocols,
    network: Network,
    (nodes, wired): (Vec<node::NodeSettings>, Wired),
    (flows, workloads): (Vec<FlowSpec>, Vec<WorkloadSpec>),
) -> Option<Resolved> {
    let mut tcp = layers.tcp;
    tcp.share(&protocols.explicit);
    Some(Resolved {
        name: top.name.unwrap_or_else(|| stem(reader.source.path).to_owned()),
        profile: top.profile,
        duration: top.duration,
        warmup: top.warmup,
        goodput_interval: top.goodput_interval,
        seed: top.seed,
        positions: Vec::new(),
        topology: network.topology?,
        mobility: network.mobility,
        replay: network.replay,
        radio: layers.radio,
        mac: layers.mac,
        rate_controller: layers.rate_controller,
        link: layers.link,
        queue: layers.queue,
        routing: layers.routing.resolved(),
        tcp,
        stream: layers.stream,
        semi_tcp: protocols.semi_tcp,
        hop_release: protocols.hop_release,
        handshake: HandshakeKind::Plain,
        split_tcp: protocols.split_tcp,
        explicit: protocols.explicit,
        winf: protocols.winf,
        idle_gap: protocols.idle_gap,
        nodes,
        hosts: wired.hosts,
        wires: wired.wires,
        flows,
        workloads,
        traffic: None,
        live: None,
        warnings: Vec::new(),
    })
}

/// Adds `[traffic]`: the flows of its file, or what each run generates flows from.
fn add_traffic(reader: &mut Reader<'_>, tree: &Node, scenario: &mut Resolved, config: TrafficConfig) {
    let first = scenario.flows.len();
    let controller = generator::controller(reader, tree, &config);
    let Some(file) = &config.file else {
        scenario.traffic = Some(DrawnTraffic { config, first, controller });
        return;
    };
    let numbers = scenario.replay.as_ref().and_then(|replay| replay.numbers.as_deref());
    let nodes = Nodes { count: scenario.topology.nodes() as u32, numbers, first: config.first_node.unwrap_or(0) };
    let listed = traffic_file::read(reader, tree, file, &nodes);
    traffic_file::check_senders(reader, tree, &listed, &config, &scenario.tcp);
    let flows = listed.iter().zip(first..).filter_map(|(flow, id)| imported(&config, id, flow));
    let flows: Vec<FlowSpec> = flows
        .map(|flow| {
            let controller = if flow.transport.is_udp() { None } else { controller.clone() };
            FlowSpec { controller, ..flow }
        })
        .collect();
    scenario.flows.extend(flows);
}

/// A file's name without folders and its last ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rfind('.') {
        Some(0) | None => name,
        Some(at) => &name[..at],
    }
}
