//! Physical quantities other than time, in SI units, as types. Formulas use the inner number; interfaces pass the type.

use super::time::Span;

/// Bits per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

/// Power in watts.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Watts(pub f64);

/// Length in metres.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Metres(pub f64);

/// Frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Hertz(pub f64);

/// Metres per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Speed(pub f64);

/// Events per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PerSecond(pub f64);

/// A count of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u32);

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} m/s", self.0)
    }
}

impl Rate {
    /// Time to transmit `bits` at this rate, rounded to a nanosecond.
    pub fn time_for(self, bits: u64) -> Span {
        Span::from_secs(bits as f64 / self.0)
    }
}

impl Watts {
    /// Power given in dBm.
    pub fn from_dbm(dbm: f64) -> Watts {
        Watts(libm::pow(10.0, (dbm - 30.0) / 10.0))
    }

    /// This power in dBm.
    pub fn dbm(self) -> f64 {
        10.0 * libm::log10(self.0) + 30.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airtime_of_segment_at_two_rates() {
        assert_eq!(Rate(2e6).time_for(1534 * 8), Span::from_micros(6136));
        assert_eq!(Rate(5.5e6).time_for(20 * 8), Span(29_091));
    }

    #[test]
    fn dbm_converts_to_watts_and_back() {
        assert!((Watts(0.281_838_15).dbm() - 24.5).abs() < 1e-4);
        assert!((Watts::from_dbm(24.5).0 - 0.281_838_29).abs() < 1e-8);
    }
}
