//! Rate control written in Python: a station's rates are chosen by an object of a user's class.
//!
//! The object is asked before each attempt, and receives each result. After an error, stored as the station's failure, frames
//! have the slowest rate until the run ends at its next check.

use crate::controller::{Caller, Failures, Owner};
use hoplab::kernel::{NodeId, RadioId, Time};
use hoplab::mac::rate::{Outcome, RateControl, RateSetup};
use hoplab::packet::Modulation;
use hoplab::scenario::ExternalController;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What a rate control is built from.
#[pyclass(frozen, name = "RateSetup", module = "hoplab._core")]
pub(crate) struct PyRateSetup {
    /// The node's number.
    #[pyo3(get)]
    node: u32,
    /// Bit rates that it chooses from, b/s, the slowest first.
    #[pyo3(get)]
    rates_bps: Vec<f64>,
    /// MCS of each; none without 802.11n.
    #[pyo3(get)]
    mcs: Vec<Option<u32>>,
    /// Ratio of signal to noise at which one bit in a million is wrong, dB, of each.
    #[pyo3(get)]
    snr_db: Vec<f64>,
    /// Air time of a frame of 1200 bytes, s, at each.
    #[pyo3(get)]
    frame_s: Vec<f64>,
}

/// The result of one attempt.
#[pyclass(frozen, name = "RateResult", module = "hoplab._core")]
pub(crate) struct PyRateResult {
    /// Simulated time, s.
    #[pyo3(get)]
    now_s: f64,
    /// The receiver's number.
    #[pyo3(get)]
    neighbor: u32,
    /// Index of the rate.
    #[pyo3(get)]
    rate: usize,
    /// MPDUs acknowledged; a frame without aggregation has one.
    #[pyo3(get)]
    acked: u32,
    /// MPDUs not acknowledged.
    #[pyo3(get)]
    lost: u32,
    /// Ratio of signal to noise and interference at the receiver, dB, if an MPDU was acknowledged.
    #[pyo3(get)]
    snr_db: Option<f64>,
}

/// The rate control of a station.
#[derive(Debug)]
pub(crate) struct PyRates {
    caller: Caller,
    object: Py<PyAny>,
    modulations: Vec<Modulation>,
    wants_results: bool,
    wants_given_up: bool,
}

impl PyRates {
    /// The rate control of a node before the run. An error is left among the failures, and its text returned.
    pub(crate) fn new(
        node: NodeId,
        named: &ExternalController,
        setup: &RateSetup,
        failures: &Failures,
    ) -> Result<PyRates, String> {
        let mut caller = Caller::new(&named.name, Owner::Node(node.0), failures);
        let (object, own) = caller.call(|py| {
            let module = py.import("hoplab.scenario.rates")?;
            let (path, text) = named.file.as_ref().map_or((None, None), |(path, text)| (Some(path), Some(text)));
            let made = module.call_method1("make", (&named.name, &named.class, path, text))?;
            let (object, own): (Py<PyAny>, Vec<String>) = made.extract()?;
            let setup = PyRateSetup {
                node: node.0,
                rates_bps: setup.modulations.iter().map(|mode| mode.rate().0).collect(),
                mcs: setup.modulations.iter().map(|mode| mode.mcs()).collect(),
                snr_db: setup.ratios.iter().copied().map(decibels).collect(),
                frame_s: setup.frame_s.clone(),
            };
            object.call_method1(py, "on_start", (setup,))?;
            Ok((object, own))
        })?;
        let has = |method: &str| own.iter().any(|name| name == method);
        Ok(PyRates {
            caller,
            object,
            modulations: setup.modulations.clone(),
            wants_results: has("on_result"),
            wants_given_up: has("on_given_up"),
        })
    }
}

impl RateControl for PyRates {
    fn modulation(&mut self, now: Time, to: RadioId, attempt: u32) -> Modulation {
        let PyRates { caller, object, modulations, .. } = self;
        caller.time = Some(now);
        let chosen = caller.call(|py| {
            let found = object.call_method1(py, PyString::intern(py, "rate"), (to.0, attempt, now.secs()))?;
            let found = found.bind(py);
            let index = found.extract::<usize>().ok().filter(|index| *index < modulations.len());
            index.map(|index| modulations[index]).ok_or_else(|| {
                let text =
                    found.repr().map_or_else(|_| "something that has no repr".to_owned(), |repr| repr.to_string());
                let short: String = text.chars().take(60).collect();
                let last = modulations.len() - 1;
                PyValueError::new_err(format!("rate returned {short}: expected an index from 0 to {last}"))
            })
        });
        chosen.unwrap_or(modulations[0])
    }

    fn on_result(&mut self, now: Time, to: RadioId, outcome: &Outcome) {
        if !self.wants_results {
            return;
        }
        let rate = self.modulations.iter().position(|mode| *mode == outcome.modulation).unwrap_or(0);
        let result = PyRateResult {
            now_s: now.secs(),
            neighbor: to.0,
            rate,
            acked: outcome.acked,
            lost: outcome.lost,
            snr_db: outcome.is_acked().then(|| decibels(outcome.ratio)),
        };
        self.notify(now, "on_result", |py, object, name| object.call_method1(py, name, (result,)));
    }

    fn on_given_up(&mut self, now: Time, to: RadioId) {
        if self.wants_given_up {
            self.notify(now, "on_given_up", |py, object, name| object.call_method1(py, name, (to.0, now.secs())));
        }
    }
}

impl PyRates {
    /// Calls a method that returns nothing; its failure is stored.
    fn notify(
        &mut self,
        now: Time,
        method: &str,
        act: impl FnOnce(Python<'_>, &Py<PyAny>, &Bound<'_, PyString>) -> PyResult<Py<PyAny>>,
    ) {
        let PyRates { caller, object, .. } = self;
        caller.time = Some(now);
        drop(caller.call(|py| act(py, object, &PyString::intern(py, method)).map(drop)));
    }
}

fn decibels(ratio: f64) -> f64 {
    10.0 * libm::log10(ratio)
}
