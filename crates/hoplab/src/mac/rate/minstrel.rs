//! Minstrel: success of each rate is measured, and the best one used; a tenth of the packets sample another one.
//!
//! # Model
//! Per neighbor and rate: attempts and successes since the last update, and a moving average of their ratio (weight 1/4).
//! Statistics are updated when a packet ends and 100 ms have passed. Throughput of a rate is the average over the air time of
//! a frame of 1200 bytes. A packet is tried at the best rate, the second best, the safest (the fastest with at least 95 %, or
//! else the one with the highest average), and the slowest, each as often as fits into 6 ms: 2 to 10 times, twice if its
//! average is above 95 % or below 10 %.
//!
//! While less than a tenth of the packets have sampled, a packet samples the next rate of a random permutation: before the
//! best rate if it is faster, after it if it is slower, unless it was idle for 20 updates. A rate above 95 % or below 10 % is
//! sampled four times per update at most, unless after the best one. The best rate counts as a sample in its turn.
//! # Source
//! Linux `net/mac80211/rc80211_minstrel.c` (documentation of 2005 by Smithies); ns-3.37 `MinstrelWifiManager`.
//! # Deviations
//! None known.
//! # Parameters
//! None.

use super::rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
use crate::kernel::{RadioId, RandomStream, Span, Time};
use crate::packet::Modulation;
use std::collections::BTreeMap;

/// Time between updates.
const UPDATE: Span = Span::from_millis(100);
/// Longest time of the attempts at one rate, in seconds.
const LONGEST_S: f64 = 6e-3;
/// Averages beyond which a rate is tried twice, and sampled rarely.
const LOW: f64 = 0.1;
const HIGH: f64 = 0.95;
/// Samples of such a rate between updates.
const RARE_SAMPLES: u32 = 4;
/// Updates without attempts after which a slow rate is sampled at once.
const IDLE_UPDATES: u32 = 20;
/// Share of packets that sample, in percent.
const SAMPLE_PERCENT: u64 = 10;
/// Random permutations of the rates.
const PERMUTATIONS: usize = 10;
/// Windows of backoff in slots: first, and the limit.
const FIRST_WINDOW: u32 = 31;
const LAST_WINDOW: u32 = 1023;

/// The control of a station.
#[derive(Debug)]
pub struct Minstrel {
    modulations: Vec<Modulation>,
    /// By rate: attempts that fit into [`LONGEST_S`].
    fitting: Vec<u32>,
    /// By rate: seconds of a frame.
    frame_s: Vec<f64>,
    stream: RandomStream,
    neighbors: BTreeMap<RadioId, Neighbor>,
}

/// What is known of one rate.
#[derive(Clone, Copy, Debug)]
struct Rate {
    attempts: u32,
    successes: u32,
    /// Moving average of successes per attempt; none before the first update with attempts.
    average: Option<f64>,
    throughput: f64,
    /// Attempts in a chain.
    tries: u32,
    /// Samples left until the next update, if limited.
    samples_left: Option<u32>,
    /// Updates in a row without an attempt.
    idle: u32,
}

/// The state towards one neighbor.
#[derive(Debug)]
struct Neighbor {
    rates: Vec<Rate>,
    best: usize,
    second: usize,
    safest: usize,
    next_update: Time,
    packets: u64,
    samples: u64,
    deferred: u64,
    /// Rates to sample, in order, and the next one.
    order: Vec<usize>,
    place: usize,
    /// The current packet: rates and attempts of each, in order.
    chain: [(usize, u32); 4],
    sample: Sample,
    /// Failed attempts of the current packet.
    failures: u32,
}

/// Whether the current packet samples a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    None,
    /// At its first attempts.
    First,
    /// After the best rate.
    Deferred,
}

impl Minstrel {
    fn neighbor(&mut self, now: Time, to: RadioId) -> &mut Neighbor {
        let Minstrel { fitting, stream, neighbors, .. } = self;
        neighbors.entry(to).or_insert_with(|| Neighbor::new(fitting, stream, now))
    }
}

/// Attempts at a rate whose attempt lasts `attempt_s`: 10 at most, as fit.
fn fitting(attempt_s: f64, slot_s: f64) -> u32 {
    let (mut total, mut window, mut tries) = (attempt_s, FIRST_WINDOW, 1);
    for retry in 1..=10 {
        total += attempt_s + 0.5 * f64::from(window) * slot_s;
        window = ((window + 1) * 2).min(LAST_WINDOW);
        if retry >= 2 {
            if total > LONGEST_S {
                break;
            }
            tries = retry;
        }
    }
    tries
}

impl EngineRateControl for Minstrel {
    const SUMMARY: &'static str = "Minstrel of Linux: measured success of all rates, a tenth of the packets sample";

    fn new(setup: RateSetup) -> Minstrel {
        let fitting = setup.attempt_s.iter().map(|attempt| fitting(*attempt, setup.slot_s).max(2)).collect();
        let RateSetup { modulations, frame_s, stream, .. } = setup;
        Minstrel { modulations, fitting, frame_s, stream, neighbors: BTreeMap::new() }
    }
}

