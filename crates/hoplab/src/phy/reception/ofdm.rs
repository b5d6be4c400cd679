//! Reception of OFDM frames: preamble detection, header, and payload against noise and cumulative interference.
//!
//! # Model
//! A receiver sums the power of all signals on the air. A frame that begins while nothing is locked opens a window of
//! `cca_time`. At its end the receiver locks on the frame if it is the strongest of those with open windows, reaches
//! `cs_threshold`, and is `preamble_db` above noise and everything else. The medium is busy from the end of a window on, not
//! before: a station whose backoff ends within the window sends, and forgets what it has received.
//!
//! From then on every change of interference ends a chunk of the frame. The SIGNAL field is 24 bits of BPSK 1/2, the payload
//! bits are rate times time. Header and payload survive with the probability that all of their bits are right
//! (`errors/ofdm.rs`; `errors/curves.rs` for DSSS frames of 802.11g). Fields behind the header, as HT-SIG, are BPSK 1/2 too; a
//! receiver that has lost one is deaf to the end of the frame. A receiver that cannot decode the header is free for the
//! next frame, and no EIFS follows. Below `rx_threshold` a frame is never decoded.
//!
//! # Source
//! IEEE 802.11-2016 sections 17.3.10.6 and 17.3.12; ns-3.37 `PhyEntity`, `ThresholdPreambleDetectionModel` and
//! `InterferenceHelper`.
//!
//! # Deviations
//! Frames weaker than a tenth of the thermal noise are left out of the sum. The signal extension of 802.11g counts as payload,
//! as in ns-3. Bits of a DSSS preamble within the window are not evaluated.
//!
//! # Parameters
//! `radio.standard`, `radio.bandwidth`, `radio.cca`, `radio.cca_time`, `radio.ed_threshold`, table `[radio.sinr]`.

use super::impaired::Impairments;
use super::model::{Arrival, Departure, ReceptionModel, Signal};
use crate::kernel::{RadioId, Span, Time, keyed_pair};
use crate::packet::aggregate::{Aggregate, padded, with_mpdu};
use crate::packet::{FrameKind, Modulation};
use crate::phy::config::RadioConfig;
use crate::phy::errors::{BitErrors, Noise};
use crate::phy::layer::{CcaRule, Phy};
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{PhyIndication, Radio, Reception};

/// The model of a run.
#[derive(Debug)]
pub struct Ofdm {
    ears: Vec<Ear>,
    impairments: Impairments,
    bits: BitErrors,
    noise: Noise,
    phy: Phy,
    seed: u64,
    window: Span,
    preamble: f64,
    cs_threshold: f64,
    rx_threshold: f64,
    ed_threshold: f64,
    cca: CcaRule,
    /// By node: the MPDUs that it has sent last.
    aggregates: Vec<Aggregate>,
}

/// The signals at one node.
#[derive(Clone, Debug, Default)]
struct Ear {
    /// All of them, in order of arrival.
    signals: Vec<Incoming>,
    lock: Option<Lock>,
    /// Ratio of the last frame for this node to noise and interference at its end.
    ratio: f64,
    /// Evaluated chunks of the payload of an A-MPDU that the receiver is locked on.
    chunks: Vec<Chunk>,
    /// Bit i: MPDU i of the last A-MPDU was decoded.
    read: u64,
    /// The last signal to end would have been received without the others.
    has_collided: bool,
}

/// Part of the payload of an A-MPDU between two changes of interference.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// From the start of the frame to its ends.
    from: Span,
    to: Span,
    /// Logarithm of the probability that the bits of a nanosecond are right.
    log: f64,
}

/// One signal at one node.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    transmission: u32,
    watts: f64,
    start: Time,
    /// The receiver may lock on it at the end of its window.
    is_open: bool,
    /// Its preamble was detected.
    is_seen: bool,
    /// Its preamble was not detected, but would have been alone: others began within its window.
    has_collided: bool,
}

/// The frame that a receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Lock {
    transmission: u32,
    power: f64,
    modulation: Modulation,
    start: Time,
    /// From its start to the end of the training sequences, and of the header.
    training: Span,
    header: Span,
    /// From its start to its payload: later than the header's end if fields are between.
    payload: Span,
    airtime: Span,
    /// End of its last evaluated chunk, from its start.
    evaluated: Span,
    /// Logarithms of the probabilities that all bits so far are right.
    log_header: f64,
    log_payload: f64,
    /// The draw that decides whether the frame is received.
    chance: f64,
    /// Another signal was on the air during part of it.
    is_disturbed: bool,
    /// Its MPDUs have fates of their own.
    is_aggregate: bool,
}

