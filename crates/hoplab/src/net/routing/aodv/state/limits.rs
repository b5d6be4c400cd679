//! Rate limits of messages, and the blacklist of unidirectional links (RFC 3561 sections 6.3, 6.8 and 6.11).

use crate::kernel::{RadioId, Span, Time};
use std::collections::VecDeque;

/// Recent messages of a node, and neighbors whose RREQs it ignores.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Limits {
    rreqs: VecDeque<Time>,
    rerrs: VecDeque<Time>,
    blacklist: Vec<(RadioId, Time)>,
}

/// `RREQ_RATELIMIT` and `RERR_RATELIMIT`, per second.
const RATE_LIMIT: usize = 10;
const RATE_PERIOD: Span = Span::from_millis(1_000);

impl Limits {
    /// Counts a RREQ.
    ///
    /// # Errors
    /// The time from which the next one is allowed.
    pub(in super::super) fn allow_rreq(&mut self, now: Time) -> Result<(), Time> {
        allow(&mut self.rreqs, now)
    }

    /// Counts a RERR, if it is allowed. Returns whether it is.
    pub(in super::super) fn allow_rerr(&mut self, now: Time) -> bool {
        allow(&mut self.rerrs, now).is_ok()
    }

    /// Ignores RREQs of a neighbor until then.
    pub(in super::super) fn blacklist(&mut self, now: Time, neighbor: RadioId, until: Time) {
        self.blacklist.retain(|&(node, end)| node != neighbor && end > now);
        self.blacklist.push((neighbor, until));
    }

    /// Whether RREQs of a neighbor are ignored.
    pub(in super::super) fn is_blacklisted(&self, now: Time, neighbor: RadioId) -> bool {
        self.blacklist.iter().any(|&(node, until)| node == neighbor && until > now)
    }
}

fn allow(sent: &mut VecDeque<Time>, now: Time) -> Result<(), Time> {
    while sent.front().is_some_and(|&first| first + RATE_PERIOD <= now) {
        sent.pop_front();
    }
    match sent.front() {
        Some(&first) if sent.len() >= RATE_LIMIT => Err(first + RATE_PERIOD),
        _ => {
            sent.push_back(now);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_rreqs_per_second_are_allowed() {
        let mut limits = Limits::default();
        for millis in 0..10 {
            assert_eq!(limits.allow_rreq(Time::from_secs(f64::from(millis) * 1e-3)), Ok(()));
        }
        assert_eq!(limits.allow_rreq(Time::from_secs(0.5)), Err(Time::from_secs(1.0)));
        assert_eq!(limits.allow_rreq(Time::from_secs(1.0)), Ok(()));
        assert_eq!(limits.allow_rreq(Time::from_secs(1.0)), Err(Time::from_secs(1.001)));
    }
}
