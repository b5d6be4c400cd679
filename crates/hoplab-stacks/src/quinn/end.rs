//! One end of a connection: an endpoint of quinn-proto with one connection, driven by simulated time.

use super::DATAGRAM;
use super::crypto::{NoKey, Plain};
use bytes::BytesMut;
use hoplab::kernel::Time;
use hoplab::packet::wire::internet;
use hoplab::transport::{StackKind, StackSetup};
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent,
    Endpoint, EndpointConfig, NoneTokenStore, ServerConfig, TransportConfig,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Length of connection IDs in bytes, as quinn chooses it.
pub(super) const CID: usize = 8;

/// UDP port of HTTP/3 (RFC 9114 section 3.1), and a first one of clients.
const SERVER_PORT: u16 = 443;
const CLIENT_PORT: u16 = 49_152;

/// Time 0 of every run. Only differences of instants count.
#[expect(clippy::disallowed_types, reason = "quinn-proto takes time in no other type")]
fn base() -> std::time::Instant {
    static BASE: OnceLock<std::time::Instant> = OnceLock::new();
    *BASE.get_or_init(std::time::Instant::now)
}

/// A simulated time in the type of quinn-proto.
#[expect(clippy::disallowed_types, reason = "quinn-proto takes time in no other type")]
pub(super) fn instant(now: Time) -> std::time::Instant {
    base() + Duration::from_nanos(now.0)
}

/// Connection IDs that count.
struct Counted {
    side: u8,
    next: u32,
}

impl ConnectionIdGenerator for Counted {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = [self.side; CID];
        bytes[4..].copy_from_slice(&self.next.to_be_bytes());
        self.next += 1;
        ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        CID
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// What the source reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Congestion window and slow-start threshold, in datagrams.
    pub(super) window: (f64, f64),
    pub(super) rtt: Duration,
    pub(super) lost: u64,
    pub(super) reductions: u64,
}

/// An endpoint with one connection.
pub(super) struct Peer {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Of a client, until it connects.
    config: Option<ClientConfig>,
    other: SocketAddr,
    deadline: Option<Time>,
    /// As of the last event: a connection that has ended keeps it.
    seen: Seen,
    /// Whether a server has had its connection.
    has_accepted: bool,
}

impl Peer {
    pub(super) fn client(kind: StackKind, setup: &StackSetup) -> Peer {
        let mut config = ClientConfig::new(Arc::new(Plain));
        let first = ConnectionId::new(&setup.seed[..CID]);
        config
            .transport_config(Arc::new(transport(kind, setup)))
            .token_store(Arc::new(NoneTokenStore))
            .initial_dst_cid_provider(Arc::new(move || first));
        Peer::new(setup, 1, None, Some(config))
    }

    pub(super) fn server(kind: StackKind, setup: &StackSetup) -> Peer {
        let mut config = ServerConfig::new(Arc::new(Plain), Arc::new(NoKey));
        config.transport_config(Arc::new(transport(kind, setup)));
        Peer::new(setup, 2, Some(Arc::new(config)), None)
    }

    fn new(setup: &StackSetup, side: u8, server: Option<Arc<ServerConfig>>, config: Option<ClientConfig>) -> Peer {
        let mut seed = setup.seed;
        seed[0] ^= side;
        let mut endpoint = EndpointConfig::new(Arc::new(NoKey));
        endpoint.cid_generator(move || Box::new(Counted { side, next: 0 })).grease_quic_bit(false).rng_seed(Some(seed));
        let client = (setup.ends.0, CLIENT_PORT + (setup.flow.0 % 10_000) as u16);
        let (node, port) = if server.is_some() { client } else { (setup.ends.1, SERVER_PORT) };
        let initial = ControllerFactory::build(Arc::new(NewRenoConfig::default()), instant(Time::ZERO), DATAGRAM);
        Peer {
            endpoint: Endpoint::new(Arc::new(endpoint), server, false, None),
            connection: None,
            config,
            other: SocketAddr::from((Ipv4Addr::from(internet(node)), port)),
            deadline: None,
            seen: Seen {
                window: (packets(initial.initial_window()), f64::INFINITY),
                rtt: Duration::ZERO,
                lost: 0,
                reductions: 0,
            },
            has_accepted: false,
        }
    }

