//! Routing: how a node determines the next hop of a packet. Protocols: AODV (RFC 3561), DSDV (Perkins and Bhagwat 1994),
//! DSR (RFC 4728), OLSR (RFC 3626), HWMP (IEEE 802.11-2016 clause 14.10), and static shortest paths.
//!
//! One folder per protocol, with its constants, its messages and its tables; one row per protocol in `list.rs`. A protocol of
//! the calling program needs no row: see `crates/hoplab/examples/toy_routing.rs`.

// Before the list: `enum_dispatch` generates the forwarding where it has seen both.
mod protocol;

pub mod aodv;
mod config;
pub mod dsdv;
pub mod dsr;
mod facing;
mod graph;
mod hosts;
pub mod hwmp;
mod list;
pub mod olsr;
mod setup;
pub mod static_path;
mod wired;

pub use config::{InvalidRouting, RouteMetric, RoutingConfig, RoutingNeeds, RoutingProfile, SourceBytes};
pub use graph::{Partitions, ReachGraph};
pub use hosts::{Behind, Hosts, Served};
pub use list::{RoutingKind, RoutingProtocol, RoutingTables};
pub use protocol::{RouteCtx, RouteOut, Routing};
pub use setup::{EngineRouting, RoutingConstants, RoutingSetup, Rule};
pub use wired::{Entrances, Exits, Otherwise, Wired};