/// Separates the draws of this model from others with the same key.
const SALT: u64 = 0x6f66_646d_2020_2031;
/// Separates the draws of MPDUs from those of frames.
const MPDU_SALT: u64 = 0x6d70_6475_2020_2031;

impl Ofdm {
    pub(in crate::phy) fn new(config: &RadioConfig, impairments: Impairments, nodes: usize, seed: u64) -> Ofdm {
        let phy = config.phy();
        Ofdm {
            ears: vec![Ear::default(); nodes],
            impairments,
            bits: BitErrors::new(config.ofdm_errors(), config),
            noise: Noise::new(config),
            phy,
            seed: seed ^ SALT,
            window: config.cca_time.unwrap_or_else(|| phy.cca_time()),
            preamble: libm::pow(10.0, config.sinr.preamble_db / 10.0),
            cs_threshold: config.cs_threshold.0,
            rx_threshold: config.rx_threshold.0,
            ed_threshold: config.ed_threshold.map_or(config.cs_threshold.0, |power| power.0),
            cca: config.cca.unwrap_or(CcaRule::Ns3),
            aggregates: vec![Aggregate::default(); nodes],
        }
    }

    /// A node begins to transmit: it forgets what it receives.
    #[inline(never)]
    pub(in crate::phy) fn on_transmit(&mut self, radio: &mut Radio, own: RadioId) {
        self.ears[own.index()].close();
        radio.release();
        radio.has_carrier = self.is_busy(own);
    }

    /// Time from a signal start to the end of its window.
    pub(in crate::phy) fn window(&self) -> Span {
        self.window
    }

    /// Whether the node is locked on a frame whose header it has decoded, or may still decode.
    pub(in crate::phy) fn has_header(&self, own: RadioId, now: Time) -> bool {
        self.ears[own.index()].lock.is_some_and(|lock| !lock.has_lost_header(now))
    }

    /// Ratio of the last frame for a node to noise and interference there.
    pub(in crate::phy) fn last_ratio(&self, own: RadioId) -> f64 {
        self.ears[own.index()].ratio
    }

    /// The window of a signal has ended at a node.
    fn detect(&mut self, radio: &mut Radio, signal: &Signal<'_>, at: RadioId, now: Time) -> bool {
        let ear = &mut self.ears[at.index()];
        let Some(index) = ear.signals.iter().position(|other| other.transmission == signal.transmission) else {
            return false;
        };
        let own = ear.signals[index];
        let is_open = own.is_open && ear.lock.is_none() && !radio.is_off() && !radio.is_transmitting(now);
        let is_stronger =
            |other: &Incoming| other.is_open && other.start + self.window >= now && other.watts > own.watts;
        let others = ear.others(signal.transmission);
        let is_locked = is_open
            && own.watts >= self.cs_threshold
            && own.watts / (self.noise.power + others) >= self.preamble
            && !ear.signals.iter().any(is_stronger);
        let slot = self.phy.slot(true);
        let is_met = ear.signals.iter().any(|other| {
            let apart = own.start.since(other.start).max(other.start.since(own.start));
            other.transmission != own.transmission && apart < slot
        });
        let is_alone_detectable = own.watts >= self.cs_threshold && own.watts / self.noise.power >= self.preamble;
        let was_open = own.is_open && !radio.is_off() && !radio.is_transmitting(now);
        let incoming = &mut ear.signals[index];
        incoming.is_seen = is_locked;
        incoming.is_open = false;
        incoming.has_collided = was_open && !is_locked && is_alone_detectable && is_met;
        if is_locked {
            let frame = signal.frame;
            let [training, header, payload] = BitErrors::fields(frame, self.phy);
            ear.lock = Some(Lock {
                transmission: signal.transmission,
                power: own.watts,
                modulation: frame.modulation,
                start: own.start,
                training,
                header,
                payload,
                airtime: frame.airtime,
                evaluated: now.since(own.start),
                log_header: 0.0,
                log_payload: 0.0,
                chance: keyed_pair([self.seed, u64::from(frame.ta.0), u64::from(at.0), signal.count]).0,
                is_disturbed: others > 0.0,
                is_aggregate: frame.kind == FrameKind::Aggregate,
            });
            ear.chunks.clear();
        }
        is_locked
    }

    /// The MPDUs that a node has sent last.
    pub(in crate::phy) fn aggregate(&self, own: RadioId) -> &Aggregate {
        &self.aggregates[own.index()]
    }

    /// The same, to be written.
    pub(in crate::phy) fn aggregate_mut(&mut self, own: RadioId) -> &mut Aggregate {
        &mut self.aggregates[own.index()]
    }

