//! The list of workloads, from which names, schema and dispatch are derived: one row each. The line above a row describes it
//! in the schema.

use super::kind::{DrawnFlow, SessionPlan, Setting, Workload};
use super::poisson::PoissonFlows;
use super::request::RequestFlows;
use super::rrul::Rrul;
use super::session::Session;
use super::video::VideoViewers;
use super::web::WebUsers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names and dispatch from the rows.
macro_rules! workloads {
    ($($(#[$doc:meta])* $workload:ident = $name:literal;)*) => {
        /// What users do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum WorkloadKind {
            $($(#[$doc])* #[serde(rename = $name)] $workload,)*
        }

        impl WorkloadKind {
            /// All workloads, in the order of documentation.
            pub const ALL: &[WorkloadKind] = &[$(WorkloadKind::$workload),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(WorkloadKind::$workload => $name,)* }
            }

            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(WorkloadKind::$workload => $workload::SUMMARY,)* }
            }

            /// Keys that it uses, of [`super::WorkloadKeys::NAMES`].
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(WorkloadKind::$workload => $workload::KEYS,)* }
            }

            /// Groups of keys of which one is needed, each with an example.
            pub fn needs(self) -> &'static [(&'static [&'static str], &'static str)] {
                match self { $(WorkloadKind::$workload => $workload::NEEDS,)* }
            }

            /// Whether datagrams can carry it.
            pub fn takes_datagrams(self) -> bool {
                match self { $(WorkloadKind::$workload => $workload::TAKES_DATAGRAMS,)* }
            }

            /// Its flows in a run, in order of their start.
            pub fn flows(self, setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
                match self { $(WorkloadKind::$workload => $workload::flows(setting),)* }
            }

            /// One of its sessions, if it has them.
            pub fn session(self, plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
                match self { $(WorkloadKind::$workload => $workload::session(plan),)* }
            }
        }
    };
}

workloads! {
    /// Transfers that arrive as a Poisson process.
    PoissonFlows = "poisson";
    /// Requests and responses over connections that stay open.
    RequestFlows = "request";
    /// Users who open pages with objects, and read.
    WebUsers = "web";
    /// Viewers of a video at a rate that follows from their buffer.
    VideoViewers = "video";
    /// Bulk transfers both ways, with pings before and beside them.
    Rrul = "rrul";
}
