//! A batch: many runs on several threads, each with its own world; runs of one scenario share the parsed scenario.

use crate::controller;
use crate::errors::{EngineError, thread_error};
use crate::failure::Failure;
use crate::job::Job;
use crate::limits::memory::Memory;
use crate::limits::watch::{Abandoned, Worker, end_if_dead};
use crate::limits::{Limit, LimitReached};
use crate::run::{Series, run};
use crate::scenarios::Scenarios;
use hoplab::kernel::Time;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Interval at which Python can respond to signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Results that wait for Python; with more, threads wait, which bounds memory.
const WAITING: usize = 1;

/// Executes all jobs on `threads` threads and calls `on_result(index, json, series)` as each one ends; `series` is empty
/// unless the job has an interval. With `on_failure(index, error)`, a failed run does not end the others; without it, its
/// error is raised and ends them all. Returns the number of threads: fewer, where the system has no more.
#[pyfunction]
#[pyo3(signature = (jobs, threads, on_result, on_failure=None))]
pub(crate) fn run_many(
    py: Python<'_>,
    jobs: Vec<Job>,
    threads: usize,
    on_result: &Bound<'_, PyAny>,
    on_failure: Option<&Bound<'_, PyAny>>,
) -> PyResult<usize> {
    if controller::is_calling() {
        return Err(EngineError::new_err("a controller cannot run the engine: it is called by a run"));
    }
    if jobs.is_empty() {
        return Ok(0);
    }
    let batch = Arc::new(Batch::new(jobs));
    let (sender, receiver) = sync_channel(WAITING);
    let mut pool = Pool { batch: Arc::clone(&batch), threads: Vec::new(), sender: Some(sender) };
    let started = py.detach(|| pool.start(threads)).map_err(|error| thread_error(&error))?;
    let watch = Watch::begin(&pool);
    let inbox = Mutex::new(receiver);
    let outcome = collect(py, &mut pool, &inbox, on_result, on_failure);
    batch.end();
    let outcome = pool.leave(py, &inbox, outcome);
    drop(watch);
    outcome.map(|()| started)
}

/// What the threads of a batch share.
struct Batch {
    jobs: Vec<Job>,
    scenarios: Scenarios,
    memory: Memory,
    next: AtomicUsize,
    cancelled: AtomicBool,
    /// How many of the threads work, known once all are started.
    allowed: OnceLock<usize>,
}

impl Batch {
    fn new(jobs: Vec<Job>) -> Batch {
        let scenarios = Scenarios::of(&jobs);
        let (next, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
        Batch { jobs, scenarios, memory: Memory::left(), next, cancelled, allowed: OnceLock::new() }
    }

    /// Prevents threads from taking further jobs; jobs in progress test it between slices of work.
    fn end(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.next.store(self.jobs.len(), Ordering::Relaxed);
    }

    /// The work of one thread.
    fn work(&self, rank: usize, worker: &Arc<Worker>, sender: &SyncSender<(usize, Message)>) {
        if rank >= *self.allowed.wait() {
            return;
        }
        worker.take();
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else { return };
            worker.begin(index, job);
            let outcome = match self.guarded(index, job) {
                Ok((json, series)) => Message::Done(json, series),
                Err(failure) => Message::Failed(failure),
            };
            if !worker.end() || sender.send((index, outcome)).is_err() {
                return;
            }
        }
    }

    /// Executes a job; a panic of the engine becomes an error.
    fn guarded(&self, index: usize, job: &Job) -> Result<(String, Series), Failure> {
        let outcome =
            catch_unwind(AssertUnwindSafe(|| run(index, job, &self.scenarios, &self.memory, &self.cancelled)));
        self.scenarios.release(index);
        outcome.unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            Err(Failure::Engine(format!("the engine panicked: {what}")))
        })
    }
}

/// The threads of a batch.
struct Pool {
    batch: Arc<Batch>,
    threads: Vec<(Arc<Worker>, JoinHandle<()>)>,
    /// For threads that are started later.
    sender: Option<SyncSender<(usize, Message)>>,
}

impl Pool {
    /// Starts so many threads, or half of what the system has: the other half may be needed for their memory.
    fn start(&mut self, threads: usize) -> io::Result<usize> {
        let wanted = threads.clamp(1, self.batch.jobs.len().max(1));
        let mut refused = None;
        while self.threads.len() < wanted && refused.is_none() {
            refused = self.add().err();
        }
        let allowed = if refused.is_some() { self.threads.len() / 2 } else { wanted };
        let _ = self.batch.allowed.set(allowed.max(usize::from(!self.threads.is_empty())));
        let surplus = self.threads.split_off(allowed.max(1).min(self.threads.len()));
        for (_, thread) in surplus {
            let _ = thread.join();
        }
        match refused {
            Some(error) if self.threads.is_empty() => Err(error),
            _ => Ok(self.threads.len()),
        }
    }

    fn add(&mut self) -> io::Result<()> {
        let Some(sender) = self.sender.clone() else { return Ok(()) };
        let (batch, rank, worker) = (Arc::clone(&self.batch), self.threads.len(), Worker::new());
        let own = Arc::clone(&worker);
        let thread = Builder::new().name("hoplab-run".to_owned()).spawn(move || batch.work(rank, &own, &sender))?;
        self.threads.push((worker, thread));
        Ok(())
    }

