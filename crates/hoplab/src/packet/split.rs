//! Split TCP (Kopparty 2002): segments that proxies may accept, and local acknowledgments (LACKs).

use super::segment::{SegNo, Segment};
use crate::kernel::{NodeId, Time};

/// A segment that a proxy may accept, with an IP option that names the responsible node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitSegment {
    /// The segment, numbered end to end. Its `sent_at` is when the responsible node sent this copy.
    pub segment: Segment,
    /// Checksum of the payload, which a proxy forwards with the segment.
    pub content: u64,
    /// The option.
    pub tag: SplitTag,
}

/// The IP option by which relays decide whether to accept a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitTag {
    /// Responsible node: the source, or the last proxy that has accepted the segment.
    pub resp: NodeId,
    /// Relays that have received it since `resp` sent it.
    pub hops: u8,
    /// Whether it is an end-to-end retransmission by the source.
    pub is_e2e_rtx: bool,
    /// Whether it is a local retransmission by `resp`.
    pub is_local_rtx: bool,
    /// Whether proxies forward it unchanged: one has refused it for lack of buffer space.
    pub is_bypass: bool,
    /// Whether its source knew it as the last segment of the flow.
    pub is_last: bool,
    /// Epoch of `resp` in which it was sent; a failure of a proxy starts a new one.
    pub epoch: u16,
    /// Its number among the segments of `resp`, if local acknowledgments are cumulative.
    pub number: u32,
    /// The lowest unacknowledged of these numbers.
    pub oldest: u32,
    /// Hops travelled before `resp` sent it.
    pub travelled: u16,
}

/// A local acknowledgment: the next proxy, or the destination, has a segment and is responsible from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lack {
    /// The responsible node that it is addressed to.
    pub resp: NodeId,
    /// Epoch in which that node sent the segment.
    pub epoch: u16,
    /// Node that has the segment now.
    pub from: NodeId,
    /// The segment that caused this; `None` for a window update.
    pub seq: Option<SegNo>,
    /// All segments below have been received, according to its sender.
    pub cumulative: SegNo,
    /// Cumulative acknowledgment in the numbers of `resp`.
    pub number: u32,
    /// Window: segments of this flow that its sender can still accept.
    pub win: u32,
    /// When `resp` sent the segment.
    pub echo: Time,
}
