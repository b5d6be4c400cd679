//! Congestion control written in Python: a flow's controller is an object of a user's class.
//!
//! Window and threshold are read from the object after each call and cached here, so that the engine never calls Python to
//! read them. Any error is stored as the flow's failure; from then on the object is not called, and the run ends at its
//! next check.

mod values;

pub(crate) use values::{PyAck, PyLoss, PySetup};

use crate::limits::watch::{Watched, is_interruption};
use hoplab::kernel::{FlowId, Span, Time};
use hoplab::packet::Ack;
use hoplab::scenario::{ExternalController, FlowSpec};
use hoplab::transport::{
    CongestionControl, CrossLayer, Loss, LossSignal, Needs, NewAck, PaceClock, PaceRules, StackKind, StackSetup,
    TcpProfile,
};
use hoplab::world::{ExternalControl, ExternalStack, Externals};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

/// What went wrong with a controller.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) controller: String,
    pub(crate) flow: u32,
    /// Simulated time of the call, in seconds; none before the run.
    pub(crate) time: Option<f64>,
    /// What was wrong, as the end of a sentence.
    pub(crate) what: String,
    pub(crate) cause: Option<PyErr>,
    /// A call that was ended from outside, because it lasted too long.
    pub(crate) is_interrupted: bool,
}

impl Failed {
    /// The interrupted call, as a sentence without its end.
    pub(crate) fn describe(&self) -> String {
        let when = self.time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
        format!("controller {} of flow {}, called {when}, had not returned", self.controller, self.flow)
    }
}

/// The first failure of a run.
pub(crate) type Failures = Arc<Mutex<Option<Failed>>>;

/// No window is larger, in segments.
const MOST: f64 = 1e9;

/// No pause between two segments is longer, in seconds.
const LONGEST_PAUSE: f64 = 1e6;

thread_local! {
    /// Whether this thread is inside a controller's call.
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller is a controller's code.
pub(crate) fn is_calling() -> bool {
    CALLING.get()
}

/// Builds the controllers of a run.
pub(crate) struct Maker<'a> {
    pub(crate) tcp: &'a hoplab::transport::TcpConfig,
    pub(crate) failures: &'a Failures,
}

impl Externals for Maker<'_> {
    /// The controller of a flow, ready to send. An error is left among the failures.
    fn controller(&mut self, flow: &FlowSpec, foreign: &ExternalController) -> Result<ExternalControl, String> {
        let process = std::process::id();
        let prepared = Python::attach(|py| {
            let prepared = self.prepare(py, flow, foreign);
            end_child(py, process, &foreign.name, None);
            prepared
        });
        let mut made = prepared.map_err(|cause| {
            let what = describe(&cause);
            let failed = Failed {
                controller: foreign.name.clone(),
                flow: flow.id.0,
                time: None,
                what: what.clone(),
                is_interrupted: Python::attach(|py| is_interruption(py, &cause)),
                cause: Some(cause),
            };
            *self.failures.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
            what
        })?;
        made.time = None;
        Ok(Box::new(made))
    }

    fn stack(&mut self, kind: StackKind, setup: &StackSetup) -> Result<ExternalStack, String> {
        hoplab_stacks::build(kind, setup)
    }
}

impl Maker<'_> {
    fn prepare(&self, py: Python<'_>, flow: &FlowSpec, foreign: &ExternalController) -> PyResult<PyController> {
        let module = py.import("hoplab.scenario.controllers")?;
        let (path, text) = foreign.file.as_ref().map_or((None, None), |(path, text)| (Some(path), Some(text)));
        let arguments = (&foreign.name, &foreign.class, path, text);
        let name: Arc<str> = foreign.name.as_str().into();
        let _watched = Watched::begin(py, &name, flow.id.0, None);
        let _calling = Calling::begin();
        let (object, own): (Py<PyAny>, Vec<String>) = module.call_method1("make", arguments)?.extract()?;
        let has = |method: &str| own.iter().any(|name| name == method);
        let mut made = PyController {
            name,
            flow: flow.id,
            wants_duplicates: has("on_duplicate"),
            wants_recovery_acks: has("on_recovery_ack"),
            wants_recovery_exit: has("on_recovery_exit"),
            wants_idle: has("on_idle"),
            is_paced: has("pace_s"),
            object,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            pace: Span::ZERO,
            time: None,
            is_over: false,
            failures: Arc::clone(self.failures),
            process: std::process::id(),
        };
        let setup = PySetup {
            flow: flow.id.0,
            initial_window: f64::from(self.tcp.initial_window(flow.segment.0)),
            initial_ssthresh: self.tcp.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            segment: flow.segment.0,
            window: flow.window,
            is_rfc: self.tcp.profile == TcpProfile::Rfc,
        };
        made.object.call_method1(py, "on_start", (setup,))?;
        made.read_back(py)?;
        Ok(made)
    }
}

