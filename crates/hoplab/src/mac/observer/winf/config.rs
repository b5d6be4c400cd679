//! Parameters of rt-Winf.

use crate::kernel::{Bytes, Span};
use crate::packet::explicit::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[winf]` of a scenario: rt-Winf, wherever it listens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WinfConfig {
    /// Whether it listens at every node, also if no flow's protocol asks for it.
    pub everywhere: bool,
    /// How the equations are read.
    pub mode: Form,
    /// What of an exchange counts as its time, unless literal.
    pub overhead: Overhead,
    /// Time over which capacity is taken, and at most the available bandwidth.
    pub window: Span,
    /// Packets shorter than this count only if there are no others.
    pub min_sample: Bytes,
    /// Whether each exchange counts as if its packet had 1500 bytes, so that short packets do not lower the capacity.
    pub normalise: bool,
    /// Whether the least role's capacity counts, and a neighbor's if that is less (eqs. 9 to 11); else that of all
    /// exchanges together, and nobody is told of it.
    pub least_role: bool,
    /// Whether capacity is taken per neighbor, and a node's value is the mean of those that it sends to; unless literal.
    pub per_neighbor: bool,
    /// Whether carrier that cannot be read counts as busy.
    pub count_cs: bool,
    /// Bytes that the receiver's value adds to every MAC ACK: 0 as a header field of ns-2, 4 on the air.
    pub ack_extra: Bytes,
}

/// What of an exchange counts as its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overhead {
    /// All of it, with DIFS and the mean of the first backoff: the highest rate that can be sustained.
    #[default]
    Full,
    /// Data and ACK only, as in eq. 1.
    Exchange,
    /// The same, less the share that DIFS and the mean of the first backoff have of the time since the role's last exchange.
    Backoff,
}

impl Default for WinfConfig {
    fn default() -> Self {
        WinfConfig {
            everywhere: false,
            mode: Form::Consistent,
            overhead: Overhead::Full,
            window: Span::from_millis(1000),
            min_sample: Bytes(200),
            normalise: false,
            least_role: true,
            per_neighbor: false,
            count_cs: true,
            ack_extra: Bytes(0),
        }
    }
}
