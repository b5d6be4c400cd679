//! Watchdog for calls of controllers, whose Python code may loop or sleep without limit.
//!
//! A thread records the call that it begins. When a limit of wall-clock time is over, or after Ctrl-C, the thread of the
//! batch raises an exception in it, which ends a loop. A call that continues is abandoned with its thread. If a call blocks
//! the interpreter, the process is ended. The preparation of a run, which has no limit, is abandoned in the same way.

#![expect(clippy::disallowed_types, reason = "the limit is one of real time; no result depends on it")]

use crate::controller::Owner;
use crate::job::Job;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Wall-clock time between the end of a limit and the first exception: most calls return before.
const GRACE: Duration = Duration::from_millis(200);

/// Real time that a call has to end after the first exception.
const ENDING: Duration = Duration::from_secs(1);

/// Real time after which a process is ended in which Python does not run.
const DEAD: Duration = Duration::from_secs(5);

/// The exit code of a run that reached a limit (`hoplab.base.errors.EXIT_PARTIAL`).
const EXIT_PARTIAL: i32 = 4;

/// A controller's call: controller, flow or node, and time.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) controller: Arc<str>,
    pub(crate) owner: Owner,
    /// Simulated time, in seconds; none before the run.
    pub(crate) time: Option<f64>,
    /// Python's number of the thread.
    thread: u64,
    interrupted: Option<Instant>,
}

impl Call {
    /// The call and its start, as a sentence without its end.
    pub(crate) fn describe(&self) -> String {
        let when = self.time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
        format!("controller {} of {}, called {when}, has not returned", self.controller, self.owner)
    }
}

/// A thread of a batch, as the calling thread sees it.
#[derive(Debug)]
pub(crate) struct Worker {
    state: Mutex<State>,
    /// Its run counts as failed; the thread takes no further job.
    is_given_up: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The job in progress, and when its limit of real time is over.
    job: Option<(usize, Option<Instant>)>,
    call: Option<Call>,
    /// Whether the job's run has not begun: positions are drawn, paths are found.
    is_prepared: bool,
    /// Since when all is to end.
    over_since: Option<Instant>,
}

/// A job that is given up, with its thread.
#[derive(Clone, Debug)]
pub(crate) struct Abandoned {
    pub(crate) index: usize,
    /// The call that does not return; none while the run is prepared.
    pub(crate) call: Option<Call>,
}

impl Abandoned {
    /// What has not ended, as a sentence without its end.
    pub(crate) fn describe(&self) -> String {
        self.call.as_ref().map_or_else(|| "the run was still being prepared".to_owned(), Call::describe)
    }
}

thread_local! {
    /// The worker of this thread, and Python's number of it; none in threads that belong to no batch.
    static WORKER: RefCell<Option<(Arc<Worker>, Option<u64>)>> = const { RefCell::new(None) };
}

