//! Runs that pause at every interval, while agents outside the engine choose the windows of some flows (`hoplab.gym`).

mod control;
mod routes;

use crate::failure::Failure;
use crate::files;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::limits::memory::memory_left;
use crate::scenarios::at_seed;
pub(crate) use control::scaled_window;
use control::{AgentControl, FIELDS, Flow};
use hoplab::kernel::{FlowId, Span, Time};
use hoplab::scenario::{ExternalController, FlowSpec, ParsedScenario, Resolved};
use hoplab::transport::{StackKind, StackSetup, StreamConfig, TcpConfig};
use hoplab::world::{ExternalControl, ExternalStack, Externals, World};
use numpy::{PyReadonlyArray2, PyReadwriteArray3};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
pub(crate) use routes::RouteAgent;
use std::sync::{Arc, Mutex, PoisonError};

/// The controller of flows whose windows are chosen outside.
const CONTROLLER: &str = "python:Agent@gym";

/// Lanes from which on threads pay.
const LANES_PER_THREAD: usize = 2;

/// Networks of one scenario with a seed each. In every network the same flows have agents.
#[pyclass(module = "hoplab._core")]
pub(crate) struct Agents {
    job: Job,
    scenario: Arc<ParsedScenario>,
    interval: Span,
    max_window: f64,
    /// Agents of a lane.
    count: usize,
    /// A lane is empty until it is reset.
    lanes: Mutex<Vec<Option<Lane>>>,
    pool: Option<rayon::ThreadPool>,
    /// The process that has the threads of the pool: one that was forked from it has none.
    process: u32,
}

#[pymethods]
impl Agents {
    /// What `flow.controller` is for a flow with an agent.
    #[classattr]
    const CONTROLLER: &'static str = CONTROLLER;

    /// Fields of an observation, in order.
    #[classattr]
    const FIELDS: [&'static str; FIELDS.len()] = FIELDS;

    /// `lanes` networks of a job's scenario, of which `agents` flows have the controller of agents, on `threads` threads.
    #[new]
    fn new(
        py: Python<'_>,
        job: Job,
        agents: usize,
        interval_s: f64,
        max_window: f64,
        lanes: usize,
        threads: usize,
    ) -> PyResult<Agents> {
        let asked = job.clone();
        let parse = move || files::parse(&asked.text, &asked.path, &asked.overrides);
        let scenario = interruptible(py, parse)?
            .map_err(|error| raised(py, &job, job.seed, Failure::Scenario(Box::new(error))))?;
        let threads = threads.min(lanes / LANES_PER_THREAD);
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = (threads > 1).then(build).transpose().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Agents {
            job,
            scenario: Arc::new(scenario),
            interval: Span::from_secs(interval_s),
            max_window,
            count: agents,
            lanes: Mutex::new((0..lanes).map(|_| None).collect()),
            pool,
            process: std::process::id(),
        })
    }

    /// Starts the run of a seed in each of the given lanes, and writes the first observations of its agents to `out`.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts values")]
    fn reset(
        &self,
        py: Python<'_>,
        lanes: Vec<usize>,
        seeds: Vec<u64>,
        mut out: PyReadwriteArray3<'_, f64>,
    ) -> PyResult<()> {
        let memory = memory_left();
        let mut found = self.blank(());
        let mut seed_of = vec![None; self.lane_count()];
        for (&lane, &seed) in lanes.iter().zip(&seeds) {
            seed_of[lane] = Some(seed);
        }
        self.each(py, &mut out, &mut found, |index, lane, out| {
            let Some(seed) = seed_of[index] else { return Ok(()) };
            let scenario = at_seed(&self.scenario, seed, memory)?;
            let started = lane.insert(Lane::start(scenario, seed, self.max_window)?);
            started.observe(Span::ZERO, out);
            Ok(())
        })?;
        first_failure(py, &self.job, found, |lane| seed_of[lane].unwrap_or(self.job.seed))
    }

    /// Applies the actions of all agents of lanes that are `active`, runs each lane for one interval, and writes what its
    /// agents observe to `out`. Returns which lanes have reached the end of the run.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts values")]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray2<'_, f64>,
        active: Vec<bool>,
        mut out: PyReadwriteArray3<'_, f64>,
    ) -> PyResult<Vec<bool>> {
        let actions = actions.as_slice()?.to_vec();
        let size = self.count * self.lane_count();
        if actions.len() != size || active.len() != self.lane_count() {
            return Err(PyValueError::new_err(format!("{} actions, expected {size}", actions.len())));
        }
        if let Some(agent) = (0..size).find(|&agent| active[agent / self.count] && actions[agent].is_nan()) {
            return Err(PyValueError::new_err(format!("action of agent {agent} is NaN, expected a number")));
        }
        let mut found = self.blank(false);
        self.each(py, &mut out, &mut found, |index, lane, out| {
            let Some(lane) = lane.as_mut().filter(|_| active[index]) else { return Ok(false) };
            lane.step(&actions[index * self.count..(index + 1) * self.count], self, out)
        })?;
        let ended = found.iter().map(|found| matches!(found, Ok(true))).collect();
        first_failure(py, &self.job, found, |lane| self.seed_of(lane))?;
        Ok(ended)
    }

    /// The report of a lane's run, as JSON: of the whole run once it has ended.
    fn report(&self, py: Python<'_>, lane: usize) -> PyResult<String> {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(lane) = lanes.get(lane).and_then(Option::as_ref) else {
            return Err(PyValueError::new_err("no run: call reset first"));
        };
        let failed = |error: hoplab::world::EngineError| raised(py, &self.job, lane.seed, error.into());
        lane.world.audit().map_err(failed)?;
        Ok(lane.world.report(&lane.scenario, lane.seed, 0.0).to_json())
    }

    /// Simulated time of a lane, s.
    fn time_s(&self, lane: usize) -> f64 {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.get(lane).and_then(Option::as_ref).map_or(0.0, |lane| lane.world.now().secs())
    }
}