/// While it lives, this thread is inside a controller's call.
struct Calling;

impl Calling {
    fn begin() -> Calling {
        CALLING.set(true);
        Calling
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        CALLING.set(false);
    }
}

#[derive(Debug)]
struct PyController {
    name: Arc<str>,
    flow: FlowId,
    object: Py<PyAny>,
    cwnd: f64,
    ssthresh: f64,
    pace: Span,
    /// When it was called last.
    time: Option<Time>,
    /// It has failed: it is called no more.
    is_over: bool,
    wants_duplicates: bool,
    wants_recovery_acks: bool,
    wants_recovery_exit: bool,
    wants_idle: bool,
    is_paced: bool,
    failures: Failures,
    /// The process that built it.
    process: u32,
}

/// Ends a process that a controller has forked and that returned from the call: it has none of the other threads.
fn end_child(py: Python<'_>, process: u32, controller: &str, time: Option<f64>) {
    if std::process::id() == process {
        return;
    }
    let when = time.map_or_else(|| "before the run".to_owned(), |time| format!("at t = {time:.6} s"));
    eprintln!("hoplab: controller {controller} has forked {when}: the new process ends");
    let ended = py.import("os").and_then(|os| os.call_method1("_exit", (EXIT_BROKEN,)));
    ended.map_or_else(|_| std::process::abort(), drop);
}

/// The exit code of such a process (`hoplab.base.errors.EXIT_BROKEN`).
const EXIT_BROKEN: i32 = 70;

impl PyController {
    /// Calls the object, unless it has failed, then reads its window and threshold.
    fn call(&mut self, act: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()>) {
        if self.is_over {
            return;
        }
        let outcome = Python::attach(|py| {
            let time = self.time.map(Time::secs);
            let _watched = Watched::begin(py, &self.name, self.flow.0, time);
            let _calling = Calling::begin();
            let outcome = act(py, &self.object).and_then(|()| self.read_back(py));
            end_child(py, self.process, &self.name, time);
            outcome.map_err(|cause| (is_interruption(py, &cause), cause))
        });
        if let Err((is_interrupted, cause)) = outcome {
            self.is_over = true;
            let mut first = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| Failed {
                controller: self.name.to_string(),
                flow: self.flow.0,
                time: self.time.map(Time::secs),
                what: describe(&cause),
                is_interrupted,
                cause: Some(cause),
            });
        }
    }

    fn read_back(&mut self, py: Python<'_>) -> PyResult<()> {
        self.cwnd = number(py, &self.object, "cwnd", 0.0, MOST)?;
        self.ssthresh = number(py, &self.object, "ssthresh", 0.0, f64::INFINITY)?;
        if self.is_paced {
            self.pace = Span::from_secs(number(py, &self.object, "pace_s", 0.0, LONGEST_PAUSE)?);
        }
        Ok(())
    }

    fn py_ack(ack: &NewAck<'_>) -> PyAck {
        PyAck {
            now_s: ack.now.secs(),
            acked: ack.acked,
            newly_acked: ack.newly_acked,
            next: ack.snd_nxt,
            in_flight: ack.in_flight,
            rtt_s: ack.rtt.map(Span::secs),
            srtt_s: ack.srtt.map(Span::secs),
            is_cwnd_limited: ack.is_cwnd_limited,
        }
    }
}

