//! The printed rules of rt-Winf (Barreto 2015, eqs. 9 to 13): last values, and sums since the session began. They exist in
//! addition to the consistent form, to measure the difference.

use super::samples::Part;
use crate::kernel::{Span, Time};

/// Idle time that ends a session.
const SESSION: Span = Span::from_millis(1000);

/// State of the printed equations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Literal {
    /// Last value per role, in bytes per second.
    capacity: [Option<f64>; 3],
    /// Sum of duration fields per role, and start and end of the session.
    reserved: [Span; 3],
    began: [Option<Time>; 3],
    last: [Time; 3],
    role: usize,
    /// Without RTS and CTS: seconds of transfers of this node's data so far, and the start of the first one.
    transfers: f64,
    first_transfer: Option<Time>,
}

impl Literal {
    /// The value of the role that the node was in last.
    pub(super) fn capacity(&self) -> Option<f64> {
        self.capacity[self.role]
    }

    /// The value of one role.
    pub(super) fn capacity_as(&self, part: Part) -> Option<f64> {
        self.capacity[part as usize]
    }

    /// A value measured in a role; eqs. 9 to 11 keep the smallest of it, the onlooker's and the `received` one.
    pub(super) fn measured(&mut self, part: Part, value: f64, received: Option<f64>, keeps_least: bool) {
        let from_onlooker = self.capacity_as(Part::Onlooker).filter(|_| keeps_least && part != Part::Onlooker);
        let received = received.filter(|_| keeps_least && part == Part::Sender);
        self.capacity[part as usize] = Some([from_onlooker, received].into_iter().flatten().fold(value, f64::min));
        self.role = part as usize;
    }

    /// Counts the NAV that a frame sets.
    pub(super) fn count_nav(&mut self, now: Time, part: Part, duration: Span) {
        let role = part as usize;
        if self.began[role].is_none() || now.since(self.last[role]) > SESSION {
            self.began[role] = Some(now);
            self.reserved[role] = Span::ZERO;
        }
        self.reserved[role] += duration;
        self.last[role] = now + duration;
        self.role = role;
    }

    /// Whether the NAV of an overheard exchange is counted up to `until` already.
    pub(super) fn has_counted(&self, until: Time) -> bool {
        self.last[Part::Onlooker as usize] >= until
    }

    /// Counts data sent without RTS and CTS.
    pub(super) fn transferred(&mut self, started: Time, seconds: f64) {
        self.transfers += seconds;
        self.first_transfer.get_or_insert(started);
    }

    /// Available part of `capacity`.
    pub(super) fn available(&self, now: Time, capacity: f64) -> f64 {
        if let Some(first) = self.first_transfer {
            let share = self.transfers / now.since(first).secs();
            return eq13(capacity, share).clamp(0.0, capacity);
        }
        let total = self.began[self.role].map_or(Span::ZERO, |began| self.last[self.role].since(began));
        if total == Span::ZERO {
            return capacity;
        }
        (capacity * (1.0 - self.reserved[self.role].secs() / total.secs())).clamp(0.0, capacity)
    }
}

/// Eq. 13 as printed, with units that do not match: 1 less the used share times the capacity. Negative for every real
/// capacity; the parenthesis should contain the share alone.
pub(super) fn eq13(capacity: f64, share: f64) -> f64 {
    1.0 - share * capacity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overheard_nav_counts_once_for_its_role() {
        let mut literal = Literal::default();
        let (now, end) = (Time(1_000_000), Time(3_000_000));
        assert!(!literal.has_counted(end));
        literal.count_nav(now, Part::Sender, end.since(now));
        assert!(!literal.has_counted(end), "of the node's own exchange");
        literal.count_nav(now, Part::Onlooker, end.since(now));
        assert!(literal.has_counted(end));
        assert!(!literal.has_counted(end + Span(1)), "it lasts longer than what was counted");
    }

    #[test]
    fn idle_time_of_more_than_a_second_ends_a_session() {
        // docs/specs/rt-winf.md section 5. One millisecond reserved, a pause, and one more: all of the new session, if
        // it is one.
        let reserved = Span::from_millis(1);
        for (pause, share) in [(SESSION, 1000.0 / 1002.0), (SESSION + Span(1), 0.0)] {
            let mut literal = Literal::default();
            literal.count_nav(Time::ZERO, Part::Sender, reserved);
            let end = Time::ZERO + reserved + pause;
            literal.count_nav(end, Part::Sender, reserved);
            assert!((literal.available(end + reserved, 1.0) - share).abs() < 1e-12, "{pause}");
        }
    }

    #[test]
    fn equation_13_has_the_share_of_transfers_without_rts() {
        let mut literal = Literal::default();
        literal.transferred(Time::from_secs(1.0), 0.5);
        assert_eq!(literal.available(Time::from_secs(5.0), 4.0), 1.0 - 0.125 * 4.0);
    }
}
