//! Explicit feedback between routers and transport: the headers that routers change, and the parameters of each protocol.
//!
//! One file per protocol. A segment carries one header, of any protocol ([`Feedback`]); an acknowledgment returns an [`Echo`]. The
//! routers are in `net/explicit_feedback`, the senders in `transport`.

mod atp;
mod config;
mod feedback;
mod form;
mod muzha;
mod rcp;
mod wcp;
mod xcp;

pub use atp::{AtpConfig, AtpReport};
pub use config::ExplicitConfig;
pub use feedback::{Echo, EchoRule, Feedback};
pub use form::Form;
pub use muzha::{
    Aggregate, DraiConfig, DraiGrid, DraiMode, DraiTable, DropOverride, EchoChoice, MAX_LEVEL, MIN_LEVEL, MarkRule,
    MuzhaConfig, RoundRule, StampAt,
};
pub use rcp::{FirstCapacity, RcpConfig, RcpHeader, RcpKind, RcpWinfConfig, Recovery, RefClock, Stamp, TrafficRule};
pub use wcp::{WcpConfig, WcpHeader, WcpRecord};
pub use xcp::{SpareRule, XcpBConfig, XcpConfig, XcpHeader, XcpKind, XcpWinfConfig};
