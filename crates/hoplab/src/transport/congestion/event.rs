//! What happens to a congestion control: acknowledgments, losses, segments that leave.

use crate::kernel::{Span, Time};
use crate::packet::{Ack, SegNo};

/// An acknowledgment as it comes.
#[derive(Clone, Copy, Debug)]
pub struct AckArrival<'a> {
    /// When it came.
    pub now: Time,
    /// Hops that it has travelled; 0 if unknown.
    pub hops: u16,
    /// What came.
    pub packet: &'a Ack,
}

/// A segment that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Now.
    pub now: Time,
    /// Which.
    pub seq: SegNo,
    /// Its payload in bytes.
    pub payload: u32,
    /// Whether it has been sent before.
    pub is_retransmission: bool,
    /// Segments that the receiver allows in flight.
    pub window: u32,
    /// Segments sent and not acknowledged.
    pub in_flight: u32,
}

/// An acknowledgment of new data.
#[derive(Clone, Copy, Debug)]
pub struct NewAck<'a> {
    /// When it came.
    pub now: Time,
    /// Highest segment acknowledged so far.
    pub acked: SegNo,
    /// Segments acknowledged for the first time.
    pub newly_acked: u32,
    /// Next segment that would be sent, before the window is used.
    pub snd_nxt: SegNo,
    /// Segments sent and not acknowledged.
    pub in_flight: u32,
    /// Time since segment `acked` was sent, if that was sent only once.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time, this acknowledgment's included.
    pub srtt: Option<Span>,
    /// Whether as much was in flight as the congestion window allows when it came.
    pub was_full: bool,
    /// Whether it also told of new segments beyond a gap. Only the Linux sender says so.
    pub has_news: bool,
    /// What came, with everything that receiver and routers may have written into it.
    pub packet: &'a Ack,
}

impl NewAck<'_> {
    /// When segment `acked` was sent, if it was sent only once.
    pub fn sent_at(&self) -> Option<Time> {
        self.rtt.map(|rtt| self.now - rtt)
    }
}

/// A loss, as recovery found it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When.
    pub now: Time,
    /// By which sign.
    pub sign: LossSignal,
    /// The window in use: `cwnd` within the receiver's limit.
    pub window: f64,
    /// Segments in flight, not counting those that limited transmit has added.
    pub flight: u32,
    /// Whether the segment that is missing had been sent again before.
    pub is_repeated: bool,
}

/// What tells of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Acknowledgments of later segments.
    DupAcks,
    /// Silence.
    Timeout,
}
