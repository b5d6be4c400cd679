//! The duplicate cache: the sequence number of the last data frame of each sender (IEEE 802.11-1999 section 9.2.9; ns-2.35
//! `Mac802_11::recvDATA`, `cache_`), by access category as each numbers its frames (IEEE 802.11-2016 section 10.3.2.11). It sets
//! no timer, and grows by one entry for each neighbor and category.

use crate::kernel::RadioId;
use crate::packet::{Category, Frame};

/// Senders and their last sequence numbers.
#[derive(Clone, Debug, Default)]
pub(in crate::mac::dcf) struct DuplicateCache(Vec<(RadioId, Category, u16)>);

impl DuplicateCache {
    /// Whether a data frame is a duplicate; the next one is compared with it. `needs_retry`: a duplicate has the Retry bit.
    pub(in crate::mac::dcf) fn is_duplicate(&mut self, frame: &Frame, needs_retry: bool) -> bool {
        let sender = (frame.ta, frame.category);
        if let Some((.., seq)) = self.0.iter_mut().find(|(from, category, _)| (*from, *category) == sender) {
            let is_duplicate = *seq == frame.seq && (frame.retry || !needs_retry);
            *seq = frame.seq;
            return is_duplicate;
        }
        self.0.push((frame.ta, frame.category, frame.seq));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    const A: RadioId = RadioId(0);
    const C: RadioId = RadioId(2);

    #[test]
    fn duplicate_has_retry_bit_in_std_and_number_alone_in_ns2() {
        // IEEE 802.11-1999 section 9.2.9.
        for (needs_retry, without_retry) in [(false, true), (true, false)] {
            let mut cache = DuplicateCache::default();
            let mut is_duplicate = |ta, seq, retry| {
                let frame = Frame { seq, retry, ..Frame::blank(FrameKind::Data, ta, RadioId(1)) };
                cache.is_duplicate(&frame, needs_retry)
            };
            assert!(!is_duplicate(A, 5, false) && !is_duplicate(C, 5, true), "{needs_retry}");
            assert!(is_duplicate(A, 5, true), "{needs_retry}");
            assert_eq!(is_duplicate(A, 5, false), without_retry, "{needs_retry}");
            assert!(!is_duplicate(A, 6, true), "{needs_retry}");
        }
    }
}
