//! What a node knows of its neighborhood: links, neighbors, nodes two hops away, and which radios are whose.

pub(super) mod interfaces;
pub(super) mod links;
pub(super) mod neighbors;
