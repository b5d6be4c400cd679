//! The trait of rate controls, and what they are built from.

use crate::kernel::{RadioId, RandomStream, Time};
use crate::packet::Modulation;
use crate::phy::OfdmErrors;
use std::fmt::Debug;

/// The result of one attempt.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Modulation of the frame.
    pub modulation: Modulation,
    /// MPDUs that were acknowledged: at most 1 of a single frame.
    pub acked: u32,
    /// MPDUs that were not.
    pub lost: u32,
    /// Ratio of signal to noise and interference at the receiver of an acknowledged frame; 0 if it is not known.
    pub ratio: f64,
}

impl Outcome {
    /// The result of a single frame.
    pub fn single(modulation: Modulation, is_acked: bool, ratio: f64) -> Outcome {
        Outcome { modulation, acked: u32::from(is_acked), lost: u32::from(!is_acked), ratio }
    }

    /// Whether an ACK or a Block Ack has acknowledged an MPDU.
    pub fn is_acked(&self) -> bool {
        self.acked > 0
    }
}

/// A rate control of the engine's list.
pub trait EngineRateControl: RateControl + Sized {
    /// What it is, in one line.
    const SUMMARY: &'static str;

    /// Whether it chooses between both guard intervals where the station has the short one (`mac.short_gi`).
    const HAS_BOTH_INTERVALS: bool = false;

    /// The control before the run.
    fn new(setup: RateSetup) -> Self;
}

/// A rate control at one station.
pub trait RateControl: Debug {
    /// Modulation of the next attempt to send a packet to a neighbor; `attempt` counts its data frames from 0.
    fn modulation(&mut self, now: Time, to: RadioId, attempt: u32) -> Modulation;

    /// An attempt has been acknowledged, or not. An acknowledgment ends the packet.
    fn on_result(&mut self, now: Time, to: RadioId, outcome: &Outcome);

    /// The packet is given up, after the result of its last attempt.
    fn on_given_up(&mut self, _now: Time, _to: RadioId) {}

    /// Limit of attempts of the current packet, in place of the retry limit.
    fn attempts(&self, _to: RadioId) -> Option<u32> {
        None
    }

    /// Whether the next attempt may be an A-MPDU of several MPDUs.
    fn aggregates(&self, _to: RadioId) -> bool {
        true
    }
}

/// What a control is built from.
#[derive(Clone, Debug)]
pub struct RateSetup {
    /// The modulations it chooses from, the slowest first; one at least.
    pub modulations: Vec<Modulation>,
    /// Least ratio of signal to noise of each at which a bit is wrong with probability 1e-6.
    pub ratios: Vec<f64>,
    /// Seconds that an attempt takes with each: a frame of 1200 bytes, SIFS and ACK.
    pub attempt_s: Vec<f64>,
    /// Seconds of a frame of 1200 bytes with each.
    pub frame_s: Vec<f64>,
    /// Seconds of a slot.
    pub slot_s: f64,
    /// Random numbers of the station.
    pub stream: RandomStream,
}

/// Probability of a wrong bit that [`RateSetup::ratios`] are for.
pub(super) const BIT_ERROR: f64 = 1e-6;

impl RateSetup {
    /// Length of the frame that rates are compared by, in bytes.
    pub const BYTES: u32 = 1200;

    /// [`RateSetup::ratios`] by an error model.
    pub fn ratios(modulations: &[Modulation], errors: OfdmErrors) -> Vec<f64> {
        modulations.iter().map(|mode| errors.least_ratio(*mode, BIT_ERROR)).collect()
    }

    #[cfg(test)]
    pub(super) fn of_11a() -> RateSetup {
        use crate::packet::Width;
        use crate::phy::{Phy, Standard};
        RateSetup::of_phy(Phy::usual(Standard::A, Width::Mhz20), false)
    }

    #[cfg(test)]
    pub(super) fn of_phy(phy: crate::phy::Phy, short_gi: bool) -> RateSetup {
        use crate::mac::config::MacConfig;
        use crate::mac::timing::Timing;
        let timing = Timing::on(&MacConfig { short_gi: Some(short_gi), ..MacConfig::std().of_phy(phy) }, phy);
        let stream = crate::kernel::RandomStreams::new(1).stream(crate::kernel::Purpose::RateSampling, 0);
        timing.rate_setup(OfdmErrors::Nist, stream, short_gi)
    }
}
