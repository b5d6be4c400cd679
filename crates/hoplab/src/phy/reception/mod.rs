//! Reception models: how a receiver treats overlapping frames.

mod sinr;

pub(in crate::phy) use sinr::{Bit, Sinr};
pub use sinr::{Readable, SinrConfig};
