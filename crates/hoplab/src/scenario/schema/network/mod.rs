//! Tables of the network: where nodes are, how they move, and what differs at single nodes.

pub(crate) mod mobility;
pub(crate) mod node;
pub(crate) mod part;
pub(crate) mod topology;
