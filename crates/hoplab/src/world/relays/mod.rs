//! Relays between connections: a flow carries on what another one delivers at its source (RFC 3135 section 2.4: split connections).
//!
//! A relay takes data from the connection that ends at its node while less than `relay_buffer` waits to be sent by the one that
//! begins there. What it does not take waits at the receiver: in the receive buffer of real TCP, whose window closes; with a pulled
//! transport as packets of the node, which it counts as congestion.

mod passing;

use crate::kernel::{FlowId, NodeId, Time};
use std::collections::VecDeque;

/// All relays of a run.
#[derive(Debug, Default)]
pub(in crate::world) struct Relays(Vec<Relay>);

/// One relay. Counts of bytes are of payload in order, from the beginning.
#[derive(Debug)]
struct Relay {
    node: NodeId,
    first: FlowId,
    second: FlowId,
    buffer: u64,
    /// Payload of a segment of the first flow, and of the second.
    segments: (u64, u64),
    /// Whether packets of the first flow that wait here count as packets of the node.
    is_pulled: bool,
    has_started: bool,
    is_over: bool,
    /// Bytes that the first flow's source has sent up to a time, for those not passed on yet.
    departures: VecDeque<(u64, Time)>,
    departed: u64,
    taken: u64,
    /// Segments passed on to the second flow.
    passed: u64,
}

impl Relay {
    /// When the bytes up to `end` left the source of the first flow, as far as the last of them.
    fn departure(&mut self, end: u64) -> Option<Time> {
        while self.departures.front().is_some_and(|&(until, _)| until < end) {
            self.departures.pop_front();
        }
        self.departures.front().map(|&(_, at)| at)
    }
}

impl Relays {
    /// Packets that wait at relays of a node whose transport is pulled.
    pub(in crate::world) fn waiting(&self, node: NodeId, delivered: impl Fn(FlowId) -> u64) -> u32 {
        let at_node = self.0.iter().filter(|relay| relay.node == node && relay.is_pulled);
        at_node.map(|relay| (delivered(relay.first) - relay.taken).div_ceil(relay.segments.0) as u32).sum()
    }
}