impl RateControl for Minstrel {
    fn modulation(&mut self, now: Time, to: RadioId, attempt: u32) -> Modulation {
        let rate = self.neighbor(now, to).rate_of(attempt);
        self.modulations[rate]
    }

    fn on_result(&mut self, now: Time, to: RadioId, outcome: &Outcome) {
        let index = self.modulations.iter().position(|mode| *mode == outcome.modulation).unwrap_or(0);
        let rate = &mut self.neighbor(now, to).rates[index];
        rate.attempts += 1;
        rate.successes += u32::from(outcome.is_acked());
        if outcome.is_acked() {
            self.on_packet_over(now, to);
        } else {
            self.neighbor(now, to).failures += 1;
        }
    }

    fn on_given_up(&mut self, now: Time, to: RadioId) {
        self.on_packet_over(now, to);
    }

    fn attempts(&self, to: RadioId) -> Option<u32> {
        self.neighbors.get(&to).map(|neighbor| neighbor.chain.iter().map(|(_, tries)| tries).sum())
    }
}

impl Minstrel {
    fn on_packet_over(&mut self, now: Time, to: RadioId) {
        self.neighbor(now, to).count();
        let Minstrel { fitting, frame_s, neighbors, .. } = self;
        let Some(neighbor) = neighbors.get_mut(&to) else { return };
        if now >= neighbor.next_update {
            neighbor.next_update = now + UPDATE;
            neighbor.update(fitting, frame_s);
        }
        neighbor.choose(frame_s);
    }
}

impl Neighbor {
    fn new(fitting: &[u32], stream: &mut RandomStream, now: Time) -> Neighbor {
        let rate = |tries: &u32| Rate {
            attempts: 0,
            successes: 0,
            average: None,
            throughput: 0.0,
            tries: *tries,
            samples_left: None,
            idle: 0,
        };
        let order = (0..PERMUTATIONS).flat_map(|_| permutation(fitting.len(), stream)).collect();
        let mut neighbor = Neighbor {
            rates: fitting.iter().map(rate).collect(),
            best: 0,
            second: 0,
            safest: 0,
            next_update: now + UPDATE,
            packets: 0,
            samples: 0,
            deferred: 0,
            order,
            place: 0,
            chain: [(0, 0); 4],
            sample: Sample::None,
            failures: 0,
        };
        neighbor.chain = neighbor.chain_of([0, 0, 0, 0]);
        neighbor
    }

    /// A packet is over: counts it, and the sample that it was.
    fn count(&mut self) {
        self.packets += 1;
        let has_sampled = match self.sample {
            Sample::None => false,
            Sample::First => true,
            Sample::Deferred => self.failures >= self.rates[self.best].tries,
        };
        self.samples += u64::from(has_sampled);
        self.deferred = self.deferred.saturating_sub(1);
        self.sample = Sample::None;
        self.failures = 0;
    }

    fn update(&mut self, fitting: &[u32], frame_s: &[f64]) {
        for ((rate, tries), frame_s) in self.rates.iter_mut().zip(fitting).zip(frame_s) {
            if rate.attempts > 0 {
                let now = f64::from(rate.successes) / f64::from(rate.attempts);
                // Without a success so far there is nothing to average with.
                let before = rate.average.filter(|average| *average > 0.0);
                rate.average = Some(before.map_or(now, |before| 0.25 * now + 0.75 * before));
                rate.idle = 0;
            } else {
                rate.idle += 1;
            }
            (rate.attempts, rate.successes) = (0, 0);
            let average = rate.average.unwrap_or(0.0);
            rate.throughput = average / frame_s;
            let is_extreme = !(LOW..=HIGH).contains(&average);
            rate.tries = if is_extreme { 2 } else { *tries };
            rate.samples_left = is_extreme.then_some(RARE_SAMPLES);
        }
        let throughput = |index: &usize| self.rates[*index].throughput;
        let average = |index: &usize| self.rates[*index].average.unwrap_or(0.0);
        let indexes = 0..self.rates.len();
        let highest = |value: &dyn Fn(&usize) -> f64, without: Option<usize>| {
            let mut found: Option<usize> = None;
            for index in indexes.clone().filter(|index| Some(*index) != without) {
                if found.is_none_or(|best| value(&index) > value(&best)) {
                    found = Some(index);
                }
            }
            found.unwrap_or(0)
        };
        self.best = highest(&throughput, None);
        self.second = highest(&throughput, Some(self.best));
        let reliable = indexes.clone().rev().find(|index| average(index) >= HIGH);
        self.safest = reliable.unwrap_or_else(|| highest(&average, None));
    }

