//! The report of a run: what `hoplab run --json` prints, one object per seed. The published schema is derived from it.

mod flow;
mod live;
mod node;
mod proxy;
mod run;
mod wire;
mod workload;

pub use flow::FlowBaseline;
pub use node::NodeReport;
pub(super) use proxy::split_reports;
pub use proxy::{ProxyReport, SplitReport};
pub use run::{Frames, RoutingCounts, RunFacts, RunReport};
pub use wire::WireReport;
pub use workload::{SessionTotals, WorkloadReport};
