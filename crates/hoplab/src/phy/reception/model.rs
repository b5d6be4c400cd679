//! The trait of reception models: effects of a signal start and end on a receiver.

use crate::kernel::{RadioId, Span, Time};
use crate::packet::Frame;
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{PhyIndication, Radio};

/// A transmission as its receivers see it.
#[derive(Clone, Copy, Debug)]
pub struct Signal<'a> {
    /// Index of the transmission.
    pub(in crate::phy) transmission: u32,
    /// The frame; the fields that each receiver needs are copied beside it.
    pub(in crate::phy) frame: &'a Frame,
    /// Its receiver address.
    pub(in crate::phy) ra: RadioId,
    /// Its airtime.
    pub(in crate::phy) airtime: Span,
    /// Its Duration field, in microseconds.
    pub(in crate::phy) duration: u16,
    /// Number of the frame among those of its sender: a key of random draws.
    pub(in crate::phy) count: u64,
    /// The sender's radio was switched off before the end: no receiver decodes it.
    pub(in crate::phy) is_cut: bool,
}

impl<'a> Signal<'a> {
    /// The signal of a transmission.
    #[inline]
    pub(in crate::phy) fn new(transmission: u32, frame: &'a Frame, count: u64, is_cut: bool) -> Signal<'a> {
        let Frame { ra, airtime, duration, .. } = *frame;
        Signal { transmission, frame, ra, airtime, duration, count, is_cut }
    }
}

/// What a signal start means at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The medium has become busy there.
    Busy,
    /// The radio is locked on a much stronger frame, and ignores this one.
    Ignored,
    /// No effect on the station: the signal takes part in a collision, or changes nothing.
    Unnoticed,
}

/// What a signal end means at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The MAC is to be called.
    Indicate(PhyIndication),
    /// The radio was locked on it, a frame for another station.
    Overheard,
    /// No effect: the radio was not locked on it.
    Unnoticed,
}

/// How a receiver treats overlapping signals. One model serves all nodes of a run; it is chosen once per call of the
/// channel and compiled into the arrival path.
pub trait ReceptionModel {
    /// Whether a signal changes a receiver that is locked on another one. If not, its end matters only where the radio is
    /// locked on it, and a radio that is not locked is idle.
    const ADDS_INTERFERENCE: bool;

    /// The signal starts at a receiver.
    fn on_start(&mut self, radio: &mut Radio, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> Arrival;

    /// The window in which a receiver detects the preamble of the signal has ended (OFDM).
    fn on_detect(&mut self, _: &mut Radio, _: &Signal<'_>, _: RadioId, _: Time) -> Arrival {
        Arrival::Unnoticed
    }

    /// The signal ends at a receiver.
    fn on_end(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Departure;

    /// The radio of a node has been switched off or on.
    fn on_switch(&mut self, radio: &mut Radio, own: RadioId, is_on: bool);
}
