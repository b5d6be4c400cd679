//! TCP of smoltcp: an interface with one socket at each node, from handshake to FIN, in whole IP packets.

use hoplab::kernel::{End, NodeId, Time};
use hoplab::packet::wire::internet;
use hoplab::transport::{Abort, Stack, StackKind, StackSent, StackSetup, StackState};
use smoltcp::iface::{Config, Interface, PollResult, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr, IpProtocol, Ipv4Packet, TcpPacket};
use std::fmt;
use std::sync::Arc;

/// Longest IP packet, in bytes.
const MTU: usize = 1500;

/// Payload that a segment of `flow.window` stands for, in bytes: that of real connections, whose segments have timestamps.
const SEGMENT: usize = 1448;

const SINK_PORT: u16 = 80;
const SOURCE_PORT: u16 = 49_152;

/// Length of the prefix of the nodes' network, 10.0.0.0/8.
const PREFIX: u8 = 8;

/// What the source sends.
static ZEROS: [u8; 4096] = [0; 4096];

/// Both ends of a connection.
pub(crate) struct Tcp {
    source: Host,
    sink: Host,
    setup: StackSetup,
    supply: Supply,
    /// First sequence number of the source's data.
    first: u32,
    delivered: u64,
    abort: Option<Abort>,
    sent: Vec<StackSent>,
}

/// What the application of the source has supplied.
#[derive(Clone, Copy, Debug, Default)]
struct Supply {
    is_endless: bool,
    /// Bytes that are not yet written.
    left: u64,
    is_last: bool,
    /// Whether the socket is closed.
    is_closed: bool,
    /// End of the data that was ever sent.
    sent_to: u64,
}

/// One node: its interface, its socket, and when it acts by itself.
struct Host {
    device: Link,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    deadline: Option<Time>,
}

impl Host {
    fn new(kind: StackKind, setup: &StackSetup, (node, seed): (NodeId, &[u8; 8])) -> Host {
        let mut device = Link::default();
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = u64::from_le_bytes(*seed);
        let mut interface = Interface::new(config, &mut device, Instant::ZERO);
        // There is room for one address.
        interface.update_ip_addrs(|addresses| {
            let _ = addresses.push(IpCidr::new(address(node), PREFIX));
        });
        let buffer = || SocketBuffer::new(vec![0; setup.window as usize * SEGMENT]);
        let mut socket = Socket::new(buffer(), buffer());
        socket.set_congestion_control(match kind {
            StackKind::SmoltcpReno => CongestionControl::Reno,
            _ => CongestionControl::Cubic,
        });
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket);
        Host { device, interface, sockets, socket, deadline: None }
    }

    fn socket(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.socket)
    }

    fn poll(&mut self, now: Time) -> PollResult {
        self.interface.poll(instant(now), &mut self.device, &mut self.sockets)
    }

    /// Keeps the next deadline, which is after `now`.
    fn settle(&mut self, now: Time) {
        let at = self.interface.poll_at(instant(now), &self.sockets);
        let next = instant(now).total_micros() + 1;
        self.deadline = at.map(|at| Time(at.total_micros().max(next).unsigned_abs() * 1000));
    }
}

/// What lies below an interface: packets in, packets out.
#[derive(Debug, Default)]
struct Link {
    arrived: Option<Vec<u8>>,
    sent: Vec<Arc<[u8]>>,
}

struct Arrived(Vec<u8>);

struct Departing<'a>(&'a mut Vec<Arc<[u8]>>);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Departing<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, write: F) -> R {
        let mut packet = vec![0; len];
        let result = write(&mut packet);
        self.0.push(packet.into());
        result
    }
}

impl Device for Link {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Departing<'a>;

