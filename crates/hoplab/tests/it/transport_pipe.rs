//! Two ends and a link between them, in memory: an unlimited queue, a rate, a delay, and losses.

use hoplab::app::AppConfig;
use hoplab::kernel::{FlowId, RandomStreams, Rate, Span, Time};
use hoplab::packet::Payload;
use hoplab::transport::{Connection, Emit, End, FlowSpec, Protocol, TcpConfig};
use std::collections::BTreeMap;

/// An event at one of the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// The source sent segment `seq`.
    Sent { at: Time, seq: i64, is_retransmission: bool },
    /// The source received an acknowledgment up to `cumulative`, which left a window of `cwnd`.
    Acked { at: Time, cumulative: i64, cwnd: f64, ssthresh: f64 },
    /// The sink received segment `seq`.
    Arrived { at: Time, seq: i64 },
    /// The source's timer expired, which left a window of `cwnd`.
    Timeout { at: Time, cwnd: f64 },
}

/// A symmetric link between two ends.
pub(crate) struct Link {
    /// Bits per second.
    pub(crate) rate: Rate,
    /// Propagation delay.
    pub(crate) delay: Span,
}

/// Selects the packets that the link loses.
pub(crate) trait Losses {
    /// Whether the `nth` packet (from 0) that `end` sends is lost.
    fn loses(&mut self, end: End, nth: u64, payload: &Payload) -> bool;
}

impl<F: FnMut(End, u64, &Payload) -> bool> Losses for F {
    fn loses(&mut self, end: End, nth: u64, payload: &Payload) -> bool {
        self(end, nth, payload)
    }
}

/// Loses the data packets of these numbers, counted from 0 in the order of sending.
pub(crate) fn lose_data(numbers: &[u64]) -> impl FnMut(End, u64, &Payload) -> bool + use<> {
    let numbers = numbers.to_vec();
    move |end, nth, _| end == End::Source && numbers.contains(&nth)
}

/// A connection over a link.
pub(crate) struct Pipe<L> {
    pub(crate) connection: Connection,
    pub(crate) now: Time,
    pub(crate) events: Vec<Event>,
    link: Link,
    losses: L,
    sent: [u64; 2],
    busy_until: [Time; 2],
    in_transit: BTreeMap<(Time, u64), (End, Payload)>,
    order: u64,
    emits: Vec<Emit>,
}

/// A flow of this kind, as number 0.
pub(crate) fn flow(protocol: Protocol, segment: u32, window: u32, app: AppConfig) -> FlowSpec {
    FlowSpec { id: FlowId(0), protocol, segment, window, app, pull: None }
}

impl<L: Losses> Pipe<L> {
    pub(crate) fn new(spec: &FlowSpec, tcp: &TcpConfig, link: Link, losses: L) -> Pipe<L> {
        Pipe {
            connection: Connection::new(spec, tcp, &RandomStreams::new(1)),
            now: Time::ZERO,
            events: Vec::new(),
            link,
            losses,
            sent: [0; 2],
            busy_until: [Time::ZERO; 2],
            in_transit: BTreeMap::new(),
            order: 0,
            emits: Vec::new(),
        }
    }

    pub(crate) fn start(&mut self) {
        self.connection.on_start(self.now, &mut self.emits);
        self.carry();
    }

    pub(crate) fn stop(&mut self) {
        self.connection.on_stop(self.now, &mut self.emits);
        self.carry();
    }

    /// Executes all events up to and including `until`.
    pub(crate) fn run_until(&mut self, until: Time) {
        while let Some(at) = self.next().filter(|&at| at <= until) {
            self.step(at);
        }
        self.now = until;
    }

    /// Executes all events up to `until`. Returns whether none is left.
    pub(crate) fn run_out(&mut self, until: Time) -> bool {
        while let Some(at) = self.next() {
            if at > until {
                return false;
            }
            self.step(at);
        }
        true
    }

    fn next(&self) -> Option<Time> {
        let arrival = self.in_transit.first_key_value().map(|((at, _), _)| *at);
        let timers = [End::Source, End::Sink].map(|end| self.connection.deadline(end));
        [arrival, timers[0], timers[1]].into_iter().flatten().min()
    }

    fn step(&mut self, at: Time) {
        assert!(at >= self.now, "time runs forward: {at} after {}", self.now);
        self.now = at;
        // A timer due at the time of an arrival precedes it: most such timers were set before the packet was sent.
        let due = [End::Sink, End::Source].into_iter().find(|&end| self.connection.deadline(end) == Some(at));
        if let Some(end) = due {
            let timeouts = self.connection.timeouts();
            self.connection.on_deadline(end, at, &mut self.emits);
            if self.connection.timeouts() > timeouts {
                self.events.push(Event::Timeout { at, cwnd: self.connection.cwnd().expect("a window") });
            }
        } else {
            let (_, (end, payload)) = self.in_transit.pop_first().expect("an arrival");
            self.arrive(end, &payload);
        }
        self.carry();
    }

    fn arrive(&mut self, end: End, payload: &Payload) {
        let at = self.now;
        self.connection.on_packet(end, at, payload, &mut self.emits);
        match payload {
            Payload::Segment(segment) => self.events.push(Event::Arrived { at, seq: segment.seq }),
            Payload::Datagram(datagram) => self.events.push(Event::Arrived { at, seq: datagram.seq as i64 }),
            Payload::Ack(ack) => self.events.push(Event::Acked {
                at,
                cumulative: ack.cumulative,
                cwnd: self.connection.cwnd().expect("a window"),
                ssthresh: self.connection.ssthresh().expect("a threshold"),
            }),
            Payload::Tcp(_)
            | Payload::Unreachable(_)
            | Payload::SplitSegment(_)
            | Payload::Lack(_)
            | Payload::Report(_)
            | Payload::Control(_)
            | Payload::Arp(_)
            | Payload::Live(_)
            | Payload::Stack(_) => unreachable!("the ends exchange none of these"),
        }
    }

    fn carry(&mut self) {
        for emit in std::mem::take(&mut self.emits) {
            let direction = emit.end as usize;
            let sent = match &emit.payload {
                Payload::Segment(segment) => Some((segment.seq, segment.is_retransmission)),
                Payload::Datagram(datagram) => Some((datagram.seq as i64, false)),
                _ => None,
            };
            self.events.extend(sent.map(|(seq, is_retransmission)| Event::Sent {
                at: self.now,
                seq,
                is_retransmission,
            }));
            let nth = self.sent[direction];
            self.sent[direction] += 1;
            let begin = self.busy_until[direction].max(self.now);
            self.busy_until[direction] = begin + self.link.rate.time_for(u64::from(emit.bytes) * 8);
            // A lost packet occupies the link as any other.
            if self.losses.loses(emit.end, nth, &emit.payload) {
                continue;
            }
            let to = if emit.end == End::Source { End::Sink } else { End::Source };
            self.in_transit.insert((self.busy_until[direction] + self.link.delay, self.order), (to, emit.payload));
            self.order += 1;
        }
    }

    /// Transmissions of the source: milliseconds and segment.
    pub(crate) fn transmissions(&self) -> Vec<(f64, i64)> {
        let sent = |event: &Event| match *event {
            Event::Sent { at, seq, .. } => Some((at.secs() * 1e3, seq)),
            _ => None,
        };
        self.events.iter().filter_map(sent).collect()
    }
}
