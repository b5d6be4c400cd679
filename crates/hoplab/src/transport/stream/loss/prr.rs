//! Proportional rate reduction: how much recovery sends per acknowledgment (RFC 9937).

/// A reduction of the window that is under way; counts are segments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prr {
    /// Window that it leaves.
    pub(crate) ssthresh: u32,
    /// In flight before the loss (`RecoverFS`).
    flight: u32,
    delivered: u32,
    sent: u32,
}

impl Prr {
    /// A reduction begins with `flight` segments in flight before the loss.
    pub(crate) fn new(ssthresh: u32, flight: u32) -> Prr {
        Prr { ssthresh, flight: flight.max(1), delivered: 0, sent: 0 }
    }

    /// Segments that may be sent after an acknowledgment that delivers `delivered`, with `pipe` in flight. `is_safe`: the
    /// cumulative acknowledgment has advanced and no new loss was seen.
    pub(crate) fn on_ack(&mut self, delivered: u32, pipe: u32, is_safe: bool) -> u32 {
        self.delivered += delivered;
        let allowed = if pipe > self.ssthresh {
            let share = u64::from(self.delivered) * u64::from(self.ssthresh);
            (share.div_ceil(u64::from(self.flight)) as u32).saturating_sub(self.sent)
        } else {
            let rest = self.delivered.saturating_sub(self.sent).max(delivered) + u32::from(is_safe);
            rest.min(self.ssthresh - pipe)
        };
        // The first retransmission always leaves.
        allowed.max(u32::from(self.sent == 0))
    }

    /// A segment leaves.
    pub(crate) fn on_sent(&mut self) {
        self.sent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments sent per acknowledgment of a segment, and the pipe at the end: 20 in flight, one of them lost.
    fn sent(ssthresh: u32) -> (Vec<u32>, u32) {
        let mut prr = Prr::new(ssthresh, 20);
        let mut pipe = 19;
        let counts = (0..19).map(|_| {
            pipe -= 1;
            let count = prr.on_ack(1, pipe, false);
            (0..count).for_each(|_| prr.on_sent());
            pipe += count;
            count
        });
        (counts.collect(), pipe)
    }

    #[test]
    fn half_sends_for_every_second_ack() {
        let (counts, pipe) = sent(10);
        assert_eq!(counts, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]);
        assert_eq!(pipe, 10);
    }

    #[test]
    fn seven_tenths_follow_the_vector() {
        let (counts, pipe) = sent(14);
        assert_eq!(counts, [1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1]);
        assert_eq!(pipe, 14);
    }

    #[test]
    fn safe_acks_refill_the_pipe() {
        let mut prr = Prr::new(10, 20);
        assert_eq!(prr.on_ack(1, 3, true), 2);
        prr.on_sent();
        prr.on_sent();
        assert_eq!(prr.on_ack(1, 4, false), 1);
        assert_eq!(prr.on_ack(1, 10, true), 0);
    }
}
