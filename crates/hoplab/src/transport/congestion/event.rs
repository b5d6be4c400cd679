//! Events of a congestion control: acknowledgments of new data, and losses (RFC 5681 section 3).

use crate::kernel::{Span, Time};
use crate::packet::{Ack, SegNo};

/// An acknowledgment of new data.
#[derive(Clone, Copy, Debug)]
pub struct NewAck<'a> {
    /// Time of arrival.
    pub now: Time,
    /// Highest segment acknowledged so far.
    pub acked: SegNo,
    /// Segments acknowledged for the first time.
    pub newly_acked: u32,
    /// Next segment to be sent, before the window is used.
    pub snd_nxt: SegNo,
    /// Segments sent and not acknowledged.
    pub in_flight: u32,
    /// Time since segment `acked` was sent, if it was sent only once.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time, with this acknowledgment's sample.
    pub srtt: Option<Span>,
    /// Whether at least `cwnd` segments were in flight before it arrived.
    pub is_cwnd_limited: bool,
    /// Whether it also reports segments beyond a gap for the first time. Only the Linux sender sets it.
    pub has_new_sacks: bool,
    /// The packet, with all that receiver and routers wrote into it.
    pub packet: &'a Ack,
}

impl NewAck<'_> {
    /// Whether it acknowledges the SYN and nothing else.
    #[inline]
    pub fn is_syn_ack(&self) -> bool {
        self.acked == 0
    }

    /// When segment `acked` was sent, if it was sent only once.
    pub fn sent_at(&self) -> Option<Time> {
        self.rtt.map(|rtt| self.now - rtt)
    }
}

/// A loss, as recovery detected it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Current time.
    pub now: Time,
    /// How it was detected.
    pub signal: LossSignal,
    /// The window in use: `cwnd`, at most rwnd.
    pub window: f64,
    /// Segments in flight, without those that limited transmit added.
    pub flight_size: u32,
    /// Whether the lost segment had been retransmitted before.
    pub is_retransmission: bool,
    /// Whether the SYN was lost: the initial window is one segment then (RFC 5681 section 3.1).
    pub is_syn: bool,
}

/// How a loss is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Acknowledgments of later segments.
    DupAcks,
    /// The retransmission timer.
    Timeout,
}

/// A sample of the delivery rate (draft-ietf-ccwg-bbr), taken when an acknowledgment delivers something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes per second; `None` if the interval is shorter than the minimum round-trip time.
    pub rate: Option<f64>,
    /// Bytes delivered in the interval.
    pub delivered: u64,
    /// The longer of the times in which they were sent and acknowledged.
    pub interval: Span,
    /// Bytes delivered when the newest segment acknowledged was sent.
    pub prior_delivered: u64,
    /// Bytes delivered so far.
    pub total_delivered: u64,
    /// Bytes lost since then.
    pub lost: u64,
    /// Segments in flight when it was sent, with it.
    pub prior_in_flight: u32,
    /// Whether the application limited the rate when it was sent.
    pub is_app_limited: bool,
    /// Its round-trip time, if it was sent once.
    pub rtt: Option<Span>,
}

/// The sender of a real connection after an acknowledgment that delivers something, before it sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    /// Time of arrival.
    pub now: Time,
    /// Next byte to be acknowledged.
    pub una: u64,
    /// Next byte to be sent.
    pub nxt: u64,
    /// Segments that the acknowledgment delivers.
    pub newly_delivered: u32,
    /// Segments that it shows to be lost.
    pub newly_lost: u32,
    /// Segments in flight before it, and now.
    pub flights: (u32, u32),
    /// What the sender does about losses.
    pub repair: Repair,
    /// The smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Time from the sending of the segment to that of the acknowledgment, by their timestamps.
    pub one_way: Option<Span>,
    /// Time until pacing lets the next segment leave.
    pub departs_in: Span,
    /// Whether `cwnd` was the limit at any time in the last round trip.
    pub is_cwnd_limited: bool,
    /// Whether the acknowledgment is of a single segment and may have been delayed.
    pub may_be_delayed: bool,
    /// Whether it echoes a mark.
    pub has_echo: bool,
}

/// What a sender does about losses, in order of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// It retransmits what acknowledgments show to be lost.
    Recovery,
    /// It retransmits after a timeout.
    Timeout,
}

/// A segment of a real connection that is considered lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// Current time.
    pub now: Time,
    /// Bytes delivered so far.
    pub total_delivered: u64,
    /// Bytes lost since the segment was sent, with it.
    pub lost: u64,
    /// Segments in flight when it was sent, with it.
    pub prior_in_flight: u32,
    /// Whether the application limited the rate when it was sent.
    pub is_app_limited: bool,
    /// Whether the segment before it is not lost.
    pub starts_range: bool,
}

/// What a controller does about an echoed mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkResponse {
    /// The same as about a loss: [`CongestionControl::on_loss`](super::CongestionControl::on_loss) follows.
    AsLoss,
    /// It has set `ssthresh`; the window is reduced to it in one round trip.
    Cut,
    /// Nothing.
    Ignore,
}
