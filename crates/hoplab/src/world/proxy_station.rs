//! State of the proxies that the world owns: whether each is up, its timer, and its random failures.

use super::deadline::DeadlineTimer;
use crate::kernel::{NodeId, RandomStream, Span, exponential};
use crate::transport::proxy::ProxyOut;

/// State of the proxies of a run.
#[derive(Debug, Default)]
pub(super) struct ProxyControl {
    /// By node; empty if no flow uses proxies.
    pub(super) stations: Vec<Option<ProxyStation>>,
    /// Nodes whose proxies split all that crosses between wire and radio.
    pub(super) gateways: Vec<NodeId>,
    /// Actions of proxies; empty between events.
    pub(super) outbox: Vec<ProxyOut>,
    /// Whether local acknowledgments are addressed to the responsible node, rather than to the source of the flow.
    pub(super) is_direct: bool,
    /// Length of a local acknowledgment, in bytes, before routing adds its header.
    pub(super) lack_bytes: u32,
}

/// The state of one proxy.
#[derive(Debug)]
pub(super) struct ProxyStation {
    pub(super) is_up: bool,
    pub(super) timer: DeadlineTimer,
    pub(super) failures: Option<FailureProcess>,
}

/// Random failures of a proxy: exponential times up and down.
#[derive(Debug)]
pub(super) struct FailureProcess {
    /// Mean time up, in seconds.
    pub(super) mean_up: f64,
    /// Mean time down, in seconds.
    pub(super) mean_down: f64,
    /// Random stream of both times.
    pub(super) stream: RandomStream,
    /// Whether the node's radio is off while the proxy is down.
    pub(super) switches_radio: bool,
}

impl FailureProcess {
    /// Time until the next failure, or until the next recovery.
    pub(super) fn draw(&mut self, is_up: bool) -> Span {
        let mean = if is_up { self.mean_up } else { self.mean_down };
        Span::from_secs(exponential(mean, self.stream.unit()))
    }
}
