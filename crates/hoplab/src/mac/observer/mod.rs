//! Channel observers: parts of a MAC that read frames and the state of the medium, and change neither, but for the
//! pause of `retries.rs`. They estimate load and bandwidth by the papers of Lee (2007), Barreto (2015), and Lien and Hsiao.
//!
//! One file or folder per observer, with its table of constants; one row per observer in `list.rs`; one page in
//! `docs/protocols`. Routers and senders at the same node read the estimates through
//! [`ChannelView`](crate::packet::ChannelView). `docs/extend/observers.md` adds one step by step.

// Before the list: `enum_dispatch` generates the forwarding where it has seen both.
mod channel_observer;

mod airtime;
mod busy;
mod busy_time;
mod idle_gap;
mod link_airtime;
mod list;
mod neighborhood;
mod observers;
mod retries;
mod service;
mod setup;
mod winf;

pub use airtime::NeighborAirtime;
pub use busy::Busy;
pub use busy_time::BusyTime;
pub use channel_observer::{ChannelObserver, Content, Role};
pub use idle_gap::{IdleGap, IdleGapConfig};
pub use link_airtime::LinkAirtime;
pub use list::{Observer, ObserverKind, ObserverTables};
pub use observers::Observers;
pub use retries::MeanRetries;
pub use setup::{EngineObserver, ObserverSetup};
pub use winf::{Overhead, Winf, WinfConfig, clean};
