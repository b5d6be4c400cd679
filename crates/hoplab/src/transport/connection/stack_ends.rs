//! The ends of a flow that a stack carries.

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::{FlowSpec, Transfer};
use super::stack::{Stack, StackSent, StackState};
use crate::app::Supply;
use crate::kernel::{End, Span, Time};
use crate::metrics::Completion;
use crate::packet::{Payload, SegNo, StackPacket};
use crate::transport::ranges::Ranges;
use crate::transport::stream::Abort;
use std::collections::VecDeque;

/// Bytes of IP and UDP headers.
const UDP_HEADERS: u32 = 28;

#[derive(Debug)]
pub(super) struct StackEnds {
    stack: Box<dyn Stack>,
    /// Bytes of a segment of the application.
    segment: u32,
    is_open: bool,
    is_closed: bool,
    /// Bytes that the application may still supply.
    left: Option<u64>,
    completion: Option<Completion>,
    /// End of the data that was ever sent.
    sent_to: u64,
    /// When data up to an offset was sent for the first time, in order, as far as it is not delivered.
    first_sent: VecDeque<(u64, Time)>,
    /// Data that arrived ahead of what is delivered.
    arrived: Ranges,
    delivered: u64,
    /// Scratch, empty between events.
    sent: Vec<StackSent>,
    data: Vec<(u64, u64)>,
}

impl StackEnds {
    pub(super) fn new(spec: &FlowSpec, stack: Box<dyn Stack>, transfer: Transfer) -> StackEnds {
        StackEnds {
            stack,
            segment: spec.segment,
            is_open: false,
            is_closed: false,
            left: transfer.bytes,
            completion: transfer.bytes.map(Completion::new),
            sent_to: 0,
            first_sent: VecDeque::new(),
            arrived: Ranges::default(),
            delivered: 0,
            sent: Vec::new(),
            data: Vec::new(),
        }
    }

    pub(super) fn completion(&self) -> Option<&Completion> {
        self.completion.as_ref()
    }

    pub(super) fn keep_progress(&mut self) {
        if let Some(completion) = &mut self.completion {
            completion.keep_progress();
        }
    }

    pub(super) fn abort(&self) -> Option<Abort> {
        self.stack.state().abort
    }

    pub(super) fn reveals_losses(&self) -> bool {
        self.stack.state().declared_lost.is_some()
    }

    /// Supplies data to the stack, none after it if `is_last`.
    fn supply(&mut self, now: Time, bytes: Option<u64>, is_last: bool, to: &mut Outlet<'_>) {
        if !self.is_open {
            self.is_open = true;
            if let Some(completion) = &mut self.completion {
                completion.on_open(now);
            }
            self.stack.start(now);
        }
        self.is_closed |= is_last;
        self.stack.supply(now, bytes, is_last);
        self.settle(now, to);
    }

    /// Sends the packets of both ends, and updates the meter after an event.
    fn settle(&mut self, now: Time, to: &mut Outlet<'_>) -> StackState {
        self.stack.take_sent(&mut self.sent);
        let mut sent = std::mem::take(&mut self.sent);
        for packet in sent.drain(..) {
            let emit = self.emit(now, packet, to);
            to.out.push(emit);
        }
        self.sent = sent;
        let state = self.stack.state();
        to.meter.on_losses(0, state.reductions, 0);
        to.meter.on_declared_lost(state.declared_lost.unwrap_or_default());
        if let Some((cwnd, _)) = state.window {
            to.meter.on_cwnd(now, cwnd);
        }
        if let (Some(completion), Some(_)) = (&mut self.completion, state.abort) {
            completion.on_abort();
        }
        state
    }

    /// A packet of the stack for the network, counted if it has data of the source.
    fn emit(&mut self, now: Time, StackSent { end, bytes, is_datagram }: StackSent, to: &mut Outlet<'_>) -> Emit {
        let is_forward = end == End::Source;
        self.data.clear();
        if is_forward {
            self.stack.data_of(&bytes, &mut self.data);
        }
        let is_retransmission = self.data.iter().any(|&(first, _)| first < self.sent_to);
        let len: u64 = self.data.iter().map(|(first, last)| last - first).sum();
        if let Some(last) = self.data.iter().map(|&(_, last)| last).max().filter(|last| *last > self.sent_to) {
            self.sent_to = last;
            self.first_sent.push_back((last, now));
        }
        if len > 0 {
            to.meter.on_sent(is_retransmission);
        }
        let headers = if is_datagram { UDP_HEADERS } else { 0 };
        Emit {
            end,
            bytes: headers + bytes.len() as u32,
            payload: Payload::Stack(StackPacket {
                seq: self.data.first().map_or(0, |&(first, _)| first),
                len: len as u32,
                bytes,
                is_datagram,
                is_forward,
                is_retransmission,
            }),
        }
    }

