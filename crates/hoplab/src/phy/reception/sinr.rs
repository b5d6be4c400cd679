//! Reception by the ratio of a signal to noise and all interference.
//!
//! # Model
//! A receiver adds up the power of everything on the air. It locks on a frame whose preamble it can make out: nothing is
//! locked, the node is not sending, the frame is at `cs_threshold` or above, and `preamble_db` above noise and
//! interference. From then on every change of interference ends a chunk of the frame; each chunk survives with the
//! probability that all of its bits are right (see [`super::curves`]; preamble and PLCP header are bits at 1 Mb/s), or,
//! with `reception = "threshold"`, if the ratio is at least the threshold of its modulation. The frame is received if all
//! chunks survive. Below `rx_threshold` a frame is never readable. With `relock`, a later frame that is `relock_db` above everything else takes over.
//! With `release`, so does any that could be locked on alone, after a PLCP header that could not be read.
//! The medium is busy while a frame is locked or the sum of powers reaches `cs_threshold`.
//!
//! # Source
//! phy.md section 4; IEEE 802.11-1999 section 18.4.8.4 (clear channel assessment by energy).
//!
//! # Deviations
//! Frames weaker than a tenth of the thermal noise are left out of the sum. That `rx_threshold` stays a limit is our choice: it keeps
//! `reach` meaningful. Preamble detection at 4 dB and relocking at 10 dB are assumptions. Without `release` a receiver stays with a
//! frame whose header it could not read; ns-3.37 lets go of it (docs/protocols/radio.md).
//!
//! # Parameters
//! Table `[radio.sinr]`, `radio.noise_figure_db`, `radio.bandwidth`.

use crate::kernel::{NodeId, Span, Time, keyed_pair};
use crate::packet::{Frame, Modulation};
use crate::phy::config::RadioConfig;
use crate::phy::errors::{Noise, header};
use crate::phy::receiver::Reception;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[radio.sinr]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SinrConfig {
    /// What makes a frame readable.
    pub reception: Readable,
    /// Least ratio of signal to noise and interference at which a preamble is made out, in dB.
    #[schemars(range(min = -30.0, max = 60.0))]
    pub preamble_db: f64,
    /// Whether the receiver locks on a much stronger later frame.
    pub frame_capture: bool,
    /// Ratio to everything else at which it does, in dB.
    #[schemars(range(min = -30.0, max = 60.0))]
    pub frame_capture_db: f64,
    /// Whether a receiver aborts reception of a frame whose PLCP header it could not decode, for the next one.
    pub abort_on_header_error: bool,
}

/// What makes a frame readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Readable {
    /// Chance, by the bit error rates of its modulation.
    BerCurves,
    /// A ratio of at least -3, 2, 4 and 7 dB at 1, 2, 5.5 and 11 Mb/s, all the time.
    Threshold,
}

impl Default for SinrConfig {
    fn default() -> Self {
        SinrConfig {
            reception: Readable::BerCurves,
            preamble_db: 4.0,
            frame_capture: false,
            frame_capture_db: 10.0,
            abort_on_header_error: false,
        }
    }
}

/// The receivers of all nodes.
#[derive(Debug)]
pub struct Sinr {
    ears: Vec<Ear>,
    seed: u64,
    noise: Noise,
    rx_threshold: f64,
    cs_threshold: f64,
    preamble: f64,
    frame_capture: Option<f64>,
    abort_on_header_error: bool,
    readable: Readable,
}

/// What one node hears.
#[derive(Clone, Debug, Default)]
struct Ear {
    /// Everything on the air here, in order of arrival.
    signals: Vec<Signal>,
    locked: Option<Lock>,
}

#[derive(Clone, Copy, Debug)]
struct Signal {
    transmission: u32,
    power: f64,
}

