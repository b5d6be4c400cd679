//! Pulled transport: segments and acknowledgments leave when the link layer requests one (Cai 2013, section 3.1).

pub(crate) mod ack_queue;
pub(crate) mod config;
pub(crate) mod slot_pacer;

pub use ack_queue::AckQueue;
pub use config::{OooAck, PullConfig, SACK_EVERY};
