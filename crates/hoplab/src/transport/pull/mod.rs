//! Receiver-driven transport: segments and acknowledgments that leave when the node below requests one.

pub(crate) mod ack_queue;
pub(crate) mod config;
pub(crate) mod slot_pacer;

pub use ack_queue::AckQueue;
pub use config::{OooAck, PullConfig};
