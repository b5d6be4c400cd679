//! Runs that pause at every interval, while an agent outside the engine chooses the next hops of its nodes
//! (`hoplab.gym.RoutingEnv`).

use super::raised;
use crate::failure::Failure;
use crate::files;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::limits::memory::memory_left;
use crate::scenarios::at_seed;
use hoplab::kernel::{FlowId, NodeId, RadioId, RegisteredPart, Span, Time};
use hoplab::measure::AirtimeUse;
use hoplab::net::routing::{ReachGraph, RouteCtx, Routing};
use hoplab::packet::PacketId;
use hoplab::scenario::{ParsedScenario, Resolved};
use hoplab::sim::RoutingTimer;
use hoplab::trace::DropReason;
use hoplab::transport::{StackKind, StackSetup};
use hoplab::world::{ExternalRouting, ExternalStack, Externals, World};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The routing protocol of nodes whose next hops are chosen outside.
const PROTOCOL: &str = "python:Agent@routes";

/// Fields of what is observed of a node and of a flow, in order. `hoplab.gym.routing` documents them.
const NODE_FIELDS: [&str; 3] = ["queue", "idle_share", "sent_share"];
const FLOW_FIELDS: [&str; 2] = ["delivered_bps", "delay_s"];

/// What a node sends, of the uses of airtime.
const SENT: [AirtimeUse; 5] =
    [AirtimeUse::Data, AirtimeUse::Broadcast, AirtimeUse::Rts, AirtimeUse::Cts, AirtimeUse::Ack];

/// A scenario whose routes an agent chooses: one run at a time.
#[pyclass(module = "hoplab._core")]
pub(crate) struct RouteAgent {
    job: Job,
    scenario: Arc<ParsedScenario>,
    interval: Span,
    detour: u32,
    run: Mutex<Option<Routed>>,
}

/// A run, the tables of its nodes, and what was counted up to the last observation.
struct Routed {
    scenario: Arc<Resolved>,
    seed: u64,
    world: World,
    tables: Arc<Mutex<Tables>>,
    choices: Vec<Choice>,
    observed_at: Time,
    airtime: Vec<[u64; 2]>,
    counts: Vec<[u64; 3]>,
}

/// A node that has several next hops to a destination: node, destination, next hops.
type Choice = (u32, u32, Vec<u32>);

/// Rows of nodes and of flows.
type Seen = (Vec<[f64; NODE_FIELDS.len()]>, Vec<[f64; FLOW_FIELDS.len()]>);

/// Next hop and hops to go, by node and destination.
type Tables = BTreeMap<(NodeId, NodeId), (NodeId, u16)>;

#[pymethods]
impl RouteAgent {
    /// What `routing.protocol` is for routes of an agent.
    #[classattr]
    const PROTOCOL: &'static str = PROTOCOL;

