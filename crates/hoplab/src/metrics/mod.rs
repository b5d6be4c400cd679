//! What a flow has done, in numbers.

mod delays;
mod fairness;
mod gauge;
mod meter;
mod report;
mod voice;

pub use delays::Delays;
pub use fairness::jain;
pub use gauge::Gauge;
pub use meter::{Counts, FlowMeter};
pub use report::{FlowLabel, FlowReport};
pub use voice::mean_opinion_score;
