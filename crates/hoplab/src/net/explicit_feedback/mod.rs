//! Routers with explicit feedback: they read the state of their hop and write it into headers of passing packets.
//!
//! One file per protocol, one row per router in `list.rs`.

mod context;
mod list;
mod muzha;
mod rcp;
mod router;
mod routers;
mod xcp;

pub use context::FeedbackCtx;
pub(super) use context::RouterNode;
pub use list::FeedbackKind;
pub use router::{AnyRouter, At, FeedbackRouter, FeedbackSetup, Lost, PacketKind, PacketView};
pub use routers::FeedbackRouters;
