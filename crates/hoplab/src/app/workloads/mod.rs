//! Workloads: what many users do, as flows that begin and end. Table `[[workload]]`.
//!
//! A new workload is one file that implements [`kind::Workload`], and one row in `list.rs`.

mod keys;
mod kind;
mod list;
mod poisson;
mod sizes;

pub use keys::WorkloadKeys;
pub use kind::{Content, DrawnFlow, Setting};
pub use list::WorkloadKind;
pub use sizes::{SizeConfig, SizeTable};
