//! The radio channel: loss over distance, who hears whom, and how overlapping frames are received.

mod bit;
mod config;
mod curves;
mod errors;
mod grid;
mod heard;
mod ledger;
mod medium;
mod motion;
mod moving;
mod nav_rule;
mod places;
pub mod propagation;
mod radio;
mod release;
mod sinr;
mod together;
mod visit;
mod walk;

pub use config::{Coherence, RadioConfig, RxModel};
pub use curves::{Noise, bit_error_rate};
pub use errors::{ErrorConfig, ErrorKind, ErrorScope, Errors, Memory};
pub use grid::Grid;
pub use ledger::{AirtimeProbe, NoProbe};
pub use medium::{Medium, READ_RELEASE, Receiver, SIGNAL_ENDS, SIGNAL_STARTS, Switched};
pub use nav_rule::NavRule;
pub use places::ReceiverIndex;
pub use propagation::PropagationKind;
pub use radio::{AccessWait, Arrival, CcaReporting, Radio, Reception};
pub use sinr::{Readable, SinrConfig};
pub use walk::{ArrivalCursor, PhyIndication};
