//! Error models: what spoils frames that are strong enough and that no other frame disturbs.
//!
//! # Model
//! A spoiled frame is received as one that cannot be read: the medium stays busy to its end, and EIFS follows. The
//! models:
//! - `uniform_packet`: every frame with the same probability;
//! - `uniform_bit`: every bit of the MAC frame with the same probability, `1 - (1 - ber)^(8 bytes)` for the frame;
//! - `ber_curves`: bits by modulation and ratio of signal to thermal noise (see [`super::curves`]);
//! - `gilbert`: a good and a bad state, each of exponential length, with a loss probability in each; every link and
//!   direction has its own, or every receiver. A frame meets the state at its first bit.
//!
//! # Source
//! Gilbert 1960 and Elliott 1963; `ErrorModel` of ns-2.35 between radio and MAC; phy.md section 5.
//!
//! # Deviations
//! ns-2 draws from one stream; here the draw belongs to (seed, sender, receiver, count of the sender's frames). ns-2 counts the preamble
//! as 24 bytes under its bit model, and its states last a number of packets by default.
//!
//! # Parameters
//! Table `[radio.errors]`.

use super::config::{ErrorConfig, ErrorKind, ErrorScope, Memory};
use super::curves::Noise;
use crate::kernel::{NodeId, Span, Time, keyed_pair};
use crate::packet::{Frame, FrameKind};
use crate::phy::config::RadioConfig;

/// The error model of a run.
#[derive(Clone, Debug)]
pub struct Errors {
    seed: u64,
    is_data_only: bool,
    model: Model,
}

#[derive(Clone, Debug)]
enum Model {
    Packet(f64),
    /// Logarithm of the probability that a bit is right.
    Bit(f64),
    Curves(Noise),
    Gilbert(Gilbert),
}

/// States of links or receivers. A process without memory but its state is known at any moment from any earlier one.
#[derive(Clone, Debug)]
struct Gilbert {
    memory: Memory,
    /// Share of time in the bad state.
    bad_share: f64,
    /// How fast the past is forgotten, in 1/s.
    forgets: f64,
    loss: [f64; 2],
    /// By receiver: sender, when it was last looked at, and whether it was bad.
    states: Vec<Vec<(NodeId, Time, bool)>>,
}

/// Tells the draws of this module from others with the same key.
const SALT: u64 = 0x6572_726f_7273_2031;

impl Errors {
    /// The model of `config` for the run with this seed, if there is one.
    pub fn new(config: &RadioConfig, nodes: usize, seed: u64) -> Option<Errors> {
        let errors = &config.errors;
        let model = match errors.model {
            ErrorKind::None => return None,
            ErrorKind::UniformPacket => Model::Packet(errors.frame_error_rate),
            ErrorKind::UniformBit => Model::Bit(libm::log1p(-errors.bit_error_rate)),
            ErrorKind::BerCurves => Model::Curves(Noise::new(config)),
            ErrorKind::Gilbert => Model::Gilbert(Gilbert::new(errors, nodes)),
        };
        Some(Errors { seed: seed ^ SALT, is_data_only: errors.scope == ErrorScope::DataOnly, model })
    }

    /// Whether the sender's frame number `count`, whose first bit arrives at `dst` now with `power` watts, is spoiled.
    pub fn spoils(&mut self, now: Time, frame: &Frame, power: f64, dst: NodeId, count: u64) -> bool {
        if self.is_data_only && frame.kind != FrameKind::Data {
            return false;
        }
        let (chance, change) = keyed_pair([self.seed, u64::from(frame.ta.0), u64::from(dst.0), count]);
        let loss = match &mut self.model {
            Model::Packet(loss) => *loss,
            Model::Bit(right) => -libm::expm1(f64::from(frame.bytes) * 8.0 * *right),
            Model::Curves(noise) => 1.0 - noise.success(frame, power),
            Model::Gilbert(gilbert) => gilbert.loss(now, frame.ta, dst, change),
        };
        chance < loss
    }
}

impl Gilbert {
    fn new(config: &ErrorConfig, nodes: usize) -> Gilbert {
        let [good, bad] = [config.good_mean, config.bad_mean].map(Span::secs);
        Gilbert {
            memory: config.per,
            bad_share: bad / (good + bad),
            forgets: 1.0 / good + 1.0 / bad,
            loss: [config.good_loss, config.bad_loss],
            states: vec![Vec::new(); nodes],
        }
    }

