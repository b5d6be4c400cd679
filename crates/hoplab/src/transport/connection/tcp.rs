//! The ends of a connection whose sender has a window, or is asked for each segment.

use super::super::config::TcpConfig;
use super::super::congestion::CongestionControl;
use super::super::pull::ack_queue::AckQueue;
use super::super::pull::slot_pacer::SlotPacer;
use super::super::receiver::Receiver;
use super::super::sender::{Parts, Sender};
use super::{Emit, End, Ends, FlowSpec, Outlet, refuse};
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::{Ack, LinkEstimate, Payload, Segment};

#[derive(Debug)]
pub(super) struct TcpEnds {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Acknowledgments that wait to be asked for, if the connection is pulled.
    acks: Option<AckQueue>,
    /// Hops that the acknowledgment which comes next has travelled.
    ack_hops: u16,
    sizes: Sizes,
}

/// Bytes of what a connection sends.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    payload: u32,
    segment_header: u32,
    /// What an opening segment without data has less of it.
    opening_less: u32,
    ack: u32,
    sack_block: u32,
}

impl TcpEnds {
    pub(super) fn new(spec: &FlowSpec, parts: Parts, config: &TcpConfig, phase: f64) -> TcpEnds {
        let sender = if let Some(pull) = &spec.pull {
            let config = TcpConfig { min_rto: pull.min_rto, initial_rto: pull.initial_rto, ..config.clone() };
            let mut sender = Sender::new(&config, parts, spec.segment, pull.max_outstanding, phase);
            sender.be_pulled(pull.rto_backoff);
            if pull.paced {
                sender.space_slots(SlotPacer::new(&config, spec.segment));
            }
            sender
        } else {
            Sender::new(config, parts, spec.segment, spec.window, phase)
        };
        let timestamps = sender.tcb().has_timestamps();
        let mut receiver = Receiver::new(&TcpConfig { timestamps, ..config.clone() }, parts.recovery.needs_sack());
        if let Some(pull) = &spec.pull {
            receiver.answer_beyond_gap(pull.ooo_ack);
        }
        let timestamp = if timestamps { config.timestamp_bytes.0 } else { 0 };
        // Sinks of ns-2 charge nothing for the timestamp they echo, its senders nothing for that of the opening.
        let (echo, opening_less) = if config.is_rfc() { (timestamp, 0) } else { (0, timestamp) };
        TcpEnds {
            sender,
            receiver,
            acks: spec.pull.as_ref().map(AckQueue::new),
            ack_hops: 0,
            sizes: Sizes {
                payload: spec.segment,
                segment_header: config.header.0 + timestamp,
                opening_less,
                ack: config.header.0 + echo,
                // An acknowledgment of a single segment is as long as any other.
                sack_block: if spec.pull.is_some() { 0 } else { config.sack_block_bytes.0 },
            },
        }
    }

    /// What routers are asked for lengthens segments and acknowledgments. The controller may be the user's, put in after
    /// the connection was made.
    fn agree_on_headers(&mut self) {
        let control = &self.sender.tcb().control;
        let more = control.header_bytes();
        self.receiver.set_echo_rule(control.echo_rule());
        self.sizes.segment_header += more.segment;
        self.sizes.ack += more.ack;
    }

    /// Sends an acknowledgment, or lets it wait to be asked for.
    fn send_ack(&mut self, now: Time, ack: Ack, out: &mut Vec<Emit>) {
        match &mut self.acks {
            Some(acks) => acks.push(now, ack),
            None => out.push(self.sizes.emit_ack(ack)),
        }
    }

    fn on_segment(&mut self, now: Time, segment: &Segment, to: &mut Outlet<'_>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        // The opening segment brings nothing.
        if segment.payload > 0 {
            to.meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(u64::from(received.delivered) * u64::from(self.sizes.payload));
        if let Some(ack) = received.ack {
            self.send_ack(now, ack, to.out);
        }
        received.delivered
    }

    /// After the sender has acted: its segments go out, the meter sees what has changed.
    fn settle(&mut self, now: Time, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, counts.kept_windows);
        to.meter.on_limits(counts.limits_reached);
        to.meter.on_cwnd(now, self.sender.cwnd());
        for (segment, bytes) in self.sender.take_sent(self.sizes.segment_header) {
            to.meter.on_sent(segment.is_retransmission);
            let bytes = if segment.payload == 0 { bytes - self.sizes.opening_less } else { bytes };
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for TcpEnds {
    fn on_start(&mut self, demand: Option<f64>) {
        self.agree_on_headers();
        if let Some(rate) = demand {
            self.sender.on_demand(rate);
        }
    }

    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        self.sender.on_supply(now, supply);
        if is_last {
            self.sender.close(now);
        }
        self.settle(now, to);
    }

    fn close(&mut self, now: Time) {
        self.sender.close(now);
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        match (end, payload) {
            (End::Source, Payload::Ack(ack)) => {
                self.sender.on_ack_over(now, ack, self.ack_hops);
                self.settle(now, to);
                0
            }
            (End::Sink, Payload::Segment(segment)) => self.on_segment(now, segment, to),
            (end, payload) => refuse(end, payload),
        }
    }

    #[inline]
    fn deadline(&self, end: End) -> Option<Time> {
        match end {
            End::Source => self.sender.deadline(),
            End::Sink => self.receiver.deadline(),
        }
    }

    fn on_deadline(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        match end {
            End::Source => {
                self.sender.on_timeout(now);
                self.settle(now, to);
            }
            End::Sink => {
                if let Some(ack) = self.receiver.on_deadline() {
                    self.send_ack(now, ack, to.out);
                }
            }
        }
    }

    fn on_path(&mut self, hops: u16) {
        self.ack_hops = hops;
    }

    fn wants_link(&self) -> bool {
        self.sender.tcb().control.wants_link()
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.sender.on_link(link);
    }

    fn is_pulled(&self) -> bool {
        self.acks.is_some()
    }

    fn on_slot(&mut self, end: End, now: Time, to: &mut Outlet<'_>) -> bool {
        match end {
            End::Source => {
                let has_sent = self.sender.on_slot(now);
                if has_sent {
                    self.settle(now, to);
                }
                has_sent
            }
            End::Sink => {
                let ack = self.acks.as_mut().and_then(|acks| acks.pop(now));
                to.out.extend(ack.map(|ack| self.sizes.emit_ack(ack)));
                ack.is_some()
            }
        }
    }

    /// None where segments are asked for: what the sender calls its window limits nothing.
    fn window(&self) -> Option<(f64, f64)> {
        if self.is_pulled() { None } else { Some((self.sender.cwnd(), self.sender.ssthresh())) }
    }

    fn srtt(&self) -> Option<Span> {
        self.sender.tcb().rtt.srtt()
    }
}

impl Sizes {
    fn emit_ack(self, ack: Ack) -> Emit {
        let bytes = self.ack + self.sack_block * u32::from(ack.block_count);
        Emit { end: End::Sink, payload: Payload::Ack(ack), bytes }
    }
}
