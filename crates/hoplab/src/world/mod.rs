//! One run: builds every layer of every node, and carries what layers hand up and down.
//!
//! An event is taken out of the queue and handed to its layer. Down is a call; what a layer reports upward lies in its
//! outbox, which `dispatch` empties. Nothing is global: two worlds share nothing. What is measured of a run is the business
//! of [`crate::measure`], which the world calls at the events it asks for.

mod build;
mod deadline;
mod dispatch;
mod error;
mod externals;
mod flows;
mod measuring;
mod phy_dispatch;
mod proxies;
mod proxy_station;
mod pull;
mod pull_point;
mod run;
#[cfg(test)]
mod tests;

pub use error::EngineError;
pub use externals::{ExternalControl, ExternalQueue, ExternalRouting, ExternalSource, Externals, NoExternals};
pub use run::World;
