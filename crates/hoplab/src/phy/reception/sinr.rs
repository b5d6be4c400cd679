//! Reception by the ratio of a signal to noise and cumulative interference.
//!
//! # Model
//! A receiver sums the power of all signals on the air. It locks on a frame whose preamble it detects: it is not locked,
//! the node is not transmitting, the frame is at `cs_threshold` or above, and `preamble_db` above noise and interference.
//! From then on every change of interference ends a chunk of the frame. A chunk survives with the probability that all of
//! its bits are right (`errors/curves.rs`; preamble and PLCP header are bits at 1 Mb/s), or, with
//! `reception = "threshold"`, if the ratio is at least the threshold of its modulation. The frame is received if all
//! chunks survive. Below `rx_threshold` a frame is never decoded. With `frame_capture`, a later frame that is
//! `frame_capture_db` above everything else captures the receiver. With `abort_on_header_error`, so does any that could be
//! locked on alone, after a PLCP header that could not be decoded. The medium is busy while a frame is locked on, or the sum of powers reaches `cs_threshold`.
//!
//! # Source
//! docs/specs/phy.md section 4; IEEE 802.11b-1999 section 18.4.8.4 (clear channel assessment by energy); chunks as in
//! ns-3's `InterferenceHelper`.
//!
//! # Deviations
//! Frames weaker than a tenth of the thermal noise are left out of the sum. That `rx_threshold` stays a limit is a choice of
//! this project: it keeps `rx_range` meaningful. Preamble detection at 4 dB and capture at 10 dB are assumptions. Without
//! `abort_on_header_error` a receiver stays locked on a frame whose header it could not decode; ns-3.37 does not
//! (docs/protocols/radio.md).
//!
//! # Parameters
//! Table `[radio.sinr]`, `radio.noise_figure_db`, `radio.bandwidth`.

use super::config::Readable;
use super::model::Signal;
use crate::kernel::{RadioId, Span, Time, keyed_pair};
use crate::packet::{Dsss, Frame, Modulation, Waveform};
use crate::phy::config::RadioConfig;
use crate::phy::errors::{Noise, header};
use crate::phy::receiver::Reception;

/// The signals at the receivers of all nodes.
#[derive(Debug)]
pub(in crate::phy) struct Sinr {
    nodes: Vec<Incoming>,
    seed: u64,
    noise: Noise,
    rx_threshold: f64,
    cs_threshold: f64,
    preamble: f64,
    frame_capture: Option<f64>,
    abort_on_header_error: bool,
    readable: Readable,
}

/// The signals at one node.
#[derive(Clone, Debug, Default)]
struct Incoming {
    /// All of them, in order of arrival.
    powers: Vec<Power>,
    lock: Option<Lock>,
    /// The last signal to end would have been received without the others.
    has_collided: bool,
}

/// Power of one signal, in watts.
#[derive(Clone, Copy, Debug)]
struct Power {
    transmission: u32,
    watts: f64,
    start: Time,
    /// The receiver could have locked on it, but for others that began in the same slot.
    has_collided: bool,
}

/// The frame that a receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Lock {
    transmission: u32,
    frame: Frame,
    power: f64,
    start: Time,
    /// End of its last evaluated chunk.
    evaluated: Time,
    /// Logarithm of the probability that all of them survived.
    log_success: f64,
    /// The same for preamble and header alone.
    log_header: f64,
    /// The draw that decides whether the frame is received.
    chance: f64,
    /// Another signal was on the air during part of it.
    is_disturbed: bool,
}

/// What a signal start changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::phy) struct Started {
    /// The receiver locks on this frame.
    pub(in crate::phy) is_locked: bool,
    /// The medium is busy.
    pub(in crate::phy) is_busy: bool,
}

/// Separates the draws of this model from others with the same key.
const SALT: u64 = 0x7369_6e72_2020_2031;

/// Signals that begin within it begin in one slot (aSlotTime of 802.11b).
const SLOT: Span = Span::from_micros(20);

/// Fraction of the thermal noise below which a signal is left out.
const NEGLIGIBLE: f64 = 0.1;

