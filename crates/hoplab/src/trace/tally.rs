//! Counts by kind, cause and flow: what is always recorded, whatever else is.

use super::record::{DropReason, Loss};
use crate::kernel::FlowId;
use crate::packet::{FrameKind, Packet, Payload};

/// Life of one class of packets: those of a flow in one direction, or all control packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// Created by their source.
    pub originated: u64,
    /// Copies made by receptions of broadcasts.
    pub copied: u64,
    /// Handed to whom they were for.
    pub delivered: u64,
    /// Hops that those delivered have travelled, together.
    pub hops: u64,
    /// Ended as meant elsewhere than at a destination: broadcasts that were sent, copies that told nothing new.
    pub consumed: u64,
    /// Dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
}

/// Counts of one run.
#[derive(Clone, Debug)]
pub struct Tally {
    classes: Vec<Life>,
    /// Frames sent: RTS, CTS, unicast data, ACK.
    pub frames: [u64; 4],
    /// Broadcast data frames sent.
    pub broadcasts: u64,
    /// Frames lost at their addressee, by type and cause.
    pub lost: [[u64; 4]; 4],
    /// Ways found, or found anew through another neighbor, at all nodes.
    pub routes_changed: u64,
    /// Ways lost, at all nodes.
    pub routes_lost: u64,
}

impl Life {
    /// How many left the network.
    pub fn ended(&self) -> u64 {
        self.delivered + self.consumed + self.dropped.iter().sum::<u64>()
    }

    /// How many came into being.
    pub fn begun(&self) -> u64 {
        self.originated + self.copied
    }
}

impl Tally {
    /// No counts yet, for this many flows.
    pub fn new(flows: usize) -> Tally {
        Tally {
            classes: vec![Life::default(); 1 + 2 * flows],
            frames: [0; 4],
            broadcasts: 0,
            lost: [[0; 4]; 4],
            routes_changed: 0,
            routes_lost: 0,
        }
    }

    /// Counts of the class that `packet` belongs to.
    #[inline]
    pub fn life(&mut self, packet: &Packet) -> &mut Life {
        &mut self.classes[class_of(packet)]
    }

    /// Counts of a flow's data.
    pub fn data(&self, flow: FlowId) -> &Life {
        &self.classes[1 + 2 * flow.index()]
    }

    /// Counts of a flow's acknowledgments.
    pub fn acks(&self, flow: FlowId) -> &Life {
        &self.classes[2 + 2 * flow.index()]
    }

    /// Counts of routing messages and address resolution.
    pub fn control(&self) -> &Life {
        &self.classes[0]
    }

    /// All classes: control, then data and acknowledgments of each flow.
    pub fn classes(&self) -> &[Life] {
        &self.classes
    }

    /// Packets dropped for this reason, of all classes.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.classes.iter().map(|life| life.dropped[reason as usize]).sum()
    }

    /// Counts a frame put on the air.
    #[inline]
    pub fn frame(&mut self, kind: FrameKind, is_broadcast: bool) {
        if is_broadcast {
            self.broadcasts += 1;
        } else {
            self.frames[kind as usize] += 1;
        }
    }

    /// Counts a frame lost at its addressee.
    #[inline]
    pub fn loss(&mut self, kind: FrameKind, loss: Loss) {
        self.lost[kind as usize][loss as usize] += 1;
    }
}

/// Which class a packet is counted in: 0 for control, then two per flow.
pub fn class_of(packet: &Packet) -> usize {
    match packet.payload {
        Payload::Control(_) | Payload::Arp(_) => 0,
        Payload::Segment(_) | Payload::Datagram(_) => 1 + 2 * packet.flow.index(),
        Payload::Ack(_) => 2 + 2 * packet.flow.index(),
    }
}
