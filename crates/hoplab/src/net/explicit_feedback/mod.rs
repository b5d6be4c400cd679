//! Routers with explicit feedback: they read the state of their hop and write it into headers of passing packets, as in XCP
//! (Katabi 2002), RCP (Dukkipati 2006) and TCP Muzha (Lien and Hsiao).
//!
//! One file per protocol, one row per router in `list.rs`.

mod atp;
mod context;
mod list;
mod muzha;
mod rcp;
mod router;
mod routers;
mod wcp;
mod xcp;

pub use context::FeedbackCtx;
pub(super) use context::RouterNode;
pub use list::FeedbackKind;
pub use router::{AnyRouter, At, FeedbackRouter, FeedbackSetup, Lost, PacketKind, PacketView};
pub use routers::FeedbackRouters;
