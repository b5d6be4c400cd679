//! What a congestion control is: its events, and what it asks of the connection.

use super::event::{AckArrival, Loss, NewAck, Sending};
use crate::kernel::{Span, Time};
use crate::packet::{Ack, EchoRule, Feedback, LinkEstimate, SegNo};
use crate::transport::pacer::PaceRules;
use std::fmt::Debug;

/// Decides the congestion window.
pub trait CongestionControl: Debug {
    /// Segments that may be in flight, before recovery adds to it for duplicate acknowledgments. The receiver's limit
    /// is not applied: the window may grow beyond it.
    fn cwnd(&self) -> f64;

    /// Window below which the start is quick, in segments; infinite if unknown.
    fn ssthresh(&self) -> f64;

    /// New data was acknowledged while nothing was being repaired. `snd_una` has moved, nothing new has been sent yet.
    /// Called once per acknowledgment, however much it acknowledges, never for duplicates.
    fn on_ack(&mut self, ack: &NewAck<'_>);

    /// New data was acknowledged while a loss was being repaired: the window is not to grow.
    fn on_repair_ack(&mut self, _ack: &NewAck<'_>) {}

    /// An acknowledgment acknowledged nothing new. Called before recovery counts it.
    fn on_dup_ack(&mut self, _now: Time, _ack: &Ack) {}

    /// A segment was lost. Called once per episode, before anything is sent again.
    fn on_loss(&mut self, loss: &Loss);

    /// The opening segment was lost: the window after the opening is one segment.
    fn on_opening_lost(&mut self) {}

    /// Nothing has been in flight for as long as a timeout: the window goes back to `restart` segments if it is larger.
    fn on_idle(&mut self, restart: f64) {
        if self.cwnd() > restart {
            self.set_cwnd(restart);
        }
    }

    /// Recovery sets the window while it repairs.
    fn set_cwnd(&mut self, cwnd: f64);

    /// The repair is over, and recovery leaves this window.
    fn on_repaired(&mut self, cwnd: f64) {
        self.set_cwnd(cwnd);
    }

    /// Whether the opening segment carries data. No TCP does that, but ns-2's Vegas.
    fn syn_carries_data(&self) -> bool {
        false
    }

    /// Bytes above the MAC of segment `seq`, if data segments have this payload and headers that length. The opening
    /// segment (0) carries no data, as a rule.
    fn ip_bytes(&self, seq: SegNo, payload: u32, header: u32) -> u32 {
        if seq == 0 { header } else { payload + header }
    }

    /// An acknowledgment has come, whatever it says: called before recovery and every other event it causes.
    fn on_arrival(&mut self, _arrival: &AckArrival<'_>) {}

    /// Whether segments are spaced out, and how. Asked once.
    fn pace_rules(&self) -> Option<PaceRules> {
        None
    }

    /// Time between two segments, if they are spaced out.
    fn pace_interval(&self) -> Span {
        Span::ZERO
    }

    /// Whether the retransmission timeout doubles each time it ends.
    fn backs_off(&self) -> bool {
        true
    }

    /// Whether a timeout during a repair is answered from the window with what duplicates have added to it. Asked then.
    fn cuts_inflated(&self) -> bool {
        false
    }

    /// A segment leaves now: what the routers on its way are asked for. Called once per segment sent, repeated ones
    /// included; `in_flight` does not count it yet if it is new. Whatever the routers grant comes back in
    /// `ack.packet.feedback`, in duplicates too.
    fn stamp(&mut self, _sending: &Sending) -> Feedback {
        Feedback::None
    }

    /// Whether the connection has timestamps even if `tcp.timestamps` does not ask for them. Asked once.
    fn wants_timestamps(&self) -> bool {
        false
    }

    /// Bytes that the request adds to each segment, and its echo to each acknowledgment. Asked once.
    fn header_bytes(&self) -> HeaderBytes {
        HeaderBytes::default()
    }

    /// Which level the receiver echoes if an acknowledgment answers several segments. Asked once.
    fn echo_rule(&self) -> EchoRule {
        EchoRule::default()
    }

    /// Whether [`CongestionControl::on_link`] is to be called. Asked once.
    fn wants_link(&self) -> bool {
        false
    }

    /// The application supplies `rate` bytes of payload per second and no more. Said once, before anything is sent, and
    /// not at all of a file without end.
    fn on_demand(&mut self, _rate: f64) {}

    /// What the observers at the sender's node say of its links now; `None` before they know anything. Called before
    /// each acknowledgment, timeout and supply.
    fn on_link(&mut self, _link: Option<LinkEstimate>) {}
}

/// Bytes of requests to routers and of their echoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderBytes {
    /// Per segment.
    pub segment: u32,
    /// Per acknowledgment.
    pub ack: u32,
}
