//! The clock of Syns and Refs: packets without data that ask for the rate (rcp.md section 4).

use crate::kernel::Time;

/// When a packet that asks for the rate leaves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prober {
    /// When the last packet was sent that asks for the rate, if it is not answered yet.
    pub(super) asked: Option<Time>,
    /// What the next Syn or Ref counts from.
    pub(super) since: Option<Time>,
    /// When the next Syn or Ref leaves.
    pub(super) deadline: Option<Time>,
}
