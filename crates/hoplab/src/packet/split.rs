//! Packets that proxies on the way may take over, and the acknowledgments between them.

use super::segment::{SegNo, Segment};
use crate::kernel::{NodeId, Time};

/// Data that a proxy may take over: a segment, and an IP option that says who answers for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitSegment {
    /// The segment, numbered end to end. Its `sent_at` is when the node that answers for it sent this copy.
    pub segment: Segment,
    /// Stands for the bytes of the payload: whoever hands the segment on hands this on with it.
    pub content: u64,
    /// The option.
    pub tag: SplitTag,
}

/// The option by which relays know whether to take a packet over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitTag {
    /// Node that answers for the packet now: its source, or the last proxy.
    pub resp: NodeId,
    /// Relays that it has come to since `resp` sent it.
    pub hops: u8,
    /// Whether the source sends it again since no end-to-end acknowledgment has come.
    pub is_e2e_rtx: bool,
    /// Whether `resp` had sent it before.
    pub is_local_rtx: bool,
    /// Whether proxies are to leave it alone: one would have taken it over but had no room.
    pub is_bypass: bool,
    /// Whether it is the last one of its flow, as far as its source knew when it sent it.
    pub is_last: bool,
    /// PacketCounters of `resp` in which it was sent; another one begins when a proxy has failed.
    pub epoch: u16,
    /// Its number among those that `resp` has sent, if acknowledgments between proxies are cumulative.
    pub number: u32,
    /// The lowest of those numbers that is not acknowledged.
    pub oldest: u32,
    /// Hops travelled before `resp` sent it.
    pub travelled: u16,
}

/// A local acknowledgment: the next proxy, or the destination, has a segment and answers for it from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lack {
    /// Node that it is for: the one that answered for the segment before.
    pub resp: NodeId,
    /// Its life in which it sent the segment.
    pub epoch: u16,
    /// Who has the segment now.
    pub from: NodeId,
    /// The segment that caused this; none if it only tells of room.
    pub seq: Option<SegNo>,
    /// Every segment below has been received, as far as the sender of this can know.
    pub cumulative: SegNo,
    /// The same in `resp`'s own numbers.
    pub number: u32,
    /// Segments of this flow that can still be taken.
    pub win: u32,
    /// When `resp` sent the segment.
    pub echo: Time,
}
