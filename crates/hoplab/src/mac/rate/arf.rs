//! Automatic Rate Fallback, and its adaptive variant.
//!
//! # Model
//! Per neighbor: after a number of successes in a row, or a success as the last attempt of a timer's span, the rate rises by
//! one. If the next attempt fails, it falls back at once, and no further before a success. Otherwise every second failure in a
//! row lowers it. Rises and falls clear the timer, which counts attempts. ARF asks for 10 successes or 15 attempts. AARF
//! doubles both after a failed rise, the successes up to 60; a fall after two failures restores them.
//! # Source
//! Kamerman and Monteban 1997; Lacage, Manshaei, Turletti 2004; ns-3.37 `ArfWifiManager`, `AarfWifiManager`.
//! # Deviations
//! None known.
//! # Parameters
//! None.

use super::rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
use crate::kernel::{RadioId, Time};
use crate::packet::Modulation;
use std::collections::BTreeMap;

/// Successes in a row before a rise.
const SUCCESSES: u32 = 10;
/// Attempts after which one success is enough.
const ATTEMPTS: u32 = 15;
/// Most successes that AARF asks for.
const MOST_SUCCESSES: u32 = 60;

/// ARF of a station.
#[derive(Debug)]
pub struct Arf(Fallback<false>);

/// AARF of a station.
#[derive(Debug)]
pub struct Aarf(Fallback<true>);

/// Either of them: AARF if `ADAPTS`.
#[derive(Debug)]
struct Fallback<const ADAPTS: bool> {
    modulations: Vec<Modulation>,
    neighbors: BTreeMap<RadioId, Ladder>,
}

/// The state towards one neighbor.
#[derive(Clone, Copy, Debug)]
struct Ladder {
    rung: usize,
    /// Attempts since the timer was cleared.
    timer: u32,
    successes: u32,
    /// Failures in a row.
    failures: u32,
    /// The rate has risen, and no attempt has succeeded since.
    is_probing: bool,
    successes_asked: u32,
    attempts_asked: u32,
}

impl Ladder {
    const NEW: Ladder = Ladder {
        rung: 0,
        timer: 0,
        successes: 0,
        failures: 0,
        is_probing: false,
        successes_asked: SUCCESSES,
        attempts_asked: ATTEMPTS,
    };

    fn on_success(&mut self, rungs: usize) {
        self.timer += 1;
        self.successes += 1;
        self.failures = 0;
        self.is_probing = false;
        let is_due = self.successes == self.successes_asked || self.timer == self.attempts_asked;
        if is_due && self.rung + 1 < rungs {
            self.rung += 1;
            self.timer = 0;
            self.successes = 0;
            self.is_probing = true;
        }
    }

    fn on_failure(&mut self, adapts: bool) {
        self.timer += 1;
        self.failures += 1;
        self.successes = 0;
        if self.is_probing {
            if self.failures == 1 {
                if adapts {
                    self.successes_asked = (2 * self.successes_asked).min(MOST_SUCCESSES);
                    self.attempts_asked = self.attempts_asked.saturating_mul(2).max(ATTEMPTS);
                }
                self.rung = self.rung.saturating_sub(1);
            }
            self.timer = 0;
        } else if self.failures.is_multiple_of(2) {
            if adapts {
                (self.successes_asked, self.attempts_asked) = (SUCCESSES, ATTEMPTS);
            }
            self.rung = self.rung.saturating_sub(1);
        }
        if self.failures >= 2 {
            self.timer = 0;
        }
    }
}

impl<const ADAPTS: bool> Fallback<ADAPTS> {
    fn new(setup: RateSetup) -> Fallback<ADAPTS> {
        Fallback { modulations: setup.modulations, neighbors: BTreeMap::new() }
    }

    fn modulation(&self, to: RadioId) -> Modulation {
        self.modulations[self.neighbors.get(&to).map_or(0, |ladder| ladder.rung)]
    }

    fn on_result(&mut self, to: RadioId, is_acked: bool) {
        let rungs = self.modulations.len();
        let ladder = self.neighbors.entry(to).or_insert(Ladder::NEW);
        if is_acked { ladder.on_success(rungs) } else { ladder.on_failure(ADAPTS) }
    }
}

impl EngineRateControl for Arf {
    const SUMMARY: &'static str = "Automatic Rate Fallback: up after ten successes, down after two failures";

    fn new(setup: RateSetup) -> Arf {
        Arf(Fallback::new(setup))
    }
}

impl RateControl for Arf {
    fn modulation(&mut self, _: Time, to: RadioId, _: u32) -> Modulation {
        self.0.modulation(to)
    }

    fn on_result(&mut self, _: Time, to: RadioId, outcome: &Outcome) {
        self.0.on_result(to, outcome.is_acked());
    }
}

impl EngineRateControl for Aarf {
    const SUMMARY: &'static str = "Adaptive ARF: each failed rise doubles the successes that the next one needs";

    fn new(setup: RateSetup) -> Aarf {
        Aarf(Fallback::new(setup))
    }
}

impl RateControl for Aarf {
    fn modulation(&mut self, _: Time, to: RadioId, _: u32) -> Modulation {
        self.0.modulation(to)
    }

    fn on_result(&mut self, _: Time, to: RadioId, outcome: &Outcome) {
        self.0.on_result(to, outcome.is_acked());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rungs after each attempt: `+` is acknowledged, `-` is not.
    fn rungs(adapts: bool, results: &str) -> Vec<usize> {
        let mut ladder = Ladder::NEW;
        let step = |result| {
            if result == '+' {
                ladder.on_success(8);
            } else {
                ladder.on_failure(adapts);
            }
            ladder.rung
        };
        results.chars().map(step).collect()
    }

    #[test]
    fn ten_successes_raise_and_a_failed_probe_falls_back_once() {
        let got = rungs(false, "++++++++++-----");
        assert_eq!(got[9], 1);
        assert_eq!(got[10..], [0, 0, 0, 0, 0]);
        let climbed = "+".repeat(20);
        // A failed probe falls back from 2 to 1, and further failures of that probe do not count.
        assert_eq!(rungs(false, &format!("{climbed}---"))[20..], [1, 1, 1]);
        // After a success every second failure in a row lowers the rate.
        assert_eq!(rungs(false, &format!("{climbed}+----"))[21..], [2, 1, 1, 0]);
    }

    #[test]
    fn success_as_the_fifteenth_attempt_raises() {
        // No ten in a row; single failures do not clear the timer.
        assert_eq!(rungs(false, "++++-++++-++++-+")[13..], [0, 0, 0], "the fifteenth fails");
        assert_eq!(rungs(false, "++++-++++-+++++")[14], 1);
    }

    #[test]
    fn adaptive_variant_asks_for_more_after_a_failed_probe() {
        let climb = "+".repeat(10);
        let again = |adapts, more: usize| rungs(adapts, &format!("{climb}-{}", "+".repeat(more))).pop();
        assert_eq!((again(false, 10), again(true, 10)), (Some(1), Some(0)));
        assert_eq!((again(true, 19), again(true, 20)), (Some(0), Some(1)), "20 successes");
        // Two failures in a row restore ten.
        assert_eq!(rungs(true, &format!("{climb}-+--{climb}")).pop(), Some(1));
    }

    #[test]
    fn rate_stays_within_the_list() {
        assert_eq!(rungs(true, &"-".repeat(9)).pop(), Some(0));
        assert_eq!(rungs(true, &"+".repeat(500)).pop(), Some(7));
    }
}
