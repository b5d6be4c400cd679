//! The error model of a run: which frames are corrupted although they are strong enough and do not collide.
//!
//! # Model
//! A corrupted frame is received as one that cannot be decoded: the medium stays busy to its end, and EIFS follows. The
//! models:
//! - `uniform_packet`: every frame with the same probability;
//! - `uniform_bit`: every bit of the MAC frame with the same probability, `1 - (1 - ber)^(8 bytes)` for the frame;
//! - `ber_curves`: bits by modulation and ratio of signal to thermal noise (see [`super::curves`]);
//! - `gilbert`: a good and a bad state, each of exponential length, with a loss probability in each; every link and
//!   direction has its own, or every receiver. The state at a frame's first bit decides;
//! - `links`: every frame by the delivery ratio of its link (`topology.kind = "links"`).
//!
//! An A-MPDU is not drawn as a whole: each of its MPDUs is a frame, with its own length and first bit.
//!
//! # Source
//! Gilbert 1960 and Elliott 1963; `ErrorModel` of ns-2.35 between radio and MAC; docs/specs/phy.md section 5.
//!
//! # Deviations
//! ns-2 draws from one stream; here the draw belongs to (seed, sender, receiver, count of the sender's frames). ns-2 counts the preamble
//! as 24 bytes under its bit model, and its states last a number of packets by default.
//!
//! # Parameters
//! Table `[radio.errors]`.

use super::config::ErrorScope;
use super::error_model::{Arrival, ErrorModel};
use super::kind::ErrorKind;
use super::list::error_models;
use super::models;
use crate::kernel::{RadioId, Time, keyed_pair};
use crate::packet::Frame;
use crate::phy::config::RadioConfig;

/// The error model of a run.
#[derive(Clone, Debug)]
pub struct Errors {
    seed: u64,
    is_data_only: bool,
    model: Model,
}

macro_rules! dispatch {
    ($($(#[$doc:meta])* $model:ident = $name:literal;)*) => {
        #[derive(Clone, Debug)]
        enum Model {
            $($model(models::$model),)*
        }

        impl Model {
            fn new(config: &RadioConfig, nodes: usize) -> Option<Model> {
                match config.errors.model {
                    ErrorKind::None => None,
                    $(ErrorKind::$model => Some(Model::$model(models::$model::new(config, nodes))),)*
                }
            }

            fn loss(&mut self, arrival: Arrival<'_>, draw: f64) -> f64 {
                match self { $(Model::$model(model) => model.loss(arrival, draw),)* }
            }
        }

        impl ErrorKind {
            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    ErrorKind::None => "no frame is corrupted",
                    $(ErrorKind::$model => models::$model::SUMMARY,)*
                }
            }

            /// The keys of `[radio.errors]` that it alone reads.
            pub fn keys(self) -> &'static [&'static str] {
                match self {
                    ErrorKind::None => &[],
                    $(ErrorKind::$model => models::$model::KEYS,)*
                }
            }
        }
    };
}

error_models!(dispatch);

/// Separates the draws of this module from others with the same key.
const SALT: u64 = 0x6572_726f_7273_2031;
/// Separates the draws of MPDUs from those of frames.
const MPDU_SALT: u64 = 0x6572_726d_7064_7531;

impl Errors {
    /// The model of `config` for the run with this seed, if there is one.
    pub fn new(config: &RadioConfig, nodes: usize, seed: u64) -> Option<Errors> {
        let model = Model::new(config, nodes)?;
        Some(Errors { seed: seed ^ SALT, is_data_only: config.errors.scope == ErrorScope::DataOnly, model })
    }

    /// Whether the transmitter's frame number `count`, which arrives at `dst` now with `power` watts, is corrupted.
    pub fn corrupts(&mut self, now: Time, frame: &Frame, power: f64, dst: RadioId, count: u64) -> bool {
        if !self.applies(frame) {
            return false;
        }
        let (chance, draw) = keyed_pair([self.seed, u64::from(frame.ta.0), u64::from(dst.0), count]);
        chance < self.model.loss(Arrival { now, frame, power, dst }, draw)
    }

    /// Whether MPDU number `index` of the transmitter's A-MPDU number `count` is corrupted, which arrives as a frame of its own.
    pub fn corrupts_mpdu(&mut self, mpdu: Arrival<'_>, count: u64, index: u64) -> bool {
        if !self.applies(mpdu.frame) {
            return false;
        }
        let pair = u64::from(mpdu.frame.ta.0) << 32 | u64::from(mpdu.dst.0);
        let (chance, draw) = keyed_pair([self.seed ^ MPDU_SALT, pair, count, index]);
        chance < self.model.loss(mpdu, draw)
    }

    /// Least probability that such a frame is corrupted: with `gilbert`, that of the good state.
    pub fn least_loss(&mut self, frame: &Frame, power: f64, dst: RadioId, now: Time) -> f64 {
        // No state is bad with a draw of 1.
        if self.applies(frame) { self.model.loss(Arrival { now, frame, power, dst }, 1.0) } else { 0.0 }
    }

