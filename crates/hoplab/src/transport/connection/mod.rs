//! A flow's transport: both ends, the traffic that feeds it, and the meter that measures it.
//!
//! Both ends are in one value, but exchange nothing here: all that one knows of the other arrived in a packet. Each
//! protocol's ends have a file of their own; what all share is here.

pub(crate) mod ad_hoc;
mod datagrams;
mod ends;
mod flow;
mod rate;
mod spec;
mod split;
mod stack;
mod stack_ends;
mod stream;
mod tcp;
pub(crate) mod udp;

pub use crate::kernel::End;
pub use ad_hoc::AdHocKind;
pub use ends::Emit;
pub use flow::Flow;
pub use spec::{FlowSpec, Protocol, Transfer};
pub use stack::{Stack, StackKind, StackSent, StackSetup, StackState};

use super::config::TcpConfig;
use super::congestion::{CongestionControl, CongestionKind, Controller};
use super::proxy::split_tcp::{Sink, Source, SplitTcpConfig};
use super::receiver::Receiver;
use super::sender::Sender;
use super::stream::{Abort, StreamConfig};
use crate::app::{Act, App, AppKind, PairMeter, Silent, Supply, Traffic};
use crate::kernel::{NodeId, Purpose, RandomStreams, Span, Time};
use crate::metrics::{Completion, FlowMeter};
use crate::packet::{LinkEstimate, Payload};
use ad_hoc::atp::AtpEnds;
use ad_hoc::tpa::TpaEnds;
use ad_hoc::wcp::WcpEnds;
use datagrams::Datagrams;
use ends::{Ends, Outlet};
use enum_dispatch::enum_dispatch;
use rate::RateEnds;
use split::SplitEnds;
use stack_ends::StackEnds;
use std::collections::VecDeque;
use stream::StreamEnds;
use tcp::TcpEnds;

/// The ends of any protocol.
#[enum_dispatch(Ends)]
#[derive(Debug)]
enum AnyEnds {
    Tcp(Box<TcpEnds>),
    Udp(Datagrams),
    Split(Box<SplitEnds>),
    Rate(Box<RateEnds>),
    Atp(Box<AtpEnds>),
    Tpa(Box<TpaEnds>),
    Wcp(Box<WcpEnds>),
    Stream(Box<StreamEnds>),
    Stack(Box<StackEnds>),
}

/// Both ends of a flow.
#[derive(Debug)]
pub struct Connection {
    ends: AnyEnds,
    app: App,
    /// What the application supplies, in bytes per second, if it is limited.
    demand: Option<f64>,
    meter: FlowMeter,
    /// When the segments not delivered yet were supplied, unless all were at once.
    supplied: Option<VecDeque<Time>>,
}

impl Connection {
    /// A connection that proxies take part in, between the nodes `src` and `dst`, before the flow starts.
    pub fn split(
        spec: &FlowSpec,
        (src, dst): (NodeId, NodeId),
        tcp: &TcpConfig,
        config: &SplitTcpConfig,
        streams: &RandomStreams,
    ) -> Connection {
        Connection::of(spec, AnyEnds::Split(Box::new(SplitEnds::new(spec, (src, dst), tcp, config))), *streams)
    }

    /// A real TCP connection, before the flow starts.
    pub fn stream(
        spec: &FlowSpec,
        kind: CongestionKind,
        tcp: &TcpConfig,
        config: &StreamConfig,
        transfer: Transfer,
        streams: &RandomStreams,
    ) -> Connection {
        let ends = StreamEnds::new(spec, kind, tcp, config, transfer, *streams);
        Connection::of(spec, AnyEnds::Stream(Box::new(ends)), *streams)
    }

    /// A connection that a stack carries, before the flow starts.
    pub fn stack(spec: &FlowSpec, stack: Box<dyn Stack>, transfer: Transfer, streams: &RandomStreams) -> Connection {
        Connection::of(spec, AnyEnds::Stack(Box::new(StackEnds::new(spec, stack, transfer))), *streams)
    }

