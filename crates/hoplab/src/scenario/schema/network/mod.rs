//! Tables of the network: positions and movements of nodes, and settings of single nodes.

pub(crate) mod host;
pub(crate) mod link_file;
pub(crate) mod links;
pub(crate) mod live;
pub(crate) mod mobility;
pub(crate) mod node;
pub(crate) mod part;
pub(crate) mod radios;
pub(crate) mod topology;
pub(crate) mod wire;
