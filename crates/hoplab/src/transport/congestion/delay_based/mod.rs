//! Controllers that estimate the queue in the network from delays: Vegas (Brakmo 1995), Veno (Fu, Liew 2003), Compound (Tan
//! 2006), LEDBAT (RFC 6817) and Copa (Arun 2018).

pub(crate) mod compound;
pub(crate) mod copa;
pub(crate) mod ledbat;
pub(crate) mod min_rtt;
pub(crate) mod vegas;
pub(crate) mod veno;

pub use compound::{Compound, CompoundConfig};
pub use copa::{Copa, CopaConfig};
pub use ledbat::{Ledbat, LedbatConfig};
pub use vegas::{Vegas, VegasConfig};
pub use veno::{Veno, VenoConfig};