    /// Bit i: MPDU i of the last A-MPDU was decoded at a node.
    pub(in crate::phy) fn read_mpdus(&self, own: RadioId) -> u64 {
        self.ears[own.index()].read
    }

    /// How the reception of an A-MPDU ends: it is clean if an MPDU is. Each has a draw of its own.
    #[inline(never)]
    fn read_aggregate(&mut self, lock: &Lock, signal: &Signal<'_>, own: RadioId) -> Reception {
        let ear = &mut self.ears[own.index()];
        ear.read = 0;
        // Up to here, the draw of the frame decides on its headers.
        let header = lock.outcome(self.rx_threshold);
        if header != Reception::Clean {
            return header;
        }
        let pair = u64::from(signal.frame.ta.0) << 32 | u64::from(own.0);
        let nanos = 8e9 / lock.modulation.rate().0;
        let mpdus = self.aggregates[signal.frame.ta.index()].mpdus();
        let (mut bytes, mut from) = (0, lock.payload);
        for (index, mpdu) in mpdus.iter().enumerate() {
            bytes = with_mpdu(bytes, mpdu.bytes);
            let is_last = index + 1 == mpdus.len();
            let to =
                if is_last { lock.airtime } else { lock.payload + Span((f64::from(padded(bytes)) * nanos) as u64) };
            let part = |chunk: &Chunk| to.min(chunk.to).saturating_sub(from.max(chunk.from)).0 as f64 * chunk.log;
            let log: f64 = ear.chunks.iter().map(part).sum();
            let chance = keyed_pair([self.seed ^ MPDU_SALT, pair, signal.count, index as u64]).0;
            let begin = lock.start + from;
            let is_corrupt = self.impairments.corrupt_mpdu(signal, lock.power, own, (index, mpdu.bytes), begin);
            ear.read |= u64::from(chance < libm::exp(log) && !is_corrupt) << index;
            from = to;
        }
        match ear.read {
            0 if lock.is_disturbed => Reception::Collided,
            0 => Reception::Noise,
            _ => Reception::Clean,
        }
    }

    fn is_busy(&self, own: RadioId) -> bool {
        let ear = &self.ears[own.index()];
        if ear.lock.is_some() {
            return true;
        }
        let sum: f64 = ear.signals.iter().map(|signal| signal.watts).sum();
        match self.cca {
            CcaRule::Ns3 => sum >= self.cs_threshold,
            CcaRule::Standard => sum >= self.ed_threshold || ear.signals.iter().any(|signal| signal.is_seen),
        }
    }

    /// Evaluates the chunk of the frame locked on up to `now`, before interference changes.
    fn evaluate(&mut self, own: RadioId, now: Time) {
        let ear = &mut self.ears[own.index()];
        let Some(mut lock) = ear.lock else { return };
        let (from, to) = (lock.evaluated, now.since(lock.start).min(lock.airtime));
        if to > from {
            let ratio = lock.power / (self.noise.power + ear.others(lock.transmission));
            if from < lock.header {
                let part = to.min(lock.header).saturating_sub(from.max(lock.training));
                lock.log_header += self.bits.log_header(lock.modulation, part, lock.header - lock.training, ratio);
            }
            if lock.payload > lock.header && from < lock.payload {
                let mut begin = lock.header;
                for field in lock.modulation.mode().fields() {
                    let end = begin + field.time;
                    if field.bits > 0 {
                        let part = to.min(end).saturating_sub(from.max(begin));
                        lock.log_payload += self.bits.log_field(field, part, ratio);
                    }
                    begin = end;
                }
            }
            if to > lock.payload {
                let part = to - from.max(lock.payload);
                let log = self.bits.log_payload(lock.modulation, part, ratio);
                if lock.is_aggregate {
                    ear.chunks.push(Chunk { from: to - part, to, log: log / part.0 as f64 });
                } else {
                    lock.log_payload += log;
                }
            }
            lock.evaluated = to;
            ear.lock = Some(lock);
        }
    }
}

impl ReceptionModel for Ofdm {
    const ADDS_INTERFERENCE: bool = true;

