//! What is measured of a run and reported: airtime, connectivity, goodput intervals, samples, reports, and the audit.
//!
//! Measures subscribe to events of a run: `world` passes them a [`RunView`] at those events, and they own what they derive
//! from it. A measure changes nothing in the layers.

mod airtime;
mod audit;
#[cfg(test)]
mod audit_tests;
mod bound_inputs;
mod connectivity;
#[cfg(test)]
mod estimate_tests;
mod estimates;
mod exchange;
mod goodput;
mod idle;
mod measures;
mod path_probe;
mod report;
mod sample;
mod view;

pub use airtime::{AccountProbe, AirtimeAccounts, AirtimeReport, AirtimeUse, NodeAirtime, NodeState};
pub use audit::AuditError;
pub use bound_inputs::{bound_inputs, sensed};
pub use connectivity::{Connectivity, NetworkReport};
pub use estimates::Estimate;
pub use exchange::{Disturbed, Exchange, disturbed, losses, played};
pub use idle::{IdlePath, IdleTimes};
pub use measures::Measures;
pub use path_probe::PathProbe;
pub use report::{
    FlowBaseline, Frames, NodeReport, ProxyReport, RoutingCounts, RunFacts, RunReport, SessionTotals, SplitReport,
    WireReport, WorkloadReport,
};
pub use sample::{Sample, Sampler};
pub use view::RunView;