impl Sinr {
    /// The receivers of this many nodes; draws come from `seed`.
    pub(in crate::phy) fn new(config: &RadioConfig, nodes: usize, seed: u64) -> Sinr {
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        Sinr {
            nodes: vec![Incoming::default(); nodes],
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

    /// Minimum power that is included in the sum, in watts.
    pub(in crate::phy) fn least_power(config: &RadioConfig) -> f64 {
        least_interference(config).min(config.cs_threshold.0)
    }

    /// A signal of `power` watts starts at a node, which cannot lock on it if it `is_transmitting`.
    pub(in crate::phy) fn on_start(
        &mut self,
        signal: &Signal<'_>,
        power: f64,
        own: RadioId,
        now: Time,
        is_transmitting: bool,
    ) -> Started {
        self.evaluate(own, now);
        let incoming = &mut self.nodes[own.index()];
        let others = incoming.power();
        let ratio = power / (self.noise.power + others);
        let is_detected = !is_transmitting && power >= self.cs_threshold && ratio >= self.preamble;
        let may_lock = match &incoming.lock {
            None => true,
            Some(lock) => {
                self.frame_capture.is_some_and(|least| ratio >= least)
                    || (self.abort_on_header_error && lock.has_lost_header(now))
            }
        };
        let is_locked = is_detected && may_lock;
        let is_alone_detectable = power >= self.cs_threshold && power / self.noise.power >= self.preamble;
        let is_met = incoming.powers.iter().any(|other| now.since(other.start) < SLOT);
        let has_collided = !is_locked && !is_transmitting && is_alone_detectable && is_met;
        incoming.powers.push(Power { transmission: signal.transmission, watts: power, start: now, has_collided });
        if is_locked {
            incoming.lock = Some(Lock {
                transmission: signal.transmission,
                frame: *signal.frame,
                power,
                start: now,
                evaluated: now,
                log_success: 0.0,
                log_header: 0.0,
                chance: keyed_pair([self.seed, u64::from(signal.frame.ta.0), u64::from(own.0), signal.count]).0,
                is_disturbed: others > 0.0,
            });
        } else if let Some(lock) = &mut incoming.lock {
            lock.is_disturbed = true;
        }
        let is_busy = incoming.lock.is_some() || incoming.power() >= self.cs_threshold;
        Started { is_locked, is_busy }
    }

    /// A node's radio is switched off, and is no longer locked on its frame, or on. Whether the medium is busy there.
    pub(in crate::phy) fn switch(&mut self, own: RadioId, is_on: bool) -> bool {
        let incoming = &mut self.nodes[own.index()];
        incoming.lock = None;
        is_on && incoming.power() >= self.cs_threshold
    }

    /// A signal ends at a node. Returns how the frame was received, if the receiver was locked on it, without regard to
    /// transmissions of this node, which its radio stores; and whether the medium is still busy.
    pub(in crate::phy) fn on_end(&mut self, signal: &Signal<'_>, own: RadioId, now: Time) -> (Option<Reception>, bool) {
        self.evaluate(own, now);
        let incoming = &mut self.nodes[own.index()];
        let index = incoming.powers.iter().position(|power| power.transmission == signal.transmission);
        let has_collided = index.is_some_and(|index| incoming.powers.remove(index).has_collided);
        let lock = incoming.lock.take_if(|lock| lock.transmission == signal.transmission);
        let is_busy = incoming.lock.is_some() || incoming.power() >= self.cs_threshold;
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
        incoming.has_collided = reception.map_or(has_collided, |reception| reception == Reception::Collided);
        (reception, is_busy)
    }

    /// Whether the signal that has just ended at a node would have been received without the others.
    pub(in crate::phy) fn has_collided(&self, own: RadioId) -> bool {
        self.nodes[own.index()].has_collided
    }

    /// Evaluates the chunk of the frame locked on up to `now`, before interference changes.
    fn evaluate(&mut self, own: RadioId, now: Time) {
        let incoming = &mut self.nodes[own.index()];
        let Some(mut lock) = incoming.lock else { return };
        let others = incoming.powers.iter().filter(|power| power.transmission != lock.transmission);
        let others: f64 = others.map(|power| power.watts).sum();
        let (from, to) = (lock.evaluated.since(lock.start), now.since(lock.start).min(lock.frame.airtime));
        if to > from {
            let part = |from, to| match self.readable {
                Readable::BerCurves | Readable::Nist | Readable::Yans => {
                    self.noise.log_success(&lock.frame, from, to, lock.power, others)
                }
                Readable::Threshold => by_threshold(&lock, from, to, lock.power / (self.noise.power + others)),
            };
            let header = if self.abort_on_header_error { header(&lock.frame) } else { Span::ZERO };
            let of_header = if from < header { part(from, to.min(header)) } else { 0.0 };
            let whole = part(from, to);
            lock.log_success += whole;
            lock.log_header += of_header;
            lock.evaluated = now;
        }
        incoming.lock = Some(lock);
    }
}

impl Lock {
    /// Whether the header has ended and could not be decoded: the draw that decides on the frame shows it already.
    fn has_lost_header(&self, now: Time) -> bool {
        now.since(self.start) >= header(&self.frame) && self.chance >= libm::exp(self.log_header)
    }
}

impl Incoming {
    /// Sum of all powers, in watts.
    fn power(&self) -> f64 {
        self.powers.iter().map(|power| power.watts).sum()
    }
}

/// Power below which a signal is left out of sums, in watts.
pub(in crate::phy) fn least_interference(config: &RadioConfig) -> f64 {
    NEGLIGIBLE * Noise::new(config).power
}

/// Whether bits of a modulation survive this ratio of signal to noise and interference, by its threshold.
pub(in crate::phy) fn survives_threshold(modulation: Modulation, ratio: f64) -> bool {
    let Waveform::Dsss(dsss) = modulation.mode().waveform else { return false };
    let least_db = match dsss {
        Dsss::Dbpsk => -3.0,
        Dsss::Dqpsk => 2.0,
        Dsss::Cck5 => 4.0,
        Dsss::Cck11 => 7.0,
    };
    10.0 * libm::log10(ratio) >= least_db
}

/// Logarithm of the probability that a chunk survives, by the threshold of its modulation: 0 or minus infinity.
fn by_threshold(lock: &Lock, from: Span, to: Span, ratio: f64) -> f64 {
    let survives = |modulation| survives_threshold(modulation, ratio);
    let header = header(&lock.frame);
    let has_header = from < header;
    let has_data = to > header;
    let survived = (!has_header || survives(Modulation::DBPSK1)) && (!has_data || survives(lock.frame.modulation));
    if survived { 0.0 } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;
    use crate::phy::reception::SinrConfig;

    const NODE: RadioId = RadioId(0);

    fn frame(src: u32, modulation: Modulation) -> Frame {
        let bytes = 1534;
        Frame {
            bytes,
            airtime: Span::from_micros(192) + modulation.rate().time_for(u64::from(bytes) * 8),
            modulation,
            ..Frame::blank(FrameKind::Data, RadioId(src), NODE)
        }
    }

    fn radio(sinr: SinrConfig) -> RadioConfig {
        RadioConfig { sinr, ..RadioConfig::default() }
    }

    fn first(sinr: &mut Sinr, at: Time, id: u32, frame: &Frame, power: f64, count: u64) -> Started {
        sinr.on_start(&Signal::new(id, frame, count, false), power, NODE, at, false)
    }

    fn last(sinr: &mut Sinr, at: Time, id: u32, frame: &Frame, count: u64) -> (Option<Reception>, bool) {
        sinr.on_end(&Signal::new(id, frame, count, false), NODE, at)
    }

    /// How a frame with `power` is received under interference of frames with the powers `others` for its whole airtime.
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
            first(&mut sinr, Time(0), 1 + id as u32, &frame(2, Modulation::DBPSK1), power, count);
        }
        last(&mut sinr, Time::ZERO + wanted.airtime, 0, &wanted, count).0
    }

