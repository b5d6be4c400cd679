//! Segments and acknowledgments of connections (RFC 9293, 2018), and datagrams (RFC 768), as values.

use crate::kernel::Time;
use crate::packet::explicit::{Echo, Feedback};

/// Number of a segment within its flow, counted from 0. Segment 0 opens the connection and carries no data.
pub type SegNo = i64;

/// Data of a connection, as sent at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Number of the segment.
    pub seq: SegNo,
    /// Payload in bytes.
    pub payload: u32,
    /// When this copy was sent.
    pub sent_at: Time,
    /// When the segment was sent for the first time.
    pub first_sent: Time,
    /// Whether it had been sent before.
    pub is_retransmission: bool,
    /// Whether queues may mark it (ECT).
    pub is_ect: bool,
    /// Whether the sender has reduced its window since the last echo of a mark (CWR).
    pub has_cwr: bool,
    /// Header that routers may change.
    pub feedback: Feedback,
}

/// Acknowledgment of all segments up to and including `cumulative`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Highest segment received in order; -1 before the first.
    pub cumulative: SegNo,
    /// SACK blocks received above it, `[first, last)`, the most recent first.
    pub blocks: [(SegNo, SegNo); MAX_BLOCKS],
    /// Number of blocks in use.
    pub block_count: u8,
    /// Sending time of the segment that caused this acknowledgment.
    pub echo: Time,
    /// Whether that segment was a retransmission.
    pub echo_is_retransmission: bool,
    /// Whether it echoes the mark of a queue (ECE).
    pub has_ece: bool,
    /// What routers have written into the segments since the last acknowledgment.
    pub feedback: Echo,
}

/// SACK blocks that fit beside a timestamp (RFC 2018 section 3).
pub const MAX_BLOCKS: usize = 3;

/// Data without a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// Position in the flow, from 0.
    pub seq: u64,
    /// Payload in bytes.
    pub payload: u32,
    /// When it was sent.
    pub sent_at: Time,
}

impl Ack {
    /// A cumulative acknowledgment without SACK blocks.
    pub fn plain(cumulative: SegNo, echo: Time) -> Ack {
        Ack {
            cumulative,
            blocks: [(0, 0); MAX_BLOCKS],
            block_count: 0,
            echo,
            echo_is_retransmission: false,
            has_ece: false,
            feedback: Echo::None,
        }
    }

    /// The SACK blocks, the most recent first.
    pub fn blocks(&self) -> &[(SegNo, SegNo)] {
        &self.blocks[..self.block_count as usize]
    }
}
