//! The flows of `[traffic]`: generated for each run, or taken from a file.

use super::error::DrawError;
use crate::app::{AppConfig, Cbr, Ftp, OnOff};
use crate::kernel::{Bytes, FlowId, NodeId, Purpose, RandomStream, RandomStreams, Rate, Span, Time};
use crate::net::routing::ReachGraph;
use crate::packet::Category;
use crate::scenario::imports::traffic_file::{ImportedCarrier, ImportedFlow, ImportedSource};
use crate::scenario::model::flow::FlowSpec;
use crate::scenario::model::resolved::Resolved;
use crate::scenario::traffic::{Draw, Ends, Shortfall, TrafficConfig, TrafficKind};
use crate::scenario::transports::Transport;
use std::cell::OnceCell;

/// Maximum number of flows of a scenario.
const MAX_FLOWS: f64 = 100_000.0;

/// Generated flows, and a warning if there are fewer than requested.
pub(super) struct Generated {
    pub(super) flows: Vec<FlowSpec>,
    pub(super) warning: Option<String>,
}

/// The flows that `[traffic]` generates in the run with this seed. `graph` has the links at the start of the run; it is
/// built where hops are needed.
pub(super) fn generate(
    scenario: &Resolved,
    config: &TrafficConfig,
    seed: u64,
    graph: impl Fn() -> Option<ReachGraph>,
) -> Result<Generated, DrawError> {
    let (all, mobile) = (scenario.positions.len() as u32, scenario.topology.mobile_nodes);
    if config.ends == Ends::MobileNodes && mobile < 2 {
        return Err(DrawError::TooFewMobileNodes { mobile });
    }
    let (skipped, nodes) = if config.ends == Ends::MobileNodes { (all - mobile, mobile) } else { (0, all) };
    if nodes < 2 {
        return Err(DrawError::SingleNode);
    }
    let connections = match config.per_node {
        Some(share) => (libm::round(share * f64::from(nodes)).min(MAX_FLOWS) as u32).max(1),
        None => config.connections,
    };
    let mut stream = RandomStreams::new(config.seed.unwrap_or(seed)).stream(Purpose::Pairs, 0);
    let global = |node: NodeId| NodeId(node.0 + skipped);
    let known = OnceCell::new();
    // In a network too dense for a graph, all nodes count as neighbors.
    let hops = |src, dst| match known.get_or_init(&graph) {
        Some(graph) => graph.hops(global(src), global(dst)),
        None => Some(1),
    };
    let min_hops = config.min_hops;
    let max_flows_per_node = config.max_flows_per_node.unwrap_or(1);
    let mut draw = Draw { nodes, connections, max_flows_per_node, min_hops, stream: &mut stream, hops: &hops };
    let pairs = config.pairs.draw(&mut draw);
    let mut warning = None;
    if pairs.len() < connections as usize {
        match config.pairs.shortfall() {
            Shortfall::Refuse => return Err(DrawError::TooFewPairs { found: pairs.len(), nodes, connections }),
            Shortfall::Warn => {
                warning = Some(format!(
                    "traffic.connections: {connections} requested, {} generated, as cbrgen does; use pairs = \"random\" for an \
                     exact number",
                    pairs.len()
                ));
            }
        }
    }
    let first = scenario.flows.len();
    let numbered = pairs.into_iter().map(|(src, dst)| (global(src), global(dst))).zip(first..);
    let flows = numbered.filter_map(|(ends, id)| flow(scenario, config, id, ends, &mut stream)).collect();
    Ok(Generated { flows, warning })
}

fn flow(
    scenario: &Resolved,
    config: &TrafficConfig,
    id: usize,
    (src, dst): (NodeId, NodeId),
    stream: &mut RandomStream,
) -> Option<FlowSpec> {
    let start = config.start + Span((config.start_window.0 as f64 * stream.unit()) as u64);
    let is_cbr = config.kind == TrafficKind::Cbr;
    let app = match config.rate {
        Some(rate) if is_cbr => AppConfig::Cbr(Cbr { rate, is_random: config.random }),
        _ => AppConfig::Ftp(Ftp),
    };
    Some(FlowSpec {
        id: FlowId(id as u32),
        src,
        dst,
        app,
        transport: config.transport()?,
        priority: Category::default(),
        controller: scenario.traffic.as_ref().and_then(|traffic| traffic.controller.clone()),
        source: None,
        segment: config.segment,
        window: config.window,
        start,
        start_spread: Span::ZERO,
        stop: config.length.map(|length| start + length).filter(|stop| *stop < scenario.end()),
        max_packets: is_cbr.then_some(config.max_packets),
        max_datagram: None,
        bytes: None,
        read_from: None,
        read_rate: None,
        relays: None,
        workload: None,
        session: None,
    })
}

/// A flow of a traffic file. `transport` of the table carries all that the file has over connections.
pub(in crate::scenario::model) fn imported(config: &TrafficConfig, id: usize, flow: &ImportedFlow) -> Option<FlowSpec> {
    let bits = 8.0 * f64::from(flow.segment);
    let app = match flow.source {
        ImportedSource::Cbr { interval, random } => {
            AppConfig::Cbr(Cbr { rate: Rate(bits / interval.secs()), is_random: random })
        }
        ImportedSource::OnOff { rate, on_mean, off_mean } => AppConfig::OnOff(OnOff { rate, on_mean, off_mean }),
        ImportedSource::Ftp => AppConfig::Ftp(Ftp),
    };
    let (transport, window, max_datagram) = match flow.carrier {
        ImportedCarrier::Udp { longest } => (Transport::named("udp")?, config.window, longest),
        ImportedCarrier::Tcp { transport, window, .. } => {
            (Transport::named(config.transport.as_deref().unwrap_or(transport))?, window, None)
        }
    };
    Some(FlowSpec {
        id: FlowId(id as u32),
        src: flow.src,
        dst: flow.dst,
        app,
        transport,
        priority: Category::default(),
        controller: None,
        source: None,
        segment: Bytes(flow.segment),
        window,
        start: flow.start,
        start_spread: Span::ZERO,
        stop: flow.stop,
        max_packets: flow.max_packets,
        max_datagram: max_datagram.map(Bytes),
        bytes: None,
        read_from: None,
        read_rate: None,
        relays: None,
        workload: None,
        session: None,
    })
}

/// Flows that start at the end of the run or after it, which have no effect.
pub(super) fn late_flows(flows: &[FlowSpec], end: Time) -> usize {
    if end == Time::ZERO { 0 } else { flows.iter().filter(|flow| flow.start >= end).count() }
}
