//! TPA: blocks of segments, few in flight, each sent once before any is retransmitted (after Anastasi et al. 2005).
//!
//! # Model
//! The sender sends a block of segments in order, two or three in flight. An expired timer marks a segment lost, and another one
//! leaves in its place; lost segments are retransmitted in further rounds, once all of the block were sent. Each acknowledgment maps
//! what has arrived of the block. The next block begins when all of this one has arrived. After a timeout one segment is in flight until
//! acknowledgments arrive again; after several, or when the network reports a failed route, the sender freezes: one lost segment per timeout probes
//! the path.
//! # Source
//! G. Anastasi, E. Ancillotti, M. Conti, A. Passarella, "TPA: a transport protocol for ad hoc networks", ISCC 2005; A. Passarella, G. Anastasi,
//! "Towards a novel transport protocol for ad hoc networks", PWC 2003.
//! # Deviations
//! The papers' texts were not at hand: thresholds are ours. The network does not report restored routes to TPA. Segment 0 opens the connection;
//! there is no Fin.
//! # Parameters
//! Table `[tcp.tpa]`; `tcp.min_rto`, `tcp.max_rto`.

pub(crate) mod config;
mod sender;

use crate::app::Supply;
use crate::kernel::{End, Span, Time};
use crate::packet::explicit::Echo;
use crate::packet::{Ack, Payload, SegNo, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::connection::ends::{Emit, Ends, Outlet, refuse};
use crate::transport::connection::spec::FlowSpec;
use crate::transport::ranges::Ranges;
use sender::TpaSender;

#[derive(Debug)]
pub(crate) struct TpaEnds {
    sender: TpaSender,
    /// Next segment expected in order.
    expected: SegNo,
    beyond: Ranges,
    payload: u32,
    header: u32,
}

impl TpaEnds {
    pub(crate) fn new(spec: &FlowSpec, tcp: &TcpConfig) -> TpaEnds {
        TpaEnds {
            sender: TpaSender::new(tcp, spec.segment, spec.window),
            expected: 0,
            beyond: Ranges::default(),
            payload: spec.segment,
            header: tcp.tpa.header.0,
        }
    }

    /// Bytes of a full segment and of an acknowledgment.
    pub(crate) fn packet_bytes(&self) -> (u32, u32) {
        (self.payload + self.header, self.header)
    }

    /// A segment has arrived: each is acknowledged at once.
    fn on_segment(&mut self, now: Time, segment: &Segment, to: &mut Outlet<'_>) -> u32 {
        let is_first = segment.seq >= self.expected && self.beyond.insert(segment.seq, segment.seq + 1) > 0;
        let before = self.expected;
        self.expected = self.beyond.first_gap(before);
        self.beyond.remove_below(self.expected);
        // Segment 0 carries no data.
        let delivered = (self.expected.max(1) - before.max(1)) as u32;
        if segment.payload > 0 {
            to.meter.on_arrival(segment.payload, is_first.then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(u64::from(delivered) * u64::from(self.payload));
        let ack = Ack {
            feedback: Echo::Arrived(self.map()),
            echo_is_retransmission: segment.is_retransmission,
            ..Ack::plain(self.expected - 1, segment.sent_at)
        };
        to.out.push(Emit { end: End::Sink, payload: Payload::Ack(ack), bytes: self.header });
        delivered
    }

    /// The segments from `expected` on that have arrived, a bit each.
    fn map(&self) -> u64 {
        let bits = |&(first, beyond): &(SegNo, SegNo)| {
            (first..beyond).map(|seq| seq - self.expected).filter(|bit| *bit < 64).fold(0, |map, bit| map | 1 << bit)
        };
        self.beyond.runs().iter().map(bits).fold(0, |map, run: u64| map | run)
    }

    /// Sends the sender's segments and updates the meter after an event.
    fn settle(&mut self, now: Time, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, 0);
        to.meter.on_cwnd(now, f64::from(self.sender.window()));
        for segment in self.sender.take_sent() {
            to.meter.on_sent(segment.is_retransmission);
            let bytes = segment.payload + self.header;
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for TpaEnds {
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        self.sender.on_supply(now, supply);
        if is_last {
            self.sender.close();
        }
        self.settle(now, to);
    }

    fn close(&mut self, _now: Time, _to: &mut Outlet<'_>) {
        self.sender.close();
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        match (end, payload) {
            (End::Source, Payload::Ack(ack)) => {
                self.sender.on_ack(now, ack);
                self.settle(now, to);
                0
            }
            (End::Sink, Payload::Segment(segment)) => self.on_segment(now, segment, to),
            (end, payload) => refuse(end, payload),
        }
    }

    fn on_path(&mut self, hops: u16) {
        self.sender.on_path(hops);
    }

    fn on_unreachable(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_route_failure(now);
        self.settle(now, to);
    }

    fn deadline(&self, end: End) -> Option<Time> {
        if end == End::Source { self.sender.deadline() } else { None }
    }

    fn on_deadline(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_deadline(now);
        self.settle(now, to);
    }

    fn window(&self) -> Option<(f64, f64)> {
        Some((f64::from(self.sender.window()), f64::INFINITY))
    }

    fn srtt(&self) -> Option<Span> {
        self.sender.srtt()
    }
}

#[cfg(test)]
mod tests;
