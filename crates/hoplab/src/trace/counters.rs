//! Counters by class of packets and by node, updated in every run: reports and the audit read them.

use super::record::{DropReason, Loss, Step};
use crate::kernel::{FlowId, NodeId};
use crate::packet::{Category, FrameKind, Packet, Payload};
use std::collections::BTreeMap;

/// Packets of one class: those of a flow in one direction, all control packets, or all packets of real programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketCounters {
    /// Created by a source or a proxy.
    pub originated: u64,
    /// Copies made by receptions, and of broadcasts for further radios of their sender.
    pub copied: u64,
    /// Delivered to their destination.
    pub delivered: u64,
    /// Sum of the hops of delivered packets.
    pub hops: u64,
    /// Sum of their times since creation, in nanoseconds.
    pub transit: u64,
    /// Sum of their times since they first entered an interface queue, in nanoseconds.
    pub since_queue: u64,
    /// Ended without a destination, as intended: broadcasts that were sent, routing messages that were read.
    pub consumed: u64,
    /// Dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
}

/// Counters of one run.
#[derive(Clone, Debug)]
pub struct Counters {
    classes: Vec<PacketCounters>,
    nodes: Vec<NodeCounters>,
    /// By node; empty without access categories.
    categories: Vec<[CategoryCounters; Category::COUNT]>,
    /// New routes and changes of next hops, at all nodes.
    pub routes_changed: u64,
    /// Routes lost to link failures, at all nodes.
    pub routes_lost: u64,
}

/// Counters of one access category of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryCounters {
    /// Data frames sent, retries and broadcasts included.
    pub data: u64,
    /// Airtime of these, of RTSs before them and of Block Ack Requests, in nanoseconds.
    pub airtime: u64,
    /// Packets dequeued from the interface queue by the MAC.
    pub queued: u64,
    /// Sum of their times in the queue, in nanoseconds.
    pub wait: u64,
    /// Packets dropped here, for any reason.
    pub dropped: u64,
    /// Slot boundaries at which a category of higher priority has sent instead.
    pub internal_collisions: u64,
}

/// Counters of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Frames sent, by [`FrameKind`].
    pub frames: [u64; FrameKind::COUNT],
    /// Broadcast data frames sent; `frames` does not count them.
    pub broadcasts: u64,
    /// Frames lost here at their addressee, by [`Loss`].
    pub lost: [u64; Loss::ALL.len()],
    /// Packets dequeued from the interface queue by the MAC.
    pub queued: u64,
    /// Sum of their times in the queue, in nanoseconds.
    pub wait: u64,
    /// Those of them that another node had created.
    pub relayed: u64,
    /// Sum of the times in the queue of relayed packets, in nanoseconds.
    pub relay_wait: u64,
    /// Bytes of user data that neighbors have accepted from this node; retransmissions count again.
    pub passed: u64,
    /// Packets dropped here, for any reason.
    pub dropped: u64,
    /// Packets dropped here by queue overflow.
    pub queue_full: u64,
    /// Packets that exceeded the MAC's retry limit, or whose ARP resolution failed.
    pub link_failures: u64,
    /// Steps of a handshake that carries congestion, by [`Step`].
    pub steps: [u64; Step::ALL.len()],
}

impl PacketCounters {
    /// Number of packets that have ended.
    pub fn ended(&self) -> u64 {
        self.delivered + self.consumed + self.dropped.iter().sum::<u64>()
    }

    /// Number of packets that have begun.
    pub fn begun(&self) -> u64 {
        self.originated + self.copied
    }

    /// Dropped packets by the name of the reason, those that did not occur left out.
    pub fn by_reason(&self) -> BTreeMap<&'static str, u64> {
        let all = DropReason::ALL.into_iter().map(|reason| (reason.name(), self.dropped[reason as usize]));
        all.filter(|&(_, count)| count > 0).collect()
    }

    /// Difference from `before`, an earlier state of these counters.
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
    /// Counters at zero, for this many flows and nodes.
    pub fn new(flows: usize, nodes: usize) -> Counters {
        Counters {
            classes: vec![PacketCounters::default(); 2 + 2 * flows],
            nodes: vec![NodeCounters::default(); nodes],
            categories: Vec::new(),
            routes_changed: 0,
            routes_lost: 0,
        }
    }

    /// Counters of the class of `packet`.
    #[inline]
    pub fn life(&mut self, packet: &Packet) -> &mut PacketCounters {
        &mut self.classes[class_of(packet)]
    }

    /// Counters of a flow's data.
    pub fn data(&self, flow: FlowId) -> &PacketCounters {
        &self.classes[2 + 2 * flow.index()]
    }

    /// Counters of a flow's acknowledgments.
    pub fn acks(&self, flow: FlowId) -> &PacketCounters {
        &self.classes[3 + 2 * flow.index()]
    }

    /// Counters of packets of real programs.
    pub fn live(&self) -> &PacketCounters {
        &self.classes[1]
    }

    /// Counters of control packets.
    pub fn control(&self) -> &PacketCounters {
        &self.classes[0]
    }

    /// All classes: control, packets of real programs, then data and acknowledgments of each flow.
    pub fn classes(&self) -> &[PacketCounters] {
        &self.classes
    }

    /// Packets dropped for this reason, of all classes.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.classes.iter().map(|life| life.dropped[reason as usize]).sum()
    }

    /// Counters of all nodes.
    pub fn nodes(&self) -> &[NodeCounters] {
        &self.nodes
    }

    /// Steps of this kind, at all nodes.
    pub fn steps(&self, step: Step) -> u64 {
        self.nodes.iter().map(|node| node.steps[step as usize]).sum()
    }

    /// Counters of one node, to be increased.
    #[inline]
    pub fn node(&mut self, node: NodeId) -> &mut NodeCounters {
        &mut self.nodes[node.index()]
    }

    /// Counts by access category from now on.
    pub fn count_categories(&mut self) {
        self.categories = vec![Default::default(); self.nodes.len()];
    }

    /// Whether it counts by access category.
    pub fn has_categories(&self) -> bool {
        !self.categories.is_empty()
    }

    /// Counters of a node by access category; none without categories.
    pub fn categories(&self, node: usize) -> Option<&[CategoryCounters; Category::COUNT]> {
        self.categories.get(node)
    }

    /// Counts something of a category at a node, if there are categories.
    #[inline]
    pub fn category(&mut self, node: NodeId, category: Category, count: impl FnOnce(&mut CategoryCounters)) {
        if let Some(counters) = self.categories.get_mut(node.index()) {
            count(&mut counters[category as usize]);
        }
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

/// Index of the class of a packet: 0 for control, 1 for packets of real programs, then two per flow.
pub fn class_of(packet: &Packet) -> usize {
    match packet.payload {
        Payload::Unreachable(_) | Payload::Control(_) | Payload::Arp(_) => 0,
        Payload::Live(_) => 1,
        Payload::Segment(_) | Payload::Datagram(_) | Payload::SplitSegment(_) => 2 + 2 * packet.flow.index(),
        Payload::Tcp(ref segment) => 2 + usize::from(!segment.is_forward()) + 2 * packet.flow.index(),
        Payload::Stack(ref content) => 2 + usize::from(!content.is_forward) + 2 * packet.flow.index(),
        Payload::Ack(_) | Payload::Lack(_) | Payload::Report(_) => 3 + 2 * packet.flow.index(),
    }
}
