//! What a routing protocol needs of other layers.

use crate::kernel::{Bytes, Span};

/// What a protocol needs of other layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutingNeeds {
    /// Bytes that it adds to the MAC header of all packets of flows.
    pub mesh_bytes: Bytes,
    /// Time by which outcomes of frames lose their weight in the cost of links, if it needs that cost.
    pub link_error_memory: Option<Span>,
}
