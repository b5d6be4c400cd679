//! Sequence numbers of segments as byte offsets, as TCP headers carry them (RFC 9293 section 3.4).

use crate::kernel::FlowId;
use crate::packet::SegNo;

/// How segment numbers of a flow become byte offsets.
#[derive(Clone, Copy, Debug)]
pub struct FlowBytes {
    /// Payload of a segment.
    pub payload: u32,
    /// Whether segment 0 opens the connection, without data.
    pub has_opening: bool,
}

/// All flows of a run, by number.
#[derive(Clone, Debug)]
pub(super) struct Flows(pub(super) Vec<FlowBytes>);

impl Flows {
    /// Whether this segment opens the connection.
    pub(super) fn opens(&self, flow: FlowId, seq: SegNo) -> bool {
        seq == 0 && self.0.get(flow.index()).is_some_and(|flow| flow.has_opening)
    }

    /// Sequence number of the first byte of a segment. Data begins at 1: the SYN, sent or not, takes one number.
    pub(super) fn offset(&self, flow: FlowId, seq: SegNo) -> u32 {
        let Some(flow) = self.0.get(flow.index()) else { return 0 };
        let before = seq - SegNo::from(flow.has_opening);
        if before < 0 { 0 } else { 1u32.wrapping_add((before as u32).wrapping_mul(flow.payload)) }
    }
}
