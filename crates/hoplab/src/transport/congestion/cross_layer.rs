//! Cross-layer exchange of some controllers: with routers, links of their node, the application, and the pacer.
//!
//! TCP-AP, XCP and TCP Muzha implement it. Every other controller uses acknowledgments and losses alone.

use crate::kernel::{Span, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{Ack, LinkEstimate, SegNo};

/// Exchange of a controller with other layers. [`Needs`](super::Needs) selects which calls take place.
pub trait CrossLayer {
    /// An acknowledgment arrived, of whatever kind. Called before recovery and all other events it causes.
    fn on_arrival(&mut self, _arrival: &AckArrival<'_>) {}

    /// A segment is sent: the request to the routers on its path. Called for each transmission and retransmission.
    /// What the routers grant returns in `ack.packet.feedback`, in duplicates too.
    fn stamp(&mut self, _sending: &Sending) -> Feedback {
        Feedback::None
    }

    /// Current estimates of the observers at the sender's node; `None` before the first. Called before each acknowledgment,
    /// timeout and supply.
    fn on_link(&mut self, _link: Option<LinkEstimate>) {}

    /// The application supplies `rate` bytes of payload per second and no more. Called once, before anything is sent, and
    /// never for an unlimited file.
    fn on_demand(&mut self, _rate: f64) {}

    /// Time between two segments, if they are paced.
    fn pace_interval(&self) -> Span {
        Span::ZERO
    }
}

/// An acknowledgment at its arrival.
#[derive(Clone, Copy, Debug)]
pub struct AckArrival<'a> {
    /// Time of arrival.
    pub now: Time,
    /// Hops of its path; 0 if unknown.
    pub hops: u16,
    /// The acknowledgment.
    pub packet: &'a Ack,
}

/// A segment that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Current time.
    pub now: Time,
    /// Segment number.
    pub seq: SegNo,
    /// Payload in bytes.
    pub payload: u32,
    /// Whether it was sent before.
    pub is_retransmission: bool,
    /// rwnd, in segments.
    pub window: u32,
    /// Segments sent and not acknowledged, without this one if it is new.
    pub in_flight: u32,
}
