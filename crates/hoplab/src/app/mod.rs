//! Applications: how much data a flow has to send, and when (ns-2.35 `Application`).
//!
//! An application supplies; the transport below decides when it sends what was supplied. Over a connection, what is supplied
//! faster than it can be sent waits in the sender without limit, as in a socket buffer that never blocks.
//!
//! A new application is one file in `applications/` that implements [`application::Application`], and one row in `list.rs`.
//! Its name, summary, keys and messages are derived from that row. A new key is added to [`AppKeys`] and to `FlowConfig` of
//! the scenario.

mod application;
mod applications;
mod keys;
mod list;
mod pair_meter;
mod probe;
mod source;
mod traffic;
mod workloads;

pub use application::{Application, Carrier, FixedSegment};
pub use applications::{AdhocProbe, Cbr, Ftp, OnOff, Poisson, Voip, WinfProbe};
pub use keys::AppKeys;
pub use list::{AppConfig, AppKind};
pub use pair_meter::PairMeter;
pub use probe::{INTERVAL, PROBE_BYTES};
pub use source::App;
pub use traffic::{Silent, Supply, Traffic};
pub use workloads::{
    Act, Action, Content, DrawnFlow, QUIET, Session, SessionPlan, SessionReport, Setting, SizeConfig, SizeTable, Times,
    VIDEO_BUFFER, WorkloadKeys, WorkloadKind,
};
