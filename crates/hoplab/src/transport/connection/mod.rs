//! A flow's transport: both ends, the traffic that feeds it, and the meter that measures it.
//!
//! Both ends live in one value, but nothing passes between them here: all that one knows of the other has come in a
//! packet. What a protocol's ends do is in a file of its own; what is common to all is here.

mod datagrams;
mod rate;
mod split;
mod tcp;
pub(super) mod udp;

use super::config::TcpConfig;
use super::proxy::split_tcp::{Sink, Source, SplitTcpConfig};
use super::pull::config::PullConfig;
use super::receiver::Receiver;
use super::sender::{Parts, Sender};
use crate::app::{App, AppConfig, PairMeter, Supply, Traffic};
use crate::kernel::{FlowId, NodeId, Purpose, Span, Streams, Time};
use crate::metrics::FlowMeter;
use crate::packet::{LinkEstimate, Payload, RcpKind};
use datagrams::Datagrams;
use rate::RateEnds;
use split::SplitEnds;
use std::collections::VecDeque;
use tcp::TcpEnds;

pub use crate::kernel::End;

/// A packet that an end sends to the other.
#[derive(Clone, Debug)]
pub struct Emit {
    /// Who sends it.
    pub end: End,
    /// What it carries.
    pub payload: Payload,
    /// Its length above the MAC, in bytes, before routing adds to it.
    pub bytes: u32,
}

/// The protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Datagrams.
    Udp,
    /// A connection, made of these parts.
    Tcp(Parts),
    /// A connection that proxies take part in.
    Split,
    /// A connection whose sender follows a rate: RCP.
    Rate(RcpKind),
}

/// What a connection is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowSpec {
    /// The flow's number; its random streams follow from it.
    pub id: FlowId,
    /// Who carries the traffic.
    pub protocol: Protocol,
    /// Payload of a packet, in bytes.
    pub segment: u32,
    /// Limit of the window, in segments.
    pub window: u32,
    /// The traffic. A file without end cannot go over datagrams: they would all be sent at once.
    pub app: AppConfig,
    /// If it sends only when the node below asks: how. Its window is not `window`, but what this says.
    pub pull: Option<PullConfig>,
}

/// Where a pair of ends puts what it sends and what it counts.
struct Outlet<'a> {
    meter: &'a mut FlowMeter,
    out: &'a mut Vec<Emit>,
}

/// Both ends of a protocol, between application and network.
trait Ends {
    /// The flow starts; its application supplies `demand` bytes per second, if it is limited.
    fn on_start(&mut self, _demand: Option<f64>) {}

