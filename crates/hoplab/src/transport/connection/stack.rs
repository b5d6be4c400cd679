//! Stacks: transport implementations of others, driven without I/O. One value is both ends of a flow.
//!
//! The engine hands a stack time, supply and packets, and takes the packets that it sends. Stacks are in a crate of their own:
//! the engine depends on none.

use crate::kernel::{End, FlowId, NodeId, Span, Time};
use crate::transport::stream::Abort;
use std::fmt::Debug;
use std::sync::Arc;

/// Both ends of a connection.
pub trait Stack: Send + Debug {
    /// The source opens the connection; the sink listens.
    fn start(&mut self, now: Time);

    /// The application supplies `bytes` more, or data without end if `None`; nothing after it if `is_last`. A second call with
    /// `is_last` ends data without end: what has been sent is still delivered.
    fn supply(&mut self, now: Time, bytes: Option<u64>, is_last: bool);

    /// A packet of the other end has arrived at `end`.
    fn on_packet(&mut self, end: End, now: Time, bytes: &[u8]);

    /// The deadline of `end` has expired.
    fn on_deadline(&mut self, end: End, now: Time);

    /// When `end` acts by itself.
    fn deadline(&self, end: End) -> Option<Time>;

    /// Moves the packets that were sent since the last call to `out`.
    fn take_sent(&mut self, out: &mut Vec<StackSent>);

    /// Appends the data of a packet from the source to `out`: `[first, last)` of bytes of the flow, of each part.
    fn data_of(&self, bytes: &[u8], out: &mut Vec<(u64, u64)>);

    /// What the ends report now.
    fn state(&self) -> StackState;
}

/// A packet that a stack sends.
#[derive(Clone, Debug)]
pub struct StackSent {
    /// The sending end.
    pub end: End,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Whether they are carried by a UDP datagram; else they are an IP packet.
    pub is_datagram: bool,
}

/// What a stack reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackState {
    /// Bytes that the sink has delivered to its application, in order.
    pub delivered: u64,
    /// Congestion window and slow-start threshold of the source in full packets, if the stack reveals them.
    pub window: Option<(f64, f64)>,
    /// Smoothed round-trip time of the source, if there is a sample.
    pub srtt: Option<Span>,
    /// Packets that the source declared lost, if the stack reveals them.
    pub declared_lost: Option<u64>,
    /// Times that a loss reduced the window.
    pub reductions: u64,
    /// Why the connection ended before its time, if it did.
    pub abort: Option<Abort>,
}

/// Which stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackKind {
    /// QUIC of quinn-proto with NewReno.
    QuinnNewReno,
    /// QUIC of quinn-proto with CUBIC.
    QuinnCubic,
    /// QUIC of quinn-proto with BBR.
    QuinnBbr,
    /// TCP of smoltcp with Reno.
    SmoltcpReno,
    /// TCP of smoltcp with CUBIC.
    SmoltcpCubic,
}

impl StackKind {
    /// The feature of a build that has it, which is the name of its library.
    pub fn feature(self) -> &'static str {
        match self {
            StackKind::QuinnNewReno | StackKind::QuinnCubic | StackKind::QuinnBbr => "quinn",
            StackKind::SmoltcpReno | StackKind::SmoltcpCubic => "smoltcp",
        }
    }

    /// That this program lacks it, as the end of a sentence.
    pub fn missing(self) -> String {
        let feature = self.feature();
        format!("transports {feature}_* need a program that is built with feature \"{feature}\" of hoplab-stacks")
    }

    /// Whether `tcp.ack_every` reaches its receiver.
    pub fn takes_ack_every(self) -> bool {
        self.feature() == "quinn"
    }

    /// Whether `flow.window` limits it.
    pub fn has_window(self) -> bool {
        self.feature() == "smoltcp"
    }
}

/// What a stack is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSetup {
    /// Number of the flow.
    pub flow: FlowId,
    /// Nodes of the source and of the sink.
    pub ends: (NodeId, NodeId),
    /// Seed of its random numbers.
    pub seed: [u8; 32],
    /// Limit of the window, in segments.
    pub window: u32,
    /// Packets in order that an acknowledgment covers at most, if the scenario says so (`tcp.ack_every`).
    pub ack_every: Option<u32>,
}
