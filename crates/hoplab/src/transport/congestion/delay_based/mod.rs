//! Controllers that estimate the queue in the network from the round-trip time.

pub(crate) mod compound;
pub(crate) mod min_rtt;
pub(crate) mod vegas;
pub(crate) mod veno;

pub use compound::{Compound, CompoundConfig};
pub use vegas::{Vegas, VegasConfig};
pub use veno::{Veno, VenoConfig};
