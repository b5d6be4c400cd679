//! One run: builds every layer of every node, and dispatches events, indications and packets between layers.
//!
//! An event is dequeued and passed to its layer. Downward, layers are called; upward, a layer writes indications to its
//! outbox, which `dispatch` empties. There is no global state: two worlds share nothing. [`crate::measure`] measures a run;
//! the world calls it at the events that it subscribes to.

mod assembly;
mod deadline;
mod dispatch;
mod error;
mod externals;
mod flows;
mod live;
mod measuring;
mod phy_dispatch;
mod proxies;
mod proxy_station;
mod pull;
mod relays;
mod run;
mod sessions;
#[cfg(test)]
mod tests;

pub use error::EngineError;
pub use externals::{
    ExternalControl, ExternalQueue, ExternalRateControl, ExternalRouting, ExternalSource, ExternalStack, Externals,
    NoExternals,
};
pub use run::World;
