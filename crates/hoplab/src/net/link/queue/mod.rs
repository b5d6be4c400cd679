//! The interface queue: where packets wait for the MAC, and the queue disciplines that order and drop them.

mod config;
mod discipline;
mod drop_tail;
mod list;

pub use config::QueueConfig;
pub use discipline::{Discipline, Dropped, EngineDiscipline, QueueCtx, purge_line};
pub use drop_tail::DropTail;
pub use list::{InterfaceQueue, QueueKind};
