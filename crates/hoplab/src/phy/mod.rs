//! The radio channel: loss over distance, who hears whom, and how overlapping frames are received.

mod config;
mod grid;
mod medium;
mod places;
pub mod propagation;
mod radio;

pub use config::{Coherence, PropagationKind, RadioConfig, RxModel};
pub use grid::Grid;
pub use medium::{FIRST_BITS, Hearer, LAST_BITS, Medium, Walk};
pub use places::Places;
pub use radio::{Arrival, Bystander, Radio, Reception};
