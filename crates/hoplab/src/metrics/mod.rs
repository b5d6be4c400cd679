//! Metrics of a flow: counts, delays (RFC 3550), window, and voice quality (ITU-T G.107). A connection updates them; reports
//! read them.

mod completion;
mod delays;
mod fairness;
mod meter;
mod report;
mod time_average;
mod voice;

pub use completion::{Completion, CompletionReport, SizeReport, TimesReport};
pub use delays::Delays;
pub use fairness::jain;
pub use meter::{Counts, FlowMeter};
pub use report::{FlowLabel, FlowReport};
pub use time_average::TimeAverage;
pub use voice::mean_opinion_score;
