//! Pacing: segments that the window releases wait for their departure.
//!
//! # Model
//! A queue of segments and a clock. A segment that arrives while the clock runs waits; each tick sends the head.
//! TCP-AP's clock runs freely. The other clock runs only while segments wait: two segments are at least an interval
//! apart, and none waits longer than that. Retransmissions after a loss are not paced; a separate rule decides about the
//! segments that wait then.
//! # Source
//! ElRakabawy 2005 and its authors' agent for ns-2 (docs/specs/tcp-ap.md section 4).

use crate::kernel::{Span, Time};
use crate::packet::SegNo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How segments are paced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaceRules {
    /// When the clock runs.
    pub clock: PaceClock,
    /// Whether a fast retransmit discards the segments that wait: they become holes.
    pub flushes: bool,
    /// Whether the clock, stopped by a loss, restarts with the next segment. In the agent for ns-2 it does so only if
    /// segments were waiting: otherwise everything waits for the retransmission timer.
    pub restarts: bool,
}

/// When the clock of a pacer runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaceClock {
    /// Always, once started.
    #[default]
    FreeRunning,
    /// As long as segments wait or the last one was sent less than an interval ago.
    OnDemand,
}

/// Sends segments one per interval.
#[derive(Clone, Debug)]
pub struct Pacer {
    rules: PaceRules,
    waiting: VecDeque<SegNo>,
    state: State,
    last: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next segment starts the clock.
    Fresh,
    /// The clock ticks at this time.
    Ticking(Time),
    /// The clock is stopped, and no segment starts it.
    Stopped,
    /// Segments leave at once, until an acknowledgment arrives.
    Unpaced,
}

impl Pacer {
    /// Before the first segment.
    pub fn new(rules: PaceRules) -> Pacer {
        Pacer { rules, waiting: VecDeque::new(), state: State::Fresh, last: None }
    }

    /// The window releases `seq`. Returns whether to send it at once; otherwise it waits.
    pub fn hand_over(&mut self, now: Time, seq: SegNo, interval: Span) -> bool {
        match self.state {
            State::Unpaced => true,
            State::Fresh => {
                let earliest = match (self.rules.clock, self.last) {
                    (PaceClock::OnDemand, Some(last)) => last + interval,
                    _ => now,
                };
                if earliest > now {
                    self.waiting.push_back(seq);
                    self.state = State::Ticking(earliest);
                    return false;
                }
                self.sent(now, interval);
                true
            }
            State::Ticking(_) | State::Stopped => {
                self.waiting.push_back(seq);
                false
            }
        }
    }

    /// When the clock ticks.
    pub fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Ticking(at) => Some(at),
            State::Fresh | State::Stopped | State::Unpaced => None,
        }
    }

    /// Ticks if it is time. Returns the segment to send.
    pub fn tick(&mut self, now: Time, interval: Span) -> Option<SegNo> {
        if self.deadline().is_none_or(|at| at > now) {
            return None;
        }
        let head = self.waiting.pop_front();
        if head.is_none() && self.rules.clock == PaceClock::OnDemand {
            self.state = State::Fresh;
        } else {
            self.sent(now, interval);
        }
        head
    }

    /// An acknowledgment arrived, duplicates included: segments are paced again.
    pub fn on_ack(&mut self) {
        if self.state == State::Unpaced {
            self.state = State::Fresh;
        }
    }

    /// A loss was detected by duplicate acknowledgments; the lost segment is sent at once.
    pub fn on_fast_retransmit(&mut self, now: Time, interval: Span) {
        let had_waiting = !self.waiting.is_empty();
        if self.rules.flushes {
            self.waiting.clear();
        }
        self.state = if had_waiting && self.rules.flushes {
            State::Unpaced
        } else if !self.rules.restarts {
            State::Stopped
        } else if self.waiting.is_empty() {
            State::Fresh
        } else {
            State::Ticking(now + interval)
        };
        self.last = Some(now);
    }

    /// The retransmission timer expired: the pacer restarts.
    pub fn on_timeout(&mut self) {
        self.waiting.clear();
        self.state = State::Unpaced;
    }

    /// No more segments will be sent.
    pub fn stop(&mut self) {
        self.waiting.clear();
        self.state = State::Fresh;
    }

    fn sent(&mut self, now: Time, interval: Span) {
        self.last = Some(now);
        // Two segments never leave at one time, whatever the interval.
        self.state = State::Ticking(now + interval.max(MIN_INTERVAL));
    }
}