    fn applies(&self, frame: &Frame) -> bool {
        !self.is_data_only || frame.kind.is_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::packet::{FrameKind, Modulation};
    use crate::phy::errors::curves::Noise;
    use crate::phy::errors::{ErrorConfig, Memory};

    fn frame(kind: FrameKind, bytes: u32) -> Frame {
        let modulation = Modulation::DQPSK2;
        let airtime = Span::from_micros(192) + modulation.rate().time_for(u64::from(bytes) * 8);
        Frame { bytes, airtime, modulation, ..Frame::blank(kind, RadioId(0), RadioId(1)) }
    }

    fn errors(config: ErrorConfig) -> Errors {
        Errors::new(&RadioConfig { errors: config, ..RadioConfig::default() }, 3, 1).expect("a model")
    }

    /// Share of corrupted ones among frames 1 ms apart, and the deviation of such a share if they are independent.
    fn share(errors: &mut Errors, frame: &Frame, power: f64) -> f64 {
        let corrupted = (0..FRAMES).filter(|&n| errors.corrupts(Time(n * 1_000_000), frame, power, RadioId(1), n));
        corrupted.count() as f64 / FRAMES as f64
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
    fn frames_are_corrupted_at_the_given_rate() {
        for p in [0.01, 0.25] {
            let mut errors =
                errors(ErrorConfig { model: ErrorKind::UniformPacket, frame_error_rate: p, ..Default::default() });
            let got = share(&mut errors, &frame(FrameKind::Rts, 20), 1e-9);
            assert!((got - p).abs() < 4.0 * deviation(p), "{p}: {got}");
        }
    }

    #[test]
    fn frame_loss_follows_bit_error_rate_and_length() {
        // docs/specs/phy.md section 5.
        for (ber, bytes, p) in [(1e-5, 1534, 0.115_489), (1e-5, 98, 0.007_809), (1e-4, 1534, 0.706_906)] {
            let mut errors =
                errors(ErrorConfig { model: ErrorKind::UniformBit, bit_error_rate: ber, ..Default::default() });
            let got = share(&mut errors, &frame(FrameKind::Data, bytes), 1e-9);
            assert!((got - p).abs() < 4.0 * deviation(p), "{ber}, {bytes} bytes: {got}");
        }
    }

    #[test]
    fn mpdus_of_a_frame_have_fates_of_their_own() {
        let mut errors =
            errors(ErrorConfig { model: ErrorKind::UniformPacket, frame_error_rate: 0.25, ..Default::default() });
        let frame = frame(FrameKind::Data, 1534);
        let arrival = Arrival { now: Time::ZERO, frame: &frame, power: 1e-9, dst: RadioId(1) };
        let fates: Vec<bool> = (0..FRAMES).map(|n| errors.corrupts_mpdu(arrival, n / 40, n % 40)).collect();
        let share = |count: usize| count as f64 / FRAMES as f64;
        let single = share(fates.iter().filter(|corrupt| **corrupt).count());
        let both = share(fates.windows(2).filter(|pair| pair[0] && pair[1]).count());
        assert!((single - 0.25).abs() < 4.0 * deviation(0.25), "{single}");
        assert!((both - 0.0625).abs() < 6.0 * deviation(0.0625), "{both}");
    }

    #[test]
    fn data_only_scope_spares_control_frames() {
        let config = ErrorConfig {
            model: ErrorKind::UniformPacket,
            scope: ErrorScope::DataOnly,
            frame_error_rate: 1.0,
            ..Default::default()
        };
        let mut errors = errors(config);
        let mut corrupts = |kind| errors.corrupts(Time::ZERO, &frame(kind, 20), 1e-9, RadioId(1), 0);
        assert!(corrupts(FrameKind::Data) && !corrupts(FrameKind::Ack) && !corrupts(FrameKind::Rts));
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
    fn gilbert_bursts_have_share_length_and_correlation() {
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
        let corrupted: Vec<bool> =
            (0..FRAMES).map(|n| bursty.corrupts(Time(n * 1_000_000), &frame, 1e-9, RadioId(1), n)).collect();
        let share = corrupted.iter().filter(|bad| **bad).count() as f64 / FRAMES as f64;
        // States of a pair of sojourns of 80 ms in all are worth one draw.
        assert!((share - 0.25).abs() < 4.0 * libm::sqrt(0.25 * 0.75 / (FRAMES as f64 / 30.0)), "{share}");
        // One millisecond later a bad state is still bad with 1/4 + 3/4 exp(-1/15).
        let pairs = corrupted.windows(2).filter(|pair| pair[0]);
        let (repeated, all) =
            pairs.fold((0.0, 0.0), |(repeated, all), pair| (repeated + f64::from(u8::from(pair[1])), all + 1.0));
        let expected = 0.25 + 0.75 * libm::exp(-1.0 / 15.0);
        assert!(
            (repeated / all - expected).abs() < 4.0 * libm::sqrt(expected * (1.0 - expected) / all),
            "{}",
            repeated / all
        );
    }

    #[test]
    fn state_belongs_to_link_or_receiver() {
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
                    let frame = Frame { ta: RadioId(ta), ..frame(FrameKind::Data, 100) };
                    errors.corrupts(Time::ZERO, &frame, 1e-9, RadioId(2), count)
                };
                differ[index] |= of(0) != of(1);
            }
        }
        assert_eq!(differ, [true, false]);
    }
}
