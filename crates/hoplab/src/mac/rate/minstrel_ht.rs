//! Minstrel for 802.11n: rate control by the measured success of MPDUs, in groups of modulations.
//!
//! # Model
//! Modulations with as many streams and an equal guard interval form a group. Statistics are updated when a PPDU is over and
//! 50 ms have passed: the average of successes per MPDU is moved by a quarter towards that of the interval. Throughput of a
//! modulation is its average, at most 90 %, over the air time of a frame of 1200 bytes; below 10 % it is 0.
//!
//! A PPDU is tried at the best modulation, the second best, and the safest (the fastest above 75 %, or else the one with the
//! highest average), each as often as fits into 6 ms with A-MPDUs of average length: 2 to 7 times, once if nothing is known. A
//! PPDU of which any MPDU arrives ends the chain.
//!
//! A sample is the first attempt of a chain, a single frame at the next modulation of a random permutation, group by group. After
//! four at the start, the next sample waits for 16 PPDUs and two per MPDU of an average A-MPDU; at most eight per group begin
//! between updates. None of the chain and none above 95 % is sampled, and a modulation that is slower than the second best only
//! after 20 updates without attempts, twice per update.
//! # Source
//! Linux `net/mac80211/rc80211_minstrel_ht.c` before version 5.12; ns-3.37 `MinstrelHtWifiManager`.
//! # Deviations
//! ns-3.37 samples with whole A-MPDUs, counts a missing Block Ack twice, and rounds the average length of A-MPDUs down. Linux
//! sends samples as single frames, which is the rule here. Groups have the width of the channel: stations in 40 MHz do not
//! fall back to 20 MHz.
//! # Parameters
//! None.

use super::minstrel::permutation;
use super::rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::Modulation;
use std::collections::BTreeMap;

/// Time between updates.
const UPDATE: Span = Span::from_millis(50);
/// Weight of an interval in moving averages.
const WEIGHT: f64 = 0.25;
/// Averages: below, throughput is 0; highest that counts; safe above; not sampled above; nothing is known below.
const DEAD: f64 = 0.1;
const HIGHEST: f64 = 0.9;
const SAFE: f64 = 0.75;
const PERFECT: f64 = 0.95;
const UNKNOWN: f64 = 0.01;
/// Longest time of the attempts at one modulation, in seconds.
const LONGEST_S: f64 = 6e-3;
/// Least and most attempts at one modulation in that time.
const TRIES: (u32, u32) = (2, 7);
/// Windows of backoff in slots: first, and the limit.
const FIRST_WINDOW: u32 = 15;
const LAST_WINDOW: u32 = 1023;
/// Samples in a row at the start.
const FIRST_SAMPLES: u32 = 4;
/// Samples per group between updates.
const GROUP_SAMPLES: u32 = 8;
/// PPDUs between samples, and further ones per MPDU of an average A-MPDU.
const WAIT: f64 = 16.0;
const WAIT_PER_MPDU: f64 = 2.0;
/// Updates without attempts after which a slow modulation is sampled, and how often between updates.
const IDLE_UPDATES: u32 = 20;
const SLOW_SAMPLES: u32 = 2;
/// Random permutations of a group.
const PERMUTATIONS: usize = 10;

/// The control of a station.
#[derive(Debug)]
pub struct MinstrelHt {
    setup: RateSetup,
    /// Indexes of modulations by group: groups of the long interval first, then by streams.
    groups: Vec<Vec<usize>>,
    neighbors: BTreeMap<RadioId, Neighbor>,
}

/// What is known of one modulation.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    attempts: u32,
    successes: u32,
    /// Moving average of successes per attempt.
    average: f64,
    /// It has succeeded since the start.
    has_succeeded: bool,
    throughput: f64,
    /// Updates in a row without an attempt.
    idle: u32,
}

/// A modulation of the chain, by index, and how often it is tried.
type Link = (usize, u32);

/// The state towards one neighbor.
#[derive(Debug)]
struct Neighbor {
    rates: Vec<Rate>,
    /// Best, second best, safest.
    chain: [Link; 3],
    next_update: Time,
    /// Failed attempts of the current chain, and its attempts in all when the last result came.
    failures: u32,
    limit: Option<u32>,
    /// The modulation that the current chain samples.
    sample: Option<usize>,
    sampling: Sampling,
    /// Average MPDUs of an A-MPDU; A-MPDUs and MPDUs since the last update.
    mean_mpdus: f64,
    ampdus: u32,
    mpdus: u32,
}

/// When a sample is due, and which.
#[derive(Debug)]
struct Sampling {
    /// PPDUs to wait.
    wait: u32,
    /// Samples that are due then.
    due: u32,
    /// Samples that may become due until the next update.
    left: u32,
    /// Slow modulations that came up since the last update.
    slow: u32,
    group: usize,
    /// By group: modulations in the order of sampling, and the next one.
    order: Vec<(Vec<usize>, usize)>,
}