/// The frame that a receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Lock {
    transmission: u32,
    frame: Frame,
    power: f64,
    start: Time,
    /// Up to here its chunks have been judged.
    judged: Time,
    /// Logarithm of the probability that all of them survived.
    log_success: f64,
    /// The part of it that preamble and header have.
    log_header: f64,
    /// The draw that decides.
    chance: f64,
    /// Another frame was on the air during part of it.
    is_disturbed: bool,
}

/// A first or last bit at a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Bit<'a> {
    /// When.
    pub now: Time,
    /// Whose.
    pub node: NodeId,
    /// Which transmission it belongs to.
    pub transmission: u32,
    /// The frame.
    pub frame: &'a Frame,
    /// Its place among the sender's frames.
    pub count: u64,
}

/// What a first bit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The receiver locks on this frame.
    pub is_locked: bool,
    /// The medium is busy.
    pub is_busy: bool,
}

/// Tells the draws of this module from others with the same key.
const SALT: u64 = 0x7369_6e72_2020_2031;

/// Part of the thermal noise below which a frame does not count.
const NEGLIGIBLE: f64 = 0.1;

impl Sinr {
    /// Receivers of this many nodes; chance comes from `seed`.
    pub fn new(config: &RadioConfig, nodes: usize, seed: u64) -> Sinr {
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        Sinr {
            ears: vec![Ear::default(); nodes],
            seed: seed ^ SALT,
            noise: Noise::new(config),
            rx_threshold: config.rx_threshold.0,
            cs_threshold: config.cs_threshold.0,
            preamble: ratio(config.sinr.preamble_db),
            frame_capture: config.sinr.frame_capture.then(|| ratio(config.sinr.frame_capture_db)),
            abort_on_header_error: config.sinr.abort_on_header_error,
            readable: config.sinr.reception,
        }
    }

    /// Least power that takes part in the sum, in watts.
    pub fn least_power(config: &RadioConfig) -> f64 {
        (NEGLIGIBLE * Noise::new(config).power).min(config.cs_threshold.0)
    }

    /// The first bit of a frame is here with `power` watts; `is_deaf`: the node is sending.
    pub fn on_first_bit(&mut self, bit: &Bit<'_>, power: f64, is_deaf: bool) -> Heard {
        self.judge(bit.node, bit.now);
        let ear = &mut self.ears[bit.node.index()];
        let others = ear.power();
        ear.signals.push(Signal { transmission: bit.transmission, power });
        let ratio = power / (self.noise.power + others);
        let is_audible = !is_deaf && power >= self.cs_threshold && ratio >= self.preamble;
        let may_lock = match &ear.locked {
            None => true,
            Some(lock) => {
                self.frame_capture.is_some_and(|least| ratio >= least)
                    || (self.abort_on_header_error && lock.has_lost_header(bit.now))
            }
        };
        let is_locked = is_audible && may_lock;
        if is_locked {
            ear.locked = Some(Lock {
                transmission: bit.transmission,
                frame: *bit.frame,
                power,
                start: bit.now,
                judged: bit.now,
                log_success: 0.0,
                log_header: 0.0,
                chance: keyed_pair([self.seed, u64::from(bit.frame.ta.0), u64::from(bit.node.0), bit.count]).0,
                is_disturbed: others > 0.0,
            });
        } else if let Some(lock) = &mut ear.locked {
            lock.is_disturbed = true;
        }
        let is_busy = ear.locked.is_some() || ear.power() >= self.cs_threshold;
        Heard { is_locked, is_busy }
    }

    /// A node's radio is switched off, and lets go of its frame, or on. Whether it finds the medium busy.
    pub fn switch(&mut self, node: NodeId, is_on: bool) -> bool {
        let ear = &mut self.ears[node.index()];
        ear.locked = None;
        is_on && ear.power() >= self.cs_threshold
    }

