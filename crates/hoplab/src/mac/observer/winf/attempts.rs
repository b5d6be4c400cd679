//! The share of a node's own attempts that are answered: what collisions and errors leave of a capacity. Barreto 2015
//! (section 6) names the collision probability as future work; the estimate of it is that of 802.11's own retries.

use crate::kernel::{Span, Time};
use std::collections::VecDeque;

/// The attempts of the last window.
#[derive(Clone, Debug)]
pub(super) struct Attempts {
    window: Span,
    /// When each began, and whether its ACK arrived.
    kept: VecDeque<(Time, bool)>,
    /// When the one began whose result is unknown.
    open: Option<Time>,
}

impl Attempts {
    pub(super) fn new(window: Span) -> Attempts {
        Attempts { window, kept: VecDeque::new(), open: None }
    }

    /// An RTS leaves, or data without one: if the attempt before has no ACK, it has failed.
    pub(super) fn begin(&mut self, now: Time) {
        if let Some(at) = self.open.replace(now) {
            self.kept.push_back((at, false));
        }
        while self.kept.front().is_some_and(|(at, _)| now.since(*at) > self.window) {
            self.kept.pop_front();
        }
    }

    /// The ACK of the attempt arrives.
    pub(super) fn succeed(&mut self, _now: Time) {
        if let Some(at) = self.open.take() {
            self.kept.push_back((at, true));
        }
    }

    /// Share of the attempts of the window that were answered; 1 without any, and never 0.
    pub(super) fn answered(&self, now: Time) -> f64 {
        let recent = self.kept.iter().filter(|(at, _)| now.since(*at) <= self.window);
        let (all, good) = recent.fold((0u32, 0u32), |(all, good), (_, is_good)| (all + 1, good + u32::from(*is_good)));
        // With one success before any: a node that only fails still has a capacity.
        f64::from(good + 1) / f64::from(all + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_without_ack_reduce_the_share() {
        let ms = |ms: u64| Time(ms * 1_000_000);
        let mut found = Attempts::new(Span::from_millis(1000));
        assert_eq!(found.answered(ms(0)), 1.0);
        for at in [0, 10, 20, 30] {
            found.begin(ms(at));
            if at == 30 {
                found.succeed(ms(35));
            }
        }
        // Three failures and a success.
        assert_eq!(found.answered(ms(40)), 2.0 / 5.0);
        found.begin(ms(1100));
        assert_eq!(found.answered(ms(1100)), 1.0, "the open one does not count, the others have left the window");
    }
}
