//! Chain, statistics and samples of Minstrel for 802.11n, without a MAC.

use super::*;
use crate::packet::Width;
use crate::phy::{Phy, Standard};

const TO: RadioId = RadioId(2);

fn setup(streams: u32, short_gi: bool) -> RateSetup {
    RateSetup::of_phy(Phy { streams, ..Phy::usual(Standard::N, Width::Mhz20) }, short_gi)
}

/// What PPDUs came to: share of MPDUs sent at each MCS, and samples.
#[derive(Debug, Default)]
struct Seen {
    shares: BTreeMap<u32, f64>,
    singles: u32,
    ppdus: u32,
}

/// PPDUs of `mpdus` MPDUs until `seconds`, whose MPDUs succeed with the chance of their MCS; counted in the last half.
fn run(mut minstrel: MinstrelHt, mpdus: u32, seconds: f64, chance: &dyn Fn(u32) -> f64) -> Seen {
    let mut dice = crate::kernel::RandomStreams::new(5).stream(crate::kernel::Purpose::Traffic, 0);
    let (mut now, mut seen) = (0.0, Seen::default());
    while now < seconds {
        let time = Time((now * 1e9) as u64);
        let modulation = minstrel.modulation(time, TO, 0);
        let mcs = modulation.mcs().expect("HT");
        let sent = if minstrel.aggregates(TO) { mpdus } else { 1 };
        let acked = (0..sent).map(|_| u32::from(dice.unit() < chance(mcs))).sum();
        now += 200e-6 + f64::from(sent * 12_304) / modulation.rate().0;
        minstrel.on_result(time, TO, &Outcome { modulation, acked, lost: sent - acked, ratio: 0.0 });
        if now > seconds / 2.0 {
            *seen.shares.entry(mcs).or_default() += f64::from(sent);
            seen.singles += u32::from(sent == 1);
            seen.ppdus += 1;
        }
    }
    let all: f64 = seen.shares.values().sum();
    seen.shares.values_mut().for_each(|share| *share /= all);
    seen
}

#[test]
fn perfect_link_uses_the_fastest_of_all_groups() {
    for streams in [1, 2] {
        let minstrel = MinstrelHt::new(setup(streams, true));
        assert_eq!(minstrel.groups.len(), 2 * streams as usize);
        let seen = run(minstrel, 20, 4.0, &|_| 1.0);
        assert!(seen.shares[&(8 * streams - 1)] > 0.95, "{streams}: {seen:?}");
    }
}

#[test]
fn groups_have_equal_streams_and_guard_interval() {
    let minstrel = MinstrelHt::new(setup(2, true));
    let modes: Vec<Vec<Modulation>> =
        minstrel.groups.iter().map(|group| group.iter().map(|i| minstrel.setup.modulations[*i]).collect()).collect();
    let firsts: Vec<_> = modes.iter().map(|group| (group[0].has_short_gi(), group[0].mcs(), group.len())).collect();
    assert_eq!(firsts, [(false, Some(0), 8), (false, Some(8), 8), (true, Some(0), 8), (true, Some(8), 8)]);
    assert_eq!(MinstrelHt::new(setup(1, false)).groups.len(), 1);
}

#[test]
fn best_throughput_wins_over_a_faster_lossy_rate() {
    // MCS 4 loses every tenth MPDU, MCS 5 two in three: 39 x 0.9 beats 52 / 3 and 26.
    let seen =
        run(MinstrelHt::new(setup(1, false)), 17, 6.0, &|mcs| [1.0, 1.0, 1.0, 1.0, 0.9, 0.33, 0.0, 0.0][mcs as usize]);
    assert!(seen.shares[&4] > 0.95, "{seen:?}");
    // MCS 4 at 40 %: 39 x 0.4 is less than 26 x 0.9.
    let seen =
        run(MinstrelHt::new(setup(1, false)), 17, 6.0, &|mcs| [1.0, 1.0, 1.0, 1.0, 0.4, 0.0, 0.0, 0.0][mcs as usize]);
    assert!(seen.shares[&3] > 0.95, "{seen:?}");
}

