//! Congestion control written in Python: a flow's controller is an object of a user's class.
//!
//! Window and threshold are read from the object after each call and cached here, so that the engine never calls Python to
//! read them. Any error is stored as the flow's failure; from then on the object is not called, and the run ends at its
//! next check.

mod caller;
mod rates;
mod values;

pub(crate) use caller::{Caller, Failed, Failures, Owner, is_calling};
use rates::PyRates;
pub(crate) use rates::{PyRateResult, PyRateSetup};
pub(crate) use values::{PyAck, PyLoss, PySample, PySetup};

use hoplab::kernel::{NodeId, Span, Time};
use hoplab::mac::rate::RateSetup;
use hoplab::packet::Ack;
use hoplab::scenario::{ExternalController, FlowSpec};
use hoplab::transport::{
    CongestionControl, CrossLayer, Loss, LossSignal, Needs, NewAck, PaceClock, PaceRules, RateSample, SenderState,
    StackKind, StackSetup,
};
use hoplab::world::{ExternalControl, ExternalRateControl, ExternalStack, Externals};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// No window is larger, in segments.
const MOST: f64 = 1e9;

/// No pause between two segments is longer, in seconds.
const LONGEST_PAUSE: f64 = 1e6;

/// Builds the controllers of a run.
pub(crate) struct Maker<'a> {
    pub(crate) tcp: &'a hoplab::transport::TcpConfig,
    pub(crate) stream: &'a hoplab::transport::StreamConfig,
    pub(crate) failures: &'a Failures,
}

impl Externals for Maker<'_> {
    /// The controller of a flow, ready to send. An error is left among the failures.
    fn controller(&mut self, flow: &FlowSpec, foreign: &ExternalController) -> Result<ExternalControl, String> {
        let mut caller = Caller::new(&foreign.name, Owner::Flow(flow.id.0), self.failures);
        let prepared = caller.call(|py| self.prepare(py, flow, foreign))?;
        let Prepared { object, own, read } = prepared;
        let has = |method: &str| own.iter().any(|name| name == method);
        let is_connection = flow.transport.is_stream();
        if has("owns_window") && !is_connection && !has("on_ack") {
            let name = &foreign.name;
            return Err(format!(
                "controller {name} of flow {}: owns_window without on_ack needs transport = \"tcp_reno\" or another tcp_*",
                flow.id.0
            ));
        }
        Ok(Box::new(PyController {
            caller,
            object,
            wants_duplicates: has("on_duplicate"),
            wants_recovery_acks: has("on_recovery_ack"),
            wants_recovery_exit: has("on_recovery_exit"),
            wants_idle: has("on_idle"),
            wants_samples: has("on_sample"),
            owns_window: has("owns_window") && is_connection,
            is_paced: has("pace_s"),
            cwnd: read.cwnd,
            ssthresh: read.ssthresh,
            pace: read.pace,
        }))
    }

    fn rate_control(
        &mut self,
        node: NodeId,
        named: &ExternalController,
        setup: &RateSetup,
    ) -> Result<ExternalRateControl, String> {
        Ok(Box::new(PyRates::new(node, named, setup, self.failures)?))
    }

    fn stack(&mut self, kind: StackKind, setup: &StackSetup) -> Result<ExternalStack, String> {
        hoplab_stacks::build(kind, setup)
    }
}

/// An object before the run: the optional methods that its class has, and its values.
struct Prepared {
    object: Py<PyAny>,
    own: Vec<String>,
    read: Values,
}

