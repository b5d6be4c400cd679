//! A flow's transport: both ends, the traffic that feeds it, and the meter that measures it.
//!
//! Both ends live in one value, but nothing passes between them here: all that one knows of the other has come in a
//! packet.

use super::config::TcpConfig;
use super::congestion::CongestionControl;
use super::proxy::split_tcp::{Sink, Source, SplitTcpConfig};
use super::pull::{AckQueue, PullConfig};
use super::rate_sender::RateSender;
use super::receiver::Receiver;
use super::sender::{Parts, Sender};
use super::udp::{UdpSink, UdpSource};
use crate::app::{App, AppConfig, Supply, Traffic};
use crate::kernel::{FlowId, NodeId, Purpose, Span, Streams, Time};
use crate::metrics::FlowMeter;
use crate::packet::{Ack, Datagram, LinkEstimate, Payload, RcpKind, Segment, SplitSegment};
use std::collections::VecDeque;
use std::sync::Arc;

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// Where data starts.
    Source,
    /// Where data goes.
    Sink,
}

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

/// Both ends of a flow.
#[derive(Debug)]
pub struct Connection {
    ends: Ends,
    app: App,
    segment: u32,
    /// What the application supplies, in bytes per second, if it is limited.
    demand: Option<f64>,
    /// Hops that the acknowledgment which comes next has travelled.
    ack_hops: u16,
    meter: FlowMeter,
    /// When the segments that the receiving application waits for were supplied, unless all were at once.
    supplied: Option<VecDeque<Time>>,
}

#[derive(Debug)]
enum Ends {
    Tcp(Box<Tcp>),
    Udp { source: UdpSource, sink: UdpSink, socket: Socket },
    Split(Box<Split>),
    Rate(Box<RateFlow>),
}

/// Where a datagram waits to be sent.
#[derive(Clone, Copy, Debug)]
enum Socket {
    /// Nowhere: it goes at once.
    Open,
    /// Here, until the node below asks; a later one takes its place.
    Pulled(Option<Datagram>),
}

#[derive(Debug)]
struct Split {
    source: Source,
    sink: Sink,
    segment_bytes: u32,
    lack_bytes: u32,
    ack_bytes: u32,
    payload: u32,
}

#[derive(Debug)]
struct Tcp {
    sender: Sender,
    receiver: Receiver,
    /// Acknowledgments that wait to be asked for, if the connection is pulled.
    acks: Option<AckQueue>,
    sizes: Sizes,
}

/// A connection that follows a rate.
#[derive(Debug)]
struct RateFlow {
    sender: RateSender,
    receiver: Receiver,
    /// Bytes of every header and acknowledgment.
    header: u32,
    payload: u32,
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

impl Connection {
    /// Before the flow starts. Its ends are the nodes `src` and `dst`, if proxies take part in it.
    pub fn split(
        spec: &FlowSpec,
        (src, dst): (NodeId, NodeId),
        tcp: &TcpConfig,
        config: &Arc<SplitTcpConfig>,
        streams: &Streams,
    ) -> Connection {
        let config = SplitTcpConfig { window_max: config.window_max.min(spec.window), ..(**config).clone() };
        let option = config.option_bytes();
        let (lack_bytes, config) = (config.lack_bytes.0 + option, Arc::new(config));
        Connection::of(
            spec,
            Ends::Split(Box::new(Split {
                source: Source::new(spec.id, src, Arc::clone(&config), spec.segment),
                sink: Sink::new(dst, config),
                segment_bytes: tcp.header.0 + spec.segment + option,
                lack_bytes,
                ack_bytes: tcp.header.0,
                payload: spec.segment,
            })),
            *streams,
        )
    }

