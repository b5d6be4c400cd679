//! The kernel's measured types as quantities: how each is read from text and written.

use super::kind::{ARRIVALS, BYTES, FREQUENCY, Kind, LENGTH, POWER, RATE, SPEED, TIME, Unreadable};
use super::read::{read_real, read_whole};
use super::write::{shifted, write_real};
use crate::kernel::{Bytes, Hertz, Metres, PerSecond, Rate, Span, Speed, Time, Watts};

/// A kernel type that is written with a unit.
pub trait Quantity: Sized {
    /// Its kind.
    const KIND: &'static Kind;

    /// Reads a value with its unit, such as `"250 m"`.
    fn read(text: &str) -> Result<Self, Unreadable>;

    /// Writes a text that [`Quantity::read`] reads as this value.
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
real_quantity!(PerSecond, ARRIVALS, [("/s", 0)]);
real_quantity!(Hertz, FREQUENCY, [("GHz", 9), ("MHz", 6), ("kHz", 3), ("Hz", 0)]);