impl Worker {
    pub(crate) fn new() -> Arc<Worker> {
        Arc::new(Worker { state: Mutex::default(), is_given_up: AtomicBool::new(false) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns this worker to the calling thread.
    pub(crate) fn take(self: &Arc<Self>) {
        WORKER.with_borrow_mut(|own| *own = Some((Arc::clone(self), None)));
    }

    /// Records the call in progress. The watching thread may run Python while it holds the lock, so that the interpreter is
    /// released here.
    fn note(&self, py: Python<'_>, call: Option<Call>) {
        loop {
            match self.state.try_lock() {
                Ok(mut state) => {
                    state.call = call;
                    return;
                }
                Err(TryLockError::Poisoned(state)) => {
                    state.into_inner().call = call;
                    return;
                }
                Err(TryLockError::WouldBlock) => py.detach(std::thread::yield_now),
            }
        }
    }

    /// Notes that a job begins.
    pub(crate) fn begin(&self, index: usize, job: &Job) {
        let most = job.max_wall_s.and_then(|most| Duration::try_from_secs_f64(most).ok());
        let mut state = self.state();
        state.job = Some((index, most.and_then(|most| Instant::now().checked_add(most))));
        state.is_prepared = false;
    }

    /// Records that its job has ended. Returns whether its thread may take another.
    pub(crate) fn end(&self) -> bool {
        self.state().job = None;
        !self.is_given_up()
    }

    /// Notes that the run of its job begins.
    fn begin_run(&self) {
        self.state().is_prepared = true;
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Raises an exception in a call that lasts too long; gives it up, and returns it with its job, if that has not helped.
    /// Gives up a preparation that lasts too long. `is_over`: whether all is to end now, whatever the limits.
    pub(crate) fn look(&self, py: Python<'_>, is_over: bool) -> Option<Abandoned> {
        let mut state = self.state();
        let (index, limit) = state.job?;
        let now = Instant::now();
        if !is_over && limit.is_none_or(|limit| now < limit + GRACE) {
            return None;
        }
        let over_since = *state.over_since.get_or_insert(now);
        if state.call.is_none() && !state.is_prepared && (!is_over || now >= over_since + ENDING) {
            self.is_given_up.store(true, Ordering::Relaxed);
            return Some(Abandoned { index, call: None });
        }
        let call = state.call.as_mut()?;
        let since = *call.interrupted.get_or_insert(now);
        if now >= since + ENDING {
            self.is_given_up.store(true, Ordering::Relaxed);
            return Some(Abandoned { index, call: Some(call.clone()) });
        }
        // The call cannot return meanwhile: it would note so first.
        interrupt(py, call.thread);
        None
    }

    /// The call in progress, if its limit was over long ago and it is not given up.
    fn dead(&self) -> Option<Call> {
        let state = self.state();
        let (_, limit) = state.job?;
        let is_dead = limit.is_some_and(|limit| Instant::now() >= limit + DEAD) && !self.is_given_up();
        state.call.clone().filter(|_| is_dead)
    }
}

/// Notes that the run of this thread's job begins: it looks at its limits by itself from now on.
pub(crate) fn begin_run() {
    WORKER.with_borrow(|own| own.as_ref().map(|(worker, _)| Arc::clone(worker))).inspect(|worker| worker.begin_run());
}

/// Ends the process if a call blocks the interpreter; called regularly by a thread without Python.
pub(crate) fn end_if_dead(workers: &[Arc<Worker>]) {
    if let Some(call) = workers.iter().find_map(|worker| worker.dead()) {
        eprintln!("hoplab: {}, and Python does not run: the process ends (max_wall)", call.describe());
        std::process::exit(EXIT_PARTIAL);
    }
}

/// While it lives, its thread is inside a controller's call.
pub(crate) struct Watched<'py> {
    worker: Option<Arc<Worker>>,
    py: Python<'py>,
}

impl<'py> Watched<'py> {
    /// Notes that a controller is about to be called.
    pub(crate) fn begin(py: Python<'py>, controller: &Arc<str>, owner: Owner, time: Option<f64>) -> Watched<'py> {
        let own = WORKER.with_borrow_mut(|own| {
            own.as_mut()
                .map(|(worker, thread)| (Arc::clone(worker), *thread.get_or_insert_with(|| number_of_thread(py))))
        });
        let Some((worker, thread)) = own else { return Watched { worker: None, py } };
        worker.note(py, Some(Call { controller: Arc::clone(controller), owner, time, thread, interrupted: None }));
        Watched { worker: Some(worker), py }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(worker) = &self.worker {
            worker.note(self.py, None);
        }
    }
}

fn number_of_thread(py: Python<'_>) -> u64 {
    let number = py.import("threading").and_then(|module| module.call_method0("get_ident")?.extract());
    number.unwrap_or(0)
}

/// Raises `Interrupted` in a thread, as soon as it runs Python code.
fn interrupt(py: Python<'_>, thread: u64) {
    let raised =
        py.import("hoplab.scenario.controllers").and_then(|module| module.call_method1("interrupt", (thread,)));
    if let Err(error) = raised {
        error.write_unraisable(py, None);
    }
}

/// Whether an error is the one that `look` raises.
pub(crate) fn is_interruption(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import("hoplab.scenario.controllers").and_then(|module| module.getattr("Interrupted"));
    class.is_ok_and(|class| error.is_instance(py, &class))
}
