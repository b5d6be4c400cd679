//! Workloads: what many users do, as flows that begin and end. Table `[[workload]]`.
//!
//! A new workload is one file that implements [`kind::Workload`], and one row in `list.rs`. If its ends take turns, it has a
//! [`Session`].

mod keys;
mod kind;
mod list;
mod poisson;
mod request;
mod rrul;
mod session;
mod sizes;
mod video;
mod web;

pub use keys::WorkloadKeys;
pub use kind::{Content, DrawnFlow, SessionPlan, Setting};
pub use list::WorkloadKind;
pub use rrul::QUIET;
pub use session::{Act, Action, Session, SessionReport, Times};
pub use sizes::{SizeConfig, SizeTable};
pub use video::VIDEO_BUFFER;
