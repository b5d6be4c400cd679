//! Controllers whose only signal of congestion is a loss: Tahoe and Reno (Jacobson 1988, RFC 5681), BIC (Xu 2004) and CUBIC
//! (RFC 9438).

pub(crate) mod bic;
pub(crate) mod cubic;
pub(crate) mod reno;
pub(crate) mod tahoe;

pub use bic::{Bic, BicConfig};
pub use cubic::{Cubic, CubicConfig, CubicForm};
pub use reno::Reno;
pub use tahoe::Tahoe;
