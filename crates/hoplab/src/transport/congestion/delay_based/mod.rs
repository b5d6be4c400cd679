//! Controllers that estimate the queue in the network from the round-trip time: Vegas (Brakmo 1995), Veno (Fu, Liew 2003)
//! and Compound (Tan 2006).

pub(crate) mod compound;
pub(crate) mod min_rtt;
pub(crate) mod vegas;
pub(crate) mod veno;

pub use compound::{Compound, CompoundConfig};
pub use vegas::{Vegas, VegasConfig};
pub use veno::{Veno, VenoConfig};
