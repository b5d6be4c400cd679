//! What a flow has done, in numbers.

mod fairness;
mod gauge;
mod meter;
mod report;

pub use fairness::jain;
pub use gauge::Gauge;
pub use meter::{Counts, FlowMeter};
pub use report::{FlowLabel, FlowReport};
