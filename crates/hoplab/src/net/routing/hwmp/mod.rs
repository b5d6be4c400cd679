//! HWMP: paths of least airtime, found when a packet needs one, and a tree that a root announces.
//!
//! # Model
//! A path request (PREQ) that is flooded accumulates the airtime of the links that it crosses, and leaves a path to its
//! originator at each node. Of copies of one request, a node forwards each that is better than those before. The target
//! answers along the path with a path reply (PREP). An origin that uses a path requests it again from time to time, so that a
//! better one replaces it. A root announces itself by requests to all nodes, or by root announcements (RANN). A neighbor that the
//! MAC cannot reach ends all paths through it, and path errors (PERR) inform the nodes that use them.
//!
//! # Source
//! IEEE 802.11-2016 clauses 14.9 (airtime link metric) and 14.10 (HWMP), with the lengths of clause 9.4.2.
//!
//! # Deviations
//! See `docs/protocols/hwmp.md`. Nodes have no beacons and no peering: a neighbor counts once a message of it arrives. Nodes are
//! no proxies for others, and routing stands for the MAC's forwarding, so that packets have the TTL of the mesh.
//!
//! # Parameters
//! Table `[routing.hwmp]`.

mod agent;
mod config;
mod discovery;
mod encode;
mod failure;
pub mod message;
mod path;
mod receive;
mod root;
mod routing;
mod send_buffer;
mod state;

pub use agent::{Hwmp, HwmpPath};
pub use config::{HwmpConfig, HwmpMetric, RootMode};
