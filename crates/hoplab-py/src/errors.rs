//! Errors of the engine as Python exceptions.

use crate::controller::{Failed, Owner};
use crate::limits::LimitReached;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;

create_exception!(hoplab, ScenarioError, PyException, "A scenario that cannot be run, and where it is wrong.");
create_exception!(hoplab, EngineError, PyException, "A run that broke an invariant or reached a limit.");

create_exception!(hoplab, ControllerError, EngineError, "A controller written in Python that failed, and when.");

create_exception!(hoplab, LimitError, EngineError, "A run that reached a limit of its caller.");

/// The exception for a run that reached a limit, with the limit and the progress of the run.
pub(crate) fn limit_error(py: Python<'_>, path: &str, seed: u64, reached: &LimitReached) -> PyErr {
    let raised = LimitError::new_err(format!("{path}, seed {seed}: {reached}"));
    let value = raised.value(py);
    let set = || -> PyResult<()> {
        value.setattr("limit", reached.limit.name())?;
        value.setattr("time_s", reached.at.secs())?;
        value.setattr("events", reached.events.unwrap_or(0))?;
        value.setattr("seed", seed)
    };
    match set() {
        Ok(()) => raised,
        Err(failure) => failure,
    }
}

/// The exception for a controller that failed: which, of what flow or node, at what simulated time; its own error as the cause.
pub(crate) fn controller_error(py: Python<'_>, path: &str, seed: u64, failed: Failed) -> PyErr {
    let when = failed.time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
    let (name, owner) = (&failed.controller, failed.owner);
    let text = format!("{path}, seed {seed}: controller {name} of {owner} failed {when}: {}", failed.what);
    let raised = ControllerError::new_err(text);
    let value = raised.value(py);
    let set = || -> PyResult<()> {
        value.setattr("controller", name)?;
        let (flow, node) = match owner {
            Owner::Flow(flow) => (Some(flow), None),
            Owner::Node(node) => (None, Some(node)),
        };
        value.setattr("flow", flow)?;
        value.setattr("node", node)?;
        value.setattr("time_s", failed.time)?;
        value.setattr("seed", seed)
    };
    if let Err(failure) = set() {
        return failure;
    }
    raised.set_cause(py, failed.cause);
    raised
}

/// The exception for threads that the system refuses.
pub(crate) fn thread_error(error: &std::io::Error) -> PyErr {
    EngineError::new_err(format!(
        "no thread can be started: {error}; the limits of this process are too low (ulimit -a)"
    ))
}

/// The exception for a file that could not be written.
pub(crate) fn file_error(path: String, error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error().unwrap_or(0), error.to_string(), path))
}

/// The exception for what a scenario asks for and this program cannot supply.
pub(crate) fn unsupplied(py: Python<'_>, path: &str, what: &str) -> PyErr {
    let raised = ScenarioError::new_err(format!("{path}: {what}"));
    let value = raised.value(py);
    let set = || -> PyResult<()> {
        value.setattr("path", path)?;
        value.setattr("line", py.None())?;
        value.setattr("key", "flow")?;
        value.setattr("value", py.None())?;
        value.setattr("expected", "")?;
        value.setattr("hint", py.None())
    };
    match set() {
        Ok(()) => raised,
        Err(error) => error,
    }
}

/// The exception for a wrong scenario: the whole text as message, the first problem's parts as attributes.
pub(crate) fn scenario_error(py: Python<'_>, error: &hoplab::scenario::ScenarioError) -> PyErr {
    let raised = ScenarioError::new_err(error.to_string());
    let value = raised.value(py);
    let first = error.first();
    let set = || -> PyResult<()> {
        value.setattr("path", first.path.as_str())?;
        value.setattr("line", first.line)?;
        value.setattr("key", first.key.as_str())?;
        value.setattr("value", first.value.as_deref())?;
        value.setattr("expected", first.expected.as_str())?;
        value.setattr("hint", first.hint.as_deref())
    };
    match set() {
        Ok(()) => raised,
        Err(failure) => failure,
    }
}
