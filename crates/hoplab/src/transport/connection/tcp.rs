//! The ends of a TCP connection (RFC 9293), whose sender has a window or is pulled (Cai 2013).

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::FlowSpec;
use crate::app::Supply;
use crate::kernel::{End, Span, Time};
use crate::packet::{Ack, LinkEstimate, Payload, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::pull::ack_queue::AckQueue;
use crate::transport::pull::slot_pacer::SlotPacer;
use crate::transport::receiver::Receiver;
use crate::transport::sender::{Parts, Sender};

#[derive(Debug)]
pub(super) struct TcpEnds {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Acknowledgments that wait for a slot, if the connection is pulled.
    acks: Option<AckQueue>,
    /// Hops of the next acknowledgment's path.
    ack_hops: u16,
    sizes: Sizes,
}

/// Bytes of what a connection sends.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    payload: u32,
    segment_header: u32,
    /// Bytes of `segment_header` that a SYN without data does not have.
    syn_less: u32,
    ack: u32,
    sack_block: u32,
    timestamp: u32,
    /// Whether SYNs and acknowledgments carry the bytes of their timestamps.
    charges_all_timestamps: bool,
}

impl TcpEnds {
    pub(super) fn new(spec: &FlowSpec, parts: Parts, config: &TcpConfig, phase: f64) -> TcpEnds {
        let sender = if let Some(pull) = &spec.pull {
            // A timeout waits for an acknowledgment that is delayed (RFC 8985 section 7.2).
            let delay = if parts.recovery.needs_sack() { pull.ack_delay } else { Span::ZERO };
            let config = TcpConfig { min_rto: pull.min_rto + delay, initial_rto: pull.initial_rto, ..config.clone() };
            let mut sender = Sender::new(&config, parts, spec.segment, pull.max_outstanding, phase);
            sender.set_pulled(pull.rto_backoff);
            if pull.paced {
                sender.set_slot_pacer(SlotPacer::new(&config, spec.segment));
            }
            sender
        } else {
            Sender::new(config, parts, spec.segment, spec.window, phase)
        };
        let mut receiver = Receiver::new(config, parts.recovery.needs_sack());
        if let Some(pull) = &spec.pull {
            receiver.set_ooo_ack(pull.ooo_ack);
            if parts.recovery.needs_sack() {
                let every = config.ack_every.unwrap_or(if config.delayed_ack { 2 } else { pull.sack_every });
                receiver.count_all(every, pull.ack_delay);
            }
        }
        TcpEnds {
            sender,
            receiver,
            acks: spec.pull.as_ref().map(AckQueue::new),
            ack_hops: 0,
            sizes: Sizes {
                payload: spec.segment,
                segment_header: config.header.0,
                syn_less: 0,
                ack: config.header.0,
                // An acknowledgment of a single segment is as long as any other.
                sack_block: if spec.pull.is_some() && !parts.recovery.needs_sack() {
                    0
                } else {
                    config.sack_block_bytes.0
                },
                timestamp: config.timestamp_bytes.0,
                charges_all_timestamps: config.profile.rules().connection.charges_all_timestamps,
            },
        }
    }

    /// Applies the needs of the congestion control, which may be a user's own, to receiver and packet sizes.
    fn apply_needs(&mut self) {
        if self.sender.tcb().has_timestamps() {
            self.receiver.use_timestamps();
            self.sizes.add_timestamps();
        }
        if let Some(feedback) = self.sender.tcb().needs().feedback {
            self.receiver.set_echo_rule(feedback.echo_rule);
            self.sizes.segment_header += feedback.header_bytes.segment;
            self.sizes.ack += feedback.header_bytes.ack;
        }
    }

    /// Bytes of a full segment and of an acknowledgment without SACK blocks.
    pub(super) fn packet_bytes(&self) -> (u32, u32) {
        let mut sizes = self.sizes;
        let needs = self.sender.tcb().needs();
        if let Some(feedback) = needs.feedback {
            sizes.segment_header += feedback.header_bytes.segment;
            sizes.ack += feedback.header_bytes.ack;
        }
        if self.sender.tcb().has_timestamps() {
            sizes.add_timestamps();
        }
        (sizes.payload + if needs.omits_headers { 0 } else { sizes.segment_header }, sizes.ack)
    }

    /// Payload bytes supplied and not sent.
    pub(super) fn unsent(&self) -> u64 {
        u64::from(self.sender.tcb().unsent()) * u64::from(self.sizes.payload)
    }

    /// Whether all of a limited supply is delivered.
    pub(super) fn is_over(&self) -> bool {
        self.sender.tcb().end().is_some_and(|end| self.receiver.next() >= end)
    }

    /// Sends an acknowledgment, or enqueues it for a slot.
    fn send_ack(&mut self, now: Time, ack: Ack, out: &mut Vec<Emit>) {
        match &mut self.acks {
            Some(acks) => acks.push(now, ack),
            None => out.push(self.sizes.emit_ack(ack)),
        }
    }

    fn on_segment(&mut self, now: Time, segment: &Segment, to: &mut Outlet<'_>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        // An empty SYN is no arrival.
        if segment.payload > 0 {
            to.meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(u64::from(received.delivered) * u64::from(self.sizes.payload));
        if let Some(ack) = received.ack {
            self.send_ack(now, ack, to.out);
        }
        received.delivered
    }

    /// Sends the sender's segments and updates the meter after an event.
    fn settle(&mut self, now: Time, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, counts.unreduced_fast_retransmits);
        to.meter.on_limits(counts.limits_reached);
        to.meter.on_cwnd(now, self.sender.cwnd());
        for (segment, bytes) in self.sender.take_sent(self.sizes.segment_header) {
            to.meter.on_sent(segment.is_retransmission);
            let bytes = if segment.payload == 0 { bytes - self.sizes.syn_less } else { bytes };
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for TcpEnds {
    fn on_start(&mut self, demand: Option<f64>) {
        self.apply_needs();
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

    fn close(&mut self, now: Time, _to: &mut Outlet<'_>) {
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

    fn on_unreachable(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_route_failure(now);
        self.settle(now, to);
    }

    fn on_route(&mut self, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_route_restored(now);
        self.settle(now, to);
    }

    fn on_mark(&mut self) {
        self.receiver.on_mark();
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
        self.sender.tcb().needs().link_estimates
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.sender.on_link(link);
    }

    fn is_pulled(&self) -> bool {
        self.acks.is_some()
    }

    fn start_alone(&mut self) {
        self.sender.start_alone();
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

    /// None for a pulled sender, whose window is no limit.
    fn window(&self) -> Option<(f64, f64)> {
        if self.is_pulled() { None } else { Some((self.sender.cwnd(), self.sender.ssthresh())) }
    }

    fn srtt(&self) -> Option<Span> {
        self.sender.tcb().rtt.srtt()
    }
}

impl Sizes {
    /// Lengthens packets by the timestamps that the profile charges for.
    fn add_timestamps(&mut self) {
        self.segment_header += self.timestamp;
        if self.charges_all_timestamps {
            self.ack += self.timestamp;
        } else {
            self.syn_less = self.timestamp;
        }
    }

    fn emit_ack(self, ack: Ack) -> Emit {
        let bytes = self.ack + self.sack_block * u32::from(ack.block_count);
        Emit { end: End::Sink, payload: Payload::Ack(ack), bytes }
    }
}
