//! Estimators of links and paths, sampled over time with the ground truth; inputs of bounds.

pub(crate) mod bounds;

use crate::failure::Failure;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::scenarios::resolve;
use hoplab::kernel::{FlowId, NodeId, Span, Time};
use hoplab::measure::PathProbe;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Columns of values at nodes, in bit/s.
#[derive(Default)]
struct Nodes {
    t_s: Vec<f64>,
    node: Vec<u32>,
    estimator: Vec<&'static str>,
    capacity: Vec<f64>,
    available: Vec<f64>,
}

/// Columns of values along a path, in bit/s.
#[derive(Default)]
struct Path {
    t_s: Vec<f64>,
    estimator: Vec<&'static str>,
    value: Vec<Option<f64>>,
}

/// Window of the recent value of AdHoc Probe, reported in addition to its running value.
const RECENT: Span = Span::from_millis(10_000);

/// Estimators at nodes, and along the path of flow `flow` in replications of their own, as JSON.
#[pyfunction]
#[pyo3(signature = (job, interval_s, flow, paths))]
pub(crate) fn estimates(py: Python<'_>, job: &Job, interval_s: f64, flow: u32, paths: bool) -> PyResult<String> {
    let asked = job.clone();
    let resolved = interruptible(py, move || resolve(&asked))?;
    let found = resolved.and_then(|scenario| {
        let interval = Span::from_secs(interval_s).max(Span::from_millis(1));
        let nodes = at_nodes(py, job, &scenario, interval)?;
        let mut path = Path::default();
        for how in [PathProbe::AdhocProbe, PathProbe::SaturatingUdp] {
            if let Some(probed) = scenario.probed(FlowId(flow), how).filter(|_| paths) {
                along(py, job, &probed, how, interval, &mut path)?;
            }
        }
        Ok((nodes, path, scenario.warnings.clone()))
    });
    match found {
        Ok((nodes, path, warnings)) => Ok(json!({
            "nodes": {
                "t_s": nodes.t_s,
                "node": nodes.node,
                "estimator": nodes.estimator,
                "capacity_bps": nodes.capacity,
                "available_bps": nodes.available,
            },
            "path": { "t_s": path.t_s, "estimator": path.estimator, "value_bps": path.value },
            "warnings": warnings,
        })
        .to_string()),
        Err(failure) => failure.raised(py, job).map_or_else(|| Ok(Value::Null.to_string()), Err),
    }
}

/// Events between two checks for signals.
const LOOKS: u64 = 20_000;

fn at_nodes(py: Python<'_>, job: &Job, scenario: &Resolved, interval: Span) -> Result<Nodes, Failure> {
    let mut world = build(scenario, job.seed)?;
    world.observe_everywhere(scenario);
    world.account_free_air();
    let mut nodes = Nodes::default();
    let window = scenario.winf.window;
    let packet = scenario.flows.iter().map(|flow| flow.segment.0 + header(scenario, flow)).max().unwrap_or_default();
    let mut at = Time::ZERO + interval;
    while at <= scenario.end() {
        loop {
            let is_there = py.detach(|| world.advance(at, LOOKS))?;
            py.check_signals().map_err(Failure::Signal)?;
            if is_there {
                break;
            }
        }
        for node in (0..scenario.positions.len() as u32).map(NodeId) {
            let maximum = world.view().clean_capacity(node, packet);
            let known = ("maximum", maximum, maximum * world.free_share(node, window).unwrap_or(1.0));
            let estimates = world.view().links(node, window).map(|(name, link)| (name, link.capacity, link.available));
            for (estimator, capacity, available) in estimates.chain([known]) {
                nodes.t_s.push(at.secs());
                nodes.node.push(node.0);
                nodes.estimator.push(estimator);
                nodes.capacity.push(capacity * 8.0);
                nodes.available.push(available * 8.0);
            }
        }
        at += interval;
    }
    Ok(nodes)
}

/// Bytes that headers add to a packet of a flow.
fn header(scenario: &Resolved, flow: &hoplab::scenario::FlowSpec) -> u32 {
    if flow.transport.is_udp() { scenario.routing.udp_header.0 } else { scenario.tcp.header.0 }
}

fn along(
    py: Python<'_>,
    job: &Job,
    scenario: &Resolved,
    how: PathProbe,
    interval: Span,
    path: &mut Path,
) -> Result<(), Failure> {
    let mut world = build(scenario, job.seed)?;
    let Some(flow) = scenario.flows.last() else { return Ok(()) };
    let mut before = 0.0;
    let mut at = Time::ZERO + interval;
    while at <= scenario.end() {
        while !py.detach(|| world.advance(at, 50_000))? {
            py.check_signals().map_err(Failure::Signal)?;
        }
        let mut push = |estimator, value| {
            path.t_s.push(at.secs());
            path.estimator.push(estimator);
            path.value.push(value);
        };
        match how {
            PathProbe::AdhocProbe => {
                let of = |from| world.view().path_capacity(scenario, flow, from).map(|rate| rate.0);
                push("adhoc_probe", of(Time::ZERO));
                push("adhoc_probe_10s", of(Time(at.0.saturating_sub(RECENT.0))));
            }
            PathProbe::SaturatingUdp => {
                let now = world.view().delivered_bits(flow.id);
                let value = (now - before) / interval.secs();
                before = now;
                push("udp", (at > flow.start + interval).then_some(value));
            }
        }
        at += interval;
    }
    Ok(())
}

fn build(scenario: &Resolved, seed: u64) -> Result<World, Failure> {
    Ok(World::build_with(scenario, seed, &mut hoplab_stacks::Stacks)?)
}