    /// Counts the data of a packet that arrives at the sink.
    fn count(&mut self, now: Time, bytes: &[u8], to: &mut Outlet<'_>) {
        self.data.clear();
        self.stack.data_of(bytes, &mut self.data);
        let (mut len, mut first_new) = (0, None);
        for &(first, last) in &self.data {
            len += last - first;
            let first = first.max(self.delivered);
            let new = self.arrived.insert(first as SegNo, last.max(first) as SegNo);
            if new > 0 {
                first_new = first_new.or(Some(first));
            }
        }
        if len > 0 {
            let since = first_new.and_then(|first| {
                let at = self.first_sent.partition_point(|&(last, _)| last <= first);
                Some(now.since(self.first_sent.get(at)?.1))
            });
            to.meter.on_arrival(len as u32, since);
        }
    }

    /// The sink has delivered up to `delivered`. Returns the segments that its application has now and had not before.
    fn on_delivered(&mut self, now: Time, delivered: u64, to: &mut Outlet<'_>) -> u32 {
        let before = self.delivered;
        if delivered == before {
            return 0;
        }
        self.delivered = delivered;
        to.meter.on_delivery(delivered - before);
        self.arrived.remove_below(delivered as SegNo);
        let done = self.first_sent.partition_point(|&(last, _)| last <= delivered);
        self.first_sent.drain(..done);
        if let Some(completion) = &mut self.completion {
            completion.on_delivered(now, delivered);
        }
        let size = u64::from(self.segment);
        (delivered / size - before / size) as u32
    }
}

