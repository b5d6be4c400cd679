//! Controllers that a loss alone tells of congestion.

pub(in crate::transport) mod bic;
pub(in crate::transport) mod cubic;
pub(in crate::transport) mod reno;
pub(in crate::transport) mod tahoe;

pub use bic::{Bic, BicConfig};
pub use cubic::{Cubic, CubicConfig, CubicForm};
pub use reno::Reno;
pub use tahoe::Tahoe;
