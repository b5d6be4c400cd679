//! The retransmission timer, and the segment that is timed (RFC 6298 sections 3 and 5).

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
