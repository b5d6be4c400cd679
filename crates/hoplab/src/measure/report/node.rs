//! The report of one node: frames, collisions, queue and drops.

use crate::packet::{Category, FrameKind};
use crate::trace::{CategoryCounters, Counters, Loss, NodeCounters, Step};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of one node over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NodeReport {
    /// The node's number.
    pub id: u32,
    /// RTS frames sent, retries included.
    pub rts: u64,
    /// CTS frames sent.
    pub cts: u64,
    /// Unicast data frames and A-MPDUs sent, retries included.
    pub data: u64,
    /// MAC acknowledgments sent, Block Acks included.
    pub ack: u64,
    /// Broadcast data frames sent.
    pub broadcast: u64,
    /// Frames for it lost to collisions.
    pub collisions: u64,
    /// Frames for it that were lost here, by cause. Causes that did not occur are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lost: BTreeMap<&'static str, u64>,
    /// Packets that its MAC dequeued from the interface queue.
    pub queued: u64,
    /// Mean time of these packets in the queue, in seconds.
    pub queue_wait_mean_s: Option<f64>,
    /// Those of these packets that another node had created.
    pub relayed: u64,
    /// Mean time of the relayed packets in the queue, in seconds.
    pub relay_wait_mean_s: Option<f64>,
    /// Payload that neighbors have accepted from it, in bytes; retransmissions count again.
    pub passed_bytes: u64,
    /// Packets dropped here, for any reason.
    pub dropped: u64,
    /// Packets dropped here by queue overflow.
    pub queue_full: u64,
    /// Packets that exceeded the MAC's retry limit, or whose ARP resolution failed.
    pub link_failures: u64,
    /// Access categories, by name, from the lowest priority to the highest. Without categories it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub categories: Option<CategoriesReport>,
    /// Steps of a handshake that carries congestion, by name. Steps that did not occur are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub handshake: BTreeMap<&'static str, u64>,
}

/// Numbers of the access categories of one node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CategoriesReport {
    /// AC_BK.
    pub background: CategoryReport,
    /// AC_BE.
    pub best_effort: CategoryReport,
    /// AC_VI.
    pub video: CategoryReport,
    /// AC_VO.
    pub voice: CategoryReport,
}

/// Numbers of one access category of one node over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CategoryReport {
    /// Data frames sent, retries and broadcasts included.
    pub data: u64,
    /// Airtime of these, of RTSs before them and of Block Ack Requests, in seconds.
    pub airtime_s: f64,
    /// Packets that the MAC dequeued from the queue of the category.
    pub queued: u64,
    /// Mean time of these packets in the queue, in seconds.
    pub queue_wait_mean_s: Option<f64>,
    /// Packets dropped here, for any reason.
    pub dropped: u64,
    /// Times at which a category of higher priority has sent in its place.
    pub internal_collisions: u64,
}

impl CategoriesReport {
    fn of(counters: &[CategoryCounters; Category::COUNT]) -> CategoriesReport {
        let of = |category: Category| {
            let counters = &counters[category as usize];
            CategoryReport {
                data: counters.data,
                airtime_s: counters.airtime as f64 * 1e-9,
                queued: counters.queued,
                queue_wait_mean_s: mean(counters.wait, counters.queued),
                dropped: counters.dropped,
                internal_collisions: counters.internal_collisions,
            }
        };
        CategoriesReport {
            background: of(Category::Background),
            best_effort: of(Category::BestEffort),
            video: of(Category::Video),
            voice: of(Category::Voice),
        }
    }
}

impl NodeReport {
    /// All nodes, in order.
    pub(super) fn all(counters: &Counters) -> Vec<NodeReport> {
        let nodes = counters.nodes().iter().enumerate();
        nodes.map(|(id, node)| NodeReport::of(id as u32, node, counters.categories(id))).collect()
    }

    fn of(id: u32, counters: &NodeCounters, categories: Option<&[CategoryCounters; Category::COUNT]>) -> NodeReport {
        let sent = |kind: FrameKind| counters.frames[kind as usize];
        NodeReport {
            id,
            rts: sent(FrameKind::Rts),
            cts: sent(FrameKind::Cts),
            data: sent(FrameKind::Data) + sent(FrameKind::Aggregate),
            ack: sent(FrameKind::Ack) + sent(FrameKind::BlockAck),
            broadcast: counters.broadcasts,
            collisions: counters.lost[Loss::Collision as usize],
            lost: Loss::ALL
                .into_iter()
                .map(|cause| (cause.name(), counters.lost[cause as usize]))
                .filter(|&(_, count)| count > 0)
                .collect(),
            queued: counters.queued,
            queue_wait_mean_s: mean(counters.wait, counters.queued),
            relayed: counters.relayed,
            relay_wait_mean_s: mean(counters.relay_wait, counters.relayed),
            passed_bytes: counters.passed,
            dropped: counters.dropped,
            queue_full: counters.queue_full,
            link_failures: counters.link_failures,
            categories: categories.map(CategoriesReport::of),
            handshake: Step::ALL
                .into_iter()
                .map(|step| (step.name(), counters.steps[step as usize]))
                .filter(|&(_, count)| count > 0)
                .collect(),
        }
    }
}

/// The mean of `count` times in seconds, from their sum in nanoseconds.
fn mean(nanos: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| nanos as f64 * 1e-9 / count as f64)
}
