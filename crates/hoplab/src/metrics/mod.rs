//! Numbers of a flow: counts, delays, window, quality of a call. A connection feeds them; reports read them.

mod delays;
mod fairness;
mod meter;
mod report;
mod time_average;
mod voice;

pub use delays::Delays;
pub use fairness::jain;
pub use meter::{Counts, FlowMeter};
pub use report::{FlowLabel, FlowReport};
pub use time_average::TimeAverage;
pub use voice::mean_opinion_score;
