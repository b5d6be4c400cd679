//! The ends of a flow of datagrams: no retransmission, no reordering (RFC 768).

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::FlowSpec;
use super::udp::{UdpSink, UdpSource};
use crate::app::{Act, PairMeter, Supply};
use crate::kernel::{End, Time};
use crate::packet::{Datagram, Payload};
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Datagrams {
    source: UdpSource,
    sink: UdpSink,
    socket: Socket,
    payload: u32,
    /// Number of the last datagram that arrived, from 1 on.
    last: u64,
    /// Longest payload of a datagram: a packet of the application that is longer is split.
    longest: u32,
    /// The receiver's measurement of packet pairs, if there is one.
    pairs: Option<Box<PairMeter>>,
}

/// How datagrams leave.
#[derive(Debug)]
enum Socket {
    /// All at once.
    Open,
    /// When the node below requests one; the datagrams of a later packet replace those that wait.
    Pulled(VecDeque<Datagram>),
}

impl Datagrams {
    pub(super) fn new(spec: &FlowSpec) -> Datagrams {
        Datagrams {
            source: UdpSource::default(),
            sink: UdpSink::default(),
            socket: if spec.pull.is_some() { Socket::Pulled(VecDeque::new()) } else { Socket::Open },
            payload: spec.segment,
            last: 0,
            longest: spec.segment.max(1),
            pairs: spec.app.meter().map(Box::new),
        }
    }

    /// Splits packets of the application into datagrams of at most `longest` bytes.
    pub(super) fn split(&mut self, longest: u32) {
        self.longest = longest.max(1);
    }

    /// Sends a packet that is split, or waits to be requested.
    #[cold]
    fn send_in_pieces(&mut self, now: Time, to: &mut Outlet<'_>) {
        if let Socket::Pulled(waiting) = &mut self.socket {
            waiting.clear();
        }
        let mut left = self.payload;
        loop {
            let payload = left.min(self.longest);
            let datagram = self.source.next(now, payload);
            match &mut self.socket {
                Socket::Open => to.out.push(emit(datagram)),
                Socket::Pulled(waiting) => waiting.push_back(datagram),
            }
            to.meter.on_sent(false);
            left -= payload;
            if left == 0 {
                return;
            }
        }
    }

    pub(super) fn pairs(&self) -> Option<&PairMeter> {
        self.pairs.as_deref()
    }
}

impl Ends for Datagrams {
    #[inline]
    fn on_supply(&mut self, now: Time, supply: Supply, _is_last: bool, to: &mut Outlet<'_>) {
        let count = match supply {
            Supply::Segments(count) => count,
            Supply::Endless => 0,
        };
        for _ in 0..count {
            if matches!(self.socket, Socket::Open) && self.payload <= self.longest {
                to.out.push(emit(self.source.next(now, self.payload)));
                to.meter.on_sent(false);
            } else {
                self.send_in_pieces(now, to);
            }
        }
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        let (End::Sink, Payload::Datagram(datagram)) = (end, payload) else { return refuse(end, payload) };
        self.last = datagram.seq + 1;
        let is_first = self.sink.on_datagram(datagram);
        to.meter.on_arrival(datagram.payload, is_first.then(|| now.since(datagram.sent_at)));
        if is_first {
            to.meter.on_app_delay(now.since(datagram.sent_at));
            if let Some(pairs) = &mut self.pairs {
                pairs.on_arrival(now, datagram.seq, now.since(datagram.sent_at));
            }
        }
        to.meter.on_delivery(if is_first { u64::from(datagram.payload) } else { 0 });
        u32::from(is_first)
    }

    fn on_act(&mut self, _end: End, act: Act, now: Time, to: &mut Outlet<'_>) {
        if let Act::Supply(_) = act {
            self.on_supply(now, Supply::Segments(1), false, to);
        }
    }

    fn received(&self, end: End) -> u64 {
        if end == End::Sink { self.last } else { 0 }
    }

    fn is_pulled(&self) -> bool {
        matches!(self.socket, Socket::Pulled(_))
    }

    fn on_slot(&mut self, end: End, _now: Time, to: &mut Outlet<'_>) -> bool {
        let (Socket::Pulled(waiting), End::Source) = (&mut self.socket, end) else { return false };
        let datagram = waiting.pop_front();
        to.out.extend(datagram.map(emit));
        datagram.is_some()
    }
}

fn emit(datagram: Datagram) -> Emit {
    Emit { end: End::Source, payload: Payload::Datagram(datagram), bytes: datagram.payload }
}