/// A number of the object within `low..=high`, `low` itself only if it is a threshold or a pause.
fn number(py: Python<'_>, object: &Py<PyAny>, name: &str, low: f64, high: f64) -> PyResult<f64> {
    let found = object.getattr(py, PyString::intern(py, name))?;
    let found = found.bind(py);
    let wrong = |what: &str, expected: &str| {
        let text = found.repr().map_or_else(|_| "something that has no repr".to_owned(), |repr| repr.to_string());
        let short: String = text.chars().take(60).collect();
        Err(pyo3::exceptions::PyValueError::new_err(format!("{name} is {short}{what}: expected {expected}")))
    };
    let is_number = found.is_instance_of::<pyo3::types::PyFloat>()
        || (found.is_instance_of::<pyo3::types::PyInt>() && !found.is_instance_of::<pyo3::types::PyBool>());
    let is_window = name == "cwnd";
    let expected = match name {
        "cwnd" => "segments above 0, at most 1e9",
        "ssthresh" => "segments from 0, or math.inf",
        _ => "seconds from 0 to 1e6",
    };
    let Some(value) = found.extract::<f64>().ok().filter(|_| is_number) else {
        let kind = found.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        return wrong(&format!(" ({kind})"), expected);
    };
    let holds = value >= low && value <= high && !(is_window && value == 0.0);
    if holds { Ok(value) } else { wrong("", expected) }
}

/// Describes a failure as the end of a sentence: type, message, and the line of the user's code.
fn describe(cause: &PyErr) -> String {
    Python::attach(|py| {
        let text = py
            .import("hoplab.scenario.controllers")
            .and_then(|module| module.call_method1("describe_exception", (cause.clone_ref(py).into_value(py),)))
            .and_then(|text| text.extract::<String>());
        text.unwrap_or_else(|_| "it failed, and so did its error's text".to_owned())
    })
}

impl CongestionControl for PyController {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.time = Some(ack.now);
        let method = if ack.is_syn_ack() { "on_established" } else { "on_ack" };
        self.call(|py, object| {
            object.call_method1(py, PyString::intern(py, method), (PyController::py_ack(ack),)).map(drop)
        });
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.time = Some(ack.now);
        if self.wants_recovery_acks {
            self.call(|py, object| {
                object.call_method1(py, PyString::intern(py, "on_recovery_ack"), (PyController::py_ack(ack),)).map(drop)
            });
        }
    }

    fn on_dup_ack(&mut self, now: Time, _ack: &Ack) {
        self.time = Some(now);
        if self.wants_duplicates {
            self.call(|py, object| {
                object.call_method1(py, PyString::intern(py, "on_duplicate"), (now.secs(),)).map(drop)
            });
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.time = Some(loss.now);
        if loss.is_syn {
            self.call(|py, object| object.call_method0(py, PyString::intern(py, "on_syn_lost")).map(drop));
        }
        let is_timeout = loss.signal == LossSignal::Timeout;
        let loss_value = PyLoss {
            now_s: loss.now.secs(),
            is_timeout,
            window: loss.window,
            in_flight: loss.flight_size,
            is_retransmission: loss.is_retransmission,
        };
        let method = if is_timeout { "on_timeout" } else { "on_loss" };
        self.call(|py, object| object.call_method1(py, PyString::intern(py, method), (loss_value,)).map(drop));
    }

    fn on_idle(&mut self, restart: f64) {
        if self.wants_idle {
            self.call(|py, object| object.call_method1(py, PyString::intern(py, "on_idle"), (restart,)).map(drop));
        } else if self.cwnd > restart {
            self.set_cwnd(restart);
        }
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.call(|py, object| object.setattr(py, PyString::intern(py, "cwnd"), cwnd));
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        if self.wants_recovery_exit {
            self.call(|py, object| {
                object.call_method1(py, PyString::intern(py, "on_recovery_exit"), (cwnd,)).map(drop)
            });
        } else {
            self.set_cwnd(cwnd);
        }
    }

    fn needs(&self) -> Needs {
        let pacing = PaceRules { clock: PaceClock::OnDemand, flushes: false, restarts: true };
        Needs { pacing: self.is_paced.then_some(pacing), ..Needs::default() }
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        self.is_paced.then_some(self)
    }
}

impl CrossLayer for PyController {
    fn pace_interval(&self) -> Span {
        self.pace
    }
}
