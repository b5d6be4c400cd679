//! One run to execute: scenario, seed, overrides, and limits.

use pyo3::prelude::*;

/// One run: a scenario with overrides, and its seed.
#[pyclass(frozen, module = "hoplab._core")]
#[derive(Clone, Debug)]
pub(crate) struct Job {
    #[pyo3(get)]
    pub(crate) text: String,
    #[pyo3(get)]
    pub(crate) path: String,
    #[pyo3(get)]
    pub(crate) overrides: Vec<(String, String)>,
    #[pyo3(get)]
    pub(crate) seed: u64,
    #[pyo3(get)]
    pub(crate) series_interval_s: Option<f64>,
    /// Prefix of the names of its trace files, if it is traced.
    #[pyo3(get)]
    pub(crate) trace: Option<String>,
    #[pyo3(get)]
    pub(crate) airtime: bool,
    #[pyo3(get)]
    pub(crate) capture: Option<String>,
    /// Maximum number of events of the run.
    #[pyo3(get)]
    pub(crate) max_events: Option<u64>,
    /// Maximum wall-clock time of the run.
    #[pyo3(get)]
    pub(crate) max_wall_s: Option<f64>,
}

/// The arguments of a job, in order.
type Arguments = (
    String,
    String,
    Vec<(String, String)>,
    u64,
    Option<f64>,
    Option<String>,
    bool,
    Option<String>,
    Option<u64>,
    Option<f64>,
);

#[pymethods]
impl Job {
    #[new]
    #[pyo3(signature = (
        text, path, overrides, seed, series_interval_s=None, trace=None, airtime=false, capture=None, max_events=None,
        max_wall_s=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        text: String,
        path: String,
        overrides: Vec<(String, String)>,
        seed: u64,
        series_interval_s: Option<f64>,
        trace: Option<String>,
        airtime: bool,
        capture: Option<String>,
        max_events: Option<u64>,
        max_wall_s: Option<f64>,
    ) -> Job {
        Job { text, path, overrides, seed, series_interval_s, trace, airtime, capture, max_events, max_wall_s }
    }

    /// Arguments that build an equal job, for pickling.
    fn __getnewargs__(&self) -> Arguments {
        let job = self.clone();
        (
            job.text,
            job.path,
            job.overrides,
            job.seed,
            job.series_interval_s,
            job.trace,
            job.airtime,
            job.capture,
            job.max_events,
            job.max_wall_s,
        )
    }
}
