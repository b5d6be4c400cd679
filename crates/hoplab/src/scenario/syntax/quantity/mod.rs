//! Quantities with units: `"2 Mb/s"`, `"250 m"`, `"20 ms"`.
//!
//! A number is read digit by digit, so that writing and reading return the same bits; only dBm pass a logarithm.

mod any;
mod decimal;
mod kind;
mod read;
mod serde;
mod types;
mod write;

pub use kind::{ARRIVALS, BYTES, FREQUENCY, Kind, LENGTH, POWER, RATE, SPEED, TIME, Unit, Unreadable};
pub use types::Quantity;

#[cfg(test)]
mod tests;