    /// Before the flow starts.
    pub fn new(spec: &FlowSpec, tcp: &TcpConfig, streams: &Streams) -> Connection {
        let ends = match spec.protocol {
            Protocol::Split => unreachable!("a connection with proxies is made by Connection::split"),
            Protocol::Udp => {
                let socket = if spec.pull.is_some() { Socket::Pulled(None) } else { Socket::Open };
                Ends::Udp { source: UdpSource::default(), sink: UdpSink::default(), socket }
            }
            Protocol::Tcp(parts) => {
                let phase = streams.stream(Purpose::TransportClock, spec.id.0).unit();
                Ends::Tcp(Box::new(Tcp::new(spec, parts.under(tcp), tcp, phase)))
            }
            Protocol::Rate(kind) => Ends::Rate(Box::new(RateFlow::new(spec, kind, tcp))),
        };
        Connection::of(spec, ends, *streams)
    }

    fn of(spec: &FlowSpec, ends: Ends, streams: Streams) -> Connection {
        let mut connection = Connection {
            ends,
            app: App::new(&spec.app, spec.segment, || streams.stream(Purpose::Traffic, spec.id.0)),
            segment: spec.segment,
            demand: match spec.app {
                AppConfig::Cbr { rate } | AppConfig::JitteredCbr { rate, .. } => Some(rate.0 / 8.0),
                // A file takes what it gets; neither bursts nor calls have one rate.
                AppConfig::Ftp | AppConfig::OnOff { .. } | AppConfig::Voip { .. } => None,
            },
            ack_hops: 0,
            meter: FlowMeter::new(None),
            supplied: match spec.protocol {
                Protocol::Tcp(_) | Protocol::Split | Protocol::Rate(_) if spec.app != AppConfig::Ftp => {
                    Some(VecDeque::new())
                }
                _ => None,
            },
        };
        connection.meter = FlowMeter::new(connection.cwnd());
        connection
    }

    /// Lets the application supply no more than this many packets. To be called before the start.
    pub fn limit_packets(&mut self, packets: u32) {
        self.app.limit(packets);
    }

    /// The flow's start time has come.
    pub fn on_start(&mut self, now: Time, out: &mut Vec<Emit>) {
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.agree_on_headers();
            if let Some(rate) = self.demand {
                tcp.sender.on_demand(rate);
            }
        }
        let supply = self.app.on_start(now);
        self.supply(now, supply, out);
    }

