//! hoplab: a laboratory for transport protocols over multi-hop 802.11 networks.
//!
//! The engine: values and state machines. It knows no file, socket, thread or wall clock; a [`world::World`] is one run.
#![forbid(unsafe_code)]

pub mod app;
pub mod kernel;
pub mod mac;
pub mod measure;
pub mod metrics;
pub mod mobility;
pub mod net;
pub mod packet;
pub mod phy;
pub mod scenario;
pub mod sim;
pub mod trace;
pub mod transport;
pub mod world;
