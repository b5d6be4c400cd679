//! Many runs on several threads, each with a world of its own.

use crate::controller::{self, Failed, Failures, Maker};
use crate::errors::{EngineError, controller_error, scenario_error};
use crate::files;
use crate::job::Job;
use cpu_time::ThreadTime;
use hoplab::kernel::{FlowId, Span, Time};
use hoplab::scenario::{Resolved, ScenarioError};
use hoplab::world::World;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
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
    /// Python has had a signal, such as that of Ctrl-C.
    Signal(PyErr),
    Cancelled,
}

/// Events between two looks at whether the caller has lost patience: some 20 ms.
const SLICE: u64 = 50_000;

/// How often Python may answer to signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs all jobs on `threads` threads and calls `on_result(index, json, series)` as each one ends.
#[pyfunction]
#[pyo3(signature = (jobs, threads, on_result))]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
pub(crate) fn run_many(py: Python<'_>, jobs: Vec<Job>, threads: usize, on_result: &Bound<'_, PyAny>) -> PyResult<()> {
    if controller::is_calling() {
        return Err(EngineError::new_err("a controller cannot run the engine: it is called by a run"));
    }
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, cancelled, jobs) = (&next, &cancelled, &jobs);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    if sender.send((index, guarded(job, cancelled))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let outcome = collect(py, &receiver, &jobs, on_result);
        // Threads look at this between slices of work; the scope waits for them.
        cancelled.store(true, Ordering::Relaxed);
        next.store(jobs.len(), Ordering::Relaxed);
        // Whoever still has a controller to call needs Python for that.
        py.detach(|| while receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv().is_ok() {});
        outcome
    })
}

type Message = (usize, Result<(String, Series), Failure>);

fn collect(
    py: Python<'_>,
    receiver: &Mutex<std::sync::mpsc::Receiver<Message>>,
    jobs: &[Job],
    on_result: &Bound<'_, PyAny>,
) -> PyResult<()> {
    loop {
        let message = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            receiver.recv_timeout(PATIENCE)
        });
        match message {
            Ok((index, Ok((json, series)))) => {
                let arrays = PyDict::new(py);
                arrays.set_item("t_s", series.t_s.into_pyarray(py))?;
                arrays.set_item("flow", series.flow.into_pyarray(py))?;
                arrays.set_item("cwnd", series.cwnd.into_pyarray(py))?;
                on_result.call1((index, json, arrays))?;
            }
            Ok((_, Err(Failure::Scenario(error)))) => return Err(scenario_error(py, &error)),
            Ok((index, Err(Failure::Engine(what)))) => {
                let job = &jobs[index];
                return Err(EngineError::new_err(format!("{}, seed {}: {what}", job.path, job.seed)));
            }
            Ok((index, Err(Failure::Controller(failed)))) => {
                return Err(controller_error(py, &jobs[index].path, jobs[index].seed, *failed));
            }
            Ok((_, Err(Failure::Signal(error)))) => return Err(error),
            Ok((_, Err(Failure::Cancelled))) => {}
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

fn run(job: &Job, cancelled: &AtomicBool) -> Result<(String, Series), Failure> {
    let started = ThreadTime::now();
    let resolved = resolve(job)?;
    let engine = |error: hoplab::world::EngineError| Failure::Engine(error.to_string());
    let failures = Failures::default();
    let failed = || failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    let maker = Maker { tcp: &resolved.tcp, failures: &failures };
    let built = World::build_with(&resolved, job.seed, &mut |flow, foreign| maker.make(flow, foreign));
    let mut world = built.map_err(|error| match failed() {
        Some(failed) => Failure::Controller(Box::new(failed)),
        None => engine(error),
    })?;
    let end = resolved.end();
    let interval = job.series_interval_s.map_or(Span::ZERO, Span::from_secs);
    let mut series = Series::default();
    let mut sample_at = if interval == Span::ZERO { Time::NEVER } else { Time::ZERO };
    loop {
        let until = end.min(sample_at);
        while !world.advance(until, SLICE).map_err(engine)? {
            if cancelled.load(Ordering::Relaxed) {
                return Err(Failure::Cancelled);
            }
            if let Some(failed) = failed() {
                return Err(Failure::Controller(Box::new(failed)));
            }
        }
        if until == sample_at {
            sample(&world, resolved.flows.len(), &mut series);
            sample_at += interval;
        }
        if until == end {
            break;
        }
    }
    if let Some(failed) = failed() {
        return Err(Failure::Controller(Box::new(failed)));
    }
    world.audit().map_err(engine)?;
    let report = world.report(&resolved, job.seed, started.elapsed().as_secs_f64());
    Ok((report.to_json(), series))
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
