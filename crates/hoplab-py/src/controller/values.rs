//! Arguments of a Python controller: acknowledgments, losses, samples of the rate, and the setup of its flow.

use hoplab::kernel::Span;
use hoplab::scenario::FlowSpec;
use hoplab::transport::{RateSample, Repair, SenderState, StreamConfig, TcpConfig, TcpProfile};
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
    /// Whether the sender is that of a complete connection (`tcp_*`), not a one-way agent.
    #[pyo3(get)]
    pub(super) is_connection: bool,
}

impl PySetup {
    pub(super) fn of(flow: &FlowSpec, tcp: &TcpConfig, stream: &StreamConfig) -> PySetup {
        let segment = flow.segment.0;
        if flow.transport.is_stream() {
            return PySetup {
                flow: flow.id.0,
                initial_window: f64::from(stream.initial_window),
                initial_ssthresh: f64::INFINITY,
                segment,
                window: stream.receive_buffer.0 / segment,
                is_rfc: false,
                is_connection: true,
            };
        }
        PySetup {
            flow: flow.id.0,
            initial_window: f64::from(tcp.initial_window(segment)),
            initial_ssthresh: tcp.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            segment,
            window: flow.window,
            is_rfc: tcp.profile == TcpProfile::Rfc,
            is_connection: false,
        }
    }
}

/// A sample of the delivery rate, as controllers over complete connections see it.
#[pyclass(frozen, name = "Sample", module = "hoplab._core")]
pub(crate) struct PySample {
    /// Simulated time, s.
    #[pyo3(get)]
    now_s: f64,
    /// Payload delivered per second, bit/s; none if the interval is shorter than the minimum round-trip time.
    #[pyo3(get)]
    rate_bps: Option<f64>,
    /// Round-trip time of the newest segment acknowledged, s, if it was sent once.
    #[pyo3(get)]
    rtt_s: Option<f64>,
    /// Smoothed round-trip time, s.
    #[pyo3(get)]
    srtt_s: Option<f64>,
    /// Segments that the acknowledgment delivers, in order or not.
    #[pyo3(get)]
    newly_delivered: u32,
    /// Segments that it shows to be lost.
    #[pyo3(get)]
    newly_lost: u32,
    /// Segments in flight.
    #[pyo3(get)]
    in_flight: u32,
    /// Whether losses are being repaired.
    #[pyo3(get)]
    in_recovery: bool,
    /// Whether the application limited the rate when the segment was sent.
    #[pyo3(get)]
    is_app_limited: bool,
    /// Whether `cwnd` was the limit at any time in the last round trip.
    #[pyo3(get)]
    is_cwnd_limited: bool,
    /// Whether the acknowledgment echoes a congestion mark.
    #[pyo3(get)]
    has_echo: bool,
}

impl PySample {
    pub(super) fn of(sample: &RateSample, state: &SenderState) -> PySample {
        PySample {
            now_s: state.now.secs(),
            rate_bps: sample.rate.map(|rate| rate * 8.0),
            rtt_s: sample.rtt.map(Span::secs),
            srtt_s: state.srtt.map(Span::secs),
            newly_delivered: state.newly_delivered,
            newly_lost: state.newly_lost,
            in_flight: state.flights.1,
            in_recovery: state.repair != Repair::None,
            is_app_limited: sample.is_app_limited,
            is_cwnd_limited: state.is_cwnd_limited,
            has_echo: state.has_echo,
        }
    }
}