    /// The flow's source is closed: what it has supplied is still delivered; of a file without end, what was sent.
    pub fn on_stop(&mut self, now: Time, _out: &mut Vec<Emit>) {
        self.app.on_stop();
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.sender.close(now),
            Ends::Split(split) => split.source.close(),
            Ends::Rate(flow) => flow.sender.close(),
            Ends::Udp { .. } => {}
        }
    }

    /// Whether the source is to be told of its node's links before each of its events.
    pub fn wants_link(&self) -> bool {
        match &self.ends {
            Ends::Tcp(tcp) => tcp.sender.machine().control.wants_link(),
            Ends::Rate(flow) => flow.sender.wants_link(),
            Ends::Udp { .. } | Ends::Split(_) => false,
        }
    }

    /// What the observers at the source's node say of its links now.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.sender.on_link(link),
            Ends::Rate(flow) => flow.sender.on_link(link),
            Ends::Udp { .. } | Ends::Split(_) => {}
        }
    }

    /// The packet that comes next has travelled `hops`.
    pub fn on_path(&mut self, end: End, hops: u16) {
        if end == End::Source {
            self.ack_hops = hops;
        }
    }

    /// A packet has come to `end`: an acknowledgment to the source, a segment or datagram to the sink.
    pub fn on_packet(&mut self, end: End, now: Time, payload: &Payload, out: &mut Vec<Emit>) {
        match (end, payload, &mut self.ends) {
            (End::Source, Payload::Ack(ack), Ends::Tcp(tcp)) => {
                tcp.sender.on_ack_over(now, ack, self.ack_hops);
                tcp.settle(now, &mut self.meter, out);
            }
            (End::Sink, Payload::Segment(segment), Ends::Tcp(tcp)) => {
                let delivered = tcp.on_segment(now, segment, &mut self.meter, out);
                self.note_delivered(now, delivered);
            }
            (End::Source, Payload::Ack(ack), Ends::Rate(flow)) => {
                flow.sender.on_ack(now, ack);
                flow.settle(&mut self.meter, out);
            }
            (End::Sink, Payload::Segment(segment), Ends::Rate(flow)) => {
                let delivered = flow.on_segment(now, segment, &mut self.meter, out);
                self.note_delivered(now, delivered);
            }
            (End::Sink, Payload::Datagram(datagram), Ends::Udp { sink, .. }) => {
                let is_first = sink.on_datagram(datagram);
                self.meter.on_arrival(datagram.payload, is_first.then(|| now.since(datagram.sent_at)));
                if is_first {
                    self.meter.on_app_delay(now.since(datagram.sent_at));
                }
                self.meter.on_delivery(if is_first { u64::from(datagram.payload) } else { 0 });
            }
            (End::Source, Payload::Ack(ack), Ends::Split(split)) => {
                split.source.on_ack(now, ack);
                split.settle(now, &mut self.meter, out);
            }
            (End::Source, Payload::Lack(lack), Ends::Split(split)) => {
                split.source.on_lack(now, lack);
                split.settle(now, &mut self.meter, out);
            }
            (End::Sink, Payload::SplitSegment(segment), Ends::Split(split)) => {
                let delivered = split.on_segment(now, segment, &mut self.meter, out);
                self.note_delivered(now, delivered);
            }
            (end, payload, _) => debug_assert!(false, "{payload:?} does not belong to the {end:?} of this flow"),
        }
    }

    /// The application has got the next `count` segments: how long ago were they supplied?
    fn note_delivered(&mut self, now: Time, count: u32) {
        if let Some(supplied) = &mut self.supplied {
            for at in supplied.drain(..(count as usize).min(supplied.len())) {
                self.meter.on_app_delay(now.since(at));
            }
        }
    }

    /// The time of [`Connection::deadline`] has come for `end`.
    pub fn on_deadline(&mut self, end: End, now: Time, out: &mut Vec<Emit>) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        match (&mut self.ends, end) {
            (Ends::Tcp(tcp), End::Source) if is_due(tcp.sender.deadline()) => {
                tcp.sender.on_timeout(now);
                tcp.settle(now, &mut self.meter, out);
            }
            (Ends::Split(split), End::Source) if is_due(split.source.deadline()) => {
                split.source.on_deadline(now);
                split.settle(now, &mut self.meter, out);
            }
            (Ends::Split(split), End::Sink) if is_due(split.sink.deadline()) => {
                let ack = split.sink.on_deadline();
                out.extend(ack.map(|ack| split.emit_ack(ack)));
            }
            (Ends::Tcp(tcp), End::Sink) if is_due(tcp.receiver.deadline()) => {
                if let Some(ack) = tcp.receiver.on_deadline() {
                    tcp.send_ack(now, ack, out);
                }
            }
            (Ends::Rate(flow), End::Source) if is_due(flow.sender.deadline()) => {
                flow.sender.on_deadline(now);
                flow.settle(&mut self.meter, out);
            }
            _ => {}
        }
        if end == End::Source && is_due(self.app.deadline()) {
            let supply = self.app.on_deadline(now);
            self.supply(now, supply, out);
        }
    }

    /// Whether the flow sends only when the node below asks.
    pub fn is_pulled(&self) -> bool {
        match &self.ends {
            Ends::Tcp(tcp) => tcp.acks.is_some(),
            Ends::Udp { socket, .. } => matches!(socket, Socket::Pulled(_)),
            Ends::Split(_) | Ends::Rate(_) => false,
        }
    }

    /// The node below has room for one packet of `end`. Whether one is sent.
    pub fn on_slot(&mut self, end: End, now: Time, out: &mut Vec<Emit>) -> bool {
        match (&mut self.ends, end) {
            (Ends::Tcp(tcp), End::Source) => {
                let has_sent = tcp.sender.on_slot(now);
                if has_sent {
                    tcp.settle(now, &mut self.meter, out);
                }
                has_sent
            }
            (Ends::Tcp(tcp), End::Sink) => {
                let ack = tcp.acks.as_mut().and_then(|acks| acks.pop(now));
                out.extend(ack.map(|ack| tcp.sizes.emit_ack(ack)));
                ack.is_some()
            }
            (Ends::Udp { socket: Socket::Pulled(waiting), .. }, End::Source) => {
                let datagram = waiting.take();
                out.extend(datagram.map(emit_datagram));
                datagram.is_some()
            }
            (Ends::Udp { .. } | Ends::Split(_) | Ends::Rate(_), _) => false,
        }
    }

    /// When `end` acts by itself: the earliest of its timers. It may move with every call.
    #[inline]
    pub fn deadline(&self, end: End) -> Option<Time> {
        match (&self.ends, end) {
            (Ends::Tcp(tcp), End::Source) => earlier(tcp.sender.deadline(), self.app.deadline()),
            (Ends::Tcp(tcp), End::Sink) => tcp.receiver.deadline(),
            (Ends::Split(split), End::Source) => earlier(split.source.deadline(), self.app.deadline()),
            (Ends::Split(split), End::Sink) => split.sink.deadline(),
            (Ends::Rate(flow), End::Source) => earlier(flow.sender.deadline(), self.app.deadline()),
            (Ends::Udp { .. }, End::Source) => self.app.deadline(),
            (Ends::Udp { .. } | Ends::Rate(_), End::Sink) => None,
        }
    }

    /// The congestion window, in segments, if there is one. It may be beyond the limit of what is sent.
    pub fn cwnd(&self) -> Option<f64> {
        match &self.ends {
            Ends::Split(split) => Some(split.source.cwnd()),
            _ if self.is_pulled() => None,
            _ => self.sender().map(Sender::cwnd),
        }
    }

    /// The slow-start threshold, in segments, if there is a window.
    pub fn ssthresh(&self) -> Option<f64> {
        match &self.ends {
            Ends::Split(split) => Some(split.source.ssthresh()),
            _ if self.is_pulled() => None,
            _ => self.sender().map(Sender::ssthresh),
        }
    }

    /// The smoothed round-trip time, if the source measures one and has a sample.
    pub fn srtt(&self) -> Option<Span> {
        match &self.ends {
            Ends::Rate(flow) => flow.sender.srtt(),
            _ => self.sender().and_then(|sender| sender.machine().rtt.srtt()),
        }
    }

    /// The rate that the source follows, if it follows one, in bytes per second with headers.
    pub fn rate(&self) -> Option<f64> {
        match &self.ends {
            Ends::Rate(flow) => flow.sender.rate(),
            Ends::Tcp(_) | Ends::Udp { .. } | Ends::Split(_) => None,
        }
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

    /// The sending end, if it is a window's.
    pub fn sender(&self) -> Option<&Sender> {
        match &self.ends {
            Ends::Tcp(tcp) => Some(&tcp.sender),
            Ends::Udp { .. } | Ends::Split(_) | Ends::Rate(_) => None,
        }
    }

    /// The ends of a connection that proxies take part in, if this is one.
    pub fn split_ends(&self) -> Option<(&Source, &Sink)> {
        match &self.ends {
            Ends::Split(split) => Some((&split.source, &split.sink)),
            Ends::Tcp(_) | Ends::Udp { .. } | Ends::Rate(_) => None,
        }
    }

    /// Routing has found a way from the source to the sink.
    pub fn on_route(&mut self, now: Time, out: &mut Vec<Emit>) {
        if let Ends::Split(split) = &mut self.ends {
            split.source.on_route(now);
            split.settle(now, &mut self.meter, out);
        }
    }

    /// The sending end, to put a part of the user's in before it starts.
    pub fn sender_mut(&mut self) -> Option<&mut Sender> {
        match &mut self.ends {
            Ends::Tcp(tcp) => Some(&mut tcp.sender),
            Ends::Udp { .. } | Ends::Split(_) | Ends::Rate(_) => None,
        }
    }

    /// The receiving end, if this is a connection.
    pub fn receiver(&self) -> Option<&Receiver> {
        match &self.ends {
            Ends::Tcp(tcp) => Some(&tcp.receiver),
            Ends::Rate(flow) => Some(&flow.receiver),
            Ends::Udp { .. } | Ends::Split(_) => None,
        }
    }

    fn supply(&mut self, now: Time, supply: Supply, out: &mut Vec<Emit>) {
        if let (Some(supplied), Supply::Segments(count)) = (&mut self.supplied, supply) {
            supplied.extend(std::iter::repeat_n(now, count as usize));
        }
        match &mut self.ends {
            Ends::Tcp(_) | Ends::Split(_) if supply == Supply::Segments(0) => {}
            Ends::Tcp(tcp) => {
                tcp.sender.on_supply(now, supply);
                if self.app.is_exhausted() {
                    tcp.sender.close(now);
                }
                tcp.settle(now, &mut self.meter, out);
            }
            Ends::Rate(flow) => {
                flow.sender.on_supply(now, supply);
                flow.settle(&mut self.meter, out);
            }
            Ends::Split(split) => {
                split.source.on_supply(now, supply);
                if self.app.is_exhausted() {
                    split.source.close();
                }
                split.settle(now, &mut self.meter, out);
            }
            Ends::Udp { source, socket, .. } => {
                let count = match supply {
                    Supply::Segments(count) => count,
                    Supply::Endless => 0,
                };
                for _ in 0..count {
                    let datagram = source.next(now, self.segment);
                    match socket {
                        Socket::Open => out.push(emit_datagram(datagram)),
                        Socket::Pulled(waiting) => *waiting = Some(datagram),
                    }
                    self.meter.on_sent(false);
                }
            }
        }
    }
}

