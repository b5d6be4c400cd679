//! Movements of a run as arrays and files, for figures and other simulators.

use crate::errors::{EngineError, scenario_error};
use crate::files;
use crate::limits::interrupt::interruptible;
use hoplab::mobility::{Trajectory, export};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Movements of the run with this seed, as a file of ns-2; and how far it is shifted, in metres.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed))]
pub(crate) fn setdest(
    py: Python<'_>,
    text: String,
    path: String,
    overrides: Vec<(String, String)>,
    seed: u64,
) -> PyResult<(String, (f64, f64))> {
    let trajectories = trajectories_of(py, text, path, overrides, seed)?;
    Ok((export::setdest(&trajectories), export::shift(&trajectories)))
}

/// Movements of the run with this seed, as JSON: of each node its start and its legs `[t0, x0, y0, t1, x1, y1]`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed))]
pub(crate) fn trajectories(
    py: Python<'_>,
    text: String,
    path: String,
    overrides: Vec<(String, String)>,
    seed: u64,
) -> PyResult<String> {
    let json_of = |trajectory: &Trajectory| {
        let legs =
            trajectory.legs().iter().map(|leg| json!([leg.t0.secs(), leg.x0, leg.y0, leg.t1.secs(), leg.x1, leg.y1]));
        let (x, y) = trajectory.start();
        json!({ "start": [x, y], "legs": legs.collect::<Vec<_>>() })
    };
    Ok(trajectories_of(py, text, path, overrides, seed)?.iter().map(json_of).collect::<Value>().to_string())
}

fn trajectories_of(
    py: Python<'_>,
    text: String,
    path: String,
    overrides: Vec<(String, String)>,
    seed: u64,
) -> PyResult<Vec<Trajectory>> {
    let name = path.clone();
    let find = move || {
        let parsed = files::parse(&text, &path, &overrides)?;
        parsed.at_seed(parsed.seed()).map(|resolved| resolved.trajectories(seed))
    };
    let found = interruptible(py, find)?.map_err(|error| scenario_error(py, &error))?;
    found.map_err(|error| EngineError::new_err(format!("{name}, seed {seed}: {error}")))
}