    /// A connection without proxies that counts segments, before the flow starts.
    pub fn new(spec: &FlowSpec, tcp: &TcpConfig, streams: &RandomStreams) -> Connection {
        let ends = match spec.protocol {
            Protocol::Split | Protocol::Stream(_) | Protocol::Stack(_) => {
                unreachable!("these are built by functions of their own")
            }
            Protocol::Udp => AnyEnds::Udp(Datagrams::new(spec)),
            Protocol::Tcp(parts) => {
                let phase = streams.stream(Purpose::TransportClock, spec.id.0).unit();
                AnyEnds::Tcp(Box::new(TcpEnds::new(spec, parts.under(tcp), tcp, phase)))
            }
            Protocol::Rate(kind) => AnyEnds::Rate(Box::new(RateEnds::new(spec, kind, tcp))),
            Protocol::AdHoc(AdHocKind::Atp) => AnyEnds::Atp(Box::new(AtpEnds::new(spec, &tcp.atp))),
            Protocol::AdHoc(AdHocKind::Tpa) => AnyEnds::Tpa(Box::new(TpaEnds::new(spec, tcp))),
            Protocol::AdHoc(AdHocKind::Wcp) => AnyEnds::Wcp(Box::new(WcpEnds::new(spec, tcp))),
        };
        Connection::of(spec, ends, *streams)
    }

    fn of(spec: &FlowSpec, ends: AnyEnds, streams: RandomStreams) -> Connection {
        let window = ends.window();
        let has_window = !matches!(ends, AnyEnds::Stream(_) | AnyEnds::Stack(_));
        let limit = if has_window { f64::from(spec.window) } else { f64::INFINITY };
        // A datagram carries the time at which it was supplied; a file is supplied at once.
        let keeps_times = spec.protocol != Protocol::Udp && spec.app.kind() != AppKind::Ftp;
        Connection {
            ends,
            app: App::new(&spec.app, spec.segment, || streams.stream(Purpose::Traffic, spec.id.0)),
            demand: spec.app.constant_rate().map(|rate| rate.0 / 8.0),
            meter: FlowMeter::new(window.map(|(cwnd, _)| cwnd), limit),
            supplied: keeps_times.then(VecDeque::new),
        }
    }

    /// Replaces the congestion control of an end that sends data by a user's own. Valid only before the start.
    ///
    /// # Errors
    /// What the protocol does not have that the controller needs, as the end of a sentence.
    pub fn set_controller(&mut self, end: End, control: Box<dyn CongestionControl + Send>) -> Result<(), String> {
        let needs = control.needs();
        match &mut self.ends {
            AnyEnds::Tcp(tcp) => {
                needs.refuse_of_agent()?;
                tcp.sender.set_controller(Controller::Custom(control));
            }
            AnyEnds::Stream(stream) => {
                needs.refuse_of_connection()?;
                stream.set_controller(end, Controller::Custom(control));
            }
            _ => return Err("its transport has no congestion control to replace".to_owned()),
        }
        Ok(())
    }

    /// Replaces the application by a user's own. Valid only before the start.
    pub fn set_source(&mut self, source: Box<dyn Traffic + Send>) {
        self.app = App::custom(source);
        self.demand = None;
        self.supplied = (!matches!(self.ends, AnyEnds::Udp(_))).then(VecDeque::new);
    }

    /// Limits the packets that the application supplies. Valid only before the start.
    pub fn limit_packets(&mut self, packets: u32) {
        self.app.limit(packets);
    }

    /// Splits what the application supplies into datagrams of at most `longest` bytes; no effect on other protocols. Valid
    /// only before the start.
    pub fn split_datagrams(&mut self, longest: u32) {
        if let AnyEnds::Udp(datagrams) = &mut self.ends {
            datagrams.split(longest);
        }
    }

    /// The flow starts.
    pub fn on_start(&mut self, now: Time, out: &mut Vec<Emit>) {
        self.ends.on_start(self.demand);
        let supply = self.app.on_start(now);
        self.supply(now, supply, out);
    }

    /// The flow stops: what it supplied is still delivered; of an unlimited file, what was sent.
    pub fn on_stop(&mut self, now: Time, out: &mut Vec<Emit>) {
        self.app.on_stop();
        let to = &mut Outlet { meter: &mut self.meter, out };
        self.ends.close(now, to);
    }

    /// Bytes above the MAC of a full segment and of an acknowledgment without SACK blocks, before what routing adds; `None` for
    /// datagrams. Valid before the
    /// start.
    pub fn packet_bytes(&self) -> Option<(u32, u32)> {
        match &self.ends {
            AnyEnds::Tcp(tcp) => Some(tcp.packet_bytes()),
            AnyEnds::Rate(rate) => Some(rate.packet_bytes()),
            AnyEnds::Atp(atp) => Some(atp.packet_bytes()),
            AnyEnds::Tpa(tpa) => Some(tpa.packet_bytes()),
            AnyEnds::Wcp(wcp) => Some(wcp.packet_bytes()),
            AnyEnds::Split(split) => Some(split.packet_bytes()),
            AnyEnds::Stream(stream) => Some(stream.packet_bytes()),
            AnyEnds::Udp(_) | AnyEnds::Stack(_) => None,
        }
    }

