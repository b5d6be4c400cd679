//! DSR: packets carry their whole route, which the source has discovered by flooding a request.
//!
//! # Model
//! A route request (RREQ) collects the nodes that it passes. Its target, or a node that knows a route to the target, returns
//! the whole path in a route reply (RREP), along the same hops. Nodes keep paths in caches, which they also fill from the routes of
//! packets that they forward or overhear. A frame that exceeds the MAC's retry limit is a broken link: the node reports it to
//! the packet's source (RERR) and salvages the packet if its own cache has another route.
//!
//! # Source
//! RFC 4728, with the constants of section 9.
//!
//! # Deviations
//! See `docs/protocols/dsr.md`: acknowledgments of the MAC only, no flow state, a path cache, no blacklist of links.
//!
//! # Parameters
//! Table `[routing.dsr]`.

mod agent;
mod cache;
mod config;
mod discovery;
mod failure;
pub mod message;
mod overhear;
mod reply;
mod requests;
mod routing;
mod sent;

pub use agent::Dsr;
pub use config::DsrConfig;
