//! Counts by kind, cause and flow: what is always recorded, whatever else is.

use super::record::{DropReason, Loss, Step};
use crate::kernel::{FlowId, NodeId};
use crate::packet::{FrameKind, Packet, Payload};

/// PacketCounters of one class of packets: those of a flow in one direction, or all control packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketCounters {
    /// Created by their source.
    pub originated: u64,
    /// Copies made by receptions of broadcasts.
    pub copied: u64,
    /// Handed to whom they were for.
    pub delivered: u64,
    /// Hops that those delivered have travelled, together.
    pub hops: u64,
    /// Sum over them of the time since they came into being, in nanoseconds.
    pub transit: u64,
    /// Sum over them of the time since they first entered an interface queue, in nanoseconds.
    pub since_queue: u64,
    /// Ended as meant elsewhere than at a destination: broadcasts that were sent, copies that told nothing new.
    pub consumed: u64,
    /// Dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
}

/// Counts of one run.
#[derive(Clone, Debug)]
pub struct Counters {
    classes: Vec<PacketCounters>,
    nodes: Vec<NodeCounters>,
    /// Ways found, or found anew through another neighbor, at all nodes.
    pub routes_changed: u64,
    /// Ways lost, at all nodes, because a link broke somewhere.
    pub routes_lost: u64,
}

/// Counts of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Frames sent, by [`FrameKind`].
    pub frames: [u64; 4],
    /// Broadcast data frames sent; `frames` does not count them.
    pub broadcasts: u64,
    /// Frames for this node that it did not get, by [`Loss`].
    pub lost: [u64; Loss::ALL.len()],
    /// Packets that the MAC has taken out of the interface queue.
    pub queued: u64,
    /// Sum of the times that they had waited there, in nanoseconds.
    pub wait: u64,
    /// Those of them that another node had made.
    pub relayed: u64,
    /// Sum of the times that these had waited.
    pub relay_wait: u64,
    /// Bytes of users' data that neighbors have taken over from this node, each time that they did.
    pub passed: u64,
    /// Packets dropped here, for whatever reason.
    pub dropped: u64,
    /// Packets dropped here because the interface queue was full.
    pub queue_full: u64,
    /// Packets that the MAC gave up, or whose next hop's address nobody knew.
    pub link_failures: u64,
    /// Steps of a handshake that carries congestion, by [`Step`].
    pub steps: [u64; Step::ALL.len()],
}

impl PacketCounters {
    /// How many left the network.
    pub fn ended(&self) -> u64 {
        self.delivered + self.consumed + self.dropped.iter().sum::<u64>()
    }

    /// How many came into being.
    pub fn begun(&self) -> u64 {
        self.originated + self.copied
    }

    /// What was added since `before`, an earlier state of the same counts.
    #[must_use]
    pub fn since(&self, before: &PacketCounters) -> PacketCounters {
        let mut dropped = self.dropped;
        for (count, before) in dropped.iter_mut().zip(before.dropped) {
            *count -= before;
        }
        PacketCounters {
            originated: self.originated - before.originated,
            copied: self.copied - before.copied,
            delivered: self.delivered - before.delivered,
            hops: self.hops - before.hops,
            transit: self.transit - before.transit,
            since_queue: self.since_queue - before.since_queue,
            consumed: self.consumed - before.consumed,
            dropped,
        }
    }
}

impl Counters {
    /// No counts yet, for this many flows and nodes.
    pub fn new(flows: usize, nodes: usize) -> Counters {
        Counters {
            classes: vec![PacketCounters::default(); 1 + 2 * flows],
            nodes: vec![NodeCounters::default(); nodes],
            routes_changed: 0,
            routes_lost: 0,
        }
    }

    /// Counts of the class that `packet` belongs to.
    #[inline]
    pub fn life(&mut self, packet: &Packet) -> &mut PacketCounters {
        &mut self.classes[class_of(packet)]
    }

    /// Counts of a flow's data.
    pub fn data(&self, flow: FlowId) -> &PacketCounters {
        &self.classes[1 + 2 * flow.index()]
    }

    /// Counts of a flow's acknowledgments.
    pub fn acks(&self, flow: FlowId) -> &PacketCounters {
        &self.classes[2 + 2 * flow.index()]
    }

    /// Counts of routing messages and address resolution.
    pub fn control(&self) -> &PacketCounters {
        &self.classes[0]
    }

    /// All classes: control, then data and acknowledgments of each flow.
    pub fn classes(&self) -> &[PacketCounters] {
        &self.classes
    }

    /// Packets dropped for this reason, of all classes.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.classes.iter().map(|life| life.dropped[reason as usize]).sum()
    }

    /// Counts of every node.
    pub fn nodes(&self) -> &[NodeCounters] {
        &self.nodes
    }

    /// Steps of this kind, at all nodes.
    pub fn steps(&self, step: Step) -> u64 {
        self.nodes.iter().map(|node| node.steps[step as usize]).sum()
    }

    /// Counts of one node, to be added to.
    #[inline]
    pub fn node(&mut self, node: NodeId) -> &mut NodeCounters {
        &mut self.nodes[node.index()]
    }

    /// Frames of this type sent by all nodes; broadcast data apart.
    pub fn frames(&self, kind: FrameKind) -> u64 {
        self.nodes.iter().map(|node| node.frames[kind as usize]).sum()
    }

    /// Broadcast data frames sent by all nodes.
    pub fn broadcasts(&self) -> u64 {
        self.nodes.iter().map(|node| node.broadcasts).sum()
    }

    /// Frames lost at their addressee for this cause, at all nodes.
    pub fn lost(&self, loss: Loss) -> u64 {
        self.nodes.iter().map(|node| node.lost[loss as usize]).sum()
    }
}

/// Which class a packet is counted in: 0 for control, then two per flow.
pub fn class_of(packet: &Packet) -> usize {
    match packet.payload {
        Payload::Control(_) | Payload::Arp(_) => 0,
        Payload::Segment(_) | Payload::Datagram(_) | Payload::SplitSegment(_) => 1 + 2 * packet.flow.index(),
        Payload::Ack(_) | Payload::Lack(_) => 2 + 2 * packet.flow.index(),
    }
}