impl Tcp {
    fn new(spec: &FlowSpec, parts: Parts, config: &TcpConfig, phase: f64) -> Tcp {
        let timestamp = if config.timestamps { config.timestamp_bytes.0 } else { 0 };
        // Sinks of ns-2 charge nothing for the timestamp they echo, its senders nothing for that of the opening.
        let (echo, opening_less) = if config.is_rfc() { (timestamp, 0) } else { (0, timestamp) };
        let mut receiver = Receiver::new(config, parts.recovery.needs_sack());
        let sender = if let Some(pull) = &spec.pull {
            let config = TcpConfig { min_rto: pull.min_rto, initial_rto: pull.initial_rto, ..config.clone() };
            receiver.answer_beyond_gap(pull.ooo_ack);
            let mut sender = Sender::new(&config, parts, spec.segment, pull.max_outstanding, phase);
            sender.be_pulled(pull.rto_backoff);
            sender
        } else {
            Sender::new(config, parts, spec.segment, spec.window, phase)
        };
        Tcp {
            sender,
            receiver,
            acks: spec.pull.as_ref().map(AckQueue::new),
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
        let control = &self.sender.machine().control;
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

    /// Segments that are in order only now.
    fn on_segment(&mut self, now: Time, segment: &Segment, meter: &mut FlowMeter, out: &mut Vec<Emit>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        // The opening segment brings nothing.
        if segment.payload > 0 {
            meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        meter.on_delivery(u64::from(received.delivered) * u64::from(self.sizes.payload));
        if let Some(ack) = received.ack {
            self.send_ack(now, ack, out);
        }
        received.delivered
    }

    /// After the sender has acted: its segments go out, the meter sees what has changed.
    fn settle(&mut self, now: Time, meter: &mut FlowMeter, out: &mut Vec<Emit>) {
        let counts = self.sender.counts();
        meter.on_losses(counts.timeouts, counts.fast_retransmits, counts.kept_windows);
        meter.on_cwnd(now, self.sender.cwnd());
        for (segment, bytes) in self.sender.take_sent(self.sizes.segment_header) {
            meter.on_sent(segment.is_retransmission);
            let bytes = if segment.payload == 0 { bytes - self.sizes.opening_less } else { bytes };
            out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Split {
    /// How many segments the application has got by that.
    fn on_segment(&mut self, now: Time, split: &SplitSegment, meter: &mut FlowMeter, out: &mut Vec<Emit>) -> u32 {
        let taken = self.sink.on_segment(now, split);
        let segment = &split.segment;
        meter.on_arrival(segment.payload, taken.is_first.then(|| now.since(segment.first_sent)));
        meter.on_delivery(u64::from(taken.delivered) * u64::from(self.payload));
        out.push(Emit { end: End::Sink, payload: Payload::Lack(taken.lack), bytes: self.lack_bytes });
        out.extend(taken.ack.map(|ack| self.emit_ack(ack)));
        taken.delivered
    }

    fn emit_ack(&self, ack: Ack) -> Emit {
        Emit { end: End::Sink, payload: Payload::Ack(ack), bytes: self.ack_bytes }
    }

    fn settle(&mut self, now: Time, meter: &mut FlowMeter, out: &mut Vec<Emit>) {
        let counts = self.source.counts();
        meter.on_losses(counts.timeouts + counts.e2e_timeouts, counts.fast_retransmits, 0);
        meter.on_cwnd(now, self.source.cwnd());
        let bytes = self.segment_bytes;
        for split in self.source.take_sent() {
            meter.on_sent(split.segment.is_retransmission);
            out.push(Emit { end: End::Source, payload: Payload::SplitSegment(split), bytes });
        }
    }
}

impl RateFlow {
    fn new(spec: &FlowSpec, kind: RcpKind, config: &TcpConfig) -> RateFlow {
        // Every packet is answered at once.
        let answering = TcpConfig { delayed_ack: false, ..config.clone() };
        RateFlow {
            sender: RateSender::new(kind, &config.rcp, config, spec.segment, spec.window),
            receiver: Receiver::new(&answering, true),
            header: config.rcp.rcp.header.0,
            payload: spec.segment,
        }
    }

    fn on_segment(&mut self, now: Time, segment: &Segment, meter: &mut FlowMeter, out: &mut Vec<Emit>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        if segment.payload > 0 {
            meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        meter.on_delivery(u64::from(received.delivered) * u64::from(self.payload));
        let answer = |ack| Emit { end: End::Sink, payload: Payload::Ack(ack), bytes: self.header };
        out.extend(received.ack.map(answer));
        received.delivered
    }

    fn settle(&mut self, meter: &mut FlowMeter, out: &mut Vec<Emit>) {
        let counts = self.sender.counts();
        meter.on_losses(counts.timeouts, counts.fast_retransmits, counts.kept_windows);
        for (segment, bytes) in self.sender.take_sent() {
            // Requests for a rate are no segments.
            if segment.payload > 0 || segment.seq == 0 {
                meter.on_sent(segment.is_retransmission);
            }
            out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Sizes {
    fn emit_ack(self, ack: Ack) -> Emit {
        let bytes = self.ack + self.sack_block * u32::from(ack.block_count);
        Emit { end: End::Sink, payload: Payload::Ack(ack), bytes }
    }
}

fn emit_datagram(datagram: Datagram) -> Emit {
    Emit { end: End::Source, payload: Payload::Datagram(datagram), bytes: datagram.payload }
}

fn earlier(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::super::congestion::CongestionKind;
    use super::super::pull::OooAck;
    use super::super::recovery::RecoveryKind;
    use super::*;
    use crate::kernel::{Rate, Span};

    fn spec(protocol: Protocol, app: AppConfig) -> FlowSpec {
        FlowSpec { id: FlowId(3), protocol, segment: 1460, window: 32, app, pull: None }
    }

    fn tcp(congestion: CongestionKind, recovery: RecoveryKind) -> Protocol {
        Protocol::Tcp(Parts { congestion, recovery })
    }

    fn new_reno() -> Protocol {
        tcp(CongestionKind::Reno, RecoveryKind::NewReno)
    }

    fn connection(protocol: Protocol, app: AppConfig, config: &TcpConfig) -> Connection {
        Connection::new(&spec(protocol, app), config, &Streams::new(1))
    }

    /// Hands what one end has emitted to the other at `now`; returns what that emits.
    fn cross(connection: &mut Connection, now: Time, emits: &[Emit]) -> Vec<Emit> {
        let mut out = Vec::new();
        for emit in emits {
            let to = if emit.end == End::Source { End::Sink } else { End::Source };
            connection.on_packet(to, now, &emit.payload, &mut out);
        }
        out
    }

    /// Sizes of the opening, its answer, a data segment and its answer.
    fn sizes(protocol: Protocol, config: &TcpConfig) -> [u32; 4] {
        let mut connection = connection(protocol, AppConfig::Ftp, config);
        let mut opening = Vec::new();
        connection.on_start(Time::ZERO, &mut opening);
        let answer = cross(&mut connection, Time(10), &opening);
        let data = cross(&mut connection, Time(20), &answer);
        let ack = cross(&mut connection, Time(30), &data[..1]);
        [opening[0].bytes, answer[0].bytes, data[0].bytes, ack[0].bytes]
    }

    #[test]
    fn bytes_on_the_way() {
        let ns2 = TcpConfig::default();
        assert_eq!(sizes(new_reno(), &ns2), [40, 40, 1500, 40]);
        assert_eq!(sizes(tcp(CongestionKind::Vegas, RecoveryKind::Vegas), &ns2), [1460, 40, 1460, 40]);
        assert_eq!(sizes(new_reno(), &TcpConfig { timestamps: true, ..ns2 }), [40, 40, 1510, 40]);
        let rfc = TcpConfig { timestamps: true, ..TcpConfig::rfc() };
        assert_eq!(sizes(tcp(CongestionKind::Vegas, RecoveryKind::Vegas), &rfc), [52, 52, 1512, 52]);
    }

    #[test]
    fn blocks_make_acknowledgments_longer() {
        let protocol = tcp(CongestionKind::Reno, RecoveryKind::Sack);
        let mut connection = connection(protocol, AppConfig::Ftp, &TcpConfig::default());
        let mut opening = Vec::new();
        connection.on_start(Time::ZERO, &mut opening);
        let answer = cross(&mut connection, Time(10), &opening);
        let data = cross(&mut connection, Time(20), &answer);
        let acks = cross(&mut connection, Time(30), &data[1..]);
        assert_eq!((acks.len(), acks[0].bytes), (1, 48));
    }

    #[test]
    fn a_datagram_has_the_bytes_of_its_payload() {
        let mut connection = connection(Protocol::Udp, AppConfig::Cbr { rate: Rate(1.168e6) }, &TcpConfig::default());
        let mut out = Vec::new();
        connection.on_start(Time::ZERO, &mut out);
        assert_eq!((out.len(), out[0].bytes), (1, 1460));
        assert_eq!(connection.deadline(End::Source), Some(Time(10_000_000)));
        connection.on_deadline(End::Source, Time(10_000_000), &mut out);
        for emit in out.iter().chain(&out[..1]) {
            connection.on_packet(End::Sink, Time(15_000_000), &emit.payload, &mut Vec::new());
        }
        let counts = connection.meter().total();
        assert_eq!((counts.sent, counts.arrived, counts.unique, counts.in_order), (2, 3 * 1460, 2 * 1460, 2 * 1460));
        assert_eq!((counts.first_arrivals, counts.delay), (2, 15_000_000 + 5_000_000));
        connection.on_stop(Time(16_000_000), &mut out);
        assert_eq!((connection.deadline(End::Source), connection.cwnd()), (None, None));
    }

    #[test]
    fn the_meter_tells_repeats_from_news() {
        let mut connection = connection(new_reno(), AppConfig::Ftp, &TcpConfig::default());
        let mut opening = Vec::new();
        connection.on_start(Time::ZERO, &mut opening);
        let answer = cross(&mut connection, Time(10), &opening);
        let data = cross(&mut connection, Time(20), &answer);
        // The second segment twice, then the first.
        cross(&mut connection, Time(50), &[data[1].clone(), data[1].clone()]);
        let counts = *connection.meter().total();
        assert_eq!((counts.arrived, counts.unique, counts.in_order), (2920, 1460, 0));
        cross(&mut connection, Time(60), &data[..1]);
        let counts = *connection.meter().total();
        assert_eq!((counts.arrived, counts.unique, counts.in_order), (4380, 2920, 2920));
        assert_eq!((counts.sent, counts.retransmissions, counts.delay), (3, 0, 30 + 40));
        // A timeout sends the first segment again.
        let timer = connection.deadline(End::Source).expect("a timer");
        connection.on_deadline(End::Source, timer, &mut Vec::new());
        let counts = *connection.meter().total();
        assert_eq!((counts.sent, counts.retransmissions, counts.timeouts, connection.timeouts()), (4, 1, 1, 1));
    }

    #[test]
    fn each_end_has_its_own_deadline() {
        let config = TcpConfig { delayed_ack: true, ..TcpConfig::default() };
        let mut connection = connection(new_reno(), AppConfig::Cbr { rate: Rate(1.168e6) }, &config);
        let mut out = Vec::new();
        connection.on_start(Time::ZERO, &mut out);
        // The next packet comes before the timer ends; it waits for the opening.
        assert_eq!(connection.deadline(End::Source), Some(Time(10_000_000)));
        let mut supplied = Vec::new();
        connection.on_deadline(End::Source, Time(10_000_000), &mut supplied);
        assert!(supplied.is_empty());
        let answer = cross(&mut connection, Time(12_000_000), &out);
        let data = cross(&mut connection, Time(13_000_000), &answer);
        assert_eq!(data.len(), 2);
        assert!(cross(&mut connection, Time(14_000_000), &data[..1]).is_empty());
        let due = Time(14_000_000) + Span::from_millis(100);
        assert_eq!(connection.deadline(End::Sink), Some(due));
        let mut acks = Vec::new();
        connection.on_deadline(End::Sink, due, &mut acks);
        assert!(matches!(&acks[..], [Emit { end: End::Sink, payload: Payload::Ack(ack), .. }] if ack.cumulative == 1));
        assert_eq!(connection.deadline(End::Sink), None);
    }

    #[test]
    fn a_delayed_acknowledgment_of_a_pulled_flow_waits_to_be_asked_for() {
        let pull = PullConfig {
            max_outstanding: 1024,
            ooo_ack: OooAck::None,
            rto_backoff: false,
            min_rto: Span::from_millis(200),
            initial_rto: Span::from_millis(3000),
            ack_queue: 500,
            coalesce_acks: false,
        };
        let protocol = tcp(CongestionKind::SemiTcp, RecoveryKind::TimeoutOnly);
        let spec = FlowSpec { pull: Some(pull), ..spec(protocol, AppConfig::Ftp) };
        let config = TcpConfig { delayed_ack: true, ..TcpConfig::default() };
        let mut connection = Connection::new(&spec, &config, &Streams::new(1));
        let mut out = Vec::new();
        connection.on_start(Time::ZERO, &mut out);
        let ask = |connection: &mut Connection, end, now| {
            let mut sent = Vec::new();
            assert!(connection.on_slot(end, now, &mut sent), "{end:?} has something at {now}");
            sent
        };
        let opening = ask(&mut connection, End::Source, Time(10));
        assert!(cross(&mut connection, Time(20), &opening).is_empty());
        let answer = ask(&mut connection, End::Sink, Time(30));
        cross(&mut connection, Time(40), &answer);
        let data = ask(&mut connection, End::Source, Time(50));
        assert!(cross(&mut connection, Time(60), &data).is_empty());
        let due = connection.deadline(End::Sink).expect("a delayed acknowledgment");
        connection.on_deadline(End::Sink, due, &mut out);
        assert!(out.is_empty(), "it waits: {out:?}");
        let ack = ask(&mut connection, End::Sink, due);
        assert!(matches!(&ack[..], [Emit { payload: Payload::Ack(ack), .. }] if ack.cumulative == 1));
    }

    #[test]
    fn the_clocks_phase_follows_from_flow_and_seed() {
        let mut late = spec(new_reno(), AppConfig::Ftp);
        late.id = FlowId(4);
        let phase = |spec: &FlowSpec, seed| {
            let connection = Connection::new(spec, &TcpConfig::default(), &Streams::new(seed));
            format!("{:?}", connection.sender().expect("a sender").machine().rtt)
        };
        let spec = spec(new_reno(), AppConfig::Ftp);
        assert_eq!(phase(&spec, 1), phase(&spec, 1));
        assert_ne!(phase(&spec, 1), phase(&spec, 2));
        assert_ne!(phase(&spec, 1), phase(&late, 1));
    }
}