    /// The connection, if there is one.
    pub(super) fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut().map(|(_, connection)| connection)
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// The client opens its connection.
    pub(super) fn connect(&mut self, now: Time) {
        let Some(config) = self.config.take() else { return };
        // The handshake does not read the name.
        self.connection = self.endpoint.connect(instant(now), config, self.other, "sink").ok();
        debug_assert!(self.connection.is_some(), "nothing can be wrong with these parameters");
    }

    /// A datagram arrives. Returns whether the endpoint responds by itself, with the datagram in `buf`.
    pub(super) fn on_datagram(&mut self, now: Time, bytes: &[u8], buf: &mut Vec<u8>) -> bool {
        buf.clear();
        match self.endpoint.handle(instant(now), self.other, None, None, BytesMut::from(bytes), buf) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some((_, connection)) = self.connection.as_mut().filter(|(own, _)| *own == handle) {
                    connection.handle_event(event);
                }
                false
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.has_accepted => {
                self.endpoint.ignore(incoming);
                false
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, instant(now), buf, None) {
                    Ok(accepted) => {
                        self.connection = Some(accepted);
                        self.has_accepted = true;
                        false
                    }
                    Err(error) => error.response.is_some(),
                }
            }
            Some(DatagramEvent::Response(_)) => true,
            None => false,
        }
    }

    /// Hands events between the endpoint and its connection.
    pub(super) fn exchange_events(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
    }

    /// Writes the next datagram to `buf`. Returns whether there is one.
    pub(super) fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>) -> bool {
        buf.clear();
        self.connection().is_some_and(|connection| connection.poll_transmit(instant(now), 1, buf).is_some())
    }

    /// Keeps deadline and counts after an event, and forgets a connection that has ended.
    pub(super) fn settle(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        self.deadline = connection.poll_timeout().map(|at| Time(at.duration_since(base()).as_nanos() as u64));
        let path = connection.stats().path;
        let metrics = connection.congestion_state().metrics();
        let ssthresh = metrics.ssthresh.filter(|bytes| *bytes < u64::MAX).map_or(f64::INFINITY, packets);
        self.seen = Seen {
            window: (packets(path.cwnd), ssthresh),
            rtt: path.rtt,
            lost: path.lost_packets,
            reductions: path.congestion_events,
        };
        if connection.is_drained() {
            (self.connection, self.deadline) = (None, None);
        }
    }
}

/// Bytes in full datagrams.
fn packets(bytes: u64) -> f64 {
    bytes as f64 / f64::from(DATAGRAM)
}

/// The parameters of quinn-proto, its defaults but for what depends on the system below.
fn transport(kind: StackKind, setup: &StackSetup) -> TransportConfig {
    let controller: Arc<dyn ControllerFactory + Send + Sync> = match kind {
        StackKind::QuinnBbr => Arc::new(BbrConfig::default()),
        StackKind::QuinnNewReno => Arc::new(NewRenoConfig::default()),
        _ => Arc::new(CubicConfig::default()),
    };
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(controller)
        .initial_mtu(DATAGRAM)
        .mtu_discovery_config(None)
        .enable_segmentation_offload(false);
    if let Some(every) = setup.ack_every {
        // draft-ietf-quic-ack-frequency: the peer acknowledges what exceeds the threshold; gaps at once, as without the frame.
        let mut acks = AckFrequencyConfig::default();
        acks.ack_eliciting_threshold((every - 1).into()).reordering_threshold(1_u32.into());
        config.ack_frequency_config(Some(acks));
    }
    config
}
