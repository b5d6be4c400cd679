//! The trait of applications: keys, defaults and the source of traffic that a row of the list provides.

use super::keys::AppKeys;
use super::pair_meter::PairMeter;
use super::traffic::Traffic;
use crate::kernel::{RandomStream, Rate};
use std::fmt::Debug;

/// An application: what a flow has to send. A value has its parameters.
pub trait Application: Copy + Debug + PartialEq {
    /// What it is, in one line.
    const SUMMARY: &'static str;
    /// Its page below `docs/protocols`, without ending.
    const PAGE: &'static str;
    /// Keys of a flow that it uses, of [`AppKeys::NAMES`].
    const KEYS: &'static [&'static str] = &[];
    /// A key that has no default, and an example of its value.
    const REQUIRED: Option<(&'static str, &'static str)> = None;
    /// Payload of a packet in bytes where the flow gives none.
    const SEGMENT: u32 = 1460;
    /// The only payload that it can have.
    const FIXED_SEGMENT: Option<FixedSegment> = None;
    /// Packets after which it ends where the flow gives no limit.
    const MAX_PACKETS: Option<u32> = None;
    /// The transports that can carry it.
    const CARRIER: Carrier = Carrier::Any;
    /// Whether its delays are rated as a voice call.
    const IS_VOICE: bool = false;

    /// Its source of traffic.
    type Source: Traffic + Clone + Debug;

    /// The application that valid keys describe.
    fn from_keys(keys: &AppKeys) -> Self;

    /// The keys that describe it.
    fn keys(&self) -> AppKeys;

    /// Its source, in packets of `segment` payload bytes; `stream` provides random numbers, if it needs them.
    fn source(&self, segment: u32, stream: impl FnOnce() -> RandomStream) -> Self::Source;

    /// Its rate in payload bits, if that is constant on average.
    fn constant_rate(&self) -> Option<Rate> {
        None
    }

    /// The measurement at the receiver that belongs to it.
    fn meter(&self) -> Option<PairMeter> {
        None
    }
}

/// The only payload of an application, with the words that refuse another one.
#[derive(Clone, Copy, Debug)]
pub struct FixedSegment {
    /// Payload in bytes.
    pub bytes: u32,
    /// What another payload is.
    pub otherwise: &'static str,
    /// What is accepted.
    pub expected: &'static str,
}

/// The transports that can carry an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Any.
    Any,
    /// Those with a window or a rate: the application has no rate of its own.
    Controlled,
    /// Datagrams: packets must leave when they are due.
    Datagrams,
}