impl Maker<'_> {
    fn prepare(&self, py: Python<'_>, flow: &FlowSpec, foreign: &ExternalController) -> PyResult<Prepared> {
        let module = py.import("hoplab.scenario.controllers")?;
        let (path, text) = foreign.file.as_ref().map_or((None, None), |(path, text)| (Some(path), Some(text)));
        let arguments = (&foreign.name, &foreign.class, path, text);
        let (object, own): (Py<PyAny>, Vec<String>) = module.call_method1("make", arguments)?.extract()?;
        object.call_method1(py, "on_start", (PySetup::of(flow, self.tcp, self.stream),))?;
        let own: Vec<String> = module.call_method1("started", (&object, own))?.extract()?;
        let read = Values::of(py, &object, own.iter().any(|name| name == "pace_s"))?;
        Ok(Prepared { object, own, read })
    }
}

/// What is read from an object after each call.
struct Values {
    cwnd: f64,
    ssthresh: f64,
    pace: Span,
}

impl Values {
    fn of(py: Python<'_>, object: &Py<PyAny>, is_paced: bool) -> PyResult<Values> {
        let pace = if is_paced { number(py, object, "pace_s", 0.0, LONGEST_PAUSE)? } else { 0.0 };
        Ok(Values {
            cwnd: number(py, object, "cwnd", 0.0, MOST)?,
            ssthresh: number(py, object, "ssthresh", 0.0, f64::INFINITY)?,
            pace: Span::from_secs(pace),
        })
    }
}

#[derive(Debug)]
struct PyController {
    caller: Caller,
    object: Py<PyAny>,
    cwnd: f64,
    ssthresh: f64,
    pace: Span,
    wants_duplicates: bool,
    wants_recovery_acks: bool,
    wants_recovery_exit: bool,
    wants_idle: bool,
    wants_samples: bool,
    owns_window: bool,
    is_paced: bool,
}

impl PyController {
    /// Calls the object, unless it has failed, then reads its window and threshold.
    fn call(&mut self, act: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()>) {
        let PyController { caller, object, is_paced, .. } = self;
        let outcome = caller.call(|py| {
            act(py, object)?;
            Values::of(py, object, *is_paced)
        });
        if let Ok(read) = outcome {
            (self.cwnd, self.ssthresh, self.pace) = (read.cwnd, read.ssthresh, read.pace);
        }
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

impl CongestionControl for PyController {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.caller.time = Some(ack.now);
        let method = if ack.is_syn_ack() { "on_established" } else { "on_ack" };
        self.call(|py, object| {
            object.call_method1(py, PyString::intern(py, method), (PyController::py_ack(ack),)).map(drop)
        });
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.caller.time = Some(ack.now);
        if self.wants_recovery_acks {
            self.call(|py, object| {
                object.call_method1(py, PyString::intern(py, "on_recovery_ack"), (PyController::py_ack(ack),)).map(drop)
            });
        }
    }

    fn on_dup_ack(&mut self, now: Time, _ack: &Ack) {
        self.caller.time = Some(now);
        if self.wants_duplicates {
            self.call(|py, object| {
                object.call_method1(py, PyString::intern(py, "on_duplicate"), (now.secs(),)).map(drop)
            });
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.caller.time = Some(loss.now);
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
        if self.owns_window && !self.wants_idle {
            return;
        }
        if self.wants_idle {
            self.call(|py, object| object.call_method1(py, PyString::intern(py, "on_idle"), (restart,)).map(drop));
        } else if self.cwnd > restart {
            self.set_cwnd(restart);
        }
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        if self.owns_window {
            return;
        }
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

    fn exit_slow_start(&mut self) {
        self.call(|py, object| object.call_method0(py, PyString::intern(py, "on_slow_start_exit")).map(drop));
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        self.caller.time = Some(state.now);
        if self.wants_samples {
            self.call(|py, object| {
                let sample = PySample::of(sample, state);
                object.call_method1(py, PyString::intern(py, "on_sample"), (sample,)).map(drop)
            });
        }
    }

    fn needs(&self) -> Needs {
        let pacing = PaceRules { clock: PaceClock::OnDemand, flushes: false, restarts: true };
        Needs { pacing: self.is_paced.then_some(pacing), owns_window: self.owns_window, ..Needs::default() }
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
