//! A run in numbers: what `hoplab run --json` prints, one object per seed.

mod flow;
mod node;
mod proxy;
mod run;

pub use flow::FlowBaseline;
pub use node::NodeReport;
pub(super) use proxy::split_reports;
pub use proxy::{ProxyReport, SplitReport};
pub use run::{Frames, RoutingCounts, RunFacts, RunReport};
