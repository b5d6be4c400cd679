//! The trait of error models: whether a frame is corrupted at a receiver (ns-2.35 `ErrorModel::corrupt`).

use crate::kernel::{RadioId, Time};
use crate::packet::Frame;
use crate::phy::config::RadioConfig;

/// A signal that arrives at a receiver, as an error model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// When its first bit arrives.
    pub now: Time,
    /// What is sent; the transmitter is its TA.
    pub frame: &'a Frame,
    /// Received power, in watts.
    pub power: f64,
    /// The receiver.
    pub dst: RadioId,
}

/// A model of frames that are corrupted although they are strong enough and do not collide.
pub trait ErrorModel: Sized {
    /// What it is, in one line.
    const SUMMARY: &'static str;

    /// The keys of `[radio.errors]` that it alone reads.
    const KEYS: &'static [&'static str];

    /// The model with the parameters of this radio, for a network of `nodes`.
    fn new(config: &RadioConfig, nodes: usize) -> Self;

    /// Probability that the frame is corrupted. `draw` in `[0, 1)` is random, and independent of the draw that decides.
    fn loss(&mut self, arrival: Arrival<'_>, draw: f64) -> f64;
}