    /// The last bit of a frame has passed. How the frame was received, if the receiver was locked on it (sending apart,
    /// of which the radio knows), and whether the medium is still busy.
    pub fn on_last_bit(&mut self, bit: &Bit<'_>) -> (Option<Reception>, bool) {
        self.judge(bit.node, bit.now);
        let ear = &mut self.ears[bit.node.index()];
        ear.signals.retain(|signal| signal.transmission != bit.transmission);
        let lock = ear.locked.take_if(|lock| lock.transmission == bit.transmission);
        let is_busy = ear.locked.is_some() || ear.power() >= self.cs_threshold;
        let reception = lock.map(|lock| {
            if lock.power < self.rx_threshold {
                Reception::Errored
            } else if lock.chance < libm::exp(lock.log_success) {
                Reception::Clean
            } else if lock.is_disturbed {
                Reception::Collided
            } else {
                Reception::Noise
            }
        });
        (reception, is_busy)
    }

    /// Takes the chunk of the locked frame up to `now` in, before interference changes.
    fn judge(&mut self, node: NodeId, now: Time) {
        let ear = &mut self.ears[node.index()];
        let Some(mut lock) = ear.locked else { return };
        let others = ear.signals.iter().filter(|signal| signal.transmission != lock.transmission);
        let others: f64 = others.map(|signal| signal.power).sum();
        let (from, to) = (lock.judged.since(lock.start), now.since(lock.start).min(lock.frame.airtime));
        if to > from {
            let part = |from, to| match self.readable {
                Readable::BerCurves => self.noise.log_success(&lock.frame, from, to, lock.power, others),
                Readable::Threshold => by_threshold(&lock, from, to, lock.power / (self.noise.power + others)),
            };
            let header = if self.abort_on_header_error { header(&lock.frame) } else { Span::ZERO };
            let of_header = if from < header { part(from, to.min(header)) } else { 0.0 };
            let whole = part(from, to);
            lock.log_success += whole;
            lock.log_header += of_header;
            lock.judged = now;
        }
        ear.locked = Some(lock);
    }
}

impl Lock {
    /// Whether the header has passed, and could not be read: the draw that decides on the frame says so already.
    fn has_lost_header(&self, now: Time) -> bool {
        now.since(self.start) >= header(&self.frame) && self.chance >= libm::exp(self.log_header)
    }
}

impl Ear {
    /// Sum of all signals, in watts.
    fn power(&self) -> f64 {
        self.signals.iter().map(|signal| signal.power).sum()
    }
}

