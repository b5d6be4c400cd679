//! The report of packets of real programs.

use crate::measure::view::RunView;
use crate::sim::Conversation;
use crate::trace::DropReason;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Packets of real programs, over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LiveReport {
    /// Nodes with a device.
    pub nodes: Vec<u32>,
    /// Packets that entered the network.
    pub packets: u64,
    /// Packets delivered. Each node that receives a broadcast counts.
    pub delivered: u64,
    /// Packets that were in transit at the end.
    pub in_transit: u64,
    /// Packets dropped, by reason. Reasons that did not occur are left out.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Conversations, in order of their first packets.
    pub conversations: Vec<ConversationReport>,
}

/// The packets from one port of a node to one port of another.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConversationReport {
    /// The node that sends; `None` for conversations beyond the limit, which are counted together.
    pub from: Option<u32>,
    /// The node that receives; `None` for broadcasts.
    pub to: Option<u32>,
    /// IP protocol number: 1 for ICMP, 6 for TCP, 17 for UDP.
    pub protocol: u8,
    /// Source port; 0 for protocols without ports.
    pub from_port: u16,
    /// Destination port; 0 for protocols without ports.
    pub to_port: u16,
    /// Packets sent.
    pub packets: u64,
    /// Bytes sent, IP headers included.
    pub bytes: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Bytes delivered, IP headers included.
    pub delivered_bytes: u64,
    /// Mean time from entering to delivery, in seconds.
    pub delay_mean_s: Option<f64>,
    /// Shortest such time, in seconds.
    pub delay_min_s: Option<f64>,
    /// Longest such time, in seconds.
    pub delay_max_s: Option<f64>,
    /// Packets dropped, by reason. Reasons that did not occur are left out.
    pub dropped: BTreeMap<&'static str, u64>,
}

impl LiveReport {
    /// The report of a run whose scenario has a table `[live]`.
    pub(super) fn of(run: &RunView<'_>) -> Option<LiveReport> {
        let live = run.ctx.live.as_deref()?;
        let counters = run.ctx.trace.counters.live();
        Some(LiveReport {
            nodes: live.ports().map(|node| node.0).collect(),
            packets: counters.originated,
            delivered: counters.delivered,
            in_transit: counters.begun() - counters.ended(),
            dropped: by_reason(&counters.dropped),
            conversations: live.conversations().iter().map(ConversationReport::of).collect(),
        })
    }
}

impl ConversationReport {
    fn of(counts: &Conversation) -> ConversationReport {
        let seconds = |nanos: u64| nanos as f64 * 1e-9;
        let (from, to) = counts.ends.unzip();
        ConversationReport {
            from: from.map(|node| node.0),
            to: to.filter(|node| !node.is_broadcast()).map(|node| node.0),
            protocol: counts.ports.protocol,
            from_port: counts.ports.from,
            to_port: counts.ports.to,
            packets: counts.packets,
            bytes: counts.bytes,
            delivered: counts.delivered,
            delivered_bytes: counts.delivered_bytes,
            delay_mean_s: (counts.delivered > 0).then(|| seconds(counts.delay) / counts.delivered as f64),
            delay_min_s: counts.delay_range.map(|(least, _)| seconds(least)),
            delay_max_s: counts.delay_range.map(|(_, most)| seconds(most)),
            dropped: by_reason(&counts.dropped),
        }
    }
}

/// Counts that are not zero, by name.
fn by_reason(counts: &[u64; DropReason::ALL.len()]) -> BTreeMap<&'static str, u64> {
    let named = DropReason::ALL.into_iter().map(|reason| (reason.name(), counts[reason as usize]));
    named.filter(|&(_, count)| count > 0).collect()
}