    fn on_start(&mut self, radio: &mut Radio, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> Arrival {
        let watts = self.impairments.power(signal, receiver, now);
        let own = receiver.radio;
        self.evaluate(own, now);
        let ear = &mut self.ears[own.index()];
        if ear.lock.is_some_and(|lock| lock.has_lost_header(now)) {
            ear.lock = None;
            radio.release();
        }
        if let Some(lock) = &mut ear.lock {
            lock.is_disturbed = true;
        }
        let is_open = ear.lock.is_none() && !radio.is_off() && !radio.is_transmitting(now);
        let transmission = signal.transmission;
        ear.signals.push(Incoming { transmission, watts, start: now, is_open, is_seen: false, has_collided: false });
        Arrival::Unnoticed
    }

    fn on_detect(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Arrival {
        let was_busy = radio.is_receiving();
        if self.detect(radio, signal, own, now) {
            let end = now + (signal.airtime - self.window);
            radio.lock_on(signal.transmission, 0.0, end, !signal.is_cut);
            let power = self.ears[own.index()].lock.map_or(0.0, |lock| lock.power);
            // The MPDUs of an A-MPDU are corrupted one by one.
            let is_aggregate = signal.frame.kind == FrameKind::Aggregate;
            if power >= self.rx_threshold && !is_aggregate && self.impairments.corrupt(signal, power, own, now) {
                radio.corrupt();
            }
        }
        if radio.is_off() {
            return Arrival::Unnoticed;
        }
        self.ears[own.index()].show_collision(radio);
        radio.has_carrier = self.is_busy(own);
        if radio.has_carrier && !was_busy { Arrival::Busy } else { Arrival::Unnoticed }
    }

    fn on_end(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Departure {
        let was_busy = radio.is_receiving();
        self.evaluate(own, now);
        let ear = &mut self.ears[own.index()];
        let index = ear.signals.iter().position(|other| other.transmission == signal.transmission);
        let has_collided = index.is_some_and(|index| ear.signals.remove(index).has_collided);
        ear.has_collided = has_collided;
        let lock = ear.lock.take_if(|lock| lock.transmission == signal.transmission);
        let is_for_it = signal.ra == own;
        if let Some(lock) = lock.filter(|_| is_for_it) {
            ear.ratio = lock.power / (self.noise.power + ear.others(signal.transmission));
        }
        let missed = |is_idle| Departure::Indicate(PhyIndication::Missed { is_idle, has_collided });
        if radio.is_off() {
            return if is_for_it { missed(false) } else { Departure::Unnoticed };
        }
        let is_busy = self.is_busy(own);
        radio.has_carrier = is_busy;
        let is_idle = was_busy && !is_busy;
        if let Some(lock) = lock.filter(|lock| !lock.has_lost_header(now)) {
            // What happened at this node prevails: it transmitted, or the error model corrupted the frame.
            let reception = match radio.outcome(now) {
                Reception::Clean if lock.is_aggregate => self.read_aggregate(&lock, signal, own),
                Reception::Clean => lock.outcome(self.rx_threshold),
                own => own,
            };
            self.ears[own.index()].has_collided = reception == Reception::Collided;
            return Departure::Indicate(PhyIndication::RxEnd(reception));
        }
        if lock.is_some() {
            radio.release();
        }
        self.ears[own.index()].show_collision(radio);
        match (is_for_it, is_idle) {
            (true, _) => missed(is_idle),
            (false, true) => Departure::Indicate(PhyIndication::Idle),
            (false, false) => Departure::Unnoticed,
        }
    }

    fn has_collided(&self, own: RadioId) -> bool {
        self.ears[own.index()].has_collided
    }

    fn on_switch(&mut self, radio: &mut Radio, own: RadioId, is_on: bool) {
        self.ears[own.index()].close();
        radio.has_carrier = is_on && self.is_busy(own);
    }
}

impl Ear {
    /// Forgets the frame locked on, and those whose windows are open.
    fn close(&mut self) {
        self.lock = None;
        self.signals.iter_mut().for_each(|signal| signal.is_open = false);
    }

    /// Shows a radio that is locked on nothing whether it receives a collision.
    fn show_collision(&self, radio: &mut Radio) {
        if self.lock.is_none() {
            radio.set_collided(self.signals.iter().any(|signal| signal.has_collided));
        }
    }

    /// Power of all signals but one, in watts.
    fn others(&self, transmission: u32) -> f64 {
        self.signals.iter().filter(|other| other.transmission != transmission).map(|other| other.watts).sum()
    }
}

impl Lock {
    /// Whether the header has ended and could not be decoded: the draw that decides on the frame shows it already.
    fn has_lost_header(&self, now: Time) -> bool {
        now.since(self.start) >= self.header && self.chance >= libm::exp(self.log_header)
    }

    fn outcome(&self, rx_threshold: f64) -> Reception {
        if self.power < rx_threshold {
            Reception::Errored
        } else if self.chance < libm::exp(self.log_header + self.log_payload) {
            Reception::Clean
        } else if self.is_disturbed {
            Reception::Collided
        } else {
            Reception::Noise
        }
    }
}

#[cfg(test)]
mod tests;
