//! The interface queue between link layer and MAC (ns-2.35 `ifq_`), and the queue disciplines that order and drop packets.

mod config;
mod discipline;
mod drop_tail;
mod list;

pub use config::QueueConfig;
pub use discipline::{Discipline, Dropped, EngineDiscipline, QueueCtx, purge_line};
pub use drop_tail::DropTail;
pub use list::{InterfaceQueue, QueueKind};