impl EngineRateControl for MinstrelHt {
    const SUMMARY: &'static str =
        "Minstrel of Linux for 802.11n: measured success of MPDUs by groups, single frames sample";
    const HAS_BOTH_INTERVALS: bool = true;

    fn new(setup: RateSetup) -> MinstrelHt {
        let mut groups: BTreeMap<(bool, u32), Vec<usize>> = BTreeMap::new();
        for (index, mode) in setup.modulations.iter().enumerate() {
            groups.entry((mode.has_short_gi(), mode.streams())).or_default().push(index);
        }
        MinstrelHt { setup, groups: groups.into_values().collect(), neighbors: BTreeMap::new() }
    }
}

impl RateControl for MinstrelHt {
    fn modulation(&mut self, now: Time, to: RadioId, _: u32) -> Modulation {
        let rate = self.neighbor(now, to).rate();
        self.setup.modulations[rate]
    }

    fn on_result(&mut self, now: Time, to: RadioId, outcome: &Outcome) {
        let index = self.setup.modulations.iter().position(|mode| *mode == outcome.modulation).unwrap_or(0);
        let neighbor = self.neighbor(now, to);
        neighbor.count(index, outcome);
        let limit = neighbor.limit();
        neighbor.limit = Some(limit);
        if outcome.is_acked() || neighbor.failures >= limit {
            self.on_chain_over(now, to);
        }
    }

    fn on_given_up(&mut self, now: Time, to: RadioId) {
        if self.neighbor(now, to).failures > 0 {
            self.on_chain_over(now, to);
        }
    }

    fn attempts(&self, to: RadioId) -> Option<u32> {
        self.neighbors.get(&to).and_then(|neighbor| neighbor.limit)
    }

    fn aggregates(&self, to: RadioId) -> bool {
        self.neighbors.get(&to).is_none_or(|neighbor| neighbor.sample.is_none() || neighbor.failures > 0)
    }
}

impl MinstrelHt {
    fn neighbor(&mut self, now: Time, to: RadioId) -> &mut Neighbor {
        let MinstrelHt { setup, groups, neighbors } = self;
        neighbors.entry(to).or_insert_with(|| Neighbor::new(now, setup, groups))
    }

    fn on_chain_over(&mut self, now: Time, to: RadioId) {
        let MinstrelHt { setup, groups, neighbors } = self;
        let Some(neighbor) = neighbors.get_mut(&to) else { return };
        (neighbor.failures, neighbor.sample) = (0, None);
        if now >= neighbor.next_update {
            neighbor.next_update = now + UPDATE;
            neighbor.update(setup, groups);
        }
        neighbor.choose(setup);
    }
}

impl Neighbor {
    fn new(now: Time, setup: &mut RateSetup, groups: &[Vec<usize>]) -> Neighbor {
        let stream = &mut setup.stream;
        let order = groups.iter().map(|group| {
            let shuffled = (0..PERMUTATIONS).flat_map(|_| permutation(group.len(), stream));
            (shuffled.map(|place| group[place]).collect(), 0)
        });
        let left = GROUP_SAMPLES * groups.len() as u32;
        Neighbor {
            sampling: Sampling { wait: 0, due: FIRST_SAMPLES, left, slow: 0, group: 0, order: order.collect() },
            rates: vec![Rate::default(); setup.modulations.len()],
            chain: [(0, 1); 3],
            next_update: now + UPDATE,
            failures: 0,
            limit: None,
            sample: None,
            mean_mpdus: 1.0,
            ampdus: 0,
            mpdus: 0,
        }
    }

    /// The modulation of the next attempt.
    fn rate(&self) -> usize {
        if let Some(sample) = self.sample.filter(|_| self.failures == 0) {
            return sample;
        }
        let mut before = u32::from(self.sample.is_some());
        for (rate, tries) in self.links() {
            before += tries;
            if self.failures < before {
                return rate;
            }
        }
        self.chain[2].0
    }

    /// Attempts of the current chain.
    fn limit(&self) -> u32 {
        let own: u32 = self.links().map(|(_, tries)| tries).sum();
        own + u32::from(self.sample.is_some())
    }

    /// The links of the chain behind a sample: it stands in for the best modulation.
    fn links(&self) -> impl Iterator<Item = Link> {
        self.chain.into_iter().skip(usize::from(self.sample.is_some()))
    }

    /// Counts the result of an attempt at a modulation.
    fn count(&mut self, index: usize, outcome: &Outcome) {
        let mpdus = outcome.acked + outcome.lost;
        let rate = &mut self.rates[index];
        rate.attempts += mpdus;
        rate.successes += outcome.acked;
        self.failures += u32::from(!outcome.is_acked());
        if mpdus > 1 {
            self.ampdus += 1;
            self.mpdus += mpdus;
        }
        let sampling = &mut self.sampling;
        if sampling.wait == 0 && sampling.due == 0 && sampling.left > 0 {
            sampling.wait = (WAIT + WAIT_PER_MPDU * self.mean_mpdus) as u32;
            sampling.due = 1;
            sampling.left -= 1;
        }
    }

