//! Propagation: loss over distance, by the models of ns-2.35's `mobile/` (Friis 1946, two-ray ground, shadowing).
//!
//! A new model is one file that implements [`Propagation`], and one row in `list.rs`. Parameters that no model has yet are
//! added to `RadioConfig`.

mod delay;
mod fading_kind;
mod free_space;
mod kind;
mod list;
mod model;
mod multipath;
mod path_loss;
mod power_law;
mod shadowing;
mod two_ray;

pub(in crate::phy) use delay::delay_nanos;
pub use delay::{LIGHT, delay, distance_in};
pub use fading_kind::FadingKind;
pub use kind::PropagationKind;
pub use model::Propagation;
pub use multipath::Multipath;
pub use path_loss::PathLoss;
pub use shadowing::Fading;
