//! Parameters of a pulled connection, which sends when the link layer requests a packet (Cai 2013, section 3.1).

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of a pulled connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullConfig {
    /// Segments that may be outstanding.
    pub max_outstanding: u32,
    /// Response to a segment that arrives out of order.
    pub ooo_ack: OooAck,
    /// Whether each timeout doubles the next.
    pub rto_backoff: bool,
    /// Minimum retransmission timeout.
    pub min_rto: Span,
    /// Retransmission timeout before the first sample.
    pub initial_rto: Span,
    /// Acknowledgments that may wait at the receiver.
    pub ack_queue: u32,
    /// Whether a later acknowledgment replaces those that wait.
    pub coalesce_acks: bool,
    /// Segments of any order per acknowledgment of a receiver with SACK, unless `tcp.ack_every` says so.
    pub sack_every: u32,
    /// Longest delay of such an acknowledgment.
    pub ack_delay: Span,
    /// Whether slots are paced by TCP-AP's clock.
    pub paced: bool,
}

/// Segments of any order per acknowledgment to a pulled sender with SACK. Eight carry nearly as much.
pub const SACK_EVERY: u32 = 16;

/// Response to a segment that arrives out of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OooAck {
    /// Nothing.
    None,
    /// An acknowledgment of this segment alone.
    Single,
    /// A duplicate of the last acknowledgment.
    #[default]
    Dupack,
}