// Methods of every event are calls, as for real TCP connections.
impl Ends for StackEnds {
    #[inline(never)]
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        let bytes = match supply {
            Supply::Segments(count) => Some(u64::from(count) * u64::from(self.segment)),
            Supply::Endless => None,
        };
        match &mut self.left {
            None => self.supply(now, bytes, is_last, to),
            Some(left) => {
                let bytes = bytes.unwrap_or(u64::MAX).min(*left);
                *left -= bytes;
                let is_last = is_last || *left == 0;
                self.supply(now, Some(bytes), is_last, to);
            }
        }
    }

    fn close(&mut self, now: Time, to: &mut Outlet<'_>) {
        if self.is_open && !self.is_closed {
            self.supply(now, Some(0), true, to);
        }
    }

    fn received(&self, end: End) -> u64 {
        if end == End::Sink { self.delivered } else { 0 }
    }

    #[inline(never)]
    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        let Payload::Stack(packet) = payload else { return refuse(end, payload) };
        if end == End::Sink && packet.len > 0 {
            self.count(now, &packet.bytes, to);
        }
        self.stack.on_packet(end, now, &packet.bytes);
        let state = self.settle(now, to);
        self.on_delivered(now, state.delivered, to)
    }

    #[inline(never)]
    fn deadline(&self, end: End) -> Option<Time> {
        self.stack.deadline(end)
    }

    #[inline(never)]
    fn on_deadline(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        self.stack.on_deadline(end, now);
        let state = self.settle(now, to);
        self.on_delivered(now, state.delivered, to);
    }

    fn window(&self) -> Option<(f64, f64)> {
        self.stack.state().window
    }

    fn srtt(&self) -> Option<Span> {
        self.stack.state().srtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppConfig, Ftp};
    use crate::kernel::FlowId;
    use crate::metrics::FlowMeter;
    use crate::transport::connection::spec::Protocol;
    use crate::transport::connection::stack::StackKind;
    use std::sync::Arc;

    /// Sends what is supplied in packets of up to 100 bytes, each of which is two numbers, and the first packet once more at
    /// its deadline.
    #[derive(Debug, Default)]
    struct Fake {
        supplied: u64,
        sent_to: u64,
        has: Ranges,
        sent: Vec<StackSent>,
    }

    fn packet((first, last): (u64, u64)) -> StackSent {
        let bytes = Arc::from([first.to_be_bytes(), last.to_be_bytes()].concat());
        StackSent { end: End::Source, bytes, is_datagram: true }
    }

    impl Stack for Fake {
        fn start(&mut self, _now: Time) {}

        fn supply(&mut self, _now: Time, bytes: Option<u64>, _is_last: bool) {
            self.supplied += bytes.unwrap_or(250);
            while self.sent_to < self.supplied {
                let last = self.supplied.min(self.sent_to + 100);
                self.sent.push(packet((self.sent_to, last)));
                self.sent_to = last;
            }
        }

        fn on_packet(&mut self, _end: End, _now: Time, bytes: &[u8]) {
            let mut data = Vec::new();
            self.data_of(bytes, &mut data);
            self.has.insert(data[0].0 as SegNo, data[0].1 as SegNo);
        }

        fn on_deadline(&mut self, _end: End, _now: Time) {
            self.sent.push(packet((0, 100)));
        }

        fn deadline(&self, _end: End) -> Option<Time> {
            None
        }

        fn take_sent(&mut self, out: &mut Vec<StackSent>) {
            out.append(&mut self.sent);
        }

        fn data_of(&self, bytes: &[u8], out: &mut Vec<(u64, u64)>) {
            let number = |at: usize| u64::from_be_bytes(*bytes[at..].first_chunk().expect("eight bytes"));
            out.push((number(0), number(8)));
        }

        fn state(&self) -> StackState {
            StackState { delivered: self.has.first_gap(0) as u64, ..StackState::default() }
        }
    }

    fn ends(bytes: Option<u64>) -> StackEnds {
        let spec = FlowSpec {
            id: FlowId(0),
            protocol: Protocol::Stack(StackKind::QuinnCubic),
            segment: 100,
            window: 20,
            app: AppConfig::Ftp(Ftp),
            pull: None,
        };
        StackEnds::new(&spec, Box::new(Fake::default()), Transfer { bytes, ..Transfer::default() })
    }

    #[test]
    fn packets_count_once_in_order_and_repeats_apart() {
        let (mut ends, mut meter, mut out) = (ends(Some(250)), FlowMeter::new(None, 1.0), Vec::new());
        let at = |millis: u64| Time(millis * 1_000_000);
        let mut to = Outlet { meter: &mut meter, out: &mut out };
        ends.on_supply(at(0), Supply::Endless, false, &mut to);
        ends.on_deadline(End::Source, at(5), &mut to);
        let sent: Vec<Payload> = to.out.drain(..).map(|emit| emit.payload).collect();
        assert_eq!(sent.len(), 4);
        // The first packet is lost; the others arrive in this order, the last of them twice.
        let arrivals = [(1, 10, 0), (2, 20, 0), (3, 30, 2), (3, 40, 0)];
        for (index, millis, delivered) in arrivals {
            assert_eq!(ends.on_packet(End::Sink, at(millis), &sent[index], &mut to), delivered, "at {millis} ms");
        }
        assert_eq!(ends.completion().and_then(Completion::secs), Some(0.03));
        let counts = meter.total();
        assert_eq!((counts.sent, counts.retransmissions), (4, 1));
        assert_eq!((counts.arrived, counts.unique, counts.in_order), (350, 250, 250));
        assert_eq!((counts.first_arrivals, counts.delay), (3, 60_000_000));
        assert!(ends.first_sent.is_empty() && ends.arrived.is_empty());
    }

    #[test]
    fn stop_is_the_last_supply_of_data_without_end() {
        let (mut ends, mut meter, mut out) = (ends(None), FlowMeter::new(None, 1.0), Vec::new());
        let mut to = Outlet { meter: &mut meter, out: &mut out };
        ends.close(Time(1), &mut to);
        assert!(!ends.is_open, "a flow that has not started stays closed");
        ends.on_supply(Time(2), Supply::Endless, false, &mut to);
        assert!(!ends.is_closed);
        ends.close(Time(3), &mut to);
        assert!(ends.is_closed);
        assert_eq!((out.len(), out[0].bytes), (3, UDP_HEADERS + 16));
    }
}
