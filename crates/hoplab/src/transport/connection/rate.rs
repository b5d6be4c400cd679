//! The ends of a connection whose sender follows a rate: RCP (Dukkipati 2006; `rate_sender`).

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::FlowSpec;
use crate::app::Supply;
use crate::kernel::{End, Span, Time};
use crate::packet::explicit::RcpKind;
use crate::packet::{LinkEstimate, Payload, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::pull::config::OooAck;
use crate::transport::rate_sender::RateSender;
use crate::transport::receiver::Receiver;

#[derive(Debug)]
pub(super) struct RateEnds {
    sender: RateSender,
    pub(super) sink: Sink,
    /// Bytes of every header and acknowledgment.
    header: u32,
    payload: u32,
}

/// The receiving end of a sender that is paced by a rate: it acknowledges every segment at once.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) receiver: Receiver,
    payload: u32,
    ack: u32,
}

impl Sink {
    /// Receives segments of `payload` bytes, and acknowledges them with `ack` bytes.
    pub(super) fn new(config: &TcpConfig, payload: u32, ack: u32) -> Sink {
        // Every packet is acknowledged at once, with its own time (docs/specs/rcp.md section 4), whatever the options
        // of TCP.
        let acking = TcpConfig {
            delayed_ack: false,
            ack_every: None,
            timestamps: false,
            ooo_ack: OooAck::Dupack,
            ..config.clone()
        };
        Sink { receiver: Receiver::new(&acking, true), payload, ack }
    }

    /// Bytes of an acknowledgment.
    pub(super) fn ack_bytes(&self) -> u32 {
        self.ack
    }

    /// A segment has arrived. Returns how many segments it delivers in order.
    pub(super) fn on_segment(&mut self, now: Time, segment: &Segment, to: &mut Outlet<'_>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        if segment.payload > 0 {
            to.meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(u64::from(received.delivered) * u64::from(self.payload));
        let emit = |ack| Emit { end: End::Sink, payload: Payload::Ack(ack), bytes: self.ack };
        to.out.extend(received.ack.map(emit));
        received.delivered
    }
}

impl RateEnds {
    pub(super) fn new(spec: &FlowSpec, kind: RcpKind, config: &TcpConfig) -> RateEnds {
        let header = config.rcp.rcp.header.0;
        RateEnds {
            sender: RateSender::new(kind, &config.rcp, config, spec.segment, spec.window),
            sink: Sink::new(config, spec.segment, header),
            header,
            payload: spec.segment,
        }
    }

    /// Bytes of a full segment and of an acknowledgment.
    pub(super) fn packet_bytes(&self) -> (u32, u32) {
        (self.payload + self.header, self.header)
    }

    /// Sends the sender's segments and updates the meter after an event.
    fn settle(&mut self, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, counts.unreduced_fast_retransmits);
        for (segment, bytes) in self.sender.take_sent() {
            // Requests for a rate do not count as segments.
            if segment.payload > 0 || segment.seq == 0 {
                to.meter.on_sent(segment.is_retransmission);
            }
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for RateEnds {
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        self.sender.on_supply(now, supply);
        if is_last {
            self.sender.close();
        }
        self.settle(to);
    }

    fn close(&mut self, _now: Time, _to: &mut Outlet<'_>) {
        self.sender.close();
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        match (end, payload) {
            (End::Source, Payload::Ack(ack)) => {
                self.sender.on_ack(now, ack);
                self.settle(to);
                0
            }
            (End::Sink, Payload::Segment(segment)) => self.sink.on_segment(now, segment, to),
            (end, payload) => refuse(end, payload),
        }
    }

    fn deadline(&self, end: End) -> Option<Time> {
        if end == End::Source { self.sender.deadline() } else { None }
    }

    fn on_deadline(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_deadline(now);
        self.settle(to);
    }

    fn wants_link(&self) -> bool {
        self.sender.wants_link()
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.sender.on_link(link);
    }

    fn srtt(&self) -> Option<Span> {
        self.sender.srtt()
    }

    fn rate(&self) -> Option<f64> {
        self.sender.rate()
    }
}
