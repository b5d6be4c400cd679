//! One run to be done.

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
}

#[pymethods]
impl Job {
    #[new]
    #[pyo3(signature = (text, path, overrides, seed, series_interval_s=None))]
    fn new(
        text: String,
        path: String,
        overrides: Vec<(String, String)>,
        seed: u64,
        series_interval_s: Option<f64>,
    ) -> Job {
        Job { text, path, overrides, seed, series_interval_s }
    }

    /// Arguments that make the same job again, for pickling.
    fn __getnewargs__(&self) -> (String, String, Vec<(String, String)>, u64, Option<f64>) {
        (self.text.clone(), self.path.clone(), self.overrides.clone(), self.seed, self.series_interval_s)
    }
}
