//! Builds a run from a resolved scenario: layers bottom up, then flows, measures, radio schedules and proxies.

mod hop_release;
mod idle;
mod sessions;
mod wires;

use super::deadline::DeadlineTimer;
use super::error::EngineError;
use super::externals::{Externals, NoExternals};
use super::run::World;
use crate::kernel::{AnyRun, End, FlowId, NodeId, Part, Purpose, RadioId, Radios, RandomStream, Span, Time};
use crate::mac::aggregation::AggregationRules;
use crate::mac::handshake::{HandshakeKind, HandshakeRules, HandshakeSetup, Turn, TurnLimits};
use crate::mac::observer::{
    LinkAirtime, MeanRetries, NeighborAirtime, Observer, ObserverKind, ObserverSetup, ObserverTables,
};
use crate::mac::rate::AnyRateControl;
use crate::mac::{Mac, ProbeRules, Timing};
use crate::measure::FlowBaseline;
use crate::mobility::{RadioSchedule, Trajectory};
use crate::net::Net;
use crate::net::explicit_feedback::FeedbackSetup;
use crate::net::link::{Categories, InterfaceQueue, Link, LinkConfig, QueueKind, QueueSetup, RadioPart};
use crate::net::routing::{ReachGraph, Routing, RoutingProtocol, RoutingSetup};
use crate::packet::Category;
use crate::phy::Medium;
use crate::scenario::{ExternalController, FlowSpec, Resolved};
use crate::sim::{AppTimer, Ctx, Event, LiveTraffic, Reports};
use crate::transport::{Connection, Flow, Protocol, StackSetup};
use std::collections::BTreeSet;
use std::sync::Arc;

