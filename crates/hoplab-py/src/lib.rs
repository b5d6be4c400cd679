//! `hoplab._core`: the engine as seen from Python. Glue, and threads over replications; no protocol logic.

mod capture;
mod controller;
mod errors;
mod estimates;
mod files;
mod job;
mod limits;
mod movements;
mod rows;
mod run;

use errors::scenario_error;
use hoplab::measure::RunReport;
use hoplab::scenario::{self, PathFact, Resolved};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Version of the engine.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Whether the compiler had watched an engine run before it built this one (`make fast`).
#[pyfunction]
fn is_trained() -> bool {
    option_env!("HOPLAB_TRAINED").is_some()
}

/// JSON Schema of a scenario file.
#[pyfunction]
fn schema() -> String {
    scenario::schema().to_string()
}

/// JSON Schema of a run's report.
#[pyfunction]
fn report_schema() -> String {
    RunReport::schema().to_value().to_string()
}

/// Names that a scenario can use, with a line about each, as JSON.
#[pyfunction]
fn registry() -> String {
    scenario::registry().to_string()
}

/// Checks a scenario and returns it resolved, as JSON.
#[pyfunction]
#[pyo3(signature = (text, path, overrides))]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
fn resolve(py: Python<'_>, text: &str, path: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    let resolved = py.detach(|| files::parse(text, path, &overrides)).map_err(|error| scenario_error(py, &error))?;
    let whole = json!({
        "scenario": resolved.to_json(),
        "canonical": resolved.canonical(),
        "toml": resolved.to_toml(),
        "flow_tables": resolved.flow_tables(),
        "warnings": resolved.warnings,
        "facts": facts(&resolved),
    });
    Ok(whole.to_string())
}

/// How difficult a scenario is; what was too much to count is null.
fn facts(resolved: &Resolved) -> Value {
    let facts = resolved.facts();
    let hops = |path: &PathFact| match path {
        PathFact::Hops(hops) => Some(*hops),
        PathFact::None | PathFact::NotCounted => None,
    };
    json!({
        "nodes": facts.nodes,
        "reach_m": facts.reach.0,
        "cs_range_m": facts.cs_range.0,
        "mean_degree": facts.mean_degree,
        "partitions": facts.partitions,
        "flows": facts.flows.iter().map(|(id, path)| json!({ "id": id.0, "hops": hops(path) })).collect::<Vec<_>>(),
    })
}

/// The engine of hoplab.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(is_trained, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(report_schema, module)?)?;
    module.add_function(wrap_pyfunction!(registry, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(movements::setdest, module)?)?;
    module.add_function(wrap_pyfunction!(movements::trajectories, module)?)?;
    module.add_function(wrap_pyfunction!(rows::join_tables, module)?)?;
    module.add_function(wrap_pyfunction!(run::run_many, module)?)?;
    module.add_function(wrap_pyfunction!(estimates::estimates, module)?)?;
    module.add_class::<job::Job>()?;
    module.add_class::<controller::PyAck>()?;
    module.add_class::<controller::PyLoss>()?;
    module.add_class::<controller::PySetup>()?;
    module.add("ScenarioError", module.py().get_type::<errors::ScenarioError>())?;
    module.add("EngineError", module.py().get_type::<errors::EngineError>())?;
    module.add("LimitError", module.py().get_type::<errors::LimitError>())?;
    module.add("ControllerError", module.py().get_type::<errors::ControllerError>())?;
    Ok(())
}
