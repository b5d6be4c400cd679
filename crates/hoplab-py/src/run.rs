//! Many runs on several threads, each with a world of its own.

use crate::capture::Capture;
use crate::controller::{self, Failed, Failures, Maker};
use crate::errors::{EngineError, controller_error, file_error, limit_error, scenario_error};
use crate::files;
use crate::job::Job;
use crate::limits::{self, Limits, Met};
use crate::rows::{PIECE, Tables};
use cpu_time::ThreadTime;
use hoplab::kernel::{FlowId, Span, Time};
use hoplab::measure::{Sample, Sampler};
use hoplab::scenario::{Resolved, ScenarioError};
use hoplab::world::World;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Samples of each flow's window over time.
#[derive(Default)]
struct Series {
    t_s: Vec<f64>,
    flow: Vec<i32>,
    cwnd: Vec<f64>,
}

pub(crate) enum Failure {
    Scenario(Box<ScenarioError>),
    Engine(String),
    Controller(Box<Failed>),
    /// The caller's limit.
    Limit(Box<Met>),
    /// A file could not be written.
    File(String, std::io::Error),
    /// Python has had a signal, such as that of Ctrl-C.
    Signal(PyErr),
    Cancelled,
}

/// Events between two looks at whether the caller has lost patience: some 20 ms.
const SLICE: u64 = 50_000;

/// The same of a run that is traced: its rows are written while they are still in the cache.
const TRACED_SLICE: u64 = 4_000;

/// How often Python may answer to signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Results that wait for Python: beyond them the engine waits, so that memory stays bounded.
const WAITING: usize = 1;

impl Failure {
    /// What Python raises for it; nothing for a run that was only called off.
    pub(crate) fn raised(self, py: Python<'_>, job: &Job) -> Option<PyErr> {
        let (path, seed) = (&job.path, job.seed);
        Some(match self {
            Failure::Scenario(error) => scenario_error(py, &error),
            Failure::Engine(what) => EngineError::new_err(format!("{path}, seed {seed}: {what}")),
            Failure::Controller(failed) => controller_error(py, path, seed, *failed),
            Failure::Limit(met) => limit_error(py, path, seed, &met),
            Failure::File(path, error) => file_error(path, &error),
            Failure::Signal(error) => error,
            Failure::Cancelled => return None,
        })
    }
}

/// Runs all jobs on `threads` threads and calls `on_result(index, json, series)` as each one ends; `series` is empty
/// unless the job asks for one. A run that fails is told to `on_failure(index, error)`, and the others go on; without
/// that its error ends them all.
#[pyfunction]
#[pyo3(signature = (jobs, threads, on_result, on_failure=None))]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
pub(crate) fn run_many(
    py: Python<'_>,
    jobs: Vec<Job>,
    threads: usize,
    on_result: &Bound<'_, PyAny>,
    on_failure: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    if controller::is_calling() {
        return Err(EngineError::new_err("a controller cannot run the engine: it is called by a run"));
    }
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(WAITING);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, cancelled, jobs) = (&next, &cancelled, &jobs);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    let outcome = match guarded(job, cancelled) {
                        Ok((json, series)) => Message::Done(json, series),
                        Err(failure) => Message::Failed(failure),
                    };
                    if sender.send((index, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let outcome = collect(py, &receiver, &jobs, on_result, on_failure);
        // Threads look at this between slices of work; the scope waits for them.
        cancelled.store(true, Ordering::Relaxed);
        next.store(jobs.len(), Ordering::Relaxed);
        // Who waits to hand something over, or for Python to call a controller, is let go.
        py.detach(|| while receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().is_ok() {});
        outcome
    })
}

/// What a thread tells of its run.
enum Message {
    Done(String, Series),
    Failed(Failure),
}

fn collect(
    py: Python<'_>,
    receiver: &Mutex<Receiver<(usize, Message)>>,
    jobs: &[Job],
    on_result: &Bound<'_, PyAny>,
    on_failure: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    loop {
        let message = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(PATIENCE)
        });
        match message {
            Ok((index, Message::Done(json, series))) => {
                let arrays = PyDict::new(py);
                // Making the first array loads NumPy, which takes longer than a short run.
                if jobs[index].series_interval_s.is_some() {
                    arrays.set_item("t_s", series.t_s.into_pyarray(py))?;
                    arrays.set_item("flow", series.flow.into_pyarray(py))?;
                    arrays.set_item("cwnd", series.cwnd.into_pyarray(py))?;
                }
                on_result.call1((index, json, arrays))?;
            }
            Ok((index, Message::Failed(failure))) => {
                let is_signal = matches!(failure, Failure::Signal(_));
                let Some(raised) = failure.raised(py, &jobs[index]) else { continue };
                match on_failure.filter(|_| !is_signal) {
                    Some(tell) => drop(tell.call1((index, raised))?),
                    None => return Err(raised),
                }
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Runs a job; a panic of the engine becomes an error that names it.
fn guarded(job: &Job, cancelled: &AtomicBool) -> Result<(String, Series), Failure> {
    catch_unwind(AssertUnwindSafe(|| run(job, cancelled))).unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        Err(Failure::Engine(format!("the engine panicked: {what}")))
    })
}

