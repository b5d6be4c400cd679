//! QUIC of quinn-proto (RFC 9000, 9002): a client at the source, a server at the sink, and one stream from the one to the other.

mod crypto;
mod end;
mod frames;

use bytes::Bytes;
use end::{Peer, instant};
use hoplab::kernel::{End, Span, Time};
use hoplab::transport::{Abort, Stack, StackKind, StackSent, StackSetup, StackState};
use quinn_proto::{Connection, ConnectionError, Dir, Event, StreamEvent, StreamId, VarInt};
use std::fmt;
use std::sync::Arc;

/// Longest payload of a UDP datagram: an MTU of 1500 bytes without headers.
const DATAGRAM: u16 = 1472;

/// Bytes that the application hands over ahead of what is sent, so that the window is the only limit of a bulk transfer.
const AHEAD: u64 = 8 * 1024;

/// What streams carry.
static ZEROS: [u8; AHEAD as usize] = [0; AHEAD as usize];

/// Both ends of a connection, and its stream.
pub(crate) struct Quic {
    client: Peer,
    server: Peer,
    supply: Supply,
    /// The stream, once the client has opened it.
    stream: Option<StreamId>,
    /// The same at the server.
    accepted: Option<StreamId>,
    delivered: u64,
    abort: Option<Abort>,
    sent: Vec<StackSent>,
    /// Scratch.
    buf: Vec<u8>,
    data: Vec<(u64, u64)>,
}

/// What the application of the source has supplied.
#[derive(Debug, Default)]
struct Supply {
    is_endless: bool,
    /// Bytes that are not yet written.
    left: u64,
    is_last: bool,
    is_finished: bool,
    written: u64,
    /// End of the data that was ever sent.
    sent_to: u64,
}

impl Quic {
    pub(crate) fn new(kind: StackKind, setup: &StackSetup) -> Quic {
        Quic {
            client: Peer::client(kind, setup),
            server: Peer::server(kind, setup),
            supply: Supply::default(),
            stream: None,
            accepted: None,
            delivered: 0,
            abort: None,
            sent: Vec::new(),
            buf: Vec::new(),
            data: Vec::new(),
        }
    }

    fn peer(&mut self, end: End) -> &mut Peer {
        match end {
            End::Source => &mut self.client,
            End::Sink => &mut self.server,
        }
    }

    /// Carries out what an end has to do: events, reads, writes, then datagrams until it has none.
    fn drive(&mut self, end: End, now: Time) {
        self.peer(end).exchange_events();
        while let Some(event) = self.peer(end).connection().and_then(Connection::poll) {
            self.on_event(end, event, now);
        }
        if end == End::Sink {
            self.read();
        }
        loop {
            if end == End::Source {
                self.write();
            }
            let mut buf = std::mem::take(&mut self.buf);
            let has_sent = self.peer(end).poll_transmit(now, &mut buf);
            self.buf = buf;
            if !has_sent {
                break;
            }
            self.push_sent(end);
        }
        self.peer(end).exchange_events();
        self.peer(end).settle();
    }

    /// Keeps the datagram in the buffer for the engine.
    fn push_sent(&mut self, end: End) {
        if end == End::Source {
            self.data.clear();
            frames::stream_data(&self.buf, end::CID, &mut self.data);
            let last = self.data.iter().map(|&(_, last)| last).max().unwrap_or_default();
            self.supply.sent_to = self.supply.sent_to.max(last);
        }
        self.sent.push(StackSent { end, bytes: Arc::from(&self.buf[..]), is_datagram: true });
    }

    fn on_event(&mut self, end: End, event: Event, now: Time) {
        match event {
            Event::Connected if end == End::Source => {
                self.stream = self.client.connection().and_then(|client| client.streams().open(Dir::Uni));
            }
            Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) if end == End::Sink => {
                self.accepted = self.server.connection().and_then(|server| server.streams().accept(Dir::Uni));
            }
            // The server has everything: the client closes the connection.
            Event::Stream(StreamEvent::Finished { .. }) => {
                if let Some(client) = self.client.connection() {
                    client.close(instant(now), VarInt::from_u32(0), Bytes::new());
                }
            }
            Event::ConnectionLost { reason } => {
                let cause = match reason {
                    ConnectionError::LocallyClosed | ConnectionError::ApplicationClosed(_) => return,
                    ConnectionError::TimedOut => Abort::Timeout,
                    _ => Abort::Reset,
                };
                self.abort.get_or_insert(cause);
            }
            _ => {}
        }
    }

    /// Writes to the stream as far as the application supplies and the stack accepts.
    fn write(&mut self) {
        let (Some(id), Some(client)) = (self.stream, self.client.connection()) else { return };
        let supply = &mut self.supply;
        let mut stream = client.send_stream(id);
        while supply.written < supply.sent_to + AHEAD && (supply.is_endless || supply.left > 0) {
            let ahead = supply.sent_to + AHEAD - supply.written;
            let len = if supply.is_endless { ahead } else { ahead.min(supply.left) };
            let chunk = Bytes::from_static(&ZEROS[..len as usize]);
            let Ok(written) = stream.write_chunks(&mut [chunk]) else { break };
            supply.written += written.bytes as u64;
            supply.left = supply.left.saturating_sub(written.bytes as u64);
        }
        if supply.is_last && supply.left == 0 && !supply.is_endless && !supply.is_finished {
            supply.is_finished = true;
            // It fails only for a stream that has ended.
            let _ = stream.finish();
        }
    }

    /// Reads what the stream has in order.
    fn read(&mut self) {
        let (Some(id), Some(server)) = (self.accepted, self.server.connection()) else { return };
        let mut stream = server.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.delivered += chunk.bytes.len() as u64;
        }
        // The next datagrams carry the credit.
        let _ = chunks.finalize();
    }
}

impl fmt::Debug for Quic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quic").field("supply", &self.supply).field("delivered", &self.delivered).finish_non_exhaustive()
    }
}

impl Stack for Quic {
    fn start(&mut self, now: Time) {
        self.client.connect(now);
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
        let mut buf = std::mem::take(&mut self.buf);
        let has_response = self.peer(end).on_datagram(now, bytes, &mut buf);
        self.buf = buf;
        if has_response {
            self.push_sent(end);
        }
        self.drive(end, now);
    }

    fn on_deadline(&mut self, end: End, now: Time) {
        if let Some(connection) = self.peer(end).connection() {
            connection.handle_timeout(instant(now));
        }
        self.drive(end, now);
    }

    fn deadline(&self, end: End) -> Option<Time> {
        match end {
            End::Source => self.client.deadline(),
            End::Sink => self.server.deadline(),
        }
    }

    fn take_sent(&mut self, out: &mut Vec<StackSent>) {
        out.append(&mut self.sent);
    }

    fn data_of(&self, bytes: &[u8], out: &mut Vec<(u64, u64)>) {
        frames::stream_data(bytes, end::CID, out);
    }

    fn state(&self) -> StackState {
        let seen = self.client.seen();
        StackState {
            delivered: self.delivered,
            window: Some(seen.window),
            srtt: self.stream.is_some().then_some(Span(seen.rtt.as_nanos() as u64)),
            declared_lost: Some(seen.lost),
            reductions: seen.reductions,
            abort: self.abort,
        }
    }
}
