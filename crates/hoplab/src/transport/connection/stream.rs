//! The ends of a real TCP connection (`transport/stream`).

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::{FlowSpec, Transfer};
use crate::app::{Act, Supply};
use crate::kernel::{End, Purpose, RandomStreams, Span, Time};
use crate::metrics::Completion;
use crate::packet::{Payload, TcpSegment};
use crate::transport::config::TcpConfig;
use crate::transport::congestion::{CongestionKind, Controller, Setup};
use crate::transport::rules::{LossBase, LossRules, MIN_SSTHRESH, WindowKind};
use crate::transport::stream::{Abort, Endpoint, StreamConfig};

/// A window is cut as Linux does: from what it was, in whole segments; a further timeout of a segment leaves `ssthresh`.
const LOSS: LossRules =
    LossRules { base: LossBase::UsedWindow, rounds_ssthresh: true, min_half: MIN_SSTHRESH, keeps_ssthresh: true };

/// Bytes of IP and TCP headers with a timestamp.
const HEADERS: u32 = 52;

#[derive(Debug)]
pub(super) struct StreamEnds {
    source: Endpoint,
    sink: Endpoint,
    segment: u32,
    is_open: bool,
    /// Bytes that the application may still supply.
    left: Option<u64>,
    delivered: u64,
    /// Bytes that the source has received in order.
    heard: u64,
    /// The packet that arrives was marked by a queue.
    is_marked: bool,
    completion: Option<Completion>,
}

impl StreamEnds {
    pub(super) fn new(
        spec: &FlowSpec,
        kind: CongestionKind,
        tcp: &TcpConfig,
        config: &StreamConfig,
        transfer: Transfer,
        streams: RandomStreams,
    ) -> StreamEnds {
        let congestion = config.controllers(&tcp.congestion);
        let config = &StreamConfig { delayed_ack: tcp.ack_every.unwrap_or(config.delayed_ack), ..*config };
        let setup = Setup {
            stream: Some(streams.stream(Purpose::Control, spec.id.0)),
            initial_window: f64::from(config.initial_window),
            initial_ssthresh: f64::INFINITY,
            segment: spec.segment,
            window: f64::INFINITY,
            loss: LOSS,
            window_kind: WindowKind::Real,
        };
        let end = |end| {
            let controller = kind.build(&setup, &congestion);
            let mut endpoint = Endpoint::closed(end, config, spec.segment, controller, transfer.reading);
            if kind == CongestionKind::Cubic {
                endpoint.set_cubic();
            }
            endpoint
        };
        let mut sink = end(End::Sink);
        sink.listen();
        StreamEnds {
            source: end(End::Source),
            sink,
            segment: spec.segment,
            is_open: false,
            left: transfer.bytes,
            delivered: 0,
            heard: 0,
            is_marked: false,
            completion: transfer.bytes.map(Completion::new),
        }
    }

    pub(super) fn set_controller(&mut self, end: End, controller: Controller) {
        self.end_mut(end).set_controller(controller);
    }

    /// Bytes of a full segment and of an acknowledgment without SACK blocks.
    pub(super) fn packet_bytes(&self) -> (u32, u32) {
        (HEADERS + self.segment, HEADERS)
    }

