//! Controllers that judge the queue by the round-trip time.

pub(in crate::transport) mod compound;
pub(in crate::transport) mod min_rtt;
pub(in crate::transport) mod vegas;
pub(in crate::transport) mod veno;

pub use compound::{Compound, CompoundConfig};
pub use vegas::{Vegas, VegasConfig};
pub use veno::{Veno, VenoConfig};
