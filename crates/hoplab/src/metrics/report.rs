//! The report of one flow: the stable contract of `hoplab run --json`.

use crate::kernel::{FlowId, NodeId, Time};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Which flow a report is about.
#[derive(Clone, Debug)]
pub struct FlowLabel {
    /// Its number.
    pub id: FlowId,
    /// Node that sends its data.
    pub src: NodeId,
    /// Node that receives its data.
    pub dst: NodeId,
    /// Name of its transport in scenarios.
    pub transport: String,
    /// When its traffic starts.
    pub start: Time,
    /// Whether it sends datagrams.
    pub is_datagrams: bool,
    /// Whether it is a voice call.
    pub is_voice: bool,
}

/// Numbers of one flow over the measured time: from the later of warm-up and the flow's start, to the end.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlowReport {
    /// The flow's number.
    pub id: u32,
    /// Node that sends its data.
    pub src: u32,
    /// Node that receives its data.
    pub dst: u32,
    /// Its transport.
    pub transport: String,
    /// Payload bits per second delivered to the application in order; of datagrams, distinct ones.
    pub goodput_bps: f64,
    /// Distinct payload bits per second received in any order.
    pub unique_bps: f64,
    /// Payload bits per second received, retransmissions included.
    pub throughput_bps: f64,
    /// Segments or datagrams sent, retransmissions included.
    pub segments_sent: u64,
    /// Retransmissions among them.
    pub retransmissions: u64,
    /// Timeouts: expiries of the RTO.
    pub timeouts: u64,
    /// Losses detected by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Those of them that did not reduce the window.
    pub unreduced_fast_retransmits: u64,
    /// Packets that the sender declared lost; absent for transports that are not a stack, and for stacks that do not reveal it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_lost: Option<u64>,
    /// Times that the flight size reached `semi_tcp.max_outstanding`; absent if zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits_reached: Option<u64>,
    /// Acknowledgments sent by its receiver; 0 for datagrams.
    pub acks_sent: u64,
    /// Data packets dropped in the network, for any reason.
    pub dropped: u64,
    /// Data packets dropped over the whole run, by reason; absent without any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub drops: BTreeMap<&'static str, u64>,
    /// Acknowledgments dropped over the whole run, by reason; absent without any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ack_drops: BTreeMap<&'static str, u64>,
    /// Dropped data packets as a share of those sent (RFC 5166 section 2.3); none if nothing was sent.
    pub drop_ratio: Option<f64>,
    /// Mean number of hops of delivered data packets.
    pub hops_mean: Option<f64>,
    /// Mean time of delivered data packets in transit, queues included, in seconds; each retransmission counts from its
    /// own sending.
    pub transit_mean_s: Option<f64>,
    /// Of that, the mean time since they entered the interface queue of the node that created them, in seconds: the wait
    /// for a route or an ARP reply before does not count.
    pub mac_delay_mean_s: Option<f64>,
    /// Mean time from the first sending of a segment to its first reception, in seconds.
    pub delay_mean_s: Option<f64>,
    /// Its 95th percentile.
    pub delay_p95_s: Option<f64>,
    /// Its 99th percentile.
    pub delay_p99_s: Option<f64>,
    /// Its maximum.
    pub delay_max_s: Option<f64>,
    /// Jitter at the end, by RFC 3550 section 6.4.1.
    pub jitter_s: Option<f64>,
    /// Mean time from the supply of a packet by the sending application to its delivery in order; none for a file.
    pub app_delay_mean_s: Option<f64>,
    /// Share of the datagrams sent that were not received; none for connections.
    pub loss_ratio: Option<f64>,
    /// Mean opinion score of a voice call, from its application's delay and its loss.
    pub mos: Option<f64>,
    /// Size of the finite transfer in bytes; absent for other flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_bytes: Option<u64>,
    /// Completion time of the transfer in seconds: from the SYN to the last byte at the receiver, over the whole run; none if
    /// it is not complete. Absent for flows without a size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fct_s: Option<Option<f64>>,
    /// That time over the time of the same size alone on the idle path; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// Whether the transfer was given up: the other end was unreachable, or reset the connection. Absent for flows without a
    /// size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_aborted: Option<bool>,
    /// Why the connection ended before its time: `timeout`, `unreachable` or `reset`. Absent if it did not, and for transports
    /// other than real connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted_by: Option<String>,
    /// Capacity of the path in bits per second, as estimated by AdHoc Probe; absent for other applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_bps: Option<f64>,
    /// Mean congestion window over time, in segments.
    pub cwnd_mean: Option<f64>,
    /// Mean over time of the smaller of congestion window and `flow.window`, in segments; real connections have no
    /// `flow.window`. Absent without a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_mean: Option<f64>,
    /// Goodput over the flow's own life, to the end of its transfer or its `stop`, in bits per second; absent for a flow that
    /// lasts to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_goodput_bps: Option<f64>,
    /// When the flow's traffic starts, in seconds.
    pub start_s: f64,
    /// Number of the workload that the flow belongs to; absent for other flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<u32>,
}
