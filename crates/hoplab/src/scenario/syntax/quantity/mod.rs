//! Quantities as people write them: `"2 Mb/s"`, `"250 m"`, `"20 ms"`.
//!
//! A value is read digit by digit, so that writing and reading give the same bits again; only dBm pass a logarithm.

mod decimal;
mod kind;
mod read;
mod serde;

use crate::kernel::{Bytes, Hertz, Metres, Rate, Span, Speed, Time, Watts};
pub use kind::{BYTES, FREQUENCY, Kind, LENGTH, POWER, RATE, SPEED, TIME, Unit, Unreadable};
use read::{read_real, read_whole};

/// A kernel type that people write with a unit.
pub trait Quantity: Sized {
    /// What it measures.
    const KIND: &'static Kind;

    /// Reads `"250 m"`.
    fn read(text: &str) -> Result<Self, Unreadable>;

    /// Writes what [`Quantity::read`] reads as the same value.
    fn write(&self) -> String;

    /// Value in the SI unit.
    fn si(&self) -> f64;

    /// The value of a bare whole number, where the kind allows one.
    fn from_bare(_number: u64) -> Option<Self> {
        None
    }
}

impl Quantity for Span {
    const KIND: &'static Kind = &TIME;
    fn read(text: &str) -> Result<Span, Unreadable> {
        read_whole(&TIME, text, 9).map(Span)
    }
    fn write(&self) -> String {
        let (symbol, exponent) = match self.0 {
            1..1_000 => ("ns", 0),
            1_000..1_000_000 => ("us", 3),
            1_000_000..1_000_000_000 => ("ms", 6),
            0 | 1_000_000_000.. => ("s", 9),
        };
        format!("{} {symbol}", shifted(&self.0.to_string(), -exponent))
    }
    fn si(&self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Quantity for Time {
    const KIND: &'static Kind = &TIME;
    fn read(text: &str) -> Result<Time, Unreadable> {
        Span::read(text).map(|span| Time(span.0))
    }
    fn write(&self) -> String {
        Span(self.0).write()
    }
    fn si(&self) -> f64 {
        Span(self.0).si()
    }
}

impl Quantity for Bytes {
    const KIND: &'static Kind = &BYTES;
    fn read(text: &str) -> Result<Bytes, Unreadable> {
        read_whole(&BYTES, text, 0).map(|bytes| Bytes(bytes as u32))
    }
    fn write(&self) -> String {
        format!("{} B", self.0)
    }
    fn si(&self) -> f64 {
        f64::from(self.0)
    }
    fn from_bare(number: u64) -> Option<Bytes> {
        u32::try_from(number).ok().map(Bytes)
    }
}

macro_rules! real_quantity {
    ($type:ident, $kind:ident, $units:expr) => {
        impl Quantity for $type {
            const KIND: &'static Kind = &$kind;
            fn read(text: &str) -> Result<$type, Unreadable> {
                read_real(&$kind, text).map($type)
            }
            fn write(&self) -> String {
                write_real(self.0, &$units)
            }
            fn si(&self) -> f64 {
                self.0
            }
        }
    };
}

real_quantity!(Rate, RATE, [("Gb/s", 9), ("Mb/s", 6), ("kb/s", 3), ("b/s", 0)]);
real_quantity!(Metres, LENGTH, [("m", 0)]);
// Powers are written in watts, as the thresholds of ns-2's scripts are.
real_quantity!(Watts, POWER, [("W", 0)]);
real_quantity!(Speed, SPEED, [("m/s", 0)]);
real_quantity!(Hertz, FREQUENCY, [("GHz", 9), ("MHz", 6), ("kHz", 3), ("Hz", 0)]);

/// Writes `value` in the largest of `units` that it is at least one of, or in the last.
fn write_real(value: f64, units: &[(&str, i32)]) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let magnitude: i32 = exponent.parse().unwrap_or(0);
    let (symbol, unit) = units.iter().find(|(_, unit)| magnitude >= *unit).or(units.last()).unwrap_or(&("", 0));
    let number = if (-4..=15).contains(&(magnitude - unit)) {
        let places = digits.find('.').map_or(0, |at| digits[at + 1..].chars().fold(0, |count, _| count + 1));
        shifted(&digits.replace('.', ""), magnitude - unit - places)
    } else {
        format!("{digits}e{}", magnitude - unit)
    };
    format!("{number} {symbol}")
}

/// Whole `digits` times ten to the `exponent`, without superfluous zeros.
fn shifted(digits: &str, exponent: i32) -> String {
    if exponent >= 0 {
        return if digits == "0" { digits.to_owned() } else { digits.to_owned() + &"0".repeat(exponent as usize) };
    }
    let places = exponent.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests;
