//! The retransmission timer, and the segment that is timed.

use crate::kernel::Time;
use crate::packet::SegNo;

/// The retransmission timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    /// When it expires.
    pub(super) deadline: Option<Time>,
    /// Segment that is timed, and when it was sent.
    pub(super) timed: Option<(SegNo, Time)>,
    /// Lowest unacknowledged segment at the last timeout.
    pub(super) expired_for: Option<SegNo>,
}
