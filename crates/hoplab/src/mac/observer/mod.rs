//! Channel observers: parts of a MAC that see frames and the state of the medium, and change neither.
//!
//! One file or folder per observer, with its table of constants; one row per observer in `list.rs`; one page in
//! `docs/protocols`. What they find is read through [`ChannelView`](crate::packet::ChannelView), by routers and senders at
//! the same node. `docs/extend/observers.md` adds one step by step.

// Before the list: `enum_dispatch` generates the forwarding where it has seen both.
mod channel_observer;

mod busy;
mod busy_time;
mod idle_gap;
mod list;
mod observers;
mod setup;
mod winf;

pub use busy::Busy;
pub use busy_time::BusyTime;
pub use channel_observer::{ChannelObserver, Role};
pub use idle_gap::{IdleGap, IdleGapConfig};
pub use list::{Observer, ObserverKind, ObserverTables};
pub use observers::Observers;
pub use setup::{EngineObserver, ObserverSetup};
pub use winf::{Overhead, Winf, WinfConfig, clean};