impl Agents {
    fn lane_count(&self) -> usize {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// One result per lane, to be replaced.
    fn blank<T: Clone>(&self, value: T) -> Vec<Result<T, Failure>> {
        (0..self.lane_count()).map(|_| Ok(value.clone())).collect()
    }

    fn seed_of(&self, lane: usize) -> u64 {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes[lane].as_ref().map_or(self.job.seed, |lane| lane.seed)
    }

    /// Calls `act(lane, its state, its observations)` for all lanes, on all threads, and stores what it returns.
    fn each<T: Send>(
        &self,
        py: Python<'_>,
        out: &mut PyReadwriteArray3<'_, f64>,
        found: &mut [Result<T, Failure>],
        act: impl Fn(usize, &mut Option<Lane>, &mut [f64]) -> Result<T, Failure> + Sync,
    ) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        let size = self.count * FIELDS.len();
        if out.len() != size * found.len() {
            return Err(PyValueError::new_err(format!(
                "observations have {} numbers, expected {size} per lane",
                out.len()
            )));
        }
        py.detach(|| {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            let parts = lanes.iter_mut().zip(out.chunks_mut(size)).zip(found);
            let mut places: Vec<Place<'_, T>> = parts.map(|((lane, out), found)| Place { lane, out, found }).collect();
            let one = |(index, place): (usize, &mut Place<'_, T>)| *place.found = act(index, place.lane, place.out);
            match self.pool.as_ref().filter(|_| self.process == std::process::id()) {
                Some(pool) => pool.install(|| places.par_iter_mut().enumerate().for_each(one)),
                None => places.iter_mut().enumerate().for_each(one),
            }
        });
        Ok(())
    }
}

/// A lane with places for what its agents observe, and for how it went.
struct Place<'a, T> {
    lane: &'a mut Option<Lane>,
    out: &'a mut [f64],
    found: &'a mut Result<T, Failure>,
}

/// One network with its agents.
struct Lane {
    scenario: Arc<Resolved>,
    seed: u64,
    world: World,
    flows: Vec<Arc<Mutex<Flow>>>,
}

impl Lane {
    fn start(scenario: Arc<Resolved>, seed: u64, max_window: f64) -> Result<Lane, Failure> {
        let mut maker = Maker { tcp: &scenario.tcp, stream: &scenario.stream, max_window, flows: Vec::new() };
        let world = World::build_with(&scenario, seed, &mut maker)?;
        let mut flows = maker.flows;
        flows.sort_by_key(|(id, _)| *id);
        let flows = flows.into_iter().map(|(_, flow)| flow).collect();
        Ok(Lane { scenario, seed, world, flows })
    }

    /// Applies actions, and runs for an interval. Returns whether the run has ended.
    fn step(&mut self, actions: &[f64], agents: &Agents, out: &mut [f64]) -> Result<bool, Failure> {
        for (flow, action) in self.flows.iter().zip(actions) {
            control::lock(flow).act(*action, agents.max_window);
        }
        let (began, end) = (self.world.now(), self.scenario.end());
        self.world.run_until(end.min(began + agents.interval))?;
        self.observe(self.world.now().since(began), out);
        Ok(self.world.now() == end)
    }

    fn observe(&self, elapsed: Span, out: &mut [f64]) {
        let now: Time = self.world.now();
        for (flow, out) in self.flows.iter().zip(out.chunks_mut(FIELDS.len())) {
            out.copy_from_slice(&control::lock(flow).observe(now, elapsed));
        }
    }
}

/// Builds the controllers of agents.
struct Maker<'a> {
    tcp: &'a TcpConfig,
    stream: &'a StreamConfig,
    max_window: f64,
    flows: Vec<(FlowId, Arc<Mutex<Flow>>)>,
}

impl Externals for Maker<'_> {
    fn controller(&mut self, flow: &FlowSpec, named: &ExternalController) -> Result<ExternalControl, String> {
        if named.name != CONTROLLER {
            return Err(format!(
                "controller {} is not supported beside agents: use a transport of the engine",
                named.name
            ));
        }
        let is_connection = flow.transport.is_stream();
        let initial = if is_connection { self.stream.initial_window } else { self.tcp.initial_window(flow.segment.0) };
        let initial = f64::from(initial).min(self.max_window);
        let shared = Arc::new(Mutex::new(Flow::new(initial, flow.segment.0)));
        self.flows.push((flow.id, Arc::clone(&shared)));
        Ok(Box::new(AgentControl::new(shared, is_connection)))
    }

    fn stack(&mut self, kind: StackKind, setup: &StackSetup) -> Result<ExternalStack, String> {
        hoplab_stacks::build(kind, setup)
    }
}

/// Raises the first failure of a lane.
fn first_failure<T>(
    py: Python<'_>,
    job: &Job,
    found: Vec<Result<T, Failure>>,
    seed_of: impl Fn(usize) -> u64,
) -> PyResult<()> {
    for (lane, found) in found.into_iter().enumerate() {
        if let Err(failure) = found {
            return Err(raised(py, job, seed_of(lane), failure));
        }
    }
    Ok(())
}

fn raised(py: Python<'_>, job: &Job, seed: u64, failure: Failure) -> PyErr {
    let job = Job { seed, ..job.clone() };
    failure.raised(py, &job).expect("nothing cancels it")
}
