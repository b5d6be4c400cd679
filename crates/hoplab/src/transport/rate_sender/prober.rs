//! The clock of Syns and Refs: packets without data that request the rate (docs/specs/rcp.md section 4).

use crate::kernel::Time;

/// When a packet that requests the rate leaves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prober {
    /// When the last packet that requests the rate was sent, if no response arrived yet.
    pub(super) asked: Option<Time>,
    /// What the next Syn or Ref counts from.
    pub(super) since: Option<Time>,
    /// When the next Syn or Ref leaves.
    pub(super) deadline: Option<Time>,
}