    /// Chooses the rates of the next packet.
    fn choose(&mut self, frame_s: &[f64]) {
        let rates = [self.best, self.second, self.safest, 0];
        self.chain = self.chain_of(rates);
        let due = self.packets * SAMPLE_PERCENT / 100;
        let done = self.samples + self.deferred / 2;
        if due < done {
            return;
        }
        let most = 2 * self.rates.len() as u64;
        if due - done > most {
            self.samples += due - done - most;
        }
        let sample = self.order[self.place];
        self.place = (self.place + 1) % self.order.len();
        let is_slower = frame_s[sample] > frame_s[self.best];
        if is_slower && self.rates[sample].idle < IDLE_UPDATES {
            self.sample = Sample::Deferred;
            self.deferred += 1;
            self.chain = self.chain_of([self.best, sample, self.safest, 0]);
            return;
        }
        if self.rates[sample].samples_left == Some(0) {
            return;
        }
        self.sample = Sample::First;
        if let Some(left) = &mut self.rates[sample].samples_left {
            *left -= 1;
        }
        self.chain = self.chain_of([sample, self.best, self.safest, 0]);
    }

    fn chain_of(&self, rates: [usize; 4]) -> [(usize, u32); 4] {
        rates.map(|rate| (rate, self.rates[rate].tries))
    }

    /// The rate of an attempt of the current packet.
    fn rate_of(&self, attempt: u32) -> usize {
        let mut before = 0;
        for (rate, tries) in self.chain {
            before += tries;
            if attempt < before {
                return rate;
            }
        }
        0
    }
}

/// The numbers below `count` in random order (Durstenfeld 1964).
pub(super) fn permutation(count: usize, stream: &mut RandomStream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, stream.below(last as u32 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: RadioId = RadioId(2);

    /// Packets until `seconds` over a link on which rates succeed with these chances; the share of attempts by rate in the last
    /// half, and whether a packet was given up.
    fn run(chances: [f64; 8], seconds: f64) -> ([f64; 8], u32) {
        let setup = RateSetup::of_11a();
        let (modulations, attempt_s) = (setup.modulations.clone(), setup.attempt_s.clone());
        let mut dice = crate::kernel::RandomStreams::new(5).stream(crate::kernel::Purpose::Traffic, 0);
        let mut minstrel = Minstrel::new(setup);
        let (mut now, mut counts, mut lost) = (0.0, [0.0; 8], 0);
        while now < seconds {
            let mut attempt = 0;
            loop {
                let time = Time((now * 1e9) as u64);
                let modulation = minstrel.modulation(time, TO, attempt);
                let index = modulations.iter().position(|mode| *mode == modulation).expect("a rate");
                now += attempt_s[index] + 100e-6;
                counts[index] += f64::from(u8::from(now > seconds / 2.0));
                let is_acked = dice.unit() < chances[index];
                minstrel.on_result(time, TO, &Outcome::single(modulation, is_acked, 0.0));
                attempt += 1;
                if is_acked {
                    break;
                }
                if Some(attempt) >= minstrel.attempts(TO) {
                    minstrel.on_given_up(time, TO);
                    lost += 1;
                    break;
                }
            }
        }
        let all: f64 = counts.iter().sum();
        (counts.map(|count| count / all), lost)
    }

    #[test]
    fn perfect_link_uses_the_fastest_rate() {
        let (shares, lost) = run([1.0; 8], 4.0);
        assert!(shares[7] > 0.9 && lost == 0, "{shares:?}");
    }

    #[test]
    fn best_throughput_wins_and_samples_are_few() {
        // 36 Mb/s succeeds always, 48 and 54 rarely: 36 is best.
        let (shares, lost) = run([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.2, 0.05], 4.0);
        // A sample at a rate that fails takes several attempts.
        assert!(shares[5] > 0.7 && lost == 0, "{shares:?}");
        assert!(shares[6] + shares[7] < 0.3 && shares[6] + shares[7] > 0.005, "{shares:?}");
        // 54 Mb/s with two losses in three is slower than 24 without.
        let (shares, _) = run([1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.33], 4.0);
        assert!(shares[4] > 0.6, "{shares:?}");
    }

    #[test]
    fn dead_link_is_given_up_after_the_chain() {
        let (_, lost) = run([0.0; 8], 0.5);
        assert!(lost > 5);
        let mut minstrel = Minstrel::new(RateSetup::of_11a());
        assert_eq!(minstrel.attempts(TO), None);
        assert_eq!(minstrel.modulation(Time::ZERO, TO, 0).rate().0, 6e6, "nothing is known");
        let limit = minstrel.attempts(TO).expect("a chain");
        assert!((4..=40).contains(&limit));
    }

    #[test]
    fn attempts_fit_into_six_milliseconds() {
        let setup = RateSetup::of_11a();
        let got: Vec<u32> = setup.attempt_s.iter().map(|attempt| fitting(*attempt, setup.slot_s)).collect();
        // 1200 bytes at 6 Mb/s: 1624 us, SIFS and ACK 60.
        assert!((setup.attempt_s[0] - 1684e-6).abs() < 1e-9);
        assert_eq!(got[0], 2);
        assert!(got.windows(2).all(|pair| pair[0] <= pair[1]) && got[7] <= 10, "{got:?}");
    }

    #[test]
    fn permutations_have_each_rate_once() {
        let mut stream = crate::kernel::RandomStreams::new(1).stream(crate::kernel::Purpose::RateSampling, 0);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let mut order = permutation(8, &mut stream);
            seen.insert(order.clone());
            order.sort_unstable();
            assert_eq!(order, (0..8).collect::<Vec<_>>());
        }
        assert!(seen.len() > 40);
    }
}
