//! Many runs on several threads, each with a world of its own; runs of one scenario share it.

use crate::controller;
use crate::errors::EngineError;
use crate::failure::Failure;
use crate::job::Job;
use crate::run::{Series, run};
use crate::scenarios::Scenarios;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Interval at which Python can respond to signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Results that wait for Python; with more, threads wait, which bounds memory.
const WAITING: usize = 1;

/// Executes all jobs on `threads` threads and calls `on_result(index, json, series)` as each one ends; `series` is empty
/// unless the job has an interval. With `on_failure(index, error)`, a failed run does not end the others; without it, its
/// error is raised and ends them all.
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
    let scenarios = Scenarios::of(&jobs);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, cancelled, jobs, scenarios) = (&next, &cancelled, &jobs, &scenarios);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    let outcome = match guarded(index, job, scenarios, cancelled) {
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
        // Threads check this between slices of work; the scope waits for them.
        cancelled.store(true, Ordering::Relaxed);
        next.store(jobs.len(), Ordering::Relaxed);
        // Releases threads that wait to send, or for Python to call a controller.
        py.detach(|| while receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().is_ok() {});
        outcome
    })
}

/// The outcome of a run, sent to the calling thread.
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

/// Executes a job; a panic of the engine becomes an error.
fn guarded(
    index: usize,
    job: &Job,
    scenarios: &Scenarios,
    cancelled: &AtomicBool,
) -> Result<(String, Series), Failure> {
    let outcome = catch_unwind(AssertUnwindSafe(|| run(index, job, scenarios, cancelled)));
    scenarios.release(index);
    outcome.unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        Err(Failure::Engine(format!("the engine panicked: {what}")))
    })
}