    /// The application has supplied something; the last of it, if `is_last`.
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>);

    /// The application supplies no more.
    fn close(&mut self, _now: Time) {}

    /// A packet has come to `end`. Returns how many segments the application has got in order by that.
    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32;

    /// When `end` acts by itself.
    fn deadline(&self, _end: End) -> Option<Time> {
        None
    }

    /// The time of [`Ends::deadline`] has come.
    fn on_deadline(&mut self, _end: End, _now: Time, _to: &mut Outlet<'_>) {}

    /// The acknowledgment that comes next has travelled `hops`.
    fn on_path(&mut self, _hops: u16) {}

    /// Routing has found a way from the source to the sink.
    fn on_route(&mut self, _now: Time, _to: &mut Outlet<'_>) {}

    /// Whether the source is to be told of its node's links before each of its events.
    fn wants_link(&self) -> bool {
        false
    }

    /// What the observers at the source's node say of its links now.
    fn on_link(&mut self, _link: Option<LinkEstimate>) {}

    /// Whether something is sent only when the node below asks.
    fn is_pulled(&self) -> bool {
        false
    }

    /// The node below has room for one packet of `end`. Whether one is sent.
    fn on_slot(&mut self, _end: End, _now: Time, _to: &mut Outlet<'_>) -> bool {
        false
    }

    /// Congestion window and slow-start threshold in segments, if there is a window.
    fn window(&self) -> Option<(f64, f64)> {
        None
    }

    /// Smoothed round-trip time, if the source measures one and has a sample.
    fn srtt(&self) -> Option<Span> {
        None
    }

    /// Rate that the source follows, in bytes per second with headers, if it follows one.
    fn rate(&self) -> Option<f64> {
        None
    }
}

#[derive(Debug)]
enum Kind {
    Tcp(Box<TcpEnds>),
    Udp(Datagrams),
    Split(Box<SplitEnds>),
    Rate(Box<RateEnds>),
}

/// Does the same with whichever ends there are, without dynamic dispatch.
macro_rules! with_ends {
    ($kind:expr, $ends:ident => $act:expr) => {
        match $kind {
            Kind::Tcp($ends) => $act,
            Kind::Udp($ends) => $act,
            Kind::Split($ends) => $act,
            Kind::Rate($ends) => $act,
        }
    };
}

/// Both ends of a flow.
#[derive(Debug)]
pub struct Connection {
    ends: Kind,
    app: App,
    /// What the application supplies, in bytes per second, if it is limited.
    demand: Option<f64>,
    meter: FlowMeter,
    /// When the segments that the receiving application waits for were supplied, unless all were at once.
    supplied: Option<VecDeque<Time>>,
}

impl Connection {
    /// Before the flow starts. Its ends are the nodes `src` and `dst`, if proxies take part in it.
    pub fn split(
        spec: &FlowSpec,
        (src, dst): (NodeId, NodeId),
        tcp: &TcpConfig,
        config: &SplitTcpConfig,
        streams: &Streams,
    ) -> Connection {
        Connection::of(spec, Kind::Split(Box::new(SplitEnds::new(spec, (src, dst), tcp, config))), *streams)
    }

    /// Before the flow starts.
    pub fn new(spec: &FlowSpec, tcp: &TcpConfig, streams: &Streams) -> Connection {
        let ends = match spec.protocol {
            Protocol::Split => unreachable!("a connection with proxies is made by Connection::split"),
            Protocol::Udp => Kind::Udp(Datagrams::new(spec)),
            Protocol::Tcp(parts) => {
                let phase = streams.stream(Purpose::TransportClock, spec.id.0).unit();
                Kind::Tcp(Box::new(TcpEnds::new(spec, parts.under(tcp), tcp, phase)))
            }
            Protocol::Rate(kind) => Kind::Rate(Box::new(RateEnds::new(spec, kind, tcp))),
        };
        Connection::of(spec, ends, *streams)
    }

    fn of(spec: &FlowSpec, ends: Kind, streams: Streams) -> Connection {
        let window = with_ends!(&ends, ends => ends.window());
        // A datagram carries the time at which it was supplied; a file is supplied at once.
        let keeps_times = spec.protocol != Protocol::Udp && spec.app != AppConfig::Ftp;
        Connection {
            ends,
            app: App::new(&spec.app, spec.segment, || streams.stream(Purpose::Traffic, spec.id.0)),
            demand: match spec.app {
                AppConfig::Cbr { rate } | AppConfig::JitteredCbr { rate, .. } => Some(rate.0 / 8.0),
                // A file takes what it gets; neither bursts nor calls nor probes have one rate.
                AppConfig::Ftp
                | AppConfig::OnOff { .. }
                | AppConfig::Voip { .. }
                | AppConfig::AdhocProbe { .. }
                | AppConfig::WinfProbe { .. } => None,
            },
            meter: FlowMeter::new(window.map(|(cwnd, _)| cwnd)),
            supplied: keeps_times.then(VecDeque::new),
        }
    }

    /// Lets the application supply no more than this many packets. To be called before the start.
    pub fn limit_packets(&mut self, packets: u32) {
        self.app.limit(packets);
    }

    /// The flow's start time has come.
    pub fn on_start(&mut self, now: Time, out: &mut Vec<Emit>) {
        with_ends!(&mut self.ends, ends => ends.on_start(self.demand));
        let supply = self.app.on_start(now);
        self.supply(now, supply, out);
    }

    /// The flow's source is closed: what it has supplied is still delivered; of a file without end, what was sent.
    pub fn on_stop(&mut self, now: Time, _out: &mut Vec<Emit>) {
        self.app.on_stop();
        with_ends!(&mut self.ends, ends => ends.close(now));
    }

    /// Whether the source is to be told of its node's links before each of its events.
    pub fn wants_link(&self) -> bool {
        with_ends!(&self.ends, ends => ends.wants_link())
    }

    /// What the observers at the source's node say of its links now.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        with_ends!(&mut self.ends, ends => ends.on_link(link));
    }

    /// The packet that comes next has travelled `hops`.
    pub fn on_path(&mut self, end: End, hops: u16) {
        if end == End::Source {
            with_ends!(&mut self.ends, ends => ends.on_path(hops));
        }
    }

    /// A packet has come to `end`: an acknowledgment to the source, a segment or datagram to the sink.
    pub fn on_packet(&mut self, end: End, now: Time, payload: &Payload, out: &mut Vec<Emit>) {
        let to = &mut Outlet { meter: &mut self.meter, out };
        let delivered = with_ends!(&mut self.ends, ends => ends.on_packet(end, now, payload, to));
        if let Some(supplied) = &mut self.supplied {
            for at in supplied.drain(..(delivered as usize).min(supplied.len())) {
                self.meter.on_app_delay(now.since(at));
            }
        }
    }

    /// The time of [`Connection::deadline`] has come for `end`.
    pub fn on_deadline(&mut self, end: End, now: Time, out: &mut Vec<Emit>) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(with_ends!(&self.ends, ends => ends.deadline(end))) {
            let to = &mut Outlet { meter: &mut self.meter, out };
            with_ends!(&mut self.ends, ends => ends.on_deadline(end, now, to));
        }
        if end == End::Source && is_due(self.app.deadline()) {
            let supply = self.app.on_deadline(now);
            self.supply(now, supply, out);
        }
    }

    /// When `end` acts by itself: the earliest of its timers. It may move with every call.
    #[inline]
    pub fn deadline(&self, end: End) -> Option<Time> {
        let own = with_ends!(&self.ends, ends => ends.deadline(end));
        match end {
            End::Source => earlier(own, self.app.deadline()),
            End::Sink => own,
        }
    }

    /// Whether the flow sends only when the node below asks.
    pub fn is_pulled(&self) -> bool {
        with_ends!(&self.ends, ends => ends.is_pulled())
    }

    /// The node below has room for one packet of `end`. Whether one is sent.
    pub fn on_slot(&mut self, end: End, now: Time, out: &mut Vec<Emit>) -> bool {
        let to = &mut Outlet { meter: &mut self.meter, out };
        with_ends!(&mut self.ends, ends => ends.on_slot(end, now, to))
    }

    /// Routing has found a way from the source to the sink.
    pub fn on_route(&mut self, now: Time, out: &mut Vec<Emit>) {
        let to = &mut Outlet { meter: &mut self.meter, out };
        with_ends!(&mut self.ends, ends => ends.on_route(now, to));
    }

    /// The congestion window, in segments, if there is one. It may be beyond the limit of what is sent.
    pub fn cwnd(&self) -> Option<f64> {
        with_ends!(&self.ends, ends => ends.window()).map(|(cwnd, _)| cwnd)
    }

    /// The slow-start threshold, in segments, if there is a window.
    pub fn ssthresh(&self) -> Option<f64> {
        with_ends!(&self.ends, ends => ends.window()).map(|(_, ssthresh)| ssthresh)
    }

    /// The smoothed round-trip time, if the source measures one and has a sample.
    pub fn srtt(&self) -> Option<Span> {
        with_ends!(&self.ends, ends => ends.srtt())
    }

    /// The rate that the source follows, if it follows one, in bytes per second with headers.
    pub fn rate(&self) -> Option<f64> {
        with_ends!(&self.ends, ends => ends.rate())
    }

    /// Retransmission timers that have ended so far.
    pub fn timeouts(&self) -> u64 {
        self.meter.total().timeouts
    }

    /// Only what happens from now on is reported.
    pub fn begin_measurement(&mut self, now: Time) {
        self.meter.begin_measurement(now);
    }

    /// What has been counted.
    pub fn meter(&self) -> &FlowMeter {
        &self.meter
    }

    /// What the receiver makes of pairs of packets, if they are measured.
    pub fn pairs(&self) -> Option<&PairMeter> {
        if let Kind::Udp(datagrams) = &self.ends { datagrams.pairs() } else { None }
    }

    /// The sending end, if it is a window's.
    pub fn sender(&self) -> Option<&Sender> {
        if let Kind::Tcp(tcp) = &self.ends { Some(&tcp.sender) } else { None }
    }

    /// The sending end, to put a part of the user's in before it starts.
    pub fn sender_mut(&mut self) -> Option<&mut Sender> {
        if let Kind::Tcp(tcp) = &mut self.ends { Some(&mut tcp.sender) } else { None }
    }

    /// The ends of a connection that proxies take part in, if this is one.
    pub fn split_ends(&self) -> Option<(&Source, &Sink)> {
        if let Kind::Split(split) = &self.ends { Some((&split.source, &split.sink)) } else { None }
    }

    /// The receiving end, if this is a connection without proxies.
    pub fn receiver(&self) -> Option<&Receiver> {
        match &self.ends {
            Kind::Tcp(tcp) => Some(&tcp.receiver),
            Kind::Rate(flow) => Some(&flow.receiver),
            Kind::Udp(_) | Kind::Split(_) => None,
        }
    }

    fn supply(&mut self, now: Time, supply: Supply, out: &mut Vec<Emit>) {
        if supply == Supply::Segments(0) {
            return;
        }
        if let (Some(supplied), Supply::Segments(count)) = (&mut self.supplied, supply) {
            supplied.extend(std::iter::repeat_n(now, count as usize));
        }
        let is_last = self.app.is_exhausted();
        let to = &mut Outlet { meter: &mut self.meter, out };
        with_ends!(&mut self.ends, ends => ends.on_supply(now, supply, is_last, to));
    }
}

fn earlier(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A packet of another protocol has come: the network mixed flows up.
fn refuse(end: End, payload: &Payload) -> u32 {
    debug_assert!(false, "{payload:?} does not belong to the {end:?} of this flow");
    0
}

#[cfg(test)]
mod tests;