impl World {
    /// The run of `scenario` with this seed, before its first event.
    ///
    /// # Panics
    /// If [`World::build`] fails: only with a random topology that must be connected, or an external controller.
    pub fn new(scenario: &Resolved, seed: u64) -> World {
        World::build(scenario, seed).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The run of `scenario` with this seed, before its first event.
    ///
    /// # Errors
    /// If a random topology must be connected and has no such placement with this seed; if a controller is external.
    pub fn build(scenario: &Resolved, seed: u64) -> Result<World, EngineError> {
        World::build_with(scenario, seed, &mut NoExternals)
    }

    /// The run of `scenario` with this seed, before its first event; `externals` builds the parts that the engine does not
    /// have.
    ///
    /// # Errors
    /// As for [`World::build`], and the errors of `externals`.
    pub fn build_with(scenario: &Resolved, seed: u64, externals: &mut dyn Externals) -> Result<World, EngineError> {
        let trajectories =
            scenario.trajectories(seed).map_err(|error| EngineError::Placement { what: error.to_string() })?;
        let nodes = scenario.nodes_and_hosts() as usize;
        let mut ctx = Ctx::with_radios(seed, scenario.flows.len(), nodes, scenario.radios());
        if scenario.mac.edca.is_some() {
            ctx.categories = scenario.flows.iter().map(|flow| flow.priority).collect();
            ctx.trace.counters.count_categories();
        }
        let mut medium = medium(scenario, &ctx.radios, trajectories, seed);
        let macs = macs(scenario, &ctx, externals)?;
        let nets = nets(scenario, &ctx, &mut medium, externals)?;
        let mut world = World::assemble(ctx, medium, macs, nets);
        world.release_by_hop(scenario);
        world.add_wires(scenario, externals)?;
        if let Some(live) = &scenario.live {
            let traffic = LiveTraffic::new(
                scenario.nodes_and_hosts() as usize,
                &live.ports,
                live.mtu,
                live.device,
                live.recorded(),
            );
            world.ctx.live = Some(Box::new(traffic));
        }
        world.report_routes(scenario);
        let warmup = Time::ZERO + scenario.warmup;
        let mut tcp = scenario.tcp.clone();
        // The default of TCP-AP's bandwidth is the data rate of the MAC.
        tcp.congestion.tcp_ap.bandwidth.get_or_insert(scenario.mac.data_rate);
        for flow in &scenario.flows {
            tcp.congestion.xcp_winf.interface = scenario.mac_of(flow.src).data_rate;
            let mut spec = flow.connection(&scenario.semi_tcp);
            if flow.transport.nodes.handshake == HandshakeKind::HopRelease {
                spec.pull = Some(world.pull_by_hop(scenario, flow.src));
            }
            let streams = &world.ctx.streams;
            let mut connection = match spec.protocol {
                Protocol::Split => Connection::split(&spec, (flow.src, flow.dst), &tcp, &scenario.split_tcp, streams),
                Protocol::Stream(kind) => {
                    Connection::stream(&spec, kind, &tcp, &scenario.stream, scenario.transfer(flow), streams)
                }
                Protocol::Stack(kind) => {
                    let seed = streams.stream(Purpose::Stack, flow.id.0).seed();
                    let (ends, ack_every) = ((flow.src, flow.dst), tcp.ack_every);
                    let setup = StackSetup { flow: flow.id, ends, seed, window: flow.window, ack_every };
                    let stack = externals.stack(kind, &setup).map_err(|what| EngineError::External { what })?;
                    Connection::stack(&spec, stack, flow.transfer(), streams)
                }
                Protocol::Tcp(_) | Protocol::Udp | Protocol::Rate(_) | Protocol::AdHoc(_) => {
                    Connection::new(&spec, &tcp, streams)
                }
            };
            if let Some(named) = &flow.controller {
                control(&mut connection, flow, named, externals).map_err(|what| EngineError::External { what })?;
            }
            if flow.session.is_some() {
                connection.serve_session();
            }
            if flow.relays.is_some() {
                connection.follow_relay();
            }
            if scenario.flows.iter().any(|other| other.relays.is_some_and(|relayed| relayed.flow == flow.id)) {
                connection.serve_relay();
            }
            if let Some(source) = &flow.source {
                connection.set_source(externals.source(flow, source).map_err(|what| EngineError::External { what })?);
            }
            if let Some(packets) = flow.max_packets {
                connection.limit_packets(packets);
            }
            if let Some(longest) = flow.max_datagram {
                connection.split_datagrams(longest.0);
            }
            let start = start(flow, &world.ctx);
            let mut ends = Flow::new(connection, (flow.src, flow.dst), start);
            // What a radio estimates says nothing about a wire.
            ends.wants_link &= !world.nets[flow.src.index()].routing.leaves_by_wire(flow.dst);
            world.add_flow(ends, flow.stop, warmup.max(start));
        }
        world.add_sessions(scenario);
        world.add_relays(scenario);
        world.begin_connectivity(warmup);
        if let Some(interval) = scenario.goodput_interval {
            let probe_bytes = |flow: &FlowSpec| flow.segment.0 + scenario.routing.udp_header.0;
            world.begin_intervals(interval, scenario.flows.iter().map(probe_bytes).collect());
        }
        // After the flows: at equal times a flow's start precedes a switch.
        for node in &scenario.nodes {
            world.add_radio_schedule(node.id, &node.radio_schedule);
        }
        world.place_proxies(scenario);
        world.start();
        Ok(world)
    }

    /// Prepares reports on failed routes, if a flow wants any.
    fn report_routes(&mut self, scenario: &Resolved) {
        let flows = |wants: &dyn Fn(&FlowSpec) -> bool| -> Vec<FlowId> {
            scenario.flows.iter().filter(|flow| wants(flow)).map(|flow| flow.id).collect()
        };
        let to_flows = flows(&|flow| flow.transport.wants_route_failures());
        let followed = flows(&|flow| flow.transport.wants_route_restorations());
        if !followed.is_empty() {
            self.ctx.new_routes = Some(Vec::new());
        }
        if scenario.stream.unreachable || !to_flows.is_empty() {
            self.ctx.unreachable = Some(Box::new(Reports::new(scenario.stream.unreachable, to_flows, followed)));
        }
    }

    /// Adds a flow whose traffic stops at `stop`; its measurement starts at `measure_from`.
    fn add_flow(&mut self, mut flow: Flow, stop: Option<Time>, measure_from: Time) {
        let id = FlowId(self.flows.len() as u32);
        if flow.connection.is_pulled() {
            // Each ARP table of the path holds one packet: the first segment resolves the addresses for the turns that follow.
            let mac = self.macs.get(self.ctx.radios.first(flow.src).index());
            if mac.is_some_and(|mac| mac.turn().packets() > 1) {
                flow.connection.start_alone();
            }
            self.pulls.add(flow.src, id, End::Source);
            self.pulls.add(flow.dst, id, End::Sink);
        }
        let event = |timer| Event::App { flow: id, timer };
        // The measurement starts before anything else at the same time.
        self.ctx.events.schedule(measure_from, event(AppTimer::Measure));
        self.ctx.events.schedule(flow.start, event(AppTimer::Start));
        if let Some(stop) = stop {
            self.ctx.events.schedule(stop, event(AppTimer::Stop));
        }
        self.flows.push(flow);
        self.flow_timers.push([DeadlineTimer::default(); 2]);
        self.measures.baselines.push(FlowBaseline::default());
    }

    /// Switches a node's radio at the times of its schedule, the first of which may be now.
    fn add_radio_schedule(&mut self, node: NodeId, radio_schedule: &RadioSchedule) {
        for (at, is_on) in radio_schedule.switches() {
            self.ctx.events.schedule(at, Event::RadioSwitch { node, is_on });
        }
    }

    /// Starts the network layers: routing and feedback routers set their first timers.
    fn start(&mut self) {
        for node in (0..self.nets.len() as u32).map(NodeId) {
            let (net, mut cx) = self.net(node);
            net.start(&mut cx);
            for radio in self.ctx.radios.of(node).skip(1) {
                let (net, mut cx) = self.net_above::<AnyRun>(radio);
                net.start_feedback(&mut cx);
            }
        }
        if let Some(wires) = &mut self.wires {
            wires.start(&mut self.ctx);
        }
    }
}

/// Gives a flow the congestion control that it names; both ends of a session have one, since both send.
fn control(
    connection: &mut Connection,
    flow: &FlowSpec,
    named: &ExternalController,
    externals: &mut dyn Externals,
) -> Result<(), String> {
    let ends: &[End] = if flow.session.is_some() { &[End::Source, End::Sink] } else { &[End::Source] };
    for &end in ends {
        let control = externals.controller(flow, named)?;
        connection
            .set_controller(end, control)
            .map_err(|what| format!("controller {} of flow {}: {what}", named.name, flow.id.0))?;
    }
    Ok(())
}

/// Start time of a flow's traffic in this run.
fn start(flow: &FlowSpec, ctx: &Ctx) -> Time {
    if flow.start_spread == Span::ZERO {
        return flow.start;
    }
    let part = ctx.streams.stream(Purpose::StartTime, flow.id.0).unit();
    flow.start + Span((flow.start_spread.0 as f64 * part) as u64)
}

fn medium(scenario: &Resolved, radios: &Radios, mut trajectories: Vec<Trajectory>, seed: u64) -> Medium {
    let owners = || radios.all().map(|radio| radios.owner(radio));
    let powers: Vec<_> = owners().map(|node| scenario.tx_power_of(node)).collect();
    let further: Vec<_> = owners().skip(trajectories.len()).map(|node| trajectories[node.index()].clone()).collect();
    trajectories.extend(further);
    let Some(channels) = radios.channels() else { return Medium::new(trajectories, &scenario.radio, &powers, seed) };
    let mut config = scenario.radio.clone();
    config.heights = config.heights.map(|heights| owners().map(|node| heights[node.index()]).collect());
    config.channels = Some(channels.into());
    Medium::new(trajectories, &config, &powers, seed)
}

/// The station of each node.
///
/// # Errors
/// Those of `externals`.
fn macs(scenario: &Resolved, ctx: &Ctx, externals: &mut dyn Externals) -> Result<Vec<Mac>, EngineError> {
    // One node with rt-Winf lengthens every ACK.
    let has_winf = nodes(scenario).any(|node| scenario.observers_of(node).contains(&ObserverKind::Winf));
    let extra = if has_winf { scenario.winf.ack_extra.0 } else { 0 };
    let phy = scenario.radio.phy();
    let usual = Arc::new(Timing::with_ack(&scenario.mac, phy, extra));
    let rules = HandshakeRules { semi_tcp: &scenario.semi_tcp.rules(), hop_release: &scenario.hop_release.rules() };
    let longest = scenario.flows.iter().map(|flow| flow.segment.0).max().unwrap_or_default();
    let longest_live = scenario.live.as_ref().map_or(0, |live| live.mtu);
    let longest_packet = (longest + scenario.tcp.header.0).max(longest_live);
    let tables = ObserverTables { winf: &scenario.winf, idle_gap: &scenario.idle_gap };
    let winf = &scenario.winf;
    let probes = ProbeRules { count: winf.probes, bytes: winf.probe_bytes.0, pause: winf.probe_pause };
    let station = |radio: RadioId| {
        let node = ctx.radios.owner(radio);
        let config = scenario.mac_of(node);
        let timing =
            if *config == scenario.mac { Arc::clone(&usual) } else { Arc::new(Timing::with_ack(config, phy, extra)) };
        let turn = turn(scenario, node, &timing, longest_packet);
        let setup = HandshakeSetup { radio, timing: &timing, turn: &turn };
        let (handshake, timing) = scenario.handshake_of(node).build(&rules, &setup);
        let mut mac = Mac::new(radio, Arc::clone(&timing), handshake, &ctx.streams);
        mac.limit_turns(turn);
        let errors = scenario.radio.ofdm_errors();
        let stream = || ctx.streams.stream(Purpose::RateSampling, radio.0);
        let control = match &scenario.rate_controller {
            Some(named) if config.rate_controller.is_some() => {
                let setup = timing.rate_setup(errors, stream(), true);
                let control = externals.rate_control(node, named, &setup);
                Some(AnyRateControl::Custom(control.map_err(|what| EngineError::External { what })?))
            }
            _ => config.rate_control.and_then(|kind| kind.build(|both| timing.rate_setup(errors, stream(), both))),
        };
        if let Some(control) = control {
            mac.control_rates(control);
        }
        if let Some(memory) = scenario.routing.link_error_memory() {
            let setup = ObserverSetup { radio, timing: &timing };
            mac.observe(Observer::Custom(Box::new(LinkAirtime::new(&setup, memory))));
        }
        let queue = scenario.queue_of(node);
        if let Part::Engine(kind) = &queue.kind {
            match kind.radio_part(&queue.parameters) {
                RadioPart::None => {}
                RadioPart::Airtime => {
                    let airtime = NeighborAirtime::new(radio, config.edca.is_some());
                    mac.observe(Observer::Custom(Box::new(airtime)));
                }
                RadioPart::Retries { weight, pace_from } => {
                    mac.observe(Observer::Custom(Box::new(MeanRetries::new(weight, pace_from))));
                }
            }
        }
        if let Some(edca) = &config.edca {
            mac.prioritize(edca);
        }
        if let Some(rules) = AggregationRules::of(config, timing.aggregation_limits()) {
            mac.aggregate(rules);
        }
        for kind in scenario.observers_of(node) {
            mac.observe(kind.build(&tables, &ObserverSetup { radio, timing: &timing }));
            if kind == ObserverKind::Winf && probes.count > 0 {
                mac.probe(probes);
            }
        }
        Ok(mac)
    };
    ctx.radios.all().map(station).collect()
}

/// What one grant lets through at a node: with Semi-TCP's handshake, so much that T_c + m of them have room in the queue; with release
/// by overhearing, what its scenario says.
fn turn(scenario: &Resolved, node: NodeId, timing: &Timing, packet: u32) -> Turn {
    let aggregation = AggregationRules::of(scenario.mac_of(node), timing.aggregation_limits());
    let limit = scenario.queue_of(node).limit.saturating_sub(1);
    let most = if scenario.handshake_of(node) == HandshakeKind::HopRelease {
        limit.min(scenario.hop_release.ampdu)
    } else {
        limit / scenario.semi_tcp.t_c.saturating_add(scenario.semi_tcp.m)
    };
    let most = most.max(1);
    Turn::new(TurnLimits { packet, most, aggregation }, timing)
}

/// The network layer of each node.
///
/// # Errors
/// Those of `externals`.
fn nets(
    scenario: &Resolved,
    ctx: &Ctx,
    medium: &mut Medium,
    externals: &mut dyn Externals,
) -> Result<Vec<Net>, EngineError> {
    let config = &scenario.routing;
    let protocols = routing(scenario, ctx, medium, externals)?;
    let link_config = LinkConfig { arp: scenario.link.arp && !config.knows_addresses(), ..scenario.link.clone() };
    let mut net = |(node, routing)| {
        let first = ctx.radios.first(node);
        let mut link = Link::new(node, first, &link_config, lines(scenario, ctx, (node, node.0), externals)?);
        link.admission = scenario.semi_tcp.admission();
        let has_handshake = scenario.handshake_of(node) != HandshakeKind::Plain;
        link.arp_first = scenario.semi_tcp.arp_first && scenario.handshake_of(node) == HandshakeKind::SemiTcp;
        link.sends_control_singly = has_handshake;
        let mut net = Net::new(node, link, routing, config.link_failure_feedback, config.source_bytes());
        let setup = FeedbackSetup {
            data_rate: scenario.mac_of(node).data_rate.0 / 8.0,
            queue_limit: scenario.queue_of(node).limit,
            is_wire: false,
            explicit: &scenario.explicit,
        };
        for radio in ctx.radios.of(node).skip(1) {
            let mut further = Link::new(node, radio, &link_config, lines(scenario, ctx, (node, radio.0), externals)?);
            further.arp_first = net.link.arp_first;
            further.sends_control_singly = has_handshake;
            net.add_link(further);
        }
        let kinds = if scenario.has_radio(node) { scenario.feedback_routers_of(node) } else { Vec::new() };
        for kind in kinds {
            for place in 0..net.links().count() {
                net.add_feedback_router(place, kind.build(&setup));
            }
        }
        Ok(net)
    };
    (0..scenario.nodes_and_hosts()).map(NodeId).zip(protocols).map(&mut net).collect()
}

/// The interface queue of a radio of a node: with access categories one for each. `entity` is the number of the radio, at a host
/// that of the node.
fn lines(
    scenario: &Resolved,
    ctx: &Ctx,
    (node, entity): (NodeId, u32),
    externals: &mut dyn Externals,
) -> Result<InterfaceQueue, EngineError> {
    let mut of =
        |purpose, number, category| queue(scenario, ctx.streams.stream(purpose, number), (node, category), externals);
    let best_effort = of(Purpose::Discipline, entity, Category::BestEffort)?;
    if scenario.mac.edca.is_none() || node.index() >= scenario.positions.len() {
        return Ok(best_effort);
    }
    let count = Category::COUNT as u32;
    let mut of = |category: Category| of(Purpose::CategoryDiscipline, entity * count + category as u32, category);
    let [background, video, voice] = [Category::Background, Category::Video, Category::Voice].map(&mut of);
    Ok(InterfaceQueue::Categories(Box::new(Categories::new([background?, best_effort, video?, voice?]))))
}

/// One interface queue of a node, for packets of a category.
fn queue(
    scenario: &Resolved,
    stream: RandomStream,
    (node, category): (NodeId, Category),
    externals: &mut dyn Externals,
) -> Result<InterfaceQueue, EngineError> {
    let config = scenario.queue_of(node);
    match &config.kind {
        Part::Engine(kind) => {
            // As in ns-2, its drop-tail queue of size N holds N - 1 packets.
            let lost = usize::from(*kind == QueueKind::DropTail);
            let places = (config.limit as usize).saturating_sub(lost);
            let service = scenario.mac_of(node).data_rate.time_for(QueueSetup::SERVICE_BITS);
            let (parameters, service) = (&config.parameters, Some(service));
            Ok(kind.build(&QueueSetup { config: parameters, places, stream, service, category }))
        }
        Part::Program(named) => {
            let queue = externals.queue(node, named, config).map(InterfaceQueue::Custom);
            queue.map_err(|what| EngineError::External { what })
        }
    }
}

/// The routing protocol at each node.
fn routing(
    scenario: &Resolved,
    ctx: &Ctx,
    medium: &mut Medium,
    externals: &mut dyn Externals,
) -> Result<Vec<RoutingProtocol>, EngineError> {
    let config = &scenario.routing;
    let kind = match &config.protocol {
        Part::Engine(kind) => *kind,
        Part::Program(named) => {
            let mut build = |node| externals.routing(node, named).map(RoutingProtocol::Custom);
            let protocols: Result<_, String> = nodes(scenario).map(&mut build).collect();
            return protocols.map_err(|what| EngineError::External { what });
        }
    };
    let mut graph = || routing_graph(scenario, &ctx.radios, medium);
    let mut pairs: Vec<_> = scenario.flows.iter().map(|flow| (flow.src, flow.dst)).collect();
    if let Some(live) = &scenario.live {
        pairs.extend(live.pairs());
    }
    if !scenario.workloads.is_empty() {
        // Thousands of flows may share a few pairs.
        let mut known = BTreeSet::new();
        pairs.retain(|&pair| known.insert(pair));
    }
    let mut setup = RoutingSetup {
        paths: scenario.path_rules(&ctx.radios),
        nodes: scenario.positions.len() as u32,
        profile: config.profile,
        streams: ctx.streams,
        pairs: &pairs,
        graph: &mut graph,
    };
    let protocols = kind.build(&config.tables, &mut setup);
    drop(setup);
    if scenario.wires.is_empty() {
        return Ok(protocols);
    }
    wires::routing(scenario, (kind, &pairs), protocols, &mut graph)
}

/// Links at the start of the run, and wires.
pub(super) fn routing_graph(scenario: &Resolved, radios: &Radios, medium: &mut Medium) -> ReachGraph {
    let neighbors = radios.neighbors_of_nodes(medium.neighbors_at_start());
    let graph = ReachGraph::new(neighbors.len(), |node| neighbors[node.index()].iter().copied());
    if scenario.wires.is_empty() { graph } else { wires::with_wires(scenario, &graph) }
}

fn nodes(scenario: &Resolved) -> impl Iterator<Item = NodeId> + use<> {
    (0..scenario.positions.len() as u32).map(NodeId)
}
