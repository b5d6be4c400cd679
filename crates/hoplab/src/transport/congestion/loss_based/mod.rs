//! Controllers that take losses alone as the signal of congestion.

pub(crate) mod bic;
pub(crate) mod cubic;
pub(crate) mod reno;
pub(crate) mod tahoe;

pub use bic::{Bic, BicConfig};
pub use cubic::{Cubic, CubicConfig, CubicForm};
pub use reno::Reno;
pub use tahoe::Tahoe;
