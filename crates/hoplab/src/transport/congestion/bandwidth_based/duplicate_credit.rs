//! Segments that duplicate acknowledgments have reported before a cumulative one acknowledges them.
//!
//! # Source
//! TCPW section 3.1; `cumul_ack` and `accounted` of `tcp_westwood.c`, Linux 2.6.22.

/// Segments counted for duplicates and not yet acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DuplicateCredit(u32);

impl DuplicateCredit {
    /// A duplicate ACK counts one segment.
    pub(crate) fn on_dup_ack(&mut self) {
        self.0 += 1;
    }

    /// Segments that an acknowledgment of `newly_acked` adds to those already counted. A single one always counts.
    pub(crate) fn settle(&mut self, newly_acked: u32) -> u32 {
        if newly_acked <= 1 {
            newly_acked
        } else if self.0 >= newly_acked {
            self.0 -= newly_acked;
            1
        } else {
            newly_acked - std::mem::take(&mut self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_duplicates_count_once() {
        let mut credit = DuplicateCredit::default();
        (0..3).for_each(|_| credit.on_dup_ack());
        assert_eq!((credit.settle(1), credit.settle(4), credit.settle(4)), (1, 1, 4));
        (0..6).for_each(|_| credit.on_dup_ack());
        assert_eq!((credit.settle(4), credit.settle(4)), (1, 2));
    }
}
