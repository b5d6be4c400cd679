//! RACK: a segment is lost if one that was sent sufficiently later has arrived (RFC 8985).

use super::scoreboard::{InFlight, Sent};
use crate::kernel::{Span, Time};

/// SACKed segments from which on reordering is not waited for.
const DUP_THRESHOLD: u32 = 3;
/// Recoveries that a wider window for reordering lasts.
const PERSISTENCE: u32 = 16;

/// The segment sent last of those delivered, and how much reordering is waited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rack {
    sent_at: Time,
    end: u64,
    rtt: Span,
    is_valid: bool,
    has_reordering: bool,
    /// Quarters of the minimum round-trip time that reordering may take.
    quarters: u32,
    /// Recoveries until `quarters` falls back to one.
    left: u32,
    /// A DSACK widens the window once until this is acknowledged.
    dsack_round: Option<u64>,
}

/// What a search for losses found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Segments newly lost.
    pub(crate) lost: u32,
    /// When the next one may be.
    pub(crate) next: Option<Time>,
}

impl Rack {
    /// A segment is delivered for the first time. `highest_sack` is the highest before this acknowledgment.
    pub(crate) fn on_delivered(&mut self, now: Time, sent: &Sent, min_rtt: Option<Span>, highest_sack: u64) {
        if !sent.was_repeated && sent.end < highest_sack {
            self.has_reordering = true;
        }
        let rtt = now.since(sent.sent_at);
        if sent.was_repeated && min_rtt.is_some_and(|min| rtt < min) {
            // The acknowledgment may be of the original.
            return;
        }
        if !self.is_valid || (sent.sent_at, sent.end) > (self.sent_at, self.end) {
            (self.sent_at, self.end, self.rtt, self.is_valid) = (sent.sent_at, sent.end, rtt, true);
        }
    }

