//! Failures of a run, and the Python exception for each.

use crate::controller::Failed;
use crate::errors::{EngineError, controller_error, file_error, limit_error, scenario_error, unsupplied};
use crate::job::Job;
use crate::limits::LimitReached;
use hoplab::scenario::ScenarioError;
use hoplab::world::EngineError as EngineFailure;
use pyo3::prelude::*;

pub(crate) enum Failure {
    /// The scenario is wrong, whatever the seed.
    Scenario(Box<ScenarioError>),
    /// Something that the scenario asks for and this program cannot supply, such as a stack that is not built in.
    Unsupplied(String),
    /// A broken invariant, or a draw of this seed that failed.
    Engine(String),
    Controller(Box<Failed>),
    /// A limit of the caller.
    Limit(Box<LimitReached>),
    /// A file that cannot be written.
    File(String, std::io::Error),
    /// Python received a signal, such as that of Ctrl-C.
    Signal(PyErr),
    Cancelled,
}

impl From<EngineFailure> for Failure {
    fn from(error: EngineFailure) -> Failure {
        match error {
            EngineFailure::External { what } => Failure::Unsupplied(what),
            other => Failure::Engine(other.to_string()),
        }
    }
}

impl Failure {
    /// The exception; `None` for a run that was cancelled.
    pub(crate) fn raised(self, py: Python<'_>, job: &Job) -> Option<PyErr> {
        let (path, seed) = (&job.path, job.seed);
        Some(match self {
            Failure::Scenario(error) => scenario_error(py, &error),
            Failure::Unsupplied(what) => unsupplied(py, path, &what),
            Failure::Engine(what) => EngineError::new_err(format!("{path}, seed {seed}: {what}")),
            Failure::Controller(failed) => controller_error(py, path, seed, *failed),
            Failure::Limit(reached) => limit_error(py, path, seed, &reached),
            Failure::File(path, error) => file_error(path, &error),
            Failure::Signal(error) => error,
            Failure::Cancelled => return None,
        })
    }
}
