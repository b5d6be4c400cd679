//! AODV: a route is discovered by flooding a request when a packet needs one, and invalidated when the MAC loses the link.
//!
//! # Model
//! Per destination a node keeps a sequence number, the hops, the next hop and a lifetime. A RREQ leaves a reverse route to its
//! originator at each node; the destination, or a node whose route is new enough, replies along it. A frame that exceeds the
//! MAC's retry limit is a broken link: the node repairs the route if the packet has traveled more hops than remain (`ns2`),
//! and otherwise invalidates all routes through that neighbor and sends a RERR.
//!
//! # Source
//! RFC 3561. Profile `ns2` (default) does what ns-2.35 does with its usual compile-time switches: link-layer detection and
//! local repair on, hello messages and gratuitous replies off. Differences beyond constants are values in `rules.rs`.
//!
//! # Deviations
//! See `docs/protocols/aodv.md`. Profile `ns2`: a RREP is not sent without a reverse route (ns-2 sends it to node 0); the purge
//! timers run only while there is something to purge, with the same effect at the same times.
//!
//! # Parameters
//! Table `[routing.aodv]`.

mod agent;
mod aging;
mod config;
mod discovery;
mod failure;
mod hello;
pub mod message;
mod purge_timer;
mod receive;
mod routing;
mod rules;
mod send;
mod state;

pub use agent::{Aodv, Route};
pub use config::AodvConfig;
pub(super) use state::send_buffer::SendBuffer;
