//! Arguments of a Python controller: acknowledgments, losses, and the setup of its flow.

use pyo3::prelude::*;

/// An acknowledgment, as controllers see it.
#[pyclass(frozen, name = "Ack", module = "hoplab._core")]
pub(crate) struct PyAck {
    /// Simulated time, s.
    #[pyo3(get)]
    pub(super) now_s: f64,
    /// Highest segment acknowledged so far.
    #[pyo3(get)]
    pub(super) acked: i64,
    /// Segments acknowledged for the first time.
    #[pyo3(get)]
    pub(super) newly_acked: u32,
    /// Next segment that would be sent.
    #[pyo3(get)]
    pub(super) next: i64,
    /// Segments sent and not acknowledged.
    #[pyo3(get)]
    pub(super) in_flight: u32,
    /// Time since segment `acked` was sent, s, if that was sent only once.
    #[pyo3(get)]
    pub(super) rtt_s: Option<f64>,
    /// Smoothed round-trip time, s.
    #[pyo3(get)]
    pub(super) srtt_s: Option<f64>,
    /// Whether as much was in flight before it as the congestion window allows.
    #[pyo3(get)]
    pub(super) is_cwnd_limited: bool,
}

/// A loss, as controllers see it.
#[pyclass(frozen, name = "Loss", module = "hoplab._core")]
pub(crate) struct PyLoss {
    /// Simulated time, s.
    #[pyo3(get)]
    pub(super) now_s: f64,
    /// Whether a timeout indicates it, not duplicate acknowledgments.
    #[pyo3(get)]
    pub(super) is_timeout: bool,
    /// Window in use: the smaller of `cwnd` and rwnd.
    #[pyo3(get)]
    pub(super) window: f64,
    /// Segments in flight.
    #[pyo3(get)]
    pub(super) in_flight: u32,
    /// Whether the lost segment was a retransmission.
    #[pyo3(get)]
    pub(super) is_retransmission: bool,
}

/// The setup of a flow, before anything is sent.
#[pyclass(frozen, name = "Setup", module = "hoplab._core")]
pub(crate) struct PySetup {
    /// The flow's number.
    #[pyo3(get)]
    pub(super) flow: u32,
    /// Window once the connection is established, segments.
    #[pyo3(get)]
    pub(super) initial_window: f64,
    /// Slow-start threshold at the beginning, segments.
    #[pyo3(get)]
    pub(super) initial_ssthresh: f64,
    /// Payload of a segment, bytes.
    #[pyo3(get)]
    pub(super) segment: u32,
    /// The receiver's limit, segments.
    #[pyo3(get)]
    pub(super) window: u32,
    /// Whether the profile is `rfc`: after a loss `ssthresh` follows from the flight size, not from the window.
    #[pyo3(get)]
    pub(super) is_rfc: bool,
}
