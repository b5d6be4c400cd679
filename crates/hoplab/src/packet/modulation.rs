//! Modulations of IEEE 802.11: the bit rate of a frame behind its PHY header, and how its bits are sent.
//!
//! A modulation is one byte, an index into a table: DSSS and CCK of 802.11b first, then OFDM (IEEE 802.11-2016
//! section 17.3) in channels of 20, 10 and 5 MHz.

use crate::kernel::Rate;

/// A modulation, with its code rate and channel width.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Modulation(u8);

/// Widths of an OFDM channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// 20 MHz.
    Mhz20,
    /// 10 MHz: half the rates, twice the times.
    Mhz10,
    /// 5 MHz: a quarter of the rates, four times the times.
    Mhz5,
}

/// Points of a constellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constellation {
    /// Two points, one bit.
    Bpsk,
    /// Four points, two bits.
    Qpsk,
    /// 16 points, four bits.
    Qam16,
    /// 64 points, six bits.
    Qam64,
}

/// Rates of the convolutional code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
}

/// How the bits of an OFDM frame are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding {
    /// Constellation of each subcarrier.
    pub constellation: Constellation,
    /// Rate of the code.
    pub rate: CodeRate,
    /// Data bits of a symbol, NDBPS.
    pub bits_per_symbol: u32,
}

/// Rates of DSSS and CCK, in b/s.
const DSSS: [f64; 4] = [1e6, 2e6, 5.5e6, 11e6];

/// OFDM by rate (IEEE 802.11-2016 table 17-4).
const OFDM: [Coding; 8] = {
    use CodeRate::{Half, ThreeQuarters, TwoThirds};
    use Constellation::{Bpsk, Qam16, Qam64, Qpsk};
    const fn coding(constellation: Constellation, rate: CodeRate, bits_per_symbol: u32) -> Coding {
        Coding { constellation, rate, bits_per_symbol }
    }
    [
        coding(Bpsk, Half, 24),
        coding(Bpsk, ThreeQuarters, 36),
        coding(Qpsk, Half, 48),
        coding(Qpsk, ThreeQuarters, 72),
        coding(Qam16, Half, 96),
        coding(Qam16, ThreeQuarters, 144),
        coding(Qam64, TwoThirds, 192),
        coding(Qam64, ThreeQuarters, 216),
    ]
};

/// Microseconds of an OFDM symbol in 20 MHz.
const SYMBOL_MICROS: u64 = 4;

impl Width {
    /// All widths, the widest first.
    pub const ALL: [Width; 3] = [Width::Mhz20, Width::Mhz10, Width::Mhz5];

    /// Times are so many times those of 20 MHz.
    pub fn scale(self) -> u64 {
        1 << self as u8
    }

    /// In MHz.
    pub fn mhz(self) -> f64 {
        20.0 / self.scale() as f64
    }

    /// Microseconds of a symbol.
    pub fn symbol_micros(self) -> u64 {
        SYMBOL_MICROS * self.scale()
    }
}

impl Modulation {
    /// 1 Mb/s, DBPSK.
    pub const DBPSK1: Modulation = Modulation(0);
    /// 2 Mb/s, DQPSK.
    pub const DQPSK2: Modulation = Modulation(1);
    /// 5.5 Mb/s, CCK.
    pub const CCK5: Modulation = Modulation(2);
    /// 11 Mb/s, CCK.
    pub const CCK11: Modulation = Modulation(3);

    /// Number of modulations.
    pub const COUNT: usize = DSSS.len() + OFDM.len() * Width::ALL.len();

    /// Those of 802.11b, the slowest first.
    pub const DSSS: [Modulation; 4] = [Modulation::DBPSK1, Modulation::DQPSK2, Modulation::CCK5, Modulation::CCK11];

    /// OFDM in a channel of this width, the slowest first.
    pub fn ofdm(width: Width) -> [Modulation; 8] {
        std::array::from_fn(|rate| Modulation((DSSS.len() + width as usize * OFDM.len() + rate) as u8))
    }

    /// The slowest modulation of 802.11b of at least this rate.
    pub fn of(rate: Rate) -> Modulation {
        Modulation::DSSS.into_iter().find(|modulation| modulation.rate().0 >= rate.0).unwrap_or(Modulation::CCK11)
    }

    /// Its index in tables by modulation.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Its bit rate.
    pub fn rate(self) -> Rate {
        match self.coding() {
            None => Rate(DSSS[self.index()]),
            Some((coding, width)) => Rate(f64::from(coding.bits_per_symbol) / width.symbol_micros() as f64 * 1e6),
        }
    }

    /// Coding and channel width, if it is OFDM.
    pub fn coding(self) -> Option<(&'static Coding, Width)> {
        let place = self.index().checked_sub(DSSS.len())?;
        Some((&OFDM[place % OFDM.len()], Width::ALL[place / OFDM.len()]))
    }

    /// Whether it is OFDM.
    #[inline]
    pub fn is_ofdm(self) -> bool {
        self.index() >= DSSS.len()
    }
}

impl std::fmt::Debug for Modulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_ofdm() { "OFDM" } else { "DSSS" };
        write!(f, "{kind} {} Mb/s", self.rate().0 * 1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_standard() {
        let mbps = |width| Modulation::ofdm(width).map(|mode| mode.rate().0 * 1e-6);
        assert_eq!(Modulation::DSSS.map(|mode| mode.rate().0), [1e6, 2e6, 5.5e6, 11e6]);
        assert_eq!(mbps(Width::Mhz20), [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(Width::Mhz10), [3.0, 4.5, 6.0, 9.0, 12.0, 18.0, 24.0, 27.0]);
        assert_eq!(mbps(Width::Mhz5), [1.5, 2.25, 3.0, 4.5, 6.0, 9.0, 12.0, 13.5]);
        assert_eq!(Modulation::ofdm(Width::Mhz5)[7].index() + 1, Modulation::COUNT);
    }

    #[test]
    fn names_show_kind_and_rate() {
        assert_eq!(format!("{:?}", Modulation::CCK5), "DSSS 5.5 Mb/s");
        assert_eq!(format!("{:?}", Modulation::ofdm(Width::Mhz10)[1]), "OFDM 4.5 Mb/s");
    }

    #[test]
    fn bits_per_symbol_follow_constellation_and_code() {
        let bits = |constellation| match constellation {
            Constellation::Bpsk => 1,
            Constellation::Qpsk => 2,
            Constellation::Qam16 => 4,
            Constellation::Qam64 => 6,
        };
        for coding in &OFDM {
            let (num, den) = match coding.rate {
                CodeRate::Half => (1, 2),
                CodeRate::TwoThirds => (2, 3),
                CodeRate::ThreeQuarters => (3, 4),
            };
            assert_eq!(coding.bits_per_symbol, 48 * bits(coding.constellation) * num / den);
        }
    }
}
