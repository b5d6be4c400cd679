//! All wires of a run.

use super::config::WireSpec;
use super::port::Port;
use crate::kernel::{NodeId, RandomStreams, Time};
use crate::net::explicit_feedback::AnyRouter;
use crate::net::link::InterfaceQueue;
use crate::packet::PacketId;
use crate::sim::{Ctx, FeedbackTimer};
use crate::trace::What;

/// The ports of all wires: two for each wire, in the order of the scenario.
#[derive(Debug)]
pub struct Wires {
    ports: Vec<Port>,
    /// Sender, receiver and port, in this order.
    by_ends: Vec<(NodeId, NodeId, u32)>,
    has_feedback: bool,
}

impl Wires {
    /// Idle wires that are measured from `since` on. `queues` has the queue of each port.
    pub fn new(wires: &[WireSpec], queues: Vec<InterfaceQueue>, streams: &RandomStreams, since: Time) -> Wires {
        let directions = wires.iter().flat_map(WireSpec::directions);
        let numbered = directions.zip(queues).zip(0..);
        let port = |(((from, to, config), queue), index)| Port::new((from, to), config, queue, (streams, index), since);
        let ports: Vec<Port> = numbered.map(port).collect();
        let mut by_ends: Vec<_> = ports.iter().zip(0..).map(|(port, index)| (port.from, port.to, index)).collect();
        by_ends.sort_unstable();
        Wires { ports, by_ends, has_feedback: false }
    }

    /// Adds a feedback router to the queue of a port, by its index.
    pub fn add_feedback_router(&mut self, port: usize, router: AnyRouter) {
        self.has_feedback = true;
        self.ports[port].add_feedback_router(router);
    }

    /// Feedback routers set their first timers.
    pub fn start(&mut self, ctx: &mut Ctx) {
        self.ports.iter_mut().for_each(|port| port.start(ctx));
    }

    /// A timer of a feedback router of a port fires.
    pub fn on_feedback_timer(&mut self, ctx: &mut Ctx, port: u32, timer: FeedbackTimer) {
        self.ports[port as usize].on_feedback_timer(ctx, timer);
    }

    /// A packet for a node passes the feedback routers of all its ports, before delivery.
    pub(in crate::net) fn pass_delivery(&mut self, ctx: &mut Ctx, node: NodeId, packet: PacketId) {
        if self.has_feedback {
            for &(.., port) in of_node(&self.by_ends, node) {
                self.ports[port as usize].pass_delivery(ctx, packet);
            }
        }
    }

    /// Whether a node has a wire to `other`.
    pub fn join(&self, node: NodeId, other: NodeId) -> bool {
        self.find(node, other).is_ok()
    }

    fn find(&self, node: NodeId, other: NodeId) -> Result<usize, usize> {
        self.by_ends.binary_search_by_key(&(node, other), |&(from, to, _)| (from, to))
    }

    /// All ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Both directions of all wires.
    pub fn links(&self) -> Vec<(NodeId, NodeId)> {
        self.by_ends.iter().map(|&(from, to, _)| (from, to)).collect()
    }

    /// Nodes at the other ends of a node's wires, by number.
    pub fn neighbors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        of_node(&self.by_ends, node).map(|&(_, to, _)| to)
    }

    /// Sends a packet from a node over its wire to `next_hop`.
    ///
    /// # Panics
    /// If there is no such wire.
    pub fn send(&mut self, ctx: &mut Ctx, node: NodeId, next_hop: NodeId, packet: PacketId) {
        let index = self.find(node, next_hop).unwrap_or_else(|_| panic!("no wire from {node} to {next_hop}"));
        let (.., port) = self.by_ends[index];
        self.ports[port as usize].send(ctx, packet);
    }

    /// The transmission of a packet has ended.
    pub fn on_sent(&mut self, ctx: &mut Ctx, port: u32, packet: PacketId) {
        self.ports[port as usize].on_sent(ctx, packet);
    }

    /// A packet has arrived. Returns the node where it is.
    pub fn on_arrived(&self, ctx: &mut Ctx, port: u32, packet: PacketId) -> NodeId {
        let Port { from, to, .. } = self.ports[port as usize];
        let arrived = ctx.packet_mut(packet);
        arrived.hop.count += 1;
        arrived.hop.prev = from;
        let uid = arrived.uid;
        ctx.note_about(to, What::WireReceived { uid, from }, packet);
        ctx.wire_passed(port, packet, false);
        to
    }
}

/// The ports of a node.
fn of_node(by_ends: &[(NodeId, NodeId, u32)], node: NodeId) -> impl Iterator<Item = &(NodeId, NodeId, u32)> {
    let first = by_ends.partition_point(|&(from, ..)| from < node);
    by_ends[first..].iter().take_while(move |(from, ..)| *from == node)
}
