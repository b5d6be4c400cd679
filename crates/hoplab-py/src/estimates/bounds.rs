//! Inputs of bounds on what a network can carry.

use crate::failure::Failure;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::scenarios::resolve;
use hoplab::kernel::{Span, Time};
use hoplab::world::World;
use pyo3::prelude::*;

/// What bounds are computed from (`hoplab::measure::bound_inputs`), as JSON; the receivers of each node at each of `times_s`, which do not
/// decrease.
#[pyfunction]
pub(crate) fn bound_inputs(py: Python<'_>, job: &Job, times_s: Vec<f64>) -> PyResult<String> {
    let asked = job.clone();
    let find = move || {
        let mut scenario = (*resolve(&asked)?).clone();
        for flow in &mut scenario.flows {
            // Parts of the user send packets of the same lengths.
            flow.controller = None;
            flow.source = None;
        }
        let mut world = World::build(&scenario, asked.seed).map_err(|error| Failure::Engine(error.to_string()))?;
        let times: Vec<Time> = times_s.iter().map(|&at| Time::ZERO + Span::from_secs(at)).collect();
        Ok(world.bound_inputs(&scenario, &times).to_string())
    };
    interruptible(py, find)?.map_err(|failure: Failure| failure.raised(py, job).expect("nothing cancels it"))
}
