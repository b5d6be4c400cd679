//! Random reception: shadowing of each frame, and corrupted frames. Runs without either skip this code.

use super::model::{Arrival, Departure, ReceptionModel, Signal};
use super::pairwise::Pairwise;
use crate::kernel::{RadioId, Time};
use crate::packet::{Frame, FrameKind};
use crate::phy::config::RadioConfig;
use crate::phy::errors::{self, Errors};
use crate::phy::neighbors::Receiver;
use crate::phy::propagation::{Fading, Multipath};
use crate::phy::receiver::Radio;

/// The random parts of reception, each drawn for one frame at one receiver.
#[derive(Debug)]
pub(in crate::phy) struct Impairments {
    shadowing: Option<Fading>,
    multipath: Option<Multipath>,
    errors: Option<Errors>,
}

impl Impairments {
    /// Those of `config`, drawn from `seed`.
    pub(in crate::phy) fn new(config: &RadioConfig, nodes: usize, seed: u64) -> Impairments {
        Impairments {
            shadowing: Fading::of_frames(config, seed),
            multipath: Multipath::new(config, seed),
            errors: Errors::new(config, nodes, seed),
        }
    }

    /// Whether there are none.
    pub(in crate::phy) fn are_none(&self) -> bool {
        self.shadowing.is_none() && self.multipath.is_none() && self.errors.is_none()
    }

    /// Power of a signal that starts now at a receiver, in watts.
    pub(in crate::phy) fn power(&self, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> f64 {
        let (from, to, count) = (signal.frame.ta, receiver.radio, signal.count);
        let shadowing = |fading: &Fading| fading.factor(from, to, count);
        let power = self.shadowing.as_ref().map_or(receiver.power, |fading| receiver.power * shadowing(fading));
        let multipath = |fading: &Multipath| fading.factor(from, to, count, now);
        self.multipath.as_ref().map_or(power, |fading| power * multipath(fading))
    }

    /// Whether the error model corrupts a frame that starts now with `power` watts at a node.
    pub(in crate::phy) fn corrupt(&mut self, signal: &Signal<'_>, power: f64, own: RadioId, now: Time) -> bool {
        self.errors.as_mut().is_some_and(|errors| errors.corrupts(now, signal.frame, power, own, signal.count))
    }

    /// Whether the error model corrupts MPDU number `index` of an A-MPDU: `bytes` long, its first bit arrives at `now`.
    pub(in crate::phy) fn corrupt_mpdu(
        &mut self,
        signal: &Signal<'_>,
        power: f64,
        dst: RadioId,
        (index, bytes): (usize, u32),
        now: Time,
    ) -> bool {
        let Some(errors) = &mut self.errors else { return false };
        let frame = &Frame { kind: FrameKind::Data, bytes, ..*signal.frame };
        errors.corrupts_mpdu(errors::Arrival { now, frame, power, dst }, signal.count, index as u64)
    }
}

/// [`Pairwise`] with random parts.
#[derive(Debug)]
pub struct Impaired {
    pairwise: Pairwise,
    impairments: Impairments,
    cs_threshold: f64,
}

impl Impaired {
    pub(in crate::phy) fn new(config: &RadioConfig, impairments: Impairments) -> Impaired {
        Impaired { pairwise: Pairwise::new(config), impairments, cs_threshold: config.cs_threshold.0 }
    }
}

impl ReceptionModel for Impaired {
    const ADDS_INTERFERENCE: bool = false;

    fn on_start(&mut self, radio: &mut Radio, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> Arrival {
        let power = self.impairments.power(signal, receiver, now);
        if power < self.cs_threshold {
            return Arrival::Unnoticed;
        }
        let arrival = self.pairwise.on_start(radio, signal, &Receiver { power, ..*receiver }, now);
        let is_decodable = arrival == Arrival::Busy && radio.is_decodable();
        if is_decodable && self.impairments.corrupt(signal, power, receiver.radio, now) {
            radio.corrupt();
        }
        arrival
    }

    fn on_end(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Departure {
        self.pairwise.on_end(radio, signal, own, now)
    }

    fn on_switch(&mut self, _: &mut Radio, _: RadioId, _: bool) {}
}
