//! What the application has supplied, in segments from 1 on; segment 0 opens the connection.

use crate::app::Supply;
use crate::packet::SegNo;

/// The segments that a sender may send.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Supplied {
    /// One past the last segment; 0 before the first.
    pub(super) end: SegNo,
    is_closed: bool,
}

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl Supplied {
    /// The application supplies more. Returns whether it is the first.
    pub(super) fn add(&mut self, supply: Supply) -> bool {
        let is_first = self.end == 0;
        let more = match supply {
            Supply::Segments(count) => SegNo::from(count),
            Supply::Endless => ENDLESS,
        };
        self.end = (self.end + more + SegNo::from(is_first)).min(ENDLESS);
        is_first
    }

    /// The application supplies no more; of data without end, what was sent is the last: all below `next`.
    pub(super) fn close(&mut self, next: SegNo) {
        if self.end == ENDLESS {
            self.end = next;
        }
        self.is_closed = true;
    }

    /// Whether everything has arrived, if it has below `una`.
    pub(super) fn is_done(&self, una: SegNo) -> bool {
        self.is_closed && una >= self.end
    }
}
