//! Simulated time in integer nanoseconds: sums are exact, so that equal times compare equal on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A time of the simulation, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A duration of simulated time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Time = Time(0);
    /// Later than every event.
    pub const NEVER: Time = Time(u64::MAX);

    /// Seconds since the start of the run.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time `secs` seconds after the start, rounded to a nanosecond.
    pub fn from_secs(secs: f64) -> Time {
        Time(Span::from_secs(secs).0)
    }

    /// This time plus `span`, without the saturation of `+` at [`Time::NEVER`]: for times within a run, on the hot path.
    #[inline]
    #[must_use]
    pub fn later(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }

    /// Time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// Zero.
    pub const ZERO: Span = Span(0);

    /// A whole number of microseconds.
    pub const fn from_micros(micros: u64) -> Span {
        Span(micros * 1_000)
    }

    /// A whole number of milliseconds.
    pub const fn from_millis(millis: u64) -> Span {
        Span(millis * 1_000_000)
    }

    /// `secs` seconds, rounded to a nanosecond; negative and NaN become zero.
    pub fn from_secs(secs: f64) -> Span {
        Span(libm::round(secs * 1e9) as u64)
    }

    /// Duration in seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whole microseconds, halves rounded up, as 802.11 Duration fields count.
    pub fn round_micros(self) -> u64 {
        (self.0 + 500) / 1_000
    }

    /// Whole microseconds, rounded up.
    pub fn ceil_micros(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// The difference, at least zero.
    #[must_use]
    pub fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        debug_assert!(self.0 >= span.0, "{self} - {span} is before the start of the run");
        Time(self.0.saturating_sub(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        debug_assert!(self.0 >= other.0, "{self} - {other} is below zero");
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Time(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_nanoseconds() {
        assert_eq!(Span::from_secs(2.0 / 3.0e6), Span(667));
        assert_eq!(Time::from_secs(0.25), Time(250_000_000));
        assert_eq!(Span::from_secs(f64::NAN), Span::ZERO);
        assert_eq!(Span::from_secs(-1.0), Span::ZERO);
    }

    #[test]
    fn durations_round_half_up() {
        assert_eq!(Span(2_423_273).round_micros(), 2_423);
        assert_eq!(Span(500).round_micros(), 1);
        assert_eq!(Span(499).round_micros(), 0);
        assert_eq!([0, 1, 1_000, 1_001].map(|nanos| Span(nanos).ceil_micros()), [0, 1, 1, 2]);
    }

    #[test]
    fn prints_seconds() {
        assert_eq!(Time(1_000_000_120).to_string(), "1.000000120 s");
    }
}
