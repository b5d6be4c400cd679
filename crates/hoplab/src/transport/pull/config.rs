//! Parameters of a connection that is pulled.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of a connection that is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullConfig {
    /// Segments that may be unacknowledged.
    pub max_outstanding: u32,
    /// What answers a segment that arrives out of order.
    pub ooo_ack: OooAck,
    /// Whether each timeout doubles the next.
    pub rto_backoff: bool,
    /// Least retransmission timeout.
    pub min_rto: Span,
    /// Retransmission timeout before the first measurement.
    pub initial_rto: Span,
    /// Acknowledgments that may wait at the receiver.
    pub ack_queue: u32,
    /// Whether a later acknowledgment takes the place of those that wait.
    pub coalesce_acks: bool,
    /// Whether slots are spaced out by TCP-AP's clock.
    pub paced: bool,
}

/// What answers a segment that arrives out of order.
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