    /// Loss probability now; `chance` in `[0, 1)` decides the state.
    fn loss(&mut self, now: Time, src: NodeId, dst: NodeId, chance: f64) -> f64 {
        let key = if self.memory == Memory::Link { src } else { dst };
        let states = &mut self.states[dst.index()];
        let place = states.iter().position(|(known, ..)| *known == key);
        let is_bad = match place {
            None => chance < self.bad_share,
            Some(place) => {
                let (_, then, was_bad) = states[place];
                let memory = libm::exp(-self.forgets * now.since(then).secs());
                chance < self.bad_share + (f64::from(u8::from(was_bad)) - self.bad_share) * memory
            }
        };
        match place {
            None => states.push((key, now, is_bad)),
            Some(place) => states[place] = (key, now, is_bad),
        }
        self.loss[usize::from(is_bad)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::packet::Modulation;

    fn frame(kind: FrameKind, bytes: u32) -> Frame {
        let modulation = Modulation::Dqpsk2;
        let airtime = Span::from_micros(192) + modulation.rate().time_for(u64::from(bytes) * 8);
        Frame { bytes, airtime, modulation, ..Frame::blank(kind, NodeId(0), NodeId(1)) }
    }

    fn errors(config: ErrorConfig) -> Errors {
        Errors::new(&RadioConfig { errors: config, ..RadioConfig::default() }, 3, 1).expect("a model")
    }

    /// Share of spoiled ones among frames 1 ms apart, and the deviation of such a share if they are independent.
    fn share(errors: &mut Errors, frame: &Frame, power: f64) -> f64 {
        let spoiled = (0..FRAMES).filter(|&n| errors.spoils(Time(n * 1_000_000), frame, power, NodeId(1), n));
        spoiled.count() as f64 / FRAMES as f64
    }

    const FRAMES: u64 = 200_000;

    fn deviation(p: f64) -> f64 {
        libm::sqrt(p * (1.0 - p) / FRAMES as f64)
    }

    #[test]
    fn none_is_no_model() {
        assert!(Errors::new(&RadioConfig::default(), 3, 1).is_none());
    }

    #[test]
    fn frames_are_spoiled_at_the_given_rate() {
        for p in [0.01, 0.25] {
            let mut errors =
                errors(ErrorConfig { model: ErrorKind::UniformPacket, frame_error_rate: p, ..Default::default() });
            let got = share(&mut errors, &frame(FrameKind::Rts, 20), 1e-9);
            assert!((got - p).abs() < 4.0 * deviation(p), "{p}: {got}");
        }
    }

    #[test]
    fn bits_add_up_over_a_frame() {
        // phy.md section 5.
        for (ber, bytes, p) in [(1e-5, 1534, 0.115_489), (1e-5, 98, 0.007_809), (1e-4, 1534, 0.706_906)] {
            let mut errors =
                errors(ErrorConfig { model: ErrorKind::UniformBit, bit_error_rate: ber, ..Default::default() });
            let got = share(&mut errors, &frame(FrameKind::Data, bytes), 1e-9);
            assert!((got - p).abs() < 4.0 * deviation(p), "{ber}, {bytes} bytes: {got}");
        }
    }

    #[test]
    fn control_frames_may_be_spared() {
        let config = ErrorConfig {
            model: ErrorKind::UniformPacket,
            scope: ErrorScope::DataOnly,
            frame_error_rate: 1.0,
            ..Default::default()
        };
        let mut errors = errors(config);
        let mut spoils = |kind| errors.spoils(Time::ZERO, &frame(kind, 20), 1e-9, NodeId(1), 0);
        assert!(spoils(FrameKind::Data) && !spoils(FrameKind::Ack) && !spoils(FrameKind::Rts));
    }

    #[test]
    fn curves_follow_the_signal() {
        let config = RadioConfig::default();
        let noise = Noise::new(&config).power;
        let mut errors = errors(ErrorConfig { model: ErrorKind::BerCurves, ..Default::default() });
        // 1534 bytes at 2 Mb/s, 1 dB: 0.669990 for the data; the header at 1 Mb/s does not fail.
        let power = noise * libm::pow(10.0, 0.1);
        let p = 1.0 - 0.669_990;
        let got = share(&mut errors, &frame(FrameKind::Data, 1534), power);
        assert!((got - p).abs() < 4.0 * deviation(p), "{got}");
        assert_eq!(share(&mut errors, &frame(FrameKind::Data, 1534), 3.65e-10), 0.0);
    }

    #[test]
    fn bursts_have_their_share_length_and_memory() {
        let config = ErrorConfig {
            model: ErrorKind::Gilbert,
            good_mean: Span::from_millis(60),
            bad_mean: Span::from_millis(20),
            good_loss: 0.0,
            bad_loss: 1.0,
            ..Default::default()
        };
        let mut bursty = errors(config);
        let frame = frame(FrameKind::Data, 1534);
        let spoiled: Vec<bool> =
            (0..FRAMES).map(|n| bursty.spoils(Time(n * 1_000_000), &frame, 1e-9, NodeId(1), n)).collect();
        let share = spoiled.iter().filter(|bad| **bad).count() as f64 / FRAMES as f64;
        // States of a pair of sojourns of 80 ms in all are worth one draw.
        assert!((share - 0.25).abs() < 4.0 * libm::sqrt(0.25 * 0.75 / (FRAMES as f64 / 30.0)), "{share}");
        // One millisecond later a bad state is still bad with 1/4 + 3/4 exp(-1/15).
        let pairs = spoiled.windows(2).filter(|pair| pair[0]);
        let (again, all) =
            pairs.fold((0.0, 0.0), |(again, all), pair| (again + f64::from(u8::from(pair[1])), all + 1.0));
        let expected = 0.25 + 0.75 * libm::exp(-1.0 / 15.0);
        assert!(
            (again / all - expected).abs() < 4.0 * libm::sqrt(expected * (1.0 - expected) / all),
            "{}",
            again / all
        );
    }

    #[test]
    fn links_or_receivers_remember() {
        let config = |per| ErrorConfig {
            model: ErrorKind::Gilbert,
            good_mean: Span::from_millis(1_000_000),
            bad_mean: Span::from_millis(1_000_000),
            good_loss: 0.0,
            bad_loss: 1.0,
            per,
            ..Default::default()
        };
        // States that never change within the test: whether those of two senders at one receiver can differ.
        let mut differ = [false, false];
        for (index, per) in [Memory::Link, Memory::Receiver].into_iter().enumerate() {
            for count in 0..40 {
                let mut errors = errors(config(per));
                let mut of = |ta| {
                    let frame = Frame { ta: NodeId(ta), ..frame(FrameKind::Data, 100) };
                    errors.spoils(Time::ZERO, &frame, 1e-9, NodeId(2), count)
                };
                differ[index] |= of(0) != of(1);
            }
        }
        assert_eq!(differ, [true, false]);
    }
}
