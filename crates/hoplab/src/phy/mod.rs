//! The radio channel: loss over distance, who hears whom, and how overlapping frames are received.

mod bit;
mod bystander;
mod config;
mod curves;
mod errors;
mod grid;
mod heard;
mod ledger;
mod medium;
mod motion;
mod moving;
mod places;
pub mod propagation;
mod radio;
mod release;
mod sinr;
mod together;
mod visit;
mod walk;

pub use bystander::Bystander;
pub use config::{Coherence, PropagationKind, RadioConfig, RxModel};
pub use curves::{Noise, bit_error_rate};
pub use errors::{ErrorConfig, ErrorKind, ErrorScope, Errors, Memory};
pub use grid::Grid;
pub use ledger::{Ledger, NoLedger};
pub use medium::{AFTER_WALKS, FIRST_BITS, Hearer, LAST_BITS, Medium, READ_RELEASE, Switched};
pub use places::Places;
pub use radio::{Arrival, Awaits, Radio, Reception, Watch};
pub use sinr::{Readable, SinrConfig};
pub use walk::{Told, Walk};
