//! The scenarios of a batch: each is parsed once, by the first run that needs it, and shared by its seeds on all threads.
//! The last run drops it, so that a long sweep does not store all of its points.

use crate::failure::Failure;
use crate::files;
use crate::job::Job;
use crate::limits::memory::memory_left;
use hoplab::scenario::{ParsedScenario, Resolved, ScenarioError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Scenarios by job.
pub(crate) struct Scenarios {
    /// Index of the scenario of each job.
    of_job: Vec<usize>,
    shared: Vec<Mutex<Shared>>,
}

/// A scenario with the number of runs that still need it.
struct Shared {
    runs_left: usize,
    parsed: Option<Result<Arc<ParsedScenario>, Box<ScenarioError>>>,
}

impl Scenarios {
    /// Groups jobs of equal scenarios; parses none.
    pub(crate) fn of(jobs: &[Job]) -> Scenarios {
        let mut index = HashMap::new();
        let mut shared: Vec<Mutex<Shared>> = Vec::new();
        let of_job = jobs.iter().map(|job| {
            let at = *index.entry((&job.text, &job.path, &job.overrides)).or_insert(shared.len());
            match shared.get_mut(at) {
                Some(known) => known.get_mut().unwrap_or_else(PoisonError::into_inner).runs_left += 1,
                None => shared.push(Mutex::new(Shared { runs_left: 1, parsed: None })),
            }
            at
        });
        let of_job = of_job.collect();
        Scenarios { of_job, shared }
    }

    /// The scenario of a job, with the draws of its seed, for a run with a limit of `memory` bytes.
    pub(crate) fn resolve(&self, index: usize, job: &Job, memory: f64) -> Result<Arc<Resolved>, Failure> {
        at_seed(&*self.parsed(index, job)?, job.seed, memory)
    }

    /// Notes that the run of a job has ended.
    pub(crate) fn release(&self, index: usize) {
        let mut shared = self.shared[self.of_job[index]].lock().unwrap_or_else(PoisonError::into_inner);
        shared.runs_left = shared.runs_left.saturating_sub(1);
        if shared.runs_left == 0 {
            shared.parsed = None;
        }
    }

    fn parsed(&self, index: usize, job: &Job) -> Result<Arc<ParsedScenario>, Failure> {
        // Runs of the scenario wait here until it is parsed; those of other scenarios do not.
        let mut shared = self.shared[self.of_job[index]].lock().unwrap_or_else(PoisonError::into_inner);
        let parse = || files::parse(&job.text, &job.path, &job.overrides).map(Arc::new).map_err(Box::new);
        shared.parsed.get_or_insert_with(parse).clone().map_err(Failure::Scenario)
    }
}

/// The scenario of a job that is no part of a batch, with the draws of its seed.
pub(crate) fn resolve(job: &Job) -> Result<Arc<Resolved>, Failure> {
    let parsed = files::parse(&job.text, &job.path, &job.overrides).map_err(|error| Failure::Scenario(error.into()))?;
    at_seed(&parsed, job.seed, memory_left())
}

/// A draw that fails for the scenario's own seed too is the scenario's fault; otherwise it is the failure of that run.
pub(crate) fn at_seed(parsed: &ParsedScenario, seed: u64, memory: f64) -> Result<Arc<Resolved>, Failure> {
    let at = |seed| parsed.at_seed_within(seed, memory);
    at(seed).map_err(|error| match at(parsed.seed()) {
        Ok(_) => Failure::Engine(error.to_string()),
        Err(error) => Failure::Scenario(Box::new(error)),
    })
}
