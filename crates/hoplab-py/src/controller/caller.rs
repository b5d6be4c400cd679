//! Calls of an object of a user's class: failures are stored, and calls that last too long are watched.

use crate::limits::watch::{Watched, is_interruption};
use hoplab::kernel::Time;
use pyo3::prelude::*;
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What an object controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The congestion of a flow.
    Flow(u32),
    /// The rates of a node.
    Node(u32),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Flow(flow) => write!(f, "flow {flow}"),
            Owner::Node(node) => write!(f, "node {node}"),
        }
    }
}

/// What went wrong with a controller.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) controller: String,
    pub(crate) owner: Owner,
    /// Simulated time of the call, in seconds; none before the run.
    pub(crate) time: Option<f64>,
    /// What was wrong, as the end of a sentence.
    pub(crate) what: String,
    pub(crate) cause: Option<PyErr>,
    /// A call that was ended from outside, because it lasted too long.
    pub(crate) is_interrupted: bool,
}

impl Failed {
    /// The interrupted call, as a sentence without its end.
    pub(crate) fn describe(&self) -> String {
        let when = self.time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
        format!("controller {} of {}, called {when}, had not returned", self.controller, self.owner)
    }
}

/// The first failure of a run.
pub(crate) type Failures = Arc<Mutex<Option<Failed>>>;

thread_local! {
    /// Whether this thread is inside a controller's call.
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller is a controller's code.
pub(crate) fn is_calling() -> bool {
    CALLING.get()
}

/// While it lives, this thread is inside a controller's call.
struct Calling;

impl Calling {
    fn begin() -> Calling {
        CALLING.set(true);
        Calling
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        CALLING.set(false);
    }
}

/// Calls one object.
#[derive(Debug)]
pub(crate) struct Caller {
    name: Arc<str>,
    owner: Owner,
    /// When it was called last; none before the run.
    pub(crate) time: Option<Time>,
    /// It has failed: it is called no more.
    is_over: bool,
    failures: Failures,
    /// The process that built it.
    process: u32,
}

impl Caller {
    pub(crate) fn new(name: &str, owner: Owner, failures: &Failures) -> Caller {
        let failures = Arc::clone(failures);
        Caller { name: name.into(), owner, time: None, is_over: false, failures, process: std::process::id() }
    }

    /// Calls the object, unless it has failed. An error is left among the failures; its text is returned.
    pub(crate) fn call<T>(&mut self, act: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, String> {
        if self.is_over {
            return Err(String::new());
        }
        let outcome = Python::attach(|py| {
            let time = self.time.map(Time::secs);
            let _watched = Watched::begin(py, &self.name, self.owner, time);
            let _calling = Calling::begin();
            let outcome = act(py);
            end_child(py, self.process, &self.name, time);
            outcome.map_err(|cause| (is_interruption(py, &cause), cause))
        });
        outcome.map_err(|(is_interrupted, cause)| {
            self.is_over = true;
            let what = describe(&cause);
            let mut first = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| Failed {
                controller: self.name.to_string(),
                owner: self.owner,
                time: self.time.map(Time::secs),
                what: what.clone(),
                is_interrupted,
                cause: Some(cause),
            });
            what
        })
    }
}

/// Ends a process that a controller has forked and that returned from the call: it has none of the other threads.
fn end_child(py: Python<'_>, process: u32, controller: &str, time: Option<f64>) {
    if std::process::id() == process {
        return;
    }
    let when = time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
    eprintln!("hoplab: controller {controller} has forked {when}: the new process ends");
    let ended = py.import("os").and_then(|os| os.call_method1("_exit", (EXIT_BROKEN,)));
    ended.map_or_else(|_| std::process::abort(), drop);
}

/// The exit code of such a process (`hoplab.base.errors.EXIT_BROKEN`).
const EXIT_BROKEN: i32 = 70;

/// Describes a failure as the end of a sentence: type, message, and the line of the user's code.
fn describe(cause: &PyErr) -> String {
    Python::attach(|py| {
        let text = py
            .import("hoplab.scenario.controllers")
            .and_then(|module| module.call_method1("describe_exception", (cause.clone_ref(py).into_value(py),)))
            .and_then(|text| text.extract::<String>());
        text.unwrap_or_else(|_| "it failed, and so did its error's text".to_owned())
    })
}