    fn update(&mut self, setup: &RateSetup, groups: &[Vec<usize>]) {
        if self.ampdus > 0 {
            let mean = f64::from(self.mpdus) / f64::from(self.ampdus);
            self.mean_mpdus += WEIGHT * (mean - self.mean_mpdus);
            (self.ampdus, self.mpdus) = (0, 0);
        }
        for (rate, frame_s) in self.rates.iter_mut().zip(&setup.frame_s) {
            rate.update(*frame_s);
        }
        let best = self.fastest(groups, None);
        let second = self.fastest(groups, Some(best));
        let safest = self.safest(groups);
        self.chain = [best, second, safest].map(|rate| (rate, self.tries(rate, setup)));
        self.sampling.slow = 0;
        self.sampling.left = GROUP_SAMPLES * groups.len() as u32;
    }

    /// The modulation with the highest throughput, of equal ones that with the higher average; the slowest if none succeeds.
    fn fastest(&self, groups: &[Vec<usize>], without: Option<usize>) -> usize {
        let value = |index: usize| (self.rates[index].throughput, self.rates[index].average);
        let candidates = groups.iter().flatten().copied().filter(|index| Some(*index) != without);
        candidates
            .filter(|index| value(*index).0 > 0.0)
            .fold(0, |best, index| if Some(best) == without || value(index) > value(best) { index } else { best })
    }

    /// The fastest modulation above 75 %, or else the one with the highest average.
    fn safest(&self, groups: &[Vec<usize>]) -> usize {
        groups.iter().flatten().copied().filter(|index| self.rates[*index].throughput > 0.0).fold(0, |best, index| {
            let (new, old) = (&self.rates[index], &self.rates[best]);
            let is_safer = if new.average > SAFE { new.throughput > old.throughput } else { new.average > old.average };
            if is_safer { index } else { best }
        })
    }

    /// Attempts at a modulation: as fit into 6 ms.
    fn tries(&self, index: usize, setup: &RateSetup) -> u32 {
        if self.rates[index].average < UNKNOWN {
            return 1;
        }
        let further_s = f64::from(8 * RateSetup::BYTES) / setup.modulations[index].rate().0;
        let attempt_s = setup.attempt_s[index] + further_s * (self.mean_mpdus - 1.0).max(0.0);
        let (mut total_s, mut window) = (0.0, FIRST_WINDOW);
        for tries in 1..=TRIES.1 {
            total_s += attempt_s + f64::from(window / 2) * setup.slot_s;
            window = ((window + 1) * 2).min(LAST_WINDOW);
            if tries > TRIES.0 && total_s >= LONGEST_S {
                return tries - 1;
            }
        }
        TRIES.1
    }

    /// Chooses whether the next chain samples a modulation.
    fn choose(&mut self, setup: &RateSetup) {
        let sampling = &mut self.sampling;
        if sampling.wait > 0 {
            sampling.wait -= 1;
            return;
        }
        if sampling.due == 0 {
            return;
        }
        let index = sampling.next();
        let rate = &self.rates[index];
        if self.chain.iter().any(|(used, _)| *used == index) || rate.average > PERFECT {
            return;
        }
        let [(best, _), (second, _), (safest, _)] = self.chain;
        let frame_s = |index: usize| setup.frame_s[index];
        let streams = |index: usize| setup.modulations[index].streams();
        let is_fast =
            frame_s(index) < frame_s(second) || (streams(index) < streams(best) && frame_s(index) < frame_s(safest));
        if !is_fast {
            sampling.slow += 1;
            if rate.idle < IDLE_UPDATES || sampling.slow > SLOW_SAMPLES {
                return;
            }
        }
        sampling.due -= 1;
        self.sample = Some(index);
    }
}

impl Rate {
    fn update(&mut self, frame_s: f64) {
        if self.attempts == 0 {
            self.idle += 1;
            return;
        }
        let now = f64::from(self.successes) / f64::from(self.attempts);
        // Without a success so far there is nothing to average with.
        self.average = if self.has_succeeded { self.average + WEIGHT * (now - self.average) } else { now };
        self.has_succeeded |= self.successes > 0;
        self.throughput = if self.average < DEAD { 0.0 } else { self.average.min(HIGHEST) / frame_s };
        (self.attempts, self.successes, self.idle) = (0, 0, 0);
    }
}

impl Sampling {
    /// The next modulation, of the next group.
    fn next(&mut self) -> usize {
        let (order, place) = &mut self.order[self.group];
        let index = order[*place];
        *place = (*place + 1) % order.len();
        self.group = (self.group + 1) % self.order.len();
        index
    }
}

#[cfg(test)]
mod tests;
