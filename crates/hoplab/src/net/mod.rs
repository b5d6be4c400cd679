//! The network layer: forwarding (RFC 791), routing, feedback routers, and the link layer below (ns-2.35 `LL`).

mod actions;
pub mod explicit_feedback;
mod forward;
pub mod link;
mod own_turns;
mod reverse_routes;
pub mod routing;
pub mod wires;

pub use forward::{Net, NetCtx, NetOut};
