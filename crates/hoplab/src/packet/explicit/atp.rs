//! ATP (after Sundaresan et al. 2003): the receiver's report, and the parameters that ends and nodes share.

use crate::kernel::{Bytes, Span, Time};
use crate::packet::SegNo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ATP's receiver reports once per epoch, and at once for a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct AtpReport {
    /// Rate that the nodes on the path can serve, in packets per second.
    pub rate: f64,
    /// Highest segment received in order.
    pub cumulative: SegNo,
    /// When the newest packet that has arrived was sent.
    pub newest: Time,
    /// SACK blocks above `cumulative`, `[first, last)`, the lowest first.
    pub blocks: Vec<(SegNo, SegNo)>,
}

/// Table `[atp]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AtpConfig {
    /// Weight of earlier packets in a node's mean delays.
    #[schemars(range(min = 0, max = 0.999))]
    pub node_weight: f64,
    /// Weight of earlier packets in the receiver's mean delay.
    #[schemars(range(min = 0, max = 0.999))]
    pub receiver_weight: f64,
    /// Time between two reports of the receiver, and between two probes of the sender.
    pub epoch: Span,
    /// Service times of a packet that an idle node writes into a probe: the flow will contend with itself.
    #[schemars(range(min = 1, max = 100))]
    pub idle_factor: f64,
    /// Time without data after which a node is idle.
    pub idle_after: Span,
    /// Length of the packet whose transmission time an idle node assumes.
    pub nominal_packet: Bytes,
    /// Share by which the reported rate must exceed the sender's before it increases.
    #[schemars(range(min = 0, max = 10))]
    pub threshold: f64,
    /// Epochs in which the sender would reach a higher rate: each adds this part of the difference.
    #[schemars(range(min = 1, max = 1000))]
    pub increase_epochs: f64,
    /// Epochs in a row without a report after which the sender probes.
    #[schemars(range(min = 1, max = 100))]
    pub silent_epochs: u32,
    /// Maximum number of SACK blocks in a report.
    #[schemars(range(min = 1, max = 100))]
    pub blocks: u32,
    /// Header of every packet, with IP's.
    pub header: Bytes,
    /// Bytes that each SACK block adds to a report.
    pub block_bytes: Bytes,
}

impl Default for AtpConfig {
    fn default() -> Self {
        AtpConfig {
            node_weight: 0.75,
            receiver_weight: 0.85,
            epoch: Span::from_millis(1000),
            idle_factor: 3.0,
            idle_after: Span::from_millis(1000),
            nominal_packet: Bytes(1500),
            threshold: 0.2,
            increase_epochs: 5.0,
            silent_epochs: 3,
            blocks: 20,
            header: Bytes(40),
            block_bytes: Bytes(8),
        }
    }
}
