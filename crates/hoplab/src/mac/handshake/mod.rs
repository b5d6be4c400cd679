//! Handshake policies: what the RTS/CTS exchange (IEEE 802.11-1999 section 9.2.5.4) decides beyond setting the NAV.
//!
//! One file or folder per policy, with its rules; one row per policy in `list.rs`; one page in `docs/protocols`. A policy
//! sees every frame that its station decodes, knows the queue lengths above the MAC, and is asked at the turns of an exchange
//! (`policy.rs`). `docs/extend/handshakes.md` adds one step by step.

// Before the list: `enum_dispatch` generates the forwarding where it has seen both.
mod policy;

pub mod hop_release;
mod list;
mod plain;
pub mod semi_tcp;
mod setup;
mod turn;

pub use hop_release::{HopRelease, HopReleaseRules};
pub use list::{Handshake, HandshakeKind, HandshakeRules};
pub use plain::Plain;
pub use policy::{Decision, HandshakePolicy, LocalState, RtsBits, RtsResponse, Taken};
pub use semi_tcp::{SemiTcp, SemiTcpRules};
pub use setup::{EngineHandshake, HandshakeSetup};
pub use turn::{Turn, TurnLimits};
