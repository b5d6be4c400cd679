//! Rate control: the modulation of each unicast data frame.
//!
//! A control is one file that implements [`RateControl`], and one row in `list.rs`. It keeps a state per neighbor, and is asked
//! before each attempt. A program supplies others (`AnyRateControl::Custom`). Without one (`mac.rate_control = "fixed"`) all frames have `mac.data_rate`.

mod arf;
mod ideal;
mod list;
mod minstrel;
mod minstrel_ht;
mod rate_control;

pub use list::{AnyRateControl, RateControlKind};
pub use rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
