//! OLSR: each node floods its links through chosen neighbors, and computes shortest paths to all others.
//!
//! # Model
//! HELLO messages, which no node forwards, list the links of their sender. So each node knows its neighbors and theirs. It
//! selects multipoint relays (MPRs) among its neighbors, which together reach all nodes two hops away. Only a node that is
//! selected sends topology control messages (TC), with the neighbors that selected it; only MPRs forward them. Routes are
//! shortest paths over what is known, by hops or by expected transmissions (ETX). A packet without a route is dropped.
//!
//! # Source
//! RFC 3626, with the core functions, several radios per node (MID, section 5), gateways (HNA, section 12), link-layer notification (section 13) and redundant topology
//! information (section 15). ETX: De Couto et al. 2003; messages and window as in olsrd (`LinkQualityLevel 2`).
//!
//! # Deviations
//! See `docs/protocols/olsr.md`. No hysteresis (section 14), one MPR per node two hops away (no `MPR_COVERAGE`); the topology of an originator has one time and one sequence number.
//!
//! # Parameters
//! Table `[routing.olsr]`.

mod agent;
mod config;
mod emf;
mod encode;
pub mod message;
mod mpr;
mod neighborhood;
mod quality;
mod receive;
mod routing;
mod send;
mod table;
mod topology;

pub use agent::Olsr;
pub use config::OlsrConfig;
pub use emf::Emf;
pub use quality::Quality;
pub use table::OlsrRoute;
