//! Errors: frames that are corrupted although they are strong enough and do not collide.
//!
//! [`Errors`] is the model of a run; [`bit_error_rate`] is also what cumulative interference is judged by.

mod config;
mod curves;
mod model;

pub use config::{ErrorConfig, ErrorKind, ErrorScope, Memory};
pub use curves::{Noise, bit_error_rate, header};
pub use model::Errors;
