//! A statement for a node: a leg or a jump (ns-2.35 `MobileNode::command`).

use crate::kernel::Time;
use crate::mobility::trajectory::Point;

/// A statement with its time.
pub(super) struct Order {
    pub(super) t: Time,
    pub(super) line: u32,
    pub(super) act: Act,
}

/// Its effect.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Act {
    /// A leg to a position, at a speed.
    Go(Point, f64),
    /// A jump to this x.
    JumpX(f64),
    /// A jump to this y.
    JumpY(f64),
}
