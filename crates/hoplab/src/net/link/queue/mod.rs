//! The interface queue between link layer and MAC (ns-2.35 `ifq_`), and the queue disciplines that order and drop packets.

mod airtime_fq;
mod codel;
mod config;
mod discipline;
mod drop_tail;
mod fq_codel;
mod list;
mod managed;
mod parameters;
mod pie;
mod red;
mod single;
mod turns;

pub use config::QueueConfig;
pub use discipline::{Discipline, Dropped, EngineDiscipline, QueueCtx, QueueSetup, RadioPart, purge_line};
pub use drop_tail::DropTail;
pub use list::{InterfaceQueue, QueueKind};
pub use parameters::QueueParameters;
