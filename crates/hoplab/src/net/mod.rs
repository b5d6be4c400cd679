//! The network layer: forwarding, routing, router assists, and the link layer below.

pub mod assist;
mod forward;
pub mod link;
pub mod routing;
mod ways_back;

pub use forward::{Net, NetCtx, NetOut};
