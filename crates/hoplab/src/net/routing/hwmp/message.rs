//! HWMP's elements (IEEE 802.11-2016 clauses 9.4.2.112 to 9.4.2.115), each alone in a mesh action frame.

use crate::kernel::{NodeId, Span};

/// An element of HWMP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HwmpMessage {
    /// Path request.
    Preq(Preq),
    /// Path reply.
    Prep(Prep),
    /// Path error.
    Perr(Perr),
    /// Root announcement.
    Rann(Rann),
}

/// What elements that cross several hops have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Travel {
    /// Hops that it has taken.
    pub hops: u8,
    /// Hops that it may still take.
    pub ttl: u8,
    /// Sum of the metrics of its links.
    pub metric: u32,
}

/// Path request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preq {
    /// Hops and metric from the originator.
    pub travel: Travel,
    /// Its number at the originator.
    pub id: u32,
    /// Originator.
    pub origin: NodeId,
    /// HWMP sequence number of the originator.
    pub origin_seq: u32,
    /// Lifetime of the paths that it leaves and that replies to it leave.
    pub lifetime: Span,
    /// Whether each node sends it to one neighbor only: a confirmation of the path to a root.
    pub is_individual: bool,
    /// Whether all nodes answer a request to all.
    pub is_answered: bool,
    /// Targets; a request to all has the broadcast address only.
    pub targets: Vec<Target>,
}

/// A target of a path request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The node.
    pub node: NodeId,
    /// Its last known HWMP sequence number.
    pub seq: Option<u32>,
    /// Whether no other node may answer.
    pub is_only: bool,
}

/// Path reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prep {
    /// Hops and metric from the target.
    pub travel: Travel,
    /// Target of the request.
    pub target: NodeId,
    /// The mesh gate that answers for it, if it is a host.
    pub gate: Option<NodeId>,
    /// HWMP sequence number of the target.
    pub target_seq: u32,
    /// Lifetime of the paths that it leaves.
    pub lifetime: Span,
    /// Originator of the request.
    pub origin: NodeId,
    /// HWMP sequence number of the originator in the request.
    pub origin_seq: u32,
}

/// Path error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perr {
    /// Hops that it may still take.
    pub ttl: u8,
    /// Destinations that the sender can no longer reach.
    pub lost: Vec<Lost>,
}

/// A destination of a path error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Destination.
    pub node: NodeId,
    /// Its HWMP sequence number, increased at the loss; 0 if it is not known.
    pub seq: u32,
    /// Why.
    pub reason: Reason,
}

/// Reason codes (IEEE 802.11-2016 table 9-45).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Reason {
    /// The sender has no path.
    NoForwardingInformation = 62,
    /// The link to the next hop is broken.
    DestinationUnreachable = 63,
}

/// Root announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rann {
    /// Hops and metric from the root.
    pub travel: Travel,
    /// The root.
    pub root: NodeId,
    /// HWMP sequence number of the root.
    pub root_seq: u32,
    /// Time between announcements.
    pub interval: Span,
}

/// Maximum number of targets of a request, and of destinations of an error (clauses 9.4.2.113 and 9.4.2.115).
pub(super) const MAX_TARGETS: usize = 20;
pub(super) const MAX_LOST: usize = 19;

/// Category and action before the element.
const ACTION: u32 = 2;
/// Identifier and length of an element.
const ELEMENT: u32 = 2;
/// LLC and SNAP, which data frames have and action frames do not.
const LLC: u32 = 8;

impl Travel {
    /// At its first sender.
    pub(super) fn new(ttl: u8) -> Travel {
        Travel { hops: 0, ttl, metric: 0 }
    }

    /// After a link of this metric.
    pub(super) fn over(self, metric: u32) -> Travel {
        Travel { hops: self.hops.saturating_add(1), metric: self.metric.saturating_add(metric), ..self }
    }

    /// As it is forwarded, if it may take another hop.
    pub(super) fn onward(self) -> Option<Travel> {
        (self.ttl > 1).then(|| Travel { ttl: self.ttl - 1, ..self })
    }
}

impl HwmpMessage {
    /// Length of the content of its action frame, in bytes.
    pub(super) fn len(&self) -> u32 {
        let element = match self {
            HwmpMessage::Preq(preq) => 26 + 11 * preq.targets.len() as u32,
            HwmpMessage::Prep(prep) => 31 + prep.gate.map_or(0, |_| 6),
            HwmpMessage::Perr(perr) => 2 + 13 * perr.lost.len() as u32,
            HwmpMessage::Rann(_) => 21,
        };
        ACTION + ELEMENT + element
    }

    /// Bytes above the MAC of the model, whose frames all have LLC and SNAP: that of an action frame, on the air.
    pub(super) fn bytes(&self) -> u32 {
        self.len() - LLC
    }
}