    /// A DSACK arrived: a retransmission was needless.
    pub(crate) fn on_dsack(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(nxt);
            self.quarters = self.quarters.max(1) + 1;
            self.left = PERSISTENCE;
        }
    }

    /// A recovery ended.
    pub(crate) fn on_recovery_exit(&mut self) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.quarters = 1;
        }
    }

    /// How long reordering is waited for.
    fn window(&self, flight: &InFlight, in_recovery: bool, min_rtt: Option<Span>, srtt: Option<Span>) -> Span {
        if !self.has_reordering && (in_recovery || flight.sacked >= DUP_THRESHOLD) {
            return Span::ZERO;
        }
        let quarter = Span(min_rtt.unwrap_or_default().0 / 4 * u64::from(self.quarters.max(1)));
        quarter.min(srtt.unwrap_or_default())
    }

    /// Marks lost segments.
    pub(crate) fn detect(
        &self,
        now: Time,
        flight: &mut InFlight,
        in_recovery: bool,
        (min_rtt, srtt): (Option<Span>, Option<Span>),
    ) -> Found {
        let mut found = Found { lost: 0, next: None };
        if !self.is_valid {
            return found;
        }
        let patience = self.rtt + self.window(flight, in_recovery, min_rtt, srtt);
        for index in 0..flight.segments.len() {
            let sent = &flight.segments[index];
            if sent.is_sacked || sent.is_lost && !sent.is_repeated {
                continue;
            }
            if (sent.sent_at, sent.end) >= (self.sent_at, self.end) {
                if sent.was_repeated {
                    continue;
                }
                // Those behind it were sent later.
                break;
            }
            let due = sent.sent_at + patience;
            if due <= now {
                flight.lose(index);
                found.lost += 1;
            } else {
                found.next = Some(found.next.map_or(due, |next| next.max(due)));
            }
        }
        found
    }

    /// Whether a segment is overdue at a timeout.
    pub(crate) fn is_overdue(&self, now: Time, sent: &Sent) -> bool {
        !self.is_valid || sent.sent_at + self.rtt <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::stream::rate::RateStamp;

    const fn ms(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    /// Segments of 1000 bytes sent a millisecond apart from 0.
    fn flight(count: u64) -> InFlight {
        let sent = |n: u64| Sent {
            seq: 1000 * n,
            end: 1000 * (n + 1),
            sent_at: ms(n),
            first_sent: ms(n),
            is_fin: false,
            is_sacked: false,
            is_lost: false,
            is_repeated: false,
            was_repeated: false,
            stamp: RateStamp::default(),
        };
        InFlight { segments: (0..count).map(sent).collect(), ..InFlight::default() }
    }

    fn sack(rack: &mut Rack, flight: &mut InFlight, index: usize, now: Time) {
        let highest = flight.highest_sack;
        rack.on_delivered(now, &flight.segments[index], Some(Span::from_millis(40)), highest);
        flight.sack(index);
    }

    const TIMES: (Option<Span>, Option<Span>) = (Some(Span::from_millis(40)), Some(Span::from_millis(50)));

    #[test]
    fn single_sack_waits_a_quarter_of_minimum_rtt() {
        let (mut rack, mut flight) = (Rack::default(), flight(2));
        sack(&mut rack, &mut flight, 1, ms(51));
        // Sent at 0, round-trip time 50 ms, 10 ms for reordering.
        assert_eq!(rack.detect(ms(51), &mut flight, false, TIMES), Found { lost: 0, next: Some(ms(60)) });
        assert_eq!(rack.detect(ms(60), &mut flight, false, TIMES), Found { lost: 1, next: None });
        assert_eq!((flight.count(), flight.next_lost()), (0, Some(0)));
    }

    #[test]
    fn third_sack_marks_the_hole_lost_at_once() {
        let (mut rack, mut flight) = (Rack::default(), flight(6));
        let mut found = Vec::new();
        for index in 1..=3 {
            let now = ms(50 + index as u64);
            sack(&mut rack, &mut flight, index, now);
            found.push(rack.detect(now, &mut flight, false, TIMES).lost);
        }
        assert_eq!((found, flight.count()), (vec![0, 0, 1], 2));
    }

    #[test]
    fn reordering_makes_the_third_sack_wait() {
        let (mut rack, mut flight) = (Rack::default(), flight(8));
        sack(&mut rack, &mut flight, 2, ms(52));
        sack(&mut rack, &mut flight, 1, ms(53));
        sack(&mut rack, &mut flight, 3, ms(53));
        assert_eq!(rack.detect(ms(53), &mut flight, false, TIMES), Found { lost: 0, next: Some(ms(60)) });
    }

    #[test]
    fn lost_retransmission_is_found_by_a_later_one() {
        let (mut rack, mut flight) = (Rack::default(), flight(5));
        (1..=3).for_each(|index| sack(&mut rack, &mut flight, index, ms(50)));
        rack.detect(ms(50), &mut flight, true, TIMES);
        flight.repeat(0, ms(54), RateStamp::default());
        assert_eq!((flight.count(), flight.next_lost()), (2, None));
        flight.segments[4].sent_at = ms(60);
        sack(&mut rack, &mut flight, 4, ms(110));
        assert_eq!(rack.detect(ms(110), &mut flight, true, TIMES).lost, 1);
        assert_eq!((flight.count(), flight.next_lost()), (0, Some(0)));
    }

    #[test]
    fn dsack_widens_the_window_once_per_round() {
        let mut rack = Rack { has_reordering: true, ..Rack::default() };
        let flight = flight(1);
        let window = |rack: &Rack| rack.window(&flight, false, TIMES.0, TIMES.1).0 / 1_000_000;
        assert_eq!(window(&rack), 10);
        rack.on_dsack(0, 100);
        rack.on_dsack(50, 150);
        assert_eq!(window(&rack), 20);
        rack.on_dsack(100, 200);
        assert_eq!(window(&rack), 30);
        (0..16).for_each(|_| rack.on_recovery_exit());
        assert_eq!(window(&rack), 10);
    }
}