    #[classattr]
    const NODE_FIELDS: [&'static str; NODE_FIELDS.len()] = NODE_FIELDS;

    #[classattr]
    const FLOW_FIELDS: [&'static str; FLOW_FIELDS.len()] = FLOW_FIELDS;

    #[new]
    fn new(py: Python<'_>, job: Job, interval_s: f64, detour: u32) -> PyResult<RouteAgent> {
        let asked = job.clone();
        let parse = move || files::parse(&asked.text, &asked.path, &asked.overrides);
        let scenario = interruptible(py, parse)?
            .map_err(|error| raised(py, &job, job.seed, Failure::Scenario(Box::new(error))))?;
        let interval = Span::from_secs(interval_s);
        Ok(RouteAgent { job, scenario: Arc::new(scenario), interval, detour, run: Mutex::new(None) })
    }

    /// Starts the run of a seed. Returns who has a choice, the shortest next hops first.
    fn reset(&self, py: Python<'_>, seed: u64) -> PyResult<Vec<Choice>> {
        let memory = memory_left();
        let start = || Routed::start(at_seed(&self.scenario, seed, memory)?, seed, self.detour);
        let run = py.detach(start).map_err(|failure| raised(py, &self.job, seed, failure))?;
        let choices = run.choices.clone();
        *lock(&self.run) = Some(run);
        Ok(choices)
    }

    /// Takes the next hops of that number at each choice, and runs for an interval. Returns whether the run has ended.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts values")]
    fn step(&self, py: Python<'_>, actions: Vec<usize>) -> PyResult<bool> {
        let mut run = lock(&self.run);
        let run = run.as_mut().ok_or_else(no_run)?;
        run.choose(&actions).map_err(PyValueError::new_err)?;
        let (seed, interval) = (run.seed, self.interval);
        py.detach(|| run.advance(interval)).map_err(|failure| raised(py, &self.job, seed, failure))
    }

    /// What the interval since the last observation has shown: of nodes by [`NODE_FIELDS`], of flows by [`FLOW_FIELDS`].
    fn observe(&self) -> PyResult<Seen> {
        lock(&self.run).as_mut().map(Routed::observe).ok_or_else(no_run)
    }

    /// The report of the run, as JSON: of the whole run once it has ended.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let run = lock(&self.run);
        let run = run.as_ref().ok_or_else(no_run)?;
        run.world.audit().map_err(|error| raised(py, &self.job, run.seed, error.into()))?;
        Ok(run.world.report(&run.scenario, run.seed, 0.0).to_json())
    }

    /// Simulated time, s.
    fn time_s(&self) -> f64 {
        lock(&self.run).as_ref().map_or(0.0, |run| run.world.now().secs())
    }
}

impl Routed {
    fn start(scenario: Arc<Resolved>, seed: u64, detour: u32) -> Result<Routed, Failure> {
        let tables = Arc::new(Mutex::new(Tables::new()));
        let mut world = World::build_with(&scenario, seed, &mut Maker(Arc::clone(&tables)))?;
        world.account_airtime();
        let graph = world.reach_graph(&scenario);
        let ends: BTreeSet<NodeId> = scenario.flows.iter().flat_map(|flow| [flow.src, flow.dst]).collect();
        let mut choices = Vec::new();
        for dst in ends {
            fill(&graph, dst, detour, &mut lock(&tables), &mut choices);
        }
        choices.sort_unstable();
        let (nodes, flows) = (graph.len(), scenario.flows.len());
        let (airtime, counts) = (vec![[0; 2]; nodes], vec![[0; 3]; flows]);
        Ok(Routed { scenario, seed, world, tables, choices, observed_at: Time::ZERO, airtime, counts })
    }

    fn choose(&self, actions: &[usize]) -> Result<(), String> {
        if actions.len() != self.choices.len() {
            return Err(format!("{} actions, expected {}", actions.len(), self.choices.len()));
        }
        let mut tables = lock(&self.tables);
        for (index, ((node, dst, next_hops), &action)) in self.choices.iter().zip(actions).enumerate() {
            let Some(&next_hop) = next_hops.get(action) else {
                return Err(format!("action {index} is {action}, expected 0 to {}", next_hops.len() - 1));
            };
            let route = tables.get_mut(&(NodeId(*node), NodeId(*dst))).expect("a choice is among routes");
            route.0 = NodeId(next_hop);
        }
        Ok(())
    }

    fn advance(&mut self, interval: Span) -> Result<bool, Failure> {
        let end = self.scenario.end();
        self.world.run_until(end.min(self.world.now() + interval))?;
        Ok(self.world.now() == end)
    }