    /// Whether the source needs estimates of its node's links before each of its events.
    pub fn wants_link(&self) -> bool {
        self.ends.wants_link()
    }

    /// Current estimates of the observers at the source's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.ends.on_link(link);
    }

    /// Hops of the next packet's path to `end`.
    pub fn on_path(&mut self, end: End, hops: u16) {
        if end == End::Source {
            self.ends.on_path(hops);
        }
    }

    /// The packet that arrives next was marked by a queue: CE in its IP header.
    pub fn on_mark(&mut self) {
        self.ends.on_mark();
    }

    /// The finite transfer of the flow, if it is one.
    pub fn completion(&self) -> Option<&Completion> {
        match &self.ends {
            AnyEnds::Stream(stream) => stream.completion(),
            AnyEnds::Stack(stack) => stack.completion(),
            _ => None,
        }
    }

    /// Payload bytes that the source has got and not sent.
    pub fn unsent(&self) -> u64 {
        match &self.ends {
            AnyEnds::Tcp(tcp) => tcp.unsent(),
            AnyEnds::Stream(stream) => stream.unsent(),
            _ => 0,
        }
    }

    /// Whether all that the flow carries is delivered.
    pub fn is_over(&self) -> bool {
        match &self.ends {
            AnyEnds::Tcp(tcp) => tcp.is_over(),
            AnyEnds::Stream(stream) => stream.is_over(),
            _ => false,
        }
    }

    /// The source gets data from a relay: segments that began their way at these times.
    pub fn on_relayed(&mut self, departures: &[Time], is_last: bool, now: Time, out: &mut Vec<Emit>) {
        let known = self.supplied.as_ref().map_or(0, VecDeque::len);
        self.supply(now, Supply::Segments(departures.len() as u32), out);
        if let Some(supplied) = &mut self.supplied {
            supplied.truncate(known);
            supplied.extend(departures);
        }
        if is_last {
            self.on_stop(now, out);
        }
    }

    /// Lets a relay read what arrives ([`Connection::read`]). Valid only before the start.
    pub fn serve_relay(&mut self) {
        if let AnyEnds::Stream(stream) = &mut self.ends {
            stream.serve_relay();
        }
    }

    /// A relay reads so many bytes at the sink.
    pub fn read(&mut self, bytes: u64, now: Time, out: &mut Vec<Emit>) {
        if let AnyEnds::Stream(stream) = &mut self.ends {
            stream.read(bytes, now, &mut Outlet { meter: &mut self.meter, out });
        }
    }

    /// Lets a relay supply what is sent ([`Connection::on_relayed`]). Valid only before the start.
    pub fn follow_relay(&mut self) {
        self.app = App::custom(Box::new(Silent));
        (self.demand, self.supplied) = (None, Some(VecDeque::new()));
    }

    /// Lets a session supply what is sent. Valid only before the start.
    pub fn serve_session(&mut self) {
        self.app = App::custom(Box::new(Silent));
        (self.demand, self.supplied) = (None, None);
    }

    /// A session acts at `end`.
    pub fn on_act(&mut self, end: End, act: Act, now: Time, out: &mut Vec<Emit>) {
        let to = &mut Outlet { meter: &mut self.meter, out };
        self.ends.on_act(end, act, now, to);
    }

    /// Bytes that `end` has received in order for a session; of datagrams, the number of the last one, from 1 on.
    pub fn received(&self, end: End) -> u64 {
        self.ends.received(end)
    }

    /// Keeps how a finite transfer progresses. Valid only before the start.
    pub fn keep_progress(&mut self) {
        match &mut self.ends {
            AnyEnds::Stream(stream) => stream.keep_progress(),
            AnyEnds::Stack(stack) => stack.keep_progress(),
            _ => {}
        }
    }

    /// The network has no route for segments of `end`.
    pub fn on_unreachable(&mut self, end: End, now: Time, out: &mut Vec<Emit>) {
        self.ends.on_unreachable(end, now, &mut Outlet { meter: &mut self.meter, out });
    }

    /// Why a real connection ended before its time, if it did.
    pub fn abort(&self) -> Option<Abort> {
        match &self.ends {
            AnyEnds::Stream(stream) => stream.abort(),
            AnyEnds::Stack(stack) => stack.abort(),
            _ => None,
        }
    }

    /// Whether a stack reveals which packets it declares lost.
    pub fn reveals_losses(&self) -> bool {
        if let AnyEnds::Stack(stack) = &self.ends { stack.reveals_losses() } else { false }
    }

    /// A packet arrived at `end`: an acknowledgment at the source, a segment or datagram at the sink.
    pub fn on_packet(&mut self, end: End, now: Time, payload: &Payload, out: &mut Vec<Emit>) {
        let to = &mut Outlet { meter: &mut self.meter, out };
        let delivered = self.ends.on_packet(end, now, payload, to);
        if let Some(supplied) = &mut self.supplied {
            for at in supplied.drain(..(delivered as usize).min(supplied.len())) {
                self.meter.on_app_delay(now.since(at));
            }
        }
    }

    /// The deadline of [`Connection::deadline`] has expired for `end`.
    pub fn on_deadline(&mut self, end: End, now: Time, out: &mut Vec<Emit>) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.ends.deadline(end)) {
            let to = &mut Outlet { meter: &mut self.meter, out };
            self.ends.on_deadline(end, now, to);
        }
        if end == End::Source && is_due(self.app.deadline()) {
            let supply = self.app.on_deadline(now);
            self.supply(now, supply, out);
        }
    }

    /// When `end` acts by itself: the earliest of its timers. It may move with every call.
    #[inline]
    pub fn deadline(&self, end: End) -> Option<Time> {
        let own = self.ends.deadline(end);
        match end {
            End::Source => earlier(own, self.app.deadline()),
            End::Sink => own,
        }
    }

    /// Whether the flow sends only when the node below requests a packet.
    pub fn is_pulled(&self) -> bool {
        self.ends.is_pulled()
    }

    /// Lets the first segment of a pulled source travel alone, until it is acknowledged.
    pub fn start_alone(&mut self) {
        self.ends.start_alone();
    }

    /// The link layer offers a slot for one packet of `end`. Returns whether one is sent.
    pub fn on_slot(&mut self, end: End, now: Time, out: &mut Vec<Emit>) -> bool {
        let to = &mut Outlet { meter: &mut self.meter, out };
        self.ends.on_slot(end, now, to)
    }

    /// Routing found a route from the source to the sink.
    pub fn on_route(&mut self, now: Time, out: &mut Vec<Emit>) {
        let to = &mut Outlet { meter: &mut self.meter, out };
        self.ends.on_route(now, to);
    }

    /// The congestion window, in segments, if there is one. It may exceed rwnd.
    pub fn cwnd(&self) -> Option<f64> {
        self.ends.window().map(|(cwnd, _)| cwnd)
    }

    /// The slow-start threshold, in segments, if there is a window.
    pub fn ssthresh(&self) -> Option<f64> {
        self.ends.window().map(|(_, ssthresh)| ssthresh)
    }

    /// The smoothed round-trip time, if the source has a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.ends.srtt()
    }

    /// The rate that the source follows, if it follows one, in bytes per second with headers.
    pub fn rate(&self) -> Option<f64> {
        self.ends.rate()
    }

    /// Timeouts so far.
    pub fn timeouts(&self) -> u64 {
        self.meter.total().timeouts
    }

    /// Restarts the counters that are reported.
    pub fn begin_measurement(&mut self, now: Time) {
        self.meter.begin_measurement(now);
    }

    /// The counters.
    pub fn meter(&self) -> &FlowMeter {
        &self.meter
    }

    /// The receiver's measurement of packet pairs, if there is one.
    pub fn pairs(&self) -> Option<&PairMeter> {
        if let AnyEnds::Udp(datagrams) = &self.ends { datagrams.pairs() } else { None }
    }

    /// The sending end, if it has a window or is pulled.
    pub fn sender(&self) -> Option<&Sender> {
        if let AnyEnds::Tcp(tcp) = &self.ends { Some(&tcp.sender) } else { None }
    }

    /// The sending end, to replace its parts before the start.
    pub fn sender_mut(&mut self) -> Option<&mut Sender> {
        if let AnyEnds::Tcp(tcp) = &mut self.ends { Some(&mut tcp.sender) } else { None }
    }

    /// The ends of a connection that proxies take part in, if this is one.
    pub fn split_ends(&self) -> Option<(&Source, &Sink)> {
        if let AnyEnds::Split(split) = &self.ends { Some((&split.source, &split.sink)) } else { None }
    }

    /// The receiving end, if this is a connection without proxies.
    pub fn receiver(&self) -> Option<&Receiver> {
        match &self.ends {
            AnyEnds::Tcp(tcp) => Some(&tcp.receiver),
            AnyEnds::Rate(flow) => Some(&flow.sink.receiver),
            AnyEnds::Udp(_)
            | AnyEnds::Split(_)
            | AnyEnds::Atp(_)
            | AnyEnds::Tpa(_)
            | AnyEnds::Wcp(_)
            | AnyEnds::Stream(_)
            | AnyEnds::Stack(_) => None,
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
        self.ends.on_supply(now, supply, is_last, to);
    }
}

fn earlier(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests;
