//! Reception: how a receiver treats overlapping signals.
//!
//! [`ReceptionModel`] is what a model provides: pairwise comparison as in ns-2, with fading and errors or without,
//! cumulative interference, and OFDM.

mod config;
mod cumulative;
mod impaired;
mod list;
mod model;
mod ofdm;
mod pairwise;
mod sinr;

pub use config::{Readable, SinrConfig};
pub use cumulative::Cumulative;
pub use impaired::Impaired;
pub use list::{AnyReception, Compiled, ReceptionKind};
pub(in crate::phy) use model::{Arrival, Departure, ReceptionModel, Signal};
pub use ofdm::Ofdm;
pub use pairwise::Pairwise;
pub(in crate::phy) use sinr::{least_interference, survives_threshold};
