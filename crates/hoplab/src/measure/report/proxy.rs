//! Reports of proxies (RFC 3135; Split TCP), and of the flows that they take part in.

use crate::kernel::FlowId;
use crate::measure::view::RunView;
use crate::transport::Flow;
use crate::transport::proxy::split_tcp::stream_digest;
use crate::transport::proxy::{Proxy, ProxyCounts};
use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of one proxy over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProxyReport {
    /// Its node.
    pub node: u32,
    /// Its counts.
    #[serde(flatten)]
    pub counts: ProxyCounts,
}

/// Numbers of a flow that only flows through proxies have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SplitReport {
    /// The flow's number.
    pub flow: u32,
    /// Segments delivered in order.
    pub delivered: u64,
    /// Whether the delivered stream is, by its checksum, the stream that was sent.
    pub is_whole: bool,
    /// Segments that the source stores: the destination has not acknowledged them.
    pub kept: u64,
    /// Local acknowledgments received by the source.
    pub lacks_received: u64,
    /// Local acknowledgments sent by the destination.
    pub lacks_sent: u64,
    /// End-to-end acknowledgments sent by the destination.
    pub e2e_acks: u64,
    /// End-to-end acknowledgments sent because no segment arrived for a while.
    pub idle_acks: u64,
    /// End-to-end timeouts.
    pub e2e_timeouts: u64,
    /// Segments retransmitted by the source after end-to-end timeouts.
    pub e2e_resent: u64,
    /// Duplicate segments received by the destination.
    pub duplicates: u64,
}

/// Reports of the proxies that have done anything.
pub(super) fn proxy_reports(run: &RunView<'_>) -> Vec<ProxyReport> {
    let all = run.proxies().map(|(node, proxy)| ProxyReport { node: node.0, counts: proxy.counts() });
    all.filter(|report| report.counts != ProxyCounts::default()).collect()
}

/// Reports of the flows through proxies.
pub(in crate::measure) fn split_reports(run: &RunView<'_>) -> Vec<SplitReport> {
    let of = |(flow, ends): (FlowId, &Flow)| {
        let (source, sink) = ends.connection.split_ends()?;
        Some(SplitReport {
            flow: flow.0,
            delivered: sink.rcv_nxt() as u64,
            is_whole: sink.digest() == stream_digest(flow, sink.rcv_nxt()),
            kept: (source.next() - source.una()) as u64,
            lacks_received: source.counts().lacks,
            lacks_sent: sink.counts().lacks,
            e2e_acks: sink.counts().e2e_acks,
            idle_acks: sink.counts().idle_acks,
            e2e_timeouts: source.counts().e2e_timeouts,
            e2e_resent: source.counts().e2e_retransmissions,
            duplicates: sink.counts().duplicates,
        })
    };
    (0..).map(FlowId).zip(run.flows).filter_map(of).collect()
}
