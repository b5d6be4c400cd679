//! Movements of a run, for who draws them or hands them to another simulator.

use crate::errors::{EngineError, scenario_error};
use crate::files;
use hoplab::mobility::{Trajectory, export};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Movements of the run with this seed, as a file of ns-2.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed))]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
pub(crate) fn setdest(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: u64,
) -> PyResult<String> {
    Ok(export::setdest(&ways(py, text, path, &overrides, seed)?))
}

/// Movements of the run with this seed, as JSON: of each node its start and its legs `[t0, x0, y0, t1, x1, y1]`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed))]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
pub(crate) fn trajectories(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: u64,
) -> PyResult<String> {
    let way = |way: &Trajectory| {
        let legs = way.legs().iter().map(|leg| json!([leg.t0.secs(), leg.x0, leg.y0, leg.t1.secs(), leg.x1, leg.y1]));
        let (x, y) = way.start();
        json!({ "start": [x, y], "legs": legs.collect::<Vec<_>>() })
    };
    Ok(ways(py, text, path, &overrides, seed)?.iter().map(way).collect::<Value>().to_string())
}

fn ways(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: &[(String, String)],
    seed: u64,
) -> PyResult<Vec<Trajectory>> {
    let resolved = py.detach(|| files::parse(text, path, overrides)).map_err(|error| scenario_error(py, &error))?;
    resolved.trajectories(seed).map_err(|error| EngineError::new_err(format!("{path}, seed {seed}: {error}")))
}
