//! `hoplab._core`: the Python binding of the engine (PyO3), and threads over replications; no protocol logic.

mod agents;
mod batch;
mod controller;
mod errors;
mod estimates;
mod failure;
mod files;
mod job;
mod limits;
mod live;
mod movements;
mod recording;
mod run;
mod scenarios;

use errors::scenario_error;
use hoplab::measure::RunReport;
use hoplab::scenario;
use pyo3::prelude::*;
use serde_json::json;

/// Version of the engine, with its trajectory number behind `+t`: runs of another number have other event sequences.
#[pyfunction]
fn version() -> String {
    format!("{}+t{}", env!("CARGO_PKG_VERSION"), hoplab::trace::TRAJECTORIES)
}

/// Whether this engine was built with the profile of a run (`make fast`).
#[pyfunction]
fn is_trained() -> bool {
    option_env!("HOPLAB_TRAINED").is_some()
}

/// The profile of `Cargo.toml` that this engine was built with.
#[pyfunction]
fn profile() -> &'static str {
    env!("HOPLAB_PROFILE")
}

/// JSON Schema of a scenario file.
#[pyfunction]
fn schema() -> String {
    scenario::schema().to_string()
}

/// Default values of a scenario's tables of constants, in SI units, as JSON.
#[pyfunction]
fn defaults() -> String {
    scenario::defaults().to_string()
}

/// JSON Schema of a run's report.
#[pyfunction]
fn report_schema() -> String {
    RunReport::schema().to_value().to_string()
}

/// Names that a scenario can use, with a summary of each, as JSON.
#[pyfunction]
fn registry() -> String {
    scenario::registry().to_string()
}

/// Parses a scenario and returns it with the draws of its own seed, as JSON. Errors name overrides as options of the command
/// line, or as arguments.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, *, as_options = true))]
fn resolve(
    py: Python<'_>,
    text: String,
    path: String,
    overrides: Vec<(String, String)>,
    as_options: bool,
) -> PyResult<String> {
    let parse = move || files::parse(&text, &path, &overrides).and_then(|parsed| parsed.at_seed(parsed.seed()));
    let resolved = limits::interrupt::interruptible(py, parse)?
        .map_err(|error| scenario_error(py, &if as_options { error } else { error.for_program() }))?;
    let whole = json!({
        "scenario": resolved.to_json(),
        "canonical": resolved.canonical(),
        "toml": resolved.to_toml(),
        "flow_tables": resolved.flow_tables(),
        "warnings": resolved.warnings,
        "facts": resolved.facts().to_json(),
    });
    Ok(whole.to_string())
}

/// The engine of hoplab.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(is_trained, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(defaults, module)?)?;
    module.add_function(wrap_pyfunction!(report_schema, module)?)?;
    module.add_function(wrap_pyfunction!(registry, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(movements::setdest, module)?)?;
    module.add_function(wrap_pyfunction!(movements::trajectories, module)?)?;
    module.add_function(wrap_pyfunction!(recording::rows::join_tables, module)?)?;
    module.add_function(wrap_pyfunction!(limits::memory::memory_left, module)?)?;
    module.add_function(wrap_pyfunction!(batch::run_many, module)?)?;
    module.add_function(wrap_pyfunction!(agents::scaled_window, module)?)?;
    module.add_function(wrap_pyfunction!(estimates::bounds::bound_inputs, module)?)?;
    module.add_function(wrap_pyfunction!(estimates::bounds::replay, module)?)?;
    module.add_function(wrap_pyfunction!(estimates::bounds::survival, module)?)?;
    module.add_function(wrap_pyfunction!(estimates::estimates, module)?)?;
    module.add_function(wrap_pyfunction!(live::run_live, module)?)?;
    module.add_class::<job::Job>()?;
    module.add_class::<agents::Agents>()?;
    module.add_class::<agents::RouteAgent>()?;
    module.add_class::<controller::PyAck>()?;
    module.add_class::<controller::PyLoss>()?;
    module.add_class::<controller::PySample>()?;
    module.add_class::<controller::PySetup>()?;
    module.add_class::<controller::PyRateSetup>()?;
    module.add_class::<controller::PyRateResult>()?;
    module.add("ScenarioError", module.py().get_type::<errors::ScenarioError>())?;
    module.add("EngineError", module.py().get_type::<errors::EngineError>())?;
    module.add("LimitError", module.py().get_type::<errors::LimitError>())?;
    module.add("ControllerError", module.py().get_type::<errors::ControllerError>())?;
    Ok(())
}
