//! Builds wires, and the routing of the nodes that have them.

use crate::kernel::{NodeId, Part, Purpose, RandomStreams, Time};
use crate::net::explicit_feedback::FeedbackSetup;
use crate::net::link::{InterfaceQueue, QueueSetup};
use crate::net::routing::static_path::{StaticTable, paths};
use crate::net::routing::{
    Behind, Entrances, Exits, Hosts, Otherwise, ReachGraph, Routing, RoutingKind, RoutingProtocol, Wired,
};
use crate::net::wires::{PortConfig, WireSpec, Wires};
use crate::packet::Category;
use crate::scenario::{Host, Resolved};
use crate::transport::proxy::split_tcp::ProxyPlace;
use crate::world::error::EngineError;
use crate::world::externals::Externals;
use crate::world::run::World;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl World {
    /// Adds the wires of a scenario, if it has any.
    ///
    /// # Errors
    /// Those of `externals`.
    pub(super) fn add_wires(&mut self, scenario: &Resolved, externals: &mut dyn Externals) -> Result<(), EngineError> {
        if scenario.wires.is_empty() {
            return Ok(());
        }
        self.ctx.trace.include_wires();
        let directions = scenario.wires.iter().flat_map(WireSpec::directions);
        let streams = self.ctx.streams;
        let queues = directions.zip(0..).map(|((from, _, port), index)| queue(port, (from, index), streams, externals));
        let queues = queues.collect::<Result<Vec<InterfaceQueue>, EngineError>>()?;
        let since = Time::ZERO + scenario.warmup;
        let mut wires = Wires::new(&scenario.wires, queues, &self.ctx.streams, since);
        for (index, (from, _, port)) in scenario.wires.iter().flat_map(WireSpec::directions).enumerate() {
            let setup = FeedbackSetup {
                data_rate: port.rate.0 / 8.0,
                queue_limit: port.queue.limit,
                is_wire: true,
                explicit: &scenario.explicit,
            };
            for kind in scenario.feedback_routers_of(from) {
                wires.add_feedback_router(index, kind.build(&setup));
            }
        }
        self.wires = Some(Box::new(wires));
        Ok(())
    }
}

/// Numbers of the random streams of ports: above those of nodes.
const PORTS: u32 = 1 << 31;

/// The queue of a port of `node`.
fn queue(
    port: &PortConfig,
    (node, index): (NodeId, u32),
    streams: RandomStreams,
    externals: &mut dyn Externals,
) -> Result<InterfaceQueue, EngineError> {
    let config = &port.queue;
    match &config.kind {
        Part::Engine(kind) => {
            let stream = streams.stream(Purpose::Discipline, PORTS + index);
            let service = Some(port.rate.time_for(QueueSetup::SERVICE_BITS));
            let (parameters, places) = (&config.parameters, config.limit as usize);
            Ok(kind.build(&QueueSetup { config: parameters, places, stream, service, category: Category::default() }))
        }
        Part::Program(named) => {
            let queue = externals.queue(node, named, config).map(InterfaceQueue::Custom);
            queue.map_err(|what| EngineError::External { what })
        }
    }
}

/// The graph of radio links and wires.
pub(super) fn with_wires(scenario: &Resolved, radio: &ReachGraph) -> ReachGraph {
    let links: Vec<_> = scenario.wires.iter().map(|wire| (wire.ends[0], wire.ends[1])).collect();
    radio.with(scenario.nodes_and_hosts() as usize, &links)
}

/// Routing at each node, hosts included, over that of the radio nodes. A static protocol knows paths over wires already.
///
/// # Errors
/// If a gateway's protocol cannot make its hosts known.
pub(super) fn routing(
    scenario: &Resolved,
    (kind, pairs): (RoutingKind, &[(NodeId, NodeId)]),
    protocols: Vec<RoutingProtocol>,
    graph: &mut dyn FnMut() -> ReachGraph,
) -> Result<Vec<RoutingProtocol>, EngineError> {
    let radio = scenario.positions.len() as u32;
    let wired = with_wires(scenario, &ReachGraph::new(0, |_| None));
    let is_static = kind == RoutingKind::Static;
    let tables = if is_static { vec![StaticTable::default(); wired.len()] } else { tables(scenario, &wired) };
    let hosts = Arc::new(hosts(scenario, &wired));
    let entrances = Arc::new(if is_static { Entrances::default() } else { entrances(scenario, pairs, graph) });
    let mut protocols = protocols.into_iter();
    let mut all = Vec::with_capacity(wired.len());
    for (node, table) in (0..).map(NodeId).zip(tables) {
        let mut own = if is_static || node.0 < radio { protocols.next() } else { None };
        if let Some(protocol) = own.as_mut().filter(|_| !is_static)
            && !protocol.serve(&hosts)
            && hosts.of(node).next().is_some()
        {
            let what = format!("the routing protocol of gateway {} does not make hosts known", node.0);
            return Err(EngineError::External { what });
        }
        let ends = wired.neighbors(node);
        if ends.is_empty()
            && let Some(own) = own
        {
            all.push(own);
            continue;
        }
        let otherwise = match own {
            Some(protocol) => Otherwise::Protocol(Box::new(protocol)),
            None if entrances.of.contains_key(&node) => {
                Otherwise::Exits(Box::new(Exits::new(node, Arc::clone(&entrances))))
            }
            None => Otherwise::Nowhere,
        };
        let wired = Wired::new(ends.to_vec(), table, otherwise);
        all.push(RoutingProtocol::Custom(Box::new(wired)));
    }
    Ok(all)
}

