//! Transport that sends when it is asked.

pub(super) mod ack_queue;
pub(super) mod config;
pub(super) mod slot_pacer;

pub use ack_queue::AckQueue;
pub use config::{OooAck, PullConfig};