/// One run. It stays a function of its own, for its name: instructions are counted while it is at work
/// (`python/hoplab/validation/bench/instructions.py`).
#[inline(never)]
fn run(job: &Job, cancelled: &AtomicBool) -> Result<(String, Series), Failure> {
    let started = ThreadTime::now();
    let began = limits::now();
    let resolved = resolve(job)?;
    let engine = |error: hoplab::world::EngineError| Failure::Engine(error.to_string());
    let failures = Failures::default();
    let failed = || failures.lock().unwrap_or_else(PoisonError::into_inner).take();
    let maker = Maker { tcp: &resolved.tcp, failures: &failures };
    let built = World::build_with(&resolved, job.seed, &mut |flow, foreign| maker.make(flow, foreign));
    let mut world = built.map_err(|error| match failed() {
        Some(failed) => Failure::Controller(Box::new(failed)),
        None => engine(error),
    })?;
    let mut watch = CcaReporting::new(job, &resolved, &mut world)?;
    let slice = if job.trace.is_some() { TRACED_SLICE } else { SLICE };
    let end = resolved.end();
    let limits = Limits::begin(job, began, end, &mut world);
    let go_on = |world: &World| {
        if cancelled.load(Ordering::Relaxed) {
            return Err(Failure::Cancelled);
        }
        if let Some(failed) = failed() {
            return Err(Failure::Controller(Box::new(failed)));
        }
        limits.met(world).map_or(Ok(()), |met| Err(Failure::Limit(Box::new(met))))
    };
    let interval = job.series_interval_s.map_or(Span::ZERO, Span::from_secs);
    let mut series = Series::default();
    let mut sample_at = if interval == Span::ZERO { Time::NEVER } else { Time::ZERO };
    loop {
        let until = end.min(sample_at);
        loop {
            let is_there = match world.advance(until, slice) {
                Ok(is_there) => is_there,
                Err(error) => {
                    let met = limits.of(&error, &world);
                    return Err(met.map_or_else(|| engine(error), |met| Failure::Limit(Box::new(met))));
                }
            };
            if is_there {
                break;
            }
            go_on(&world)?;
            watch.write(&mut world, PIECE)?;
        }
        if until == sample_at {
            sample(&world, resolved.flows.len(), &mut series);
            watch.sample(&world);
            // Between two samples there may be less to do than a slice of work.
            go_on(&world)?;
            watch.write(&mut world, PIECE)?;
            sample_at += interval;
        }
        if until == end {
            break;
        }
    }
    if let Some(failed) = failed() {
        return Err(Failure::Controller(Box::new(failed)));
    }
    watch.write(&mut world, 0)?;
    watch.finish()?;
    world.audit().map_err(engine)?;
    let report = world.report(&resolved, job.seed, started.elapsed().as_secs_f64());
    Ok((report.to_json(), series))
}

/// Who looks on while a world runs, if the job asks for it.
struct CcaReporting {
    tables: Option<Tables>,
    sampler: Option<Sampler>,
    samples: Vec<Sample>,
    capture: Option<(String, Capture)>,
}

impl CcaReporting {
    fn new(job: &Job, resolved: &Resolved, world: &mut World) -> Result<CcaReporting, Failure> {
        let mut tables = None;
        if let Some(path) = &job.trace {
            tables = Some(Tables::create(path, job.seed)?);
            world.keep_log();
        }
        if job.trace.is_some() || job.airtime {
            world.account_airtime();
        }
        let mut capture = None;
        if let Some(path) = &job.capture {
            let (begun, tap) = Capture::create(path, resolved).map_err(|error| Failure::File(path.clone(), error))?;
            world.set_tap(tap);
            capture = Some((path.clone(), begun));
        }
        let sampler = tables.is_some().then(|| Sampler::new(resolved));
        Ok(CcaReporting { tables, sampler, samples: Vec::new(), capture })
    }

    /// Ends all files.
    fn finish(self) -> Result<(), Failure> {
        if let Some(tables) = self.tables {
            tables.finish()?;
        }
        match &self.capture {
            Some((path, capture)) => capture.finish().map_err(|error| Failure::File(path.clone(), error)),
            None => Ok(()),
        }
    }

    fn sample(&mut self, world: &World) {
        if let Some(sampler) = &mut self.sampler {
            world.sample(sampler, &mut self.samples);
        }
    }

    /// Writes down what has been seen, if it is more than `least` rows.
    fn write(&mut self, world: &mut World, least: usize) -> Result<(), Failure> {
        let Some(tables) = &mut self.tables else { return Ok(()) };
        if let Some(log) = world.log_mut() {
            tables.take_events(log, least)?;
        }
        tables.take_samples(&mut self.samples, least)
    }
}

/// The scenario with what chance decides in a run of this seed. What is wrong with one seed alone is that run's failure.
pub(crate) fn resolve(job: &Job) -> Result<Resolved, Failure> {
    let mut overrides = job.overrides.clone();
    overrides.push(("seed".to_owned(), job.seed.to_string()));
    files::parse(&job.text, &job.path, &overrides).map_err(|error| {
        let of_scenario = files::parse(&job.text, &job.path, &job.overrides).err();
        of_scenario.map_or_else(|| Failure::Engine(error.to_string()), |error| Failure::Scenario(Box::new(error)))
    })
}

fn sample(world: &World, flows: usize, series: &mut Series) {
    for flow in 0..flows as u32 {
        if let Some(cwnd) = world.connection(FlowId(flow)).cwnd() {
            series.t_s.push(world.now().secs());
            series.flow.push(flow as i32);
            series.cwnd.push(cwnd);
        }
    }
}
