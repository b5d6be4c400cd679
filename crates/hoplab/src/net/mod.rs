//! The network layer: forwarding, routing, feedback routers, and the link layer below.

pub mod explicit_feedback;
mod forward;
pub mod link;
mod reverse_routes;
pub mod routing;

pub use forward::{Net, NetCtx, NetOut};