    /// Abandons calls that exceed their time limit, and starts a thread in place of each abandoned one.
    fn look(&mut self, py: Python<'_>, is_over: bool) -> Vec<Abandoned> {
        let abandoned: Vec<Abandoned> =
            self.threads.iter().filter_map(|(worker, _)| worker.look(py, is_over)).collect();
        self.threads.retain(|(worker, _)| !worker.is_given_up());
        if !is_over {
            for _ in &abandoned {
                // Without another thread, those that are left do its work.
                let _ = self.add();
            }
        }
        abandoned
    }

    /// Whether no thread executes anything any more.
    fn is_idle(&self) -> bool {
        self.threads.iter().all(|(_, thread)| thread.is_finished())
    }

    /// Waits for all threads but those that are abandoned; releases those that wait to send, or for Python.
    fn leave(mut self, py: Python<'_>, inbox: &Mutex<Inbox>, outcome: PyResult<()>) -> PyResult<()> {
        self.sender = None;
        let mut outcome = outcome;
        while !self.is_idle() {
            py.detach(|| while receive(inbox).is_ok() {});
            for abandoned in self.look(py, true) {
                if let Err(error) = &outcome {
                    // Python 3.11 and later shows notes below an error.
                    let _ = error.value(py).call_method1("add_note", (abandoned.describe(),));
                } else {
                    outcome = Err(EngineError::new_err(abandoned.describe()));
                }
            }
        }
        outcome
    }
}

/// A thread without Python that ends the process if a call blocks the interpreter.
struct Watch(Arc<AtomicBool>);

impl Watch {
    /// Begins to look, if any job has a limit of real time.
    fn begin(pool: &Pool) -> Watch {
        let is_over = Arc::new(AtomicBool::new(false));
        let workers: Vec<Arc<Worker>> = pool.threads.iter().map(|(worker, _)| Arc::clone(worker)).collect();
        if pool.batch.jobs.iter().any(|job| job.max_wall_s.is_some()) {
            let ended = Arc::clone(&is_over);
            let look = move || {
                while !ended.load(Ordering::Relaxed) {
                    std::thread::sleep(PATIENCE * 4);
                    end_if_dead(&workers);
                }
            };
            // Without it, Python's own looks remain.
            let _ = Builder::new().name("hoplab-watch".to_owned()).spawn(look);
        }
        Watch(is_over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The outcome of a run, sent to the calling thread.
enum Message {
    Done(String, Series),
    Failed(Failure),
}

type Inbox = Receiver<(usize, Message)>;

fn receive(inbox: &Mutex<Inbox>) -> Result<(usize, Message), RecvTimeoutError> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE)
}

fn collect(
    py: Python<'_>,
    pool: &mut Pool,
    inbox: &Mutex<Inbox>,
    on_result: &Bound<'_, PyAny>,
    on_failure: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let batch = Arc::clone(&pool.batch);
    let mut reported = HashSet::new();
    let fail = |index: usize, failure: Failure| -> PyResult<()> {
        let is_signal = matches!(failure, Failure::Signal(_));
        let Some(raised) = failure.raised(py, &batch.jobs[index]) else { return Ok(()) };
        match on_failure.filter(|_| !is_signal) {
            Some(report) => report.call1((index, raised)).map(drop),
            None => Err(raised),
        }
    };
    let mut idle = 0;
    while reported.len() < batch.jobs.len() {
        for abandoned in pool.look(py, false) {
            if reported.insert(abandoned.index) {
                fail(abandoned.index, given_up(&batch.jobs[abandoned.index], &abandoned))?;
            }
        }
        match py.detach(|| receive(inbox)) {
            // A run that was given up has been reported.
            Ok((index, message)) if reported.insert(index) => match message {
                Message::Done(json, series) => {
                    let arrays = PyDict::new(py);
                    // The first array loads NumPy, which takes longer than a short run.
                    if batch.jobs[index].series_interval_s.is_some() {
                        arrays.set_item("t_s", series.t_s.into_pyarray(py))?;
                        arrays.set_item("flow", series.flow.into_pyarray(py))?;
                        arrays.set_item("cwnd", series.cwnd.into_pyarray(py))?;
                    }
                    on_result.call1((index, json, arrays))?;
                }
                Message::Failed(failure) => fail(index, failure)?,
            },
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                idle = if pool.is_idle() { idle + 1 } else { 0 };
                if idle > 1 {
                    return Err(EngineError::new_err("no thread is left to execute runs"));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
    Ok(())
}

/// The failure of a run whose controller does not return, or whose preparation does not end.
fn given_up(job: &Job, abandoned: &Abandoned) -> Failure {
    let limit = Limit::Wall(job.max_wall_s.unwrap_or(0.0));
    let time = abandoned.call.as_ref().and_then(|call| call.time);
    let at = time.map_or(Time::ZERO, |time| Time::ZERO + hoplab::kernel::Span::from_secs(time));
    Failure::Limit(Box::new(LimitReached { limit, at, end: None, events: None, call: Some(abandoned.describe()) }))
}