    pub(super) fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref()
    }

    pub(super) fn keep_progress(&mut self) {
        if let Some(completion) = &mut self.completion {
            completion.keep_progress();
        }
    }

    /// Bytes supplied and not sent.
    pub(super) fn unsent(&self) -> u64 {
        self.source.unsent()
    }

    /// Whether all up to the FIN has arrived.
    pub(super) fn is_over(&self) -> bool {
        self.sink.has_ended()
    }

    pub(super) fn serve_relay(&mut self) {
        self.sink.wait_for_reader();
    }

    /// The application reads at the sink.
    pub(super) fn read(&mut self, bytes: u64, now: Time, to: &mut Outlet<'_>) {
        self.sink.read(now, bytes);
        self.settle(End::Sink, now, to);
    }

    /// Why the connection ended before its time: what its source knows, else what its sink knows.
    pub(super) fn abort(&self) -> Option<Abort> {
        self.source.abort_cause().or_else(|| self.sink.abort_cause())
    }

    fn end(&self, end: End) -> &Endpoint {
        match end {
            End::Source => &self.source,
            End::Sink => &self.sink,
        }
    }

    fn end_mut(&mut self, end: End) -> &mut Endpoint {
        match end {
            End::Source => &mut self.source,
            End::Sink => &mut self.sink,
        }
    }

    /// Sends the segments of an end and updates the meter after an event.
    fn settle(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        if end == End::Source {
            let counts = self.source.counts();
            to.meter.on_losses(counts.timeouts, counts.fast_retransmits, 0);
            to.meter.on_cwnd(now, self.source.window().0);
        }
        if let Some(completion) = &mut self.completion
            && (self.source.has_aborted() || self.sink.has_aborted())
        {
            completion.on_abort();
        }
        for segment in self.end_mut(end).take_sent() {
            if end == End::Source && segment.occupies() {
                to.meter.on_sent(segment.is_retransmission);
            }
            to.out.push(Emit { end, bytes: segment.bytes(), payload: Payload::Tcp(segment) });
        }
    }

    /// Counts what a segment delivers at the sink. Returns the segments that its application has now and had not before.
    fn deliver(&mut self, now: Time, segment: &TcpSegment, to: &mut Outlet<'_>) -> u32 {
        let is_marked = std::mem::take(&mut self.is_marked);
        let arrival = self.sink.on_segment(now, segment, is_marked);
        if segment.len > 0 {
            to.meter.on_arrival(segment.len, (arrival.new > 0).then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(arrival.in_order);
        let size = u64::from(self.segment);
        let before = self.delivered / size;
        self.delivered += arrival.in_order;
        if let Some(completion) = &mut self.completion {
            completion.on_delivered(now, self.delivered);
        }
        (self.delivered / size - before) as u32
    }
}

// Methods of every event are calls: the dispatch of simpler protocols stays small enough to be inlined.
impl Ends for StreamEnds {
    fn on_unreachable(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        self.end_mut(end).on_unreachable();
        self.settle(end, now, to);
    }

    #[inline(never)]
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        if !self.is_open {
            self.is_open = true;
            if let Some(completion) = &mut self.completion {
                completion.on_open(now);
            }
            self.source.open(now);
        }
        let bytes = match supply {
            Supply::Segments(count) => Some(u64::from(count) * u64::from(self.segment)),
            Supply::Endless => None,
        };
        match (bytes, &mut self.left) {
            (None, None) => self.source.supply_endless(now),
            (Some(bytes), None) => self.source.supply(now, bytes),
            (bytes, Some(left)) => {
                let bytes = bytes.unwrap_or(u64::MAX).min(*left);
                *left -= bytes;
                self.source.supply(now, bytes);
            }
        }
        if is_last || self.left == Some(0) {
            self.source.close(now);
        }
        self.settle(End::Source, now, to);
    }

    fn close(&mut self, now: Time, to: &mut Outlet<'_>) {
        self.source.close(now);
        self.settle(End::Source, now, to);
    }

    #[inline(never)]
    fn on_act(&mut self, end: End, act: Act, now: Time, to: &mut Outlet<'_>) {
        match act {
            Act::Open => {
                self.is_open = true;
                let other = if end == End::Source { End::Sink } else { End::Source };
                self.end_mut(other).listen();
                self.end_mut(end).open(now);
            }
            Act::Supply(bytes) => self.end_mut(end).supply(now, bytes),
            Act::Close => self.end_mut(end).close(now),
        }
        self.settle(end, now, to);
    }

    fn received(&self, end: End) -> u64 {
        match end {
            End::Source => self.heard,
            End::Sink => self.delivered,
        }
    }

    fn on_mark(&mut self) {
        self.is_marked = true;
    }

    #[inline(never)]
    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        let Payload::Tcp(segment) = payload else { return refuse(end, payload) };
        let delivered = match end {
            End::Sink => self.deliver(now, segment, to),
            End::Source => {
                let is_marked = std::mem::take(&mut self.is_marked);
                self.heard += self.source.on_segment(now, segment, is_marked).in_order;
                0
            }
        };
        self.settle(end, now, to);
        delivered
    }

    #[inline(never)]
    fn deadline(&self, end: End) -> Option<Time> {
        self.end(end).deadline()
    }

    #[inline(never)]
    fn on_deadline(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        self.end_mut(end).on_deadline(now);
        self.settle(end, now, to);
    }

    fn window(&self) -> Option<(f64, f64)> {
        Some(self.source.window())
    }

    fn srtt(&self) -> Option<Span> {
        self.source.srtt()
    }
}
