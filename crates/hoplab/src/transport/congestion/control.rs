//! Congestion control as a trait: its events, and what it needs of the connection (RFC 5681 separates it from recovery).
//!
//! A controller owns a window in segments and reacts to events. Sequence numbers, timers and retransmissions
//! belong to the TCB and to recovery. What only some controllers use is in [`Needs`] and [`CrossLayer`].

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use super::cross_layer::CrossLayer;
use super::event::{Loss, LostSegment, MarkResponse, NewAck, RateSample, SenderState};
use crate::kernel::Time;
use crate::packet::Ack;
use crate::packet::explicit::EchoRule;
use crate::transport::pacer::PaceRules;
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;

/// Decides the congestion window.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait CongestionControl: Debug {
    /// Segments that may be in flight, without the inflation of fast recovery. rwnd is not applied: `cwnd` may exceed
    /// it.
    fn cwnd(&self) -> f64;

    /// Window below which the sender is in slow start, in segments; infinite if unknown.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    /// Sets the window on behalf of recovery.
    fn set_cwnd(&mut self, cwnd: f64);

    /// New data was acknowledged outside of recovery. `snd_una` has advanced, nothing new is sent yet. Called once per
    /// acknowledgment, however many segments it covers, and never for duplicates.
    fn on_ack(&mut self, ack: &NewAck<'_>);

    /// New data was acknowledged during recovery: the window must not grow.
    fn on_recovery_ack(&mut self, _ack: &NewAck<'_>) {}

    /// A duplicate acknowledgment arrived. Called before recovery counts it.
    fn on_dup_ack(&mut self, _now: Time, _ack: &Ack) {}

    /// A loss was detected. Called once per loss event, before the retransmission.
    fn on_loss(&mut self, loss: &Loss);

    /// Recovery is over and leaves this window.
    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.set_cwnd(cwnd);
    }

    /// Nothing was in flight for one timeout: the window falls to `restart` segments if it is larger.
    fn on_idle(&mut self, restart: f64) {
        if self.cwnd() > restart {
            self.set_cwnd(restart);
        }
    }

    /// Slow start ends without a loss: `ssthresh` is to become the window. Only real connections do this (`transport/stream`).
    fn exit_slow_start(&mut self) {}

    /// A sample of the delivery rate, after each acknowledgment that delivers something. Real connections only.
    fn on_sample(&mut self, _sample: &RateSample, _state: &SenderState) {}

    /// A segment is considered lost, before its loss is. Real connections only.
    fn on_lost_segment(&mut self, _lost: &LostSegment) {}

    /// A segment is about to leave while nothing is in flight. Real connections only.
    fn on_restart(&mut self, _now: Time, _is_app_limited: bool) {}

    /// Whether samples of the segments that leave now say as little as if the application limited the rate.
    fn limits_samples(&self) -> bool {
        false
    }

    /// Whether segments leave one at a time, although `stream.send_quantum` allows bursts.
    fn paces_singly(&self) -> bool {
        false
    }

    /// Rate at which segments leave, in bytes per second; as acknowledgments allow if `None`. Real connections only.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// The receiver echoes a congestion mark, at most once per round trip. Real connections only.
    fn on_ecn(&mut self) -> MarkResponse {
        MarkResponse::AsLoss
    }

    /// What the controller needs of the connection. Read once, before the SYN.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The controller's exchange with routers, links, the application and the pacer, if it has one.
    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        None
    }
}

/// What a controller needs of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    /// Timestamps, even if `tcp.timestamps` is off.
    pub timestamps: bool,
    /// Data on the SYN. No TCP does that, but ns-2's Vegas; Semi-TCP has no SYN.
    pub syn_carries_data: bool,
    /// Segments without TCP and IP headers on the wire, as those of ns-2's Vegas.
    pub omits_headers: bool,
    /// A timeout that does not double the next one.
    pub constant_rto: bool,
    /// A timeout during recovery reduces the inflated window.
    pub cuts_inflated_window: bool,
    /// [`CrossLayer::on_link`] before each event of the source.
    pub link_estimates: bool,
    /// [`CrossLayer::stamp`] for each segment.
    pub feedback: Option<FeedbackNeeds>,
    /// A pacer with these rules; [`CrossLayer::pace_interval`] is the time between two segments.
    pub pacing: Option<PaceRules>,
    /// The controller sets the window in [`CongestionControl::on_sample`] alone, in loss recovery too. Real connections only.
    pub owns_window: bool,
    /// ECN, and a receiver that echoes the mark of each segment (RFC 8257). Real connections only.
    pub exact_marks: bool,
}

impl Needs {
    /// What of this a one-way agent does not have.
    pub(crate) fn refuse_of_agent(&self) -> Result<(), String> {
        missing("a one-way agent", &[("owns_window", self.owns_window), ("exact_marks", self.exact_marks)])
    }

    /// What of this a real connection does not have.
    pub(crate) fn refuse_of_connection(&self) -> Result<(), String> {
        let needs = [
            ("feedback", self.feedback.is_some()),
            ("link_estimates", self.link_estimates),
            ("syn_carries_data", self.syn_carries_data),
            ("omits_headers", self.omits_headers),
            ("constant_rto", self.constant_rto),
            ("cuts_inflated_window", self.cuts_inflated_window),
        ];
        missing("a real TCP connection", &needs)
    }
}

fn missing(sender: &str, needs: &[(&str, bool)]) -> Result<(), String> {
    let found: Vec<&str> = needs.iter().filter(|(_, is_needed)| *is_needed).map(|(name, _)| *name).collect();
    if found.is_empty() { Ok(()) } else { Err(format!("it needs {}, which {sender} does not have", found.join(", "))) }
}

/// What explicit feedback adds to a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackNeeds {
    /// Bytes of requests and of their echoes.
    pub header_bytes: HeaderBytes,
    /// Which level the receiver echoes if an acknowledgment covers several segments.
    pub echo_rule: EchoRule,
}

/// Bytes that explicit feedback adds to packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderBytes {
    /// Per segment.
    pub segment: u32,
    /// Per acknowledgment.
    pub ack: u32,
}
