//! Controllers as modules of Linux 2.6.22, which ns-2.35's `Agent/TCP/Linux` runs: counted windows and integer arithmetic.

pub(crate) mod acks_per_segment;
pub(crate) mod compound;
pub(crate) mod cubic;
pub(crate) mod reno;
pub(crate) mod vegas;
pub(crate) mod veno;

pub use compound::LinuxCompound;
pub use reno::LinuxReno;
pub use vegas::{LinuxVegas, LinuxVegasConfig};
pub use veno::LinuxVeno;