    #[test]
    fn receiver_aborts_on_header_error_if_configured() {
        // The second frame breaks the first one's header. The third begins after that, 12 dB above the first.
        for (release, second) in [(true, 4e-9), (true, 1e-12), (false, 4e-9)] {
            let mut sinr =
                Sinr::new(&radio(SinrConfig { abort_on_header_error: release, ..SinrConfig::default() }), 1, 1);
            let (weak, short, next) =
                (frame(1, Modulation::DQPSK2), frame(2, Modulation::DQPSK2), frame(3, Modulation::DQPSK2));
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
    fn strong_signal_alone_is_received() {
        let config = radio(SinrConfig::default());
        for modulation in Modulation::DSSS {
            assert_eq!(against(&config, modulation, 3.66e-10, &[], 0), Some(Reception::Clean));
            assert_eq!(against(&config, modulation, 3.64e-10, &[], 0), Some(Reception::Errored), "below rx_threshold");
        }
        let weak = 0.9 * config.cs_threshold.0;
        assert_eq!(against(&config, Modulation::DBPSK1, weak, &[], 0), None, "not sensed");
    }

    #[test]
    fn success_of_whole_frame_follows_bit_error_curves() {
        // docs/specs/phy.md section 4: 2 Mb/s, 1534 bytes, 1 dB: 0.669990; the header survives.
        let config = radio(SinrConfig::default());
        let power = 1e-9;
        let interference = power / libm::pow(10.0, 0.1) - Noise::new(&config).power;
        let outcomes = (0..20_000).map(|n| against(&config, Modulation::DQPSK2, power, &[interference], n));
        let received = outcomes.filter(|outcome| *outcome == Some(Reception::Clean)).count() as f64 / 20_000.0;
        assert!((received - 0.669_990).abs() < 4.0 * 0.0033, "{received}");
    }

    #[test]
    fn sum_of_two_interferers_destroys_frame() {
        for reception in [Readable::BerCurves, Readable::Threshold] {
            let config = radio(SinrConfig { reception, ..SinrConfig::default() });
            // 9 dB over one of them, 6 dB over both: at 11 Mb/s 0.7 of the frames are lost at 6 dB, and 7 dB are needed.
            let (power, each) = (1e-9, 1e-9 / libm::pow(10.0, 0.9));
            let received = |others: &[f64]| {
                let outcomes = (0..2000).map(|n| against(&config, Modulation::CCK11, power, others, n));
                outcomes.filter(|outcome| *outcome == Some(Reception::Clean)).count()
            };
            assert!(received(&[each]) > 1990, "{reception:?}");
            assert!(received(&[each, each]) < 700, "{reception:?}");
        }
    }

    #[test]
    fn interference_counts_for_its_duration_only() {
        // 2 Mb/s at 1 dB during half of the data: the square root of 0.669990.
        let config = radio(SinrConfig::default());
        let wanted = frame(1, Modulation::DQPSK2);
        let power = 1e-9;
        let interference = power / libm::pow(10.0, 0.1) - Noise::new(&config).power;
        let data = wanted.airtime.saturating_sub(Span::from_micros(192));
        let middle = Time::ZERO + Span::from_micros(192) + Span(data.0 / 2);
        let received = (0..20_000).filter(|&n| {
            let mut sinr = Sinr::new(&config, 1, 1);
            let other = frame(2, Modulation::DBPSK1);
            first(&mut sinr, Time(0), 0, &wanted, power, n);
            first(&mut sinr, middle, 1, &other, interference, n);
            last(&mut sinr, Time::ZERO + wanted.airtime, 0, &wanted, n).0 == Some(Reception::Clean)
        });
        let received = received.count() as f64 / 20_000.0;
        assert!((received - libm::sqrt(0.669_990)).abs() < 4.0 * 0.0028, "{received}");
    }

    #[test]
    fn later_strong_frame_captures_receiver_if_configured() {
        let weak = frame(1, Modulation::DBPSK1);
        let strong = frame(2, Modulation::DBPSK1);
        for relock in [false, true] {
            let mut sinr = Sinr::new(&radio(SinrConfig { frame_capture: relock, ..SinrConfig::default() }), 1, 1);
            assert!(first(&mut sinr, Time(0), 0, &weak, 4e-10, 0).is_locked);
            let started = first(&mut sinr, Time(50_000), 1, &strong, 4e-8, 0);
            assert_eq!(started, Started { is_locked: relock, is_busy: true });
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
    fn sum_of_weak_signals_makes_medium_busy() {
        let mut sinr = Sinr::new(&radio(SinrConfig::default()), 1, 1);
        let part = frame(1, Modulation::DBPSK1);
        // Three signals of 0.4 of the threshold: none is sensed alone.
        let power = 0.4 * 1.559e-11;
        let busy: Vec<bool> = (0..3).map(|id| first(&mut sinr, Time(0), id, &part, power, 0).is_busy).collect();
        assert_eq!(busy, [false, false, true]);
        assert_eq!(last(&mut sinr, Time(1000), 1, &part, 0), (None, false));
    }

    #[test]
    fn transmitting_node_locks_on_nothing() {
        let mut sinr = Sinr::new(&radio(SinrConfig::default()), 1, 1);
        let other = frame(1, Modulation::DBPSK1);
        let signal = Signal::new(0, &other, 0, false);
        assert_eq!(sinr.on_start(&signal, 1e-9, NODE, Time(0), true), Started { is_locked: false, is_busy: true });
        assert_eq!(last(&mut sinr, Time(1000), 0, &other, 0), (None, false));
    }
}
