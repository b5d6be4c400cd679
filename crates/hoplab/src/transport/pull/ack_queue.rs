//! Acknowledgments of a pulled connection that wait until the link layer pulls one.
//!
//! # Source
//! Cai 2013, section 3.1, and its published program (docs/specs/semi-tcp.md section 2).

use super::config::PullConfig;
use crate::kernel::Time;
use crate::packet::Ack;
use std::collections::VecDeque;

/// Acknowledgments that wait, the oldest first.
#[derive(Clone, Debug)]
pub struct AckQueue {
    waiting: VecDeque<(Time, Ack)>,
    limit: usize,
    coalesces: bool,
}

impl AckQueue {
    /// An empty queue.
    pub fn new(config: &PullConfig) -> AckQueue {
        let limit = config.ack_queue.max(1) as usize;
        AckQueue { waiting: VecDeque::new(), limit, coalesces: config.coalesce_acks }
    }

    /// Enqueues an acknowledgment; a full queue drops its oldest.
    pub fn push(&mut self, now: Time, ack: Ack) {
        if self.coalesces && ack.block_count == 0 {
            // One that acknowledges single segments is not covered by a later one.
            self.waiting.retain(|(_, waiting)| waiting.block_count > 0);
        }
        if self.waiting.len() >= self.limit {
            self.waiting.pop_front();
        }
        self.waiting.push_back((now, ack));
    }

    /// Dequeues the oldest. The time it echoes is advanced by its wait, so that round-trip times exclude that.
    pub fn pop(&mut self, now: Time) -> Option<Ack> {
        let (since, mut ack) = self.waiting.pop_front()?;
        ack.echo += now.since(since);
        Some(ack)
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::OooAck;
    use super::*;
    use crate::kernel::Span;

    fn queue(ack_queue: u32, coalesce_acks: bool) -> AckQueue {
        AckQueue::new(&PullConfig {
            max_outstanding: 1024,
            ooo_ack: OooAck::None,
            rto_backoff: false,
            min_rto: Span::from_millis(200),
            initial_rto: Span::from_millis(3000),
            ack_queue,
            coalesce_acks,
            sack_every: 16,
            ack_delay: Span::from_millis(600),
            paced: false,
        })
    }

    #[test]
    fn full_queue_drops_the_oldest() {
        let mut queue = queue(2, false);
        (0..3).for_each(|seq| queue.push(Time(10), Ack::plain(seq, Time(5))));
        let left: Vec<_> = std::iter::from_fn(|| queue.pop(Time(10))).map(|ack| ack.cumulative).collect();
        assert_eq!(left, [1, 2]);
    }

    #[test]
    fn echo_excludes_the_wait() {
        let mut queue = queue(500, false);
        queue.push(Time(100), Ack::plain(3, Time(40)));
        assert_eq!(queue.pop(Time(170)).map(|ack| ack.echo), Some(Time(110)));
    }

    #[test]
    fn coalescing_keeps_acks_of_single_segments() {
        let mut queue = queue(500, true);
        let mut single = Ack::plain(-1, Time(0));
        (single.blocks[0], single.block_count) = ((7, 8), 1);
        queue.push(Time(0), Ack::plain(1, Time(0)));
        queue.push(Time(0), single);
        queue.push(Time(0), Ack::plain(2, Time(0)));
        let left: Vec<_> = std::iter::from_fn(|| queue.pop(Time(0))).map(|ack| ack.cumulative).collect();
        assert_eq!(left, [-1, 2]);
    }
}