#[test]
fn samples_are_single_frames_behind_a_wait() {
    // 16 PPDUs and two per MPDU of 20 pass between samples; candidates that are not sampled take further ones.
    let seen = run(MinstrelHt::new(setup(1, false)), 20, 20.0, &|mcs| f64::from(u8::from(mcs < 4)));
    let per_sample = f64::from(seen.ppdus) / f64::from(seen.singles);
    assert!((56.0..75.0).contains(&per_sample), "{per_sample}");
}

#[test]
fn recovering_rate_is_found_again() {
    let mut minstrel = MinstrelHt::new(setup(1, false));
    let mut now = Time::ZERO;
    let mut last = 0;
    for step in 0..4000 {
        let is_good = step > 1000;
        let modulation = minstrel.modulation(now, TO, 0);
        last = modulation.mcs().expect("HT");
        let acked = if last == 0 || is_good { 10 } else { 0 };
        minstrel.on_result(now, TO, &Outcome { modulation, acked, lost: 10 - acked, ratio: 0.0 });
        now += Span::from_millis(3);
        if step == 1000 {
            assert_eq!(minstrel.neighbor(now, TO).chain[0].0, 0);
        }
    }
    assert_eq!(last, 7);
}

#[test]
fn failing_chain_ends_with_the_safest_and_begins_again() {
    let mut minstrel = MinstrelHt::new(setup(1, false));
    assert_eq!((minstrel.attempts(TO), minstrel.aggregates(TO)), (None, true));
    let neighbor = minstrel.neighbor(Time::ZERO, TO);
    neighbor.chain = [(5, 2), (4, 2), (1, 3)];
    neighbor.sampling.due = 0;
    let mut used = Vec::new();
    for _ in 0..8 {
        let modulation = minstrel.modulation(Time::ZERO, TO, 0);
        used.push(modulation.mcs().expect("HT"));
        minstrel.on_result(Time::ZERO, TO, &Outcome { modulation, acked: 0, lost: 5, ratio: 0.0 });
        assert_eq!(minstrel.attempts(TO), Some(7));
    }
    assert_eq!(used, [5, 5, 4, 4, 1, 1, 1, 5]);
}

#[test]
fn sample_stands_in_for_the_best() {
    let mut minstrel = MinstrelHt::new(setup(1, false));
    let neighbor = minstrel.neighbor(Time::ZERO, TO);
    neighbor.chain = [(5, 2), (4, 2), (1, 3)];
    neighbor.sample = Some(7);
    assert!(!minstrel.aggregates(TO));
    let modulation = minstrel.modulation(Time::ZERO, TO, 0);
    assert_eq!(modulation.mcs(), Some(7));
    minstrel.on_result(Time::ZERO, TO, &Outcome::single(modulation, false, 0.0));
    assert_eq!((minstrel.attempts(TO), minstrel.aggregates(TO)), (Some(6), true));
    assert_eq!(minstrel.modulation(Time::ZERO, TO, 1).mcs(), Some(4));
    minstrel.on_given_up(Time::ZERO, TO);
    assert_eq!(minstrel.modulation(Time::ZERO, TO, 0).mcs(), Some(5), "a new chain");
}

#[test]
fn attempts_fit_into_six_milliseconds() {
    let minstrel = MinstrelHt::new(setup(1, false));
    let mut neighbor = Neighbor::new(Time::ZERO, &mut minstrel.setup.clone(), &minstrel.groups);
    assert_eq!(neighbor.tries(7, &minstrel.setup), 1, "nothing is known");
    for rate in &mut neighbor.rates {
        rate.average = 1.0;
    }
    // With SIFS and ACK 1580 us at MCS 0, 228 us at MCS 7; backoff of 7, 16, 33, 67, 134 and 269 slots of 9 us.
    assert_eq!([0, 7].map(|rate| neighbor.tries(rate, &minstrel.setup)), [3, 5]);
    neighbor.mean_mpdus = 28.0;
    assert_eq!(neighbor.tries(7, &minstrel.setup), 2);
}
