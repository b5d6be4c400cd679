//! What a node of HWMP has to send, and what it knows of the root.

use super::message::Lost;
use crate::kernel::{NodeId, Time, TimerId};

/// Requests of a node that wait for the minimum interval.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Targets of the next request.
    pub(super) targets: Vec<NodeId>,
    /// From when on the next one may be sent.
    pub(super) allowed: Time,
    /// Timer of the next one.
    pub(super) timer: Option<TimerId>,
}

/// Errors of a node that wait for the minimum interval.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// Destinations of the next error.
    pub(super) lost: Vec<Lost>,
    /// Neighbors that it is for.
    pub(super) to: Vec<NodeId>,
    /// Hops that it may take.
    pub(super) ttl: u8,
    /// From when on it may be sent.
    pub(super) allowed: Time,
    pub(super) timer: Option<TimerId>,
}

/// What a node knows of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownRoot {
    /// The root.
    pub(super) node: NodeId,
    /// Sequence number and metric of its last announcement.
    pub(super) seq: u32,
    pub(super) metric: u32,
    /// Neighbor that the announcement came from.
    pub(super) from: NodeId,
    /// When this node last confirmed its path.
    pub(super) confirmed: Option<Time>,
}
