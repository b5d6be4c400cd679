//! Controllers as Linux 2.6.22 has them: whole windows that grow by counters.

pub(in crate::transport) mod cubic;
pub(in crate::transport) mod reno;
pub(in crate::transport) mod vegas;

pub use reno::LinuxReno;
pub use vegas::{LinuxVegas, LinuxVegasConfig};
