//! A statement for a node.

use crate::kernel::Time;
use crate::mobility::trajectory::Point;

/// One thing to do.
pub(super) struct Order {
    pub(super) t: Time,
    pub(super) line: u32,
    pub(super) act: Act,
}

/// What to do.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Act {
    /// Go there at this speed.
    Go(Point, f64),
    /// Be at this x.
    JumpX(f64),
    /// Be at this y.
    JumpY(f64),
}