/// Next hops over wires at each node: to the hosts of flows, to gateways of hosts, and from these hosts to other gateways.
fn tables(scenario: &Resolved, wired: &ReachGraph) -> Vec<StaticTable> {
    let first = scenario.positions.len() as u32;
    let nodes: Vec<NodeId> =
        (0..wired.len() as u32).map(NodeId).filter(|node| !wired.neighbors(*node).is_empty()).collect();
    let ends = scenario.flows.iter().flat_map(|flow| [flow.src, flow.dst]).filter(|end| end.0 >= first);
    // Local acknowledgments may be addressed to proxies at hosts.
    let proxies =
        scenario.hosts.iter().map(|host| host.id).filter(|&host| scenario.proxy_of(host) != ProxyPlace::Never);
    let ends: BTreeSet<NodeId> = ends.chain(proxies).collect();
    let of_flows = ends.iter().flat_map(|&end| nodes.iter().map(move |&node| (end, node)));
    let of_gateways = scenario.hosts.iter().flat_map(|host| host.gateways.iter().map(|&gateway| (host.id, gateway)));
    let pairs: Vec<_> = of_flows.chain(of_gateways).collect();
    paths(wired, &pairs)
}

/// All hosts with their gateways.
fn hosts(scenario: &Resolved, wired: &ReachGraph) -> Hosts {
    let behind = |host: &Host| {
        let gateways = host.gateways.iter().map(|&gateway| (gateway, hops(wired, gateway, host.id)));
        Behind { host: host.id, gateways: gateways.collect() }
    };
    let behind = scenario.hosts.iter().filter(|host| !host.gateways.is_empty()).map(behind).collect();
    Hosts { first: NodeId(scenario.positions.len() as u32), behind }
}

/// Where packets of hosts enter the radio network; `pairs` are the ends of flows.
fn entrances(scenario: &Resolved, pairs: &[(NodeId, NodeId)], graph: &mut dyn FnMut() -> ReachGraph) -> Entrances {
    let of: BTreeMap<NodeId, Vec<NodeId>> = scenario
        .hosts
        .iter()
        .filter(|host| !host.gateways.is_empty())
        .map(|host| (host.id, host.gateways.clone()))
        .collect();
    if of.values().all(|gateways| gateways.len() == 1) {
        return Entrances { of, ..Entrances::default() };
    }
    let first = scenario.positions.len() as u32;
    let wires: Vec<_> = scenario.wires.iter().map(|wire| (wire.ends[0], wire.ends[1])).collect();
    let radio = graph().without(&wires);
    let mut nearest = BTreeMap::new();
    for (host, node) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(_, node)| node.0 < first) {
        let Some(gateways) = of.get(&host).filter(|gateways| gateways.len() > 1) else { continue };
        nearest.entry((host, node)).or_insert_with(|| {
            let mut gateways = gateways.clone();
            gateways.sort_by_cached_key(|&gateway| radio.hops(gateway, node).unwrap_or(u32::MAX));
            gateways
        });
    }
    let switches = |&gateway: &NodeId| {
        let settings = scenario.nodes.iter().find(|node| node.id == gateway)?;
        Some((gateway, settings.radio_schedule.switches().map(|(at, _)| at).collect()))
    };
    let switches = of.values().flatten().filter_map(switches).collect();
    Entrances { of, nearest, switches }
}

fn hops(wired: &ReachGraph, a: NodeId, b: NodeId) -> u8 {
    wired.hops(a, b).map_or(u8::MAX, |hops| u8::try_from(hops).unwrap_or(u8::MAX))
}
