//! What a proxy receives, sends and counts, in terms of RFC 3135 (local acknowledgments and retransmissions).

use crate::kernel::{FlowId, NodeId};
use crate::packet::{Lack, SegNo, SplitSegment};
use schemars::JsonSchema;
use serde::Serialize;

/// A packet in transit at a proxy's node, its hop there counted.
#[derive(Clone, Copy, Debug)]
pub struct ProxyView {
    /// Its flow.
    pub flow: FlowId,
    /// Where the flow's data starts.
    pub src: NodeId,
    /// Its destination.
    pub dst: NodeId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// Hops since the responsible node sent it.
    pub forwards: u16,
    /// Hops left to its destination, if they were requested (`Proxy::wants_hops_left`) and are known.
    pub hops_left: Option<u16>,
    /// Whether it crosses between a wire and a radio of a node that splits connections there.
    pub is_crossing: bool,
    /// Its content.
    pub split: SplitSegment,
}

/// What happens to a packet that a proxy received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The proxy has stored its content; the packet ends here.
    Keep,
    /// It is forwarded.
    PassOn,
    /// It is forwarded past all other proxies.
    Bypass,
}

/// What a proxy sends or reports.
#[derive(Clone, Copy, Debug)]
pub enum ProxyOut {
    /// Forwards a segment.
    Segment {
        /// Its flow.
        flow: FlowId,
        /// Where the flow's data starts.
        src: NodeId,
        /// Its destination.
        dst: NodeId,
        /// Length with all headers above the MAC, in bytes.
        bytes: u32,
        /// Content.
        split: SplitSegment,
    },
    /// Sends a local acknowledgment.
    Lack {
        /// Its flow.
        flow: FlowId,
        /// Where the flow's data starts.
        src: NodeId,
        /// Content.
        lack: Lack,
    },
    /// Reports that it accepted a segment.
    Accepted {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
        /// Segments stored now.
        held: u32,
    },
    /// Reports that it is no longer responsible for a segment.
    Released {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
        /// Segments stored now.
        held: u32,
    },
}

/// Counts of one proxy. At any time `taken = released + expired + lost + held`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyCounts {
    /// Segments accepted.
    pub taken: u64,
    /// Segments that the next proxy or the destination acknowledged.
    pub released: u64,
    /// Segments dropped after too many transmissions or too long a time.
    pub expired: u64,
    /// Segments lost when the proxy failed.
    pub lost: u64,
    /// Segments stored now.
    pub held: u64,
    /// Maximum number of segments stored at a time.
    pub held_max: u64,
    /// Duplicate segments.
    pub duplicates: u64,
    /// Segments forwarded because the buffer was full.
    pub bypassed: u64,
    /// Segments dropped because the buffer was full.
    pub refused: u64,
    /// Segments sent.
    pub sent: u64,
    /// Retransmissions among them.
    pub resent: u64,
    /// Losses detected by local acknowledgments of later segments.
    pub fast_retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Local acknowledgments sent.
    pub lacks: u64,
    /// Window updates among them.
    pub window_updates: u64,
    /// Failures of the proxy.
    pub failures: u64,
}

impl ProxyCounts {
    /// Whether every accepted segment is accounted for.
    pub fn is_balanced(&self) -> bool {
        self.taken == self.released + self.expired + self.lost + self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_without_a_segment_are_unbalanced() {
        let ended = ProxyCounts { taken: 10, released: 5, expired: 2, lost: 1, held: 2, ..ProxyCounts::default() };
        assert!(ended.is_balanced());
        assert!(!ProxyCounts { taken: 11, ..ended }.is_balanced());
        assert!(!ProxyCounts { held: 3, ..ended }.is_balanced());
    }
}