    fn receive(&mut self, _now: Instant) -> Option<(Arrived, Departing<'_>)> {
        Some((Arrived(self.arrived.take()?), Departing(&mut self.sent)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Departing<'_>> {
        Some(Departing(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = MTU;
        capabilities
    }
}

/// A simulated time in whole microseconds, rounded up.
fn instant(now: Time) -> Instant {
    Instant::from_micros(now.0.div_ceil(1000).cast_signed())
}

fn address(node: NodeId) -> IpAddress {
    let [a, b, c, d] = internet(node);
    IpAddress::v4(a, b, c, d)
}

impl Tcp {
    pub(crate) fn new(kind: StackKind, setup: &StackSetup) -> Tcp {
        let [source, sink] = [0, 8].map(|at| *setup.seed[at..].first_chunk().expect("a seed of 32 bytes"));
        let mut tcp = Tcp {
            source: Host::new(kind, setup, (setup.ends.0, &source)),
            sink: Host::new(kind, setup, (setup.ends.1, &sink)),
            setup: *setup,
            supply: Supply::default(),
            first: 0,
            delivered: 0,
            abort: None,
            sent: Vec::new(),
        };
        let listens = tcp.sink.socket().listen(SINK_PORT);
        debug_assert!(listens.is_ok(), "a new socket can listen");
        tcp
    }

    fn host(&mut self, end: End) -> &mut Host {
        match end {
            End::Source => &mut self.source,
            End::Sink => &mut self.sink,
        }
    }

    /// Lets an end act until nothing changes.
    fn drive(&mut self, end: End, now: Time) {
        loop {
            match end {
                End::Source => self.write(),
                End::Sink => self.read(),
            }
            let result = self.host(end).poll(now);
            let packets = std::mem::take(&mut self.host(end).device.sent);
            let has_sent = !packets.is_empty();
            for packet in packets {
                self.push_sent(end, packet);
            }
            if result == PollResult::None && !has_sent {
                break;
            }
        }
        self.host(end).settle(now);
    }

    /// Keeps a packet for the engine.
    fn push_sent(&mut self, end: End, bytes: Arc<[u8]>) {
        if end == End::Source {
            if let Some(segment) = segment_of(&bytes).filter(|segment| segment.is_syn) {
                self.first = segment.seq.wrapping_add(1);
            }
            if let Some((_, last)) = self.data(&bytes) {
                self.supply.sent_to = self.supply.sent_to.max(last);
            }
        }
        self.sent.push(StackSent { end, bytes, is_datagram: false });
    }

    /// Position of a segment's data in the flow, if it has any.
    fn data(&self, bytes: &[u8]) -> Option<(u64, u64)> {
        let segment = segment_of(bytes).filter(|segment| segment.len > 0)?;
        // Sequence numbers wrap: the position is the one nearest to what was sent last.
        let ahead = segment.seq.wrapping_sub(self.first).wrapping_sub(self.supply.sent_to as u32).cast_signed();
        let first = self.supply.sent_to.checked_add_signed(ahead.into())?;
        Some((first, first + u64::from(segment.len)))
    }

    /// Writes to the socket as far as the application supplies and the buffer has room, then closes it.
    fn write(&mut self) {
        let socket = self.source.sockets.get_mut::<Socket<'_>>(self.source.socket);
        let supply = &mut self.supply;
        while socket.can_send() && (supply.is_endless || supply.left > 0) {
            let len = if supply.is_endless { ZEROS.len() as u64 } else { supply.left.min(ZEROS.len() as u64) };
            let Ok(written) = socket.send_slice(&ZEROS[..len as usize]) else { break };
            supply.left = supply.left.saturating_sub(written as u64);
        }
        if supply.is_last && supply.left == 0 && !supply.is_endless && !supply.is_closed && socket.may_send() {
            supply.is_closed = true;
            socket.close();
        }
        if socket.state() == State::Closed && !supply.is_closed {
            self.abort.get_or_insert(Abort::Reset);
        }
    }

    /// Reads what has arrived in order, and closes after the other end.
    fn read(&mut self) {
        let socket = self.sink.sockets.get_mut::<Socket<'_>>(self.sink.socket);
        while let Ok(len @ 1..) = socket.recv(|bytes| (bytes.len(), bytes.len())) {
            self.delivered += len as u64;
        }
        if socket.state() == State::CloseWait {
            socket.close();
        }
    }
}

/// What is read of a TCP segment.
struct Segment {
    seq: u32,
    len: u32,
    is_syn: bool,
}

fn segment_of(bytes: &[u8]) -> Option<Segment> {
    let ip = Ipv4Packet::new_checked(bytes).ok().filter(|ip| ip.next_header() == IpProtocol::Tcp)?;
    let tcp = TcpPacket::new_checked(ip.payload()).ok()?;
    let seq = i32::from_be_bytes(*ip.payload()[4..].first_chunk()?).cast_unsigned();
    Some(Segment { seq, len: tcp.payload().len() as u32, is_syn: tcp.syn() })
}

impl fmt::Debug for Tcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tcp").field("supply", &self.supply).field("delivered", &self.delivered).finish_non_exhaustive()
    }
}

impl Stack for Tcp {
    fn start(&mut self, now: Time) {
        let StackSetup { flow, ends: (_, sink), .. } = self.setup;
        let port = SOURCE_PORT + (flow.0 % 10_000) as u16;
        let Host { interface, sockets, socket, .. } = &mut self.source;
        let socket = sockets.get_mut::<Socket<'_>>(*socket);
        let connects = socket.connect(interface.context(), (address(sink), SINK_PORT), port);
        debug_assert!(connects.is_ok(), "a new socket can connect");
        self.drive(End::Source, now);
    }

    fn supply(&mut self, now: Time, bytes: Option<u64>, is_last: bool) {
        let supply = &mut self.supply;
        supply.is_endless = bytes.is_none();
        supply.left += bytes.unwrap_or_default();
        supply.is_last |= is_last && bytes.is_some();
        self.drive(End::Source, now);
    }

    fn on_packet(&mut self, end: End, now: Time, bytes: &[u8]) {
        self.host(end).device.arrived = Some(bytes.to_vec());
        // The socket reads the packet before the application reads the socket.
        self.host(end).poll(now);
        self.drive(end, now);
    }

    fn on_deadline(&mut self, end: End, now: Time) {
        self.drive(end, now);
    }

    fn deadline(&self, end: End) -> Option<Time> {
        match end {
            End::Source => self.source.deadline,
            End::Sink => self.sink.deadline,
        }
    }

    fn take_sent(&mut self, out: &mut Vec<StackSent>) {
        out.append(&mut self.sent);
    }

    fn data_of(&self, bytes: &[u8], out: &mut Vec<(u64, u64)>) {
        out.extend(self.data(bytes));
    }

    /// Window, round-trip time and losses are private to the socket.
    fn state(&self) -> StackState {
        StackState { delivered: self.delivered, abort: self.abort, ..StackState::default() }
    }
}
