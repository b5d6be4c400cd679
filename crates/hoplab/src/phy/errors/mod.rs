//! Errors: frames that are corrupted although they are strong enough and do not collide.
//!
//! A new model is one file in `models/` that implements `ErrorModel`, and one row in `list.rs`. [`Errors`] is the model of a run;
//! [`bit_error_rate`] is also what cumulative interference is judged by.

mod bits;
mod config;
mod curves;
mod error_model;
mod kind;
mod list;
mod model;
mod models;
mod ofdm;

pub use bits::BitErrors;
pub use config::{ErrorConfig, ErrorScope, Memory};
pub use curves::{Noise, bit_error_rate, header};
pub use error_model::Arrival;
pub use kind::ErrorKind;
pub use model::Errors;
pub use ofdm::OfdmErrors;