    fn observe(&mut self) -> Seen {
        let elapsed = self.world.now().since(self.observed_at);
        self.observed_at = self.world.now();
        let of_elapsed = |part: u64| if elapsed.0 > 0 { part as f64 / elapsed.0 as f64 } else { 0.0 };
        let nodes = (0..).map(NodeId).zip(&mut self.airtime).map(|(node, before)| {
            let airtime = self.world.airtime(node).expect("accounted from the start");
            let now = [airtime.of(AirtimeUse::Idle), SENT.iter().map(|&used| airtime.of(used)).sum()];
            let shares = [of_elapsed(now[0] - before[0]), of_elapsed(now[1] - before[1])];
            *before = now;
            [self.world.queue_len(node) as f64, shares[0], shares[1]]
        });
        let nodes = nodes.collect();
        let flows = (0..).map(FlowId).zip(&mut self.counts).map(|(flow, before)| {
            let total = self.world.connection(flow).meter().total();
            let now = [total.in_order, total.first_arrivals, total.delay];
            let [bytes, arrived, delay] = [0, 1, 2].map(|index| (now[index] - before[index]) as f64);
            *before = now;
            let rate = if elapsed.0 > 0 { bytes * 8.0 / elapsed.secs() } else { 0.0 };
            [rate, if arrived > 0.0 { delay * 1e-9 / arrived } else { 0.0 }]
        });
        (nodes, flows.collect())
    }
}

/// Adds shortest routes of all nodes to `dst`, as static routing has them, and the choices of nodes with several next hops
/// that are at most `detour` hops farther than the shortest.
fn fill(graph: &ReachGraph, dst: NodeId, detour: u32, tables: &mut Tables, choices: &mut Vec<Choice>) {
    let mut hops = vec![None; graph.len()];
    hops[dst.index()] = Some(0_u32);
    let mut order = vec![dst];
    for index in 0.. {
        let Some(&node) = order.get(index) else { break };
        for &other in graph.neighbors(node) {
            if hops[other.index()].is_none() {
                hops[other.index()] = hops[node.index()].map(|hops| hops + 1);
                order.push(other);
            }
        }
    }
    for &node in &order[1..] {
        let own = hops[node.index()].unwrap_or(0);
        let mut near: Vec<(u32, u32)> = graph
            .neighbors(node)
            .iter()
            .filter_map(|other| hops[other.index()].filter(|&hops| hops < own + detour).map(|hops| (hops, other.0)))
            .collect();
        near.sort_unstable();
        tables.insert((node, dst), (NodeId(near[0].1), u16::try_from(own).unwrap_or(u16::MAX)));
        // A neighbor of the destination has no better choice than the destination itself.
        if near.len() > 1 && own > 1 {
            choices.push((node.0, dst.0, near.into_iter().map(|(_, other)| other).collect()));
        }
    }
}

/// Builds the routers of a run.
struct Maker(Arc<Mutex<Tables>>);

impl Externals for Maker {
    fn routing(&mut self, node: NodeId, named: &RegisteredPart) -> Result<ExternalRouting, String> {
        if named.name != PROTOCOL {
            return Err(format!("routing protocol {} is not supported beside an agent's routes", named.name));
        }
        Ok(Box::new(Router { node, tables: Arc::clone(&self.0) }))
    }

    fn stack(&mut self, kind: StackKind, setup: &StackSetup) -> Result<ExternalStack, String> {
        hoplab_stacks::build(kind, setup)
    }
}

/// One node: as static routing, with a table that an agent changes.
#[derive(Debug)]
struct Router {
    node: NodeId,
    tables: Arc<Mutex<Tables>>,
}

impl Router {
    fn route(&self, dst: NodeId) -> Option<(NodeId, u16)> {
        lock(&self.tables).get(&(self.node, dst)).copied()
    }
}

impl Routing for Router {
    fn start(&mut self, _: &mut RouteCtx<'_>) {}

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let dst = cx.ctx.packet(packet).dst;
        let next_hop = if dst.is_broadcast() { Some(dst) } else { self.route(dst).map(|(next_hop, _)| next_hop) };
        match next_hop {
            Some(next_hop) => cx.send(packet, next_hop),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: RadioId) {
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: RadioId, reason: DropReason) {
        cx.drop(packet, reason);
    }

    fn on_timer(&mut self, _: &mut RouteCtx<'_>, timer: RoutingTimer) {
        unreachable!("a router with an agent sets no timer: {timer:?}");
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.route(dst).map(|(_, hops)| hops)
    }

    fn source_ttl(&self) -> u8 {
        u8::MAX
    }

    fn each_waiting(&self, _: &mut dyn FnMut(PacketId)) {}
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_run() -> PyErr {
    PyValueError::new_err("no run: call reset first")
}