/// Minimum time between two segments.
const MIN_INTERVAL: Span = Span::from_micros(1);

#[cfg(test)]
mod tests {
    use super::*;

    const I: Span = Span::from_millis(10);

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn pacer(clock: PaceClock, flushes: bool, restarts: bool) -> Pacer {
        Pacer::new(PaceRules { clock, flushes, restarts })
    }

    #[test]
    fn free_running_clock_ticks_without_segments() {
        let mut pacer = pacer(PaceClock::FreeRunning, true, false);
        assert!(pacer.hand_over(ms(0), 1, I));
        assert!(!pacer.hand_over(ms(3), 2, I) && !pacer.hand_over(ms(3), 3, I));
        assert_eq!(pacer.tick(ms(9), I), None);
        assert_eq!((pacer.tick(ms(10), I), pacer.tick(ms(20), I), pacer.tick(ms(30), I)), (Some(2), Some(3), None));
        // Handed over between two ticks: waits for the next, though the last segment left long ago.
        assert!(!pacer.hand_over(ms(37), 4, I));
        assert_eq!((pacer.deadline(), pacer.tick(ms(40), I)), (Some(ms(40)), Some(4)));
    }

    #[test]
    fn on_demand_clock_restarts_with_the_next_segment() {
        let mut pacer = pacer(PaceClock::OnDemand, false, true);
        assert!(pacer.hand_over(ms(0), 1, I));
        assert_eq!(pacer.tick(ms(10), I), None);
        assert_eq!(pacer.deadline(), None);
        assert!(pacer.hand_over(ms(37), 2, I));
        assert!(!pacer.hand_over(ms(39), 3, I));
        assert_eq!(pacer.tick(ms(47), I), Some(3));
    }

    #[test]
    fn fast_retransmit_discards_waiting_segments_if_it_flushes() {
        for (flushes, left) in [(true, 0), (false, 3)] {
            let mut pacer = pacer(PaceClock::FreeRunning, flushes, !flushes);
            assert!(pacer.hand_over(ms(0), 1, I));
            (2..5).for_each(|seq| assert!(!pacer.hand_over(ms(1), seq, I)));
            pacer.on_fast_retransmit(ms(2), I);
            assert_eq!(pacer.waiting.len(), left);
            // Unpaced until the next acknowledgment, if segments were discarded.
            assert_eq!(pacer.hand_over(ms(3), 9, I), flushes);
            pacer.on_ack();
            assert_eq!(pacer.hand_over(ms(4), 10, I), flushes);
            assert!(!pacer.hand_over(ms(4), 11, I));
        }
    }

    #[test]
    fn loss_with_an_empty_queue_stops_the_clock_of_the_agent() {
        let mut pacer = pacer(PaceClock::FreeRunning, true, false);
        assert!(pacer.hand_over(ms(0), 1, I));
        pacer.on_fast_retransmit(ms(2), I);
        pacer.on_ack();
        assert!(!pacer.hand_over(ms(3), 2, I) && pacer.deadline().is_none());
        pacer.on_timeout();
        assert!(pacer.waiting.is_empty() && pacer.hand_over(ms(9), 2, I));
        pacer.on_ack();
        assert!(pacer.hand_over(ms(10), 3, I) && pacer.deadline() == Some(ms(20)));
    }
}