fn by_threshold(lock: &Lock, from: Span, to: Span, ratio: f64) -> f64 {
    let least_db = |modulation: Modulation| match modulation {
        Modulation::Dbpsk1 => -3.0,
        Modulation::Dqpsk2 => 2.0,
        Modulation::Cck5 => 4.0,
        Modulation::Cck11 => 7.0,
    };
    let survives = |modulation| 10.0 * libm::log10(ratio) >= least_db(modulation);
    let header = header(&lock.frame);
    let has_header = from < header;
    let has_data = to > header;
    let survived = (!has_header || survives(Modulation::Dbpsk1)) && (!has_data || survives(lock.frame.modulation));
    if survived { 0.0 } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    const NODE: NodeId = NodeId(0);

    fn frame(src: u32, modulation: Modulation) -> Frame {
        let bytes = 1534;
        Frame {
            bytes,
            airtime: Span::from_micros(192) + modulation.rate().time_for(u64::from(bytes) * 8),
            modulation,
            ..Frame::blank(FrameKind::Data, NodeId(src), NODE)
        }
    }

    fn radio(sinr: SinrConfig) -> RadioConfig {
        RadioConfig { sinr, ..RadioConfig::default() }
    }

    fn first(sinr: &mut Sinr, at: Time, id: u32, frame: &Frame, power: f64, count: u64) -> Heard {
        sinr.on_first_bit(&Bit { now: at, node: NODE, transmission: id, frame, count }, power, false)
    }

    fn last(sinr: &mut Sinr, at: Time, id: u32, frame: &Frame, count: u64) -> (Option<Reception>, bool) {
        sinr.on_last_bit(&Bit { now: at, node: NODE, transmission: id, frame, count })
    }

    /// How a frame with `power` is received, over which the whole time frames with the powers `others` lie.
    fn against(
        config: &RadioConfig,
        modulation: Modulation,
        power: f64,
        others: &[f64],
        count: u64,
    ) -> Option<Reception> {
        let mut sinr = Sinr::new(config, 1, 1);
        let wanted = frame(1, modulation);
        first(&mut sinr, Time(0), 0, &wanted, power, count);
        for (id, &power) in others.iter().enumerate() {
            first(&mut sinr, Time(0), 1 + id as u32, &frame(2, Modulation::Dbpsk1), power, count);
        }
        last(&mut sinr, Time::ZERO + wanted.airtime, 0, &wanted, count).0
    }

    #[test]
    fn a_frame_whose_header_is_lost_is_let_go_for_the_next_one() {
        // The second frame breaks the first one's header. The third begins after that, 12 dB above the first.
        for (release, second) in [(true, 4e-9), (true, 1e-12), (false, 4e-9)] {
            let mut sinr =
                Sinr::new(&radio(SinrConfig { abort_on_header_error: release, ..SinrConfig::default() }), 1, 1);
            let (weak, short, next) =
                (frame(1, Modulation::Dqpsk2), frame(2, Modulation::Dqpsk2), frame(3, Modulation::Dqpsk2));
            let short = Frame { bytes: 20, airtime: Span::from_micros(272), ..short };
            assert!(first(&mut sinr, Time(0), 0, &weak, 4e-10, 0).is_locked);
            assert!(!first(&mut sinr, Time(100_000), 1, &short, second, 0).is_locked, "the header is not over");
            assert_eq!(last(&mut sinr, Time(372_000), 1, &short, 0).0, None);
            let third = first(&mut sinr, Time(1_000_000), 2, &next, 6.4e-9, 0);
            assert_eq!(third.is_locked, release && second > 1e-9, "{release} {second}");
            let (end, of_next) = (Time::ZERO + weak.airtime, Time(1_000_000) + next.airtime);
            assert_eq!(last(&mut sinr, end, 0, &weak, 0).0.is_some(), !third.is_locked);
            let expected = third.is_locked.then_some(Reception::Clean);
            assert_eq!(last(&mut sinr, of_next, 2, &next, 0).0, expected);
        }
    }

    #[test]
    fn a_strong_signal_alone_is_received() {
        let config = radio(SinrConfig::default());
        for modulation in Modulation::ALL {
            assert_eq!(against(&config, modulation, 3.66e-10, &[], 0), Some(Reception::Clean));
            assert_eq!(against(&config, modulation, 3.64e-10, &[], 0), Some(Reception::Errored), "below rx_threshold");
        }
        let weak = 0.9 * config.cs_threshold.0;
        assert_eq!(against(&config, Modulation::Dbpsk1, weak, &[], 0), None, "not sensed");
    }

    #[test]
    fn success_over_the_whole_frame_is_that_of_the_curves() {
        // phy.md section 4: 2 Mb/s, 1534 bytes, 1 dB: 0.669990; the header survives.
        let config = radio(SinrConfig::default());
        let power = 1e-9;
        let interference = power / libm::pow(10.0, 0.1) - Noise::new(&config).power;
        let outcomes = (0..20_000).map(|n| against(&config, Modulation::Dqpsk2, power, &[interference], n));
        let received = outcomes.filter(|outcome| *outcome == Some(Reception::Clean)).count() as f64 / 20_000.0;
        assert!((received - 0.669_990).abs() < 4.0 * 0.0033, "{received}");
    }

    #[test]
    fn two_interferers_break_what_each_alone_does_not() {
        for reception in [Readable::BerCurves, Readable::Threshold] {
            let config = radio(SinrConfig { reception, ..SinrConfig::default() });
            // 9 dB over one of them, 6 dB over both: at 11 Mb/s 0.7 of the frames are lost at 6 dB, and 7 dB are needed.
            let (power, each) = (1e-9, 1e-9 / libm::pow(10.0, 0.9));
            let received = |others: &[f64]| {
                let outcomes = (0..2000).map(|n| against(&config, Modulation::Cck11, power, others, n));
                outcomes.filter(|outcome| *outcome == Some(Reception::Clean)).count()
            };
            assert!(received(&[each]) > 1990, "{reception:?}");
            assert!(received(&[each, each]) < 700, "{reception:?}");
        }
    }

    #[test]
    fn only_the_disturbed_part_counts() {
        // 2 Mb/s at 1 dB during half of the data: the square root of 0.669990.
        let config = radio(SinrConfig::default());
        let wanted = frame(1, Modulation::Dqpsk2);
        let power = 1e-9;
        let interference = power / libm::pow(10.0, 0.1) - Noise::new(&config).power;
        let data = wanted.airtime.saturating_sub(Span::from_micros(192));
        let middle = Time::ZERO + Span::from_micros(192) + Span(data.0 / 2);
        let received = (0..20_000).filter(|&n| {
            let mut sinr = Sinr::new(&config, 1, 1);
            let other = frame(2, Modulation::Dbpsk1);
            first(&mut sinr, Time(0), 0, &wanted, power, n);
            first(&mut sinr, middle, 1, &other, interference, n);
            last(&mut sinr, Time::ZERO + wanted.airtime, 0, &wanted, n).0 == Some(Reception::Clean)
        });
        let received = received.count() as f64 / 20_000.0;
        assert!((received - libm::sqrt(0.669_990)).abs() < 4.0 * 0.0028, "{received}");
    }

    #[test]
    fn the_first_frame_is_kept_unless_relocking_is_on() {
        let weak = frame(1, Modulation::Dbpsk1);
        let strong = frame(2, Modulation::Dbpsk1);
        for relock in [false, true] {
            let mut sinr = Sinr::new(&radio(SinrConfig { frame_capture: relock, ..SinrConfig::default() }), 1, 1);
            assert!(first(&mut sinr, Time(0), 0, &weak, 4e-10, 0).is_locked);
            let heard = first(&mut sinr, Time(50_000), 1, &strong, 4e-8, 0);
            assert_eq!(heard, Heard { is_locked: relock, is_busy: true });
            let end = Time::ZERO + weak.airtime;
            let lost = last(&mut sinr, end, 0, &weak, 0);
            assert_eq!(
                lost,
                (if relock { None } else { Some(Reception::Collided) }, true),
                "the strong one is still there"
            );
            let outcome = last(&mut sinr, end + Span(50_000), 1, &strong, 0);
            assert_eq!(outcome, (relock.then_some(Reception::Clean), false));
        }
    }

    #[test]
    fn energy_alone_makes_the_medium_busy() {
        let mut sinr = Sinr::new(&radio(SinrConfig::default()), 1, 1);
        let part = frame(1, Modulation::Dbpsk1);
        // Three signals of 0.4 of the threshold: none is sensed alone.
        let power = 0.4 * 1.559e-11;
        let busy: Vec<bool> = (0..3).map(|id| first(&mut sinr, Time(0), id, &part, power, 0).is_busy).collect();
        assert_eq!(busy, [false, false, true]);
        assert_eq!(last(&mut sinr, Time(1000), 1, &part, 0), (None, false));
    }

    #[test]
    fn a_deaf_node_locks_on_nothing() {
        let mut sinr = Sinr::new(&radio(SinrConfig::default()), 1, 1);
        let other = frame(1, Modulation::Dbpsk1);
        let bit = Bit { now: Time(0), node: NODE, transmission: 0, frame: &other, count: 0 };
        assert_eq!(sinr.on_first_bit(&bit, 1e-9, true), Heard { is_locked: false, is_busy: true });
        assert_eq!(last(&mut sinr, Time(1000), 0, &other, 0), (None, false));
    }
}
