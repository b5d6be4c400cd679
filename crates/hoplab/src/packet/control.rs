//! Messages of address resolution and routing.

use crate::kernel::{NodeId, Span, Time};
use std::sync::Arc;

/// Address resolution (RFC 826). Addresses equal node numbers; only the exchange and its time matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arp {
    /// Who is `target`? Asked by the packet's source.
    Request {
        /// Node that is looked for.
        target: NodeId,
    },
    /// I am here: the packet's source.
    Reply,
}

/// Messages of AODV (RFC 3561 section 5) and DSDV.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Route request.
    Rreq {
        /// Hops travelled so far.
        hops: u8,
        /// Number of this request at its origin.
        id: u32,
        /// Node that a route is wanted to.
        dst: NodeId,
        /// Last sequence number known of it.
        dst_seq: u32,
        /// Node that asks.
        origin: NodeId,
        /// Its own sequence number.
        origin_seq: u32,
        /// When the origin sent it.
        sent_at: Time,
    },
    /// Route reply.
    Rrep {
        /// Hops from the sender of this message to `dst`.
        hops: u8,
        /// Node that the route leads to.
        dst: NodeId,
        /// Its sequence number.
        dst_seq: u32,
        /// Node that asked.
        origin: NodeId,
        /// How long the route may be used.
        lifetime: Span,
        /// When the request was sent that this answers.
        requested_at: Time,
    },
    /// Route error: nodes that can no longer be reached through the sender.
    Rerr(Vec<Unreachable>),
    /// Hello: the sender is here, with this sequence number.
    Hello {
        /// The sender's sequence number.
        seq: u32,
    },
    /// DSDV's update: what the sender reaches, and how. Copies share the list.
    Dsdv(Arc<[Advert]>),
}

/// One entry of a DSDV update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advert {
    /// Which node.
    pub dst: NodeId,
    /// Hops to it from the sender; 250 if there is no way.
    pub hops: u8,
    /// Its sequence number.
    pub seq: u32,
}

/// One line of a route error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// Node that is out of reach.
    pub dst: NodeId,
    /// Sequence number from which on that holds.
    pub seq: u32,
}
