//! One flow's line in the results: the stable contract of `hoplab run --json`.

use crate::kernel::{FlowId, NodeId, Time};
use schemars::JsonSchema;
use serde::Serialize;

/// Which flow a report is about.
#[derive(Clone, Debug)]
pub struct FlowLabel {
    /// Its number.
    pub id: FlowId,
    /// Where its data starts.
    pub src: NodeId,
    /// Where its data goes.
    pub dst: NodeId,
    /// Name of its protocol in scenarios.
    pub transport: String,
    /// When its traffic begins.
    pub start: Time,
    /// Whether it is datagrams.
    pub is_datagrams: bool,
    /// Whether it is a voice call.
    pub is_voice: bool,
}

/// Numbers of one flow over the measured time: from the later of warm-up and the flow's start, to the end.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlowReport {
    /// The flow's number.
    pub id: u32,
    /// Node where its data starts.
    pub src: u32,
    /// Node where its data goes.
    pub dst: u32,
    /// Its protocol.
    pub transport: String,
    /// Payload bits per second that the application got in order; distinct ones for datagrams.
    pub goodput_bps: f64,
    /// Distinct payload bits per second that arrived in any order.
    pub unique_bps: f64,
    /// Payload bits per second that arrived, repeats included.
    pub throughput_bps: f64,
    /// Segments or datagrams sent, repeats included.
    pub segments_sent: u64,
    /// Those of them that had been sent before.
    pub retransmissions: u64,
    /// Retransmission timers that ended.
    pub timeouts: u64,
    /// Losses found by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Those of them that left the window as it was.
    pub kept_windows: u64,
    /// Times that as many segments were outstanding as `semi_tcp.max_outstanding` allows; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits_reached: Option<u64>,
    /// Acknowledgments that its receiver put into the network; 0 for datagrams.
    pub acks_sent: u64,
    /// Packets of data dropped in the network, for whatever reason.
    pub dropped: u64,
    /// The same as a share of the packets of data sent (RFC 5166 section 2.3); none if nothing was sent.
    pub drop_ratio: Option<f64>,
    /// Mean number of hops that delivered packets of data have travelled.
    pub hops_mean: Option<f64>,
    /// Mean time that packets of data that arrived were on their way, queues included, in seconds; each sending counts
    /// from its own beginning.
    pub transit_mean_s: Option<f64>,
    /// Of that, the mean time since they first entered the interface queue of the node that made them, in seconds: what
    /// they waited for a route or an address before does not count.
    pub mac_delay_mean_s: Option<f64>,
    /// Mean time from the first sending of a segment to its first arrival, in seconds.
    pub delay_mean_s: Option<f64>,
    /// What 95 of 100 segments do not exceed of it.
    pub delay_p95_s: Option<f64>,
    /// What 99 of 100 segments do not exceed of it.
    pub delay_p99_s: Option<f64>,
    /// The longest.
    pub delay_max_s: Option<f64>,
    /// Its variation between arrivals, as smoothed by RFC 3550 section 6.4.1, at the end.
    pub jitter_s: Option<f64>,
    /// Mean time from when the application supplied a packet until the other one got it, in order; none for a file.
    pub app_delay_mean_s: Option<f64>,
    /// Share of the datagrams sent that have not arrived; none for connections.
    pub loss_ratio: Option<f64>,
    /// Mean opinion score of a voice call, by its application's delay and its loss.
    pub mos: Option<f64>,
    /// Capacity of the path in bits per second, as AdHoc Probe finds it; absent for all else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_bps: Option<f64>,
    /// Mean congestion window over time, in segments.
    pub cwnd_mean: Option<f64>,
    /// When the flow's traffic begins, in seconds.
    pub start_s: f64,
}
