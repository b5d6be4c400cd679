//! Modulations of IEEE 802.11: the bit rate of a frame behind its PHY header, and how its bits are sent.
//!
//! A modulation is one byte, an index into a table: DSSS and CCK of 802.11b first, then OFDM (IEEE 802.11-2016
//! section 17.3) in channels of 20, 10 and 5 MHz, then HT (section 19.5) in 20 and 40 MHz.

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
    /// 40 MHz (HT); frames without HT fill it twice, with the times of 20 MHz.
    Mhz40,
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
    /// 5/6 (HT).
    FiveSixths,
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

/// HT by MCS, in 20 MHz (IEEE 802.11-2016 tables 19-27 and 19-28), and in 40 MHz (tables 19-31 and 19-32).
const HT: [[Coding; MCS_COUNT]; 2] = [ht(52), ht(108)];

/// MCSs: eight of one stream, eight of two.
const MCS_COUNT: usize = 16;

/// The modulations of HT in a channel with so many tones of data.
const fn ht(tones: u32) -> [Coding; MCS_COUNT] {
    use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
    use Constellation::{Bpsk, Qam16, Qam64, Qpsk};
    // Constellation, its bits, code rate as a fraction.
    const FORMS: [(Constellation, u32, CodeRate, u32, u32); 8] = [
        (Bpsk, 1, Half, 1, 2),
        (Qpsk, 2, Half, 1, 2),
        (Qpsk, 2, ThreeQuarters, 3, 4),
        (Qam16, 4, Half, 1, 2),
        (Qam16, 4, ThreeQuarters, 3, 4),
        (Qam64, 6, TwoThirds, 2, 3),
        (Qam64, 6, ThreeQuarters, 3, 4),
        (Qam64, 6, FiveSixths, 5, 6),
    ];
    let mut modes = [OFDM[0]; MCS_COUNT];
    let mut mcs = 0;
    while mcs < MCS_COUNT {
        let (constellation, bits, rate, numerator, denominator) = FORMS[mcs % FORMS.len()];
        let streams = (mcs / FORMS.len()) as u32 + 1;
        modes[mcs] = Coding { constellation, rate, bits_per_symbol: tones * bits * numerator / denominator * streams };
        mcs += 1;
    }
    modes
}

/// Index of the first modulation of HT.
const FIRST_HT: usize = DSSS.len() + OFDM.len() * Width::OFDM.len();

/// Microseconds of an OFDM symbol in 20 MHz.
const SYMBOL_MICROS: u64 = 4;
/// Microseconds of an HT symbol with the short guard interval.
const SHORT_SYMBOL_MICROS: f64 = 3.6;

impl Width {
    /// Widths of 802.11a, the widest first.
    pub const OFDM: [Width; 3] = [Width::Mhz20, Width::Mhz10, Width::Mhz5];
    /// Widths of 802.11n.
    pub const HT: [Width; 2] = [Width::Mhz20, Width::Mhz40];

    /// The width of so many MHz.
    pub fn of_mhz(mhz: f64) -> Option<Width> {
        Width::OFDM.into_iter().chain(Width::HT).find(|width| width.mhz() == mhz)
    }

    /// Times are so many times those of 20 MHz.
    pub fn scale(self) -> u64 {
        if self == Width::Mhz40 { 1 } else { 1 << self as u8 }
    }

    /// In MHz.
    pub fn mhz(self) -> f64 {
        if self == Width::Mhz40 { 40.0 } else { 20.0 / self.scale() as f64 }
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
    pub const COUNT: usize = FIRST_HT + 2 * Width::HT.len() * MCS_COUNT;

    /// MCSs of each number of streams.
    pub const MCS_OF_STREAM: u32 = 8;

    /// Those of 802.11b, the slowest first.
    pub const DSSS: [Modulation; 4] = [Modulation::DBPSK1, Modulation::DQPSK2, Modulation::CCK5, Modulation::CCK11];

    /// OFDM without HT in a channel of this width, the slowest first.
    pub fn ofdm(width: Width) -> [Modulation; 8] {
        let width = if width == Width::Mhz40 { Width::Mhz20 } else { width };
        std::array::from_fn(|rate| Modulation((DSSS.len() + width as usize * OFDM.len() + rate) as u8))
    }

    /// HT of MCS 0 to 15 in a channel of 20 or 40 MHz.
    pub fn ht(mcs: u32, width: Width, has_short_gi: bool) -> Modulation {
        let column = usize::from(width == Width::Mhz40) * 2 + usize::from(has_short_gi);
        Modulation((FIRST_HT + column * MCS_COUNT + mcs as usize % MCS_COUNT) as u8)
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
            Some((coding, width)) => {
                let symbol = if self.has_short_gi() { SHORT_SYMBOL_MICROS } else { width.symbol_micros() as f64 };
                Rate(f64::from(coding.bits_per_symbol) / symbol * 1e6)
            }
        }
    }

    /// Coding and channel width, if it is OFDM.
    pub fn coding(self) -> Option<(&'static Coding, Width)> {
        if let Some(place) = self.index().checked_sub(FIRST_HT) {
            let width = place / (2 * MCS_COUNT);
            return Some((&HT[width][place % MCS_COUNT], Width::HT[width]));
        }
        let place = self.index().checked_sub(DSSS.len())?;
        Some((&OFDM[place % OFDM.len()], Width::OFDM[place / OFDM.len()]))
    }

    /// Whether it is HT.
    #[inline]
    pub fn is_ht(self) -> bool {
        self.index() >= FIRST_HT
    }

    /// Its MCS, if it is HT.
    pub fn mcs(self) -> Option<u32> {
        self.is_ht().then(|| ((self.index() - FIRST_HT) % MCS_COUNT) as u32)
    }

    /// Whether it is HT with the short guard interval.
    pub fn has_short_gi(self) -> bool {
        self.is_ht() && (self.index() - FIRST_HT) / MCS_COUNT % 2 == 1
    }

    /// Spatial streams.
    pub fn streams(self) -> u32 {
        self.mcs().map_or(1, |mcs| mcs / Modulation::MCS_OF_STREAM + 1)
    }

    /// The modulation without HT to which that of a response is chosen (IEEE 802.11-2016 table 10-11); itself without HT.
    #[must_use]
    pub fn reference(self) -> Modulation {
        const RATES: [usize; 8] = [0, 2, 3, 4, 5, 6, 7, 7];
        let rates = Modulation::ofdm(Width::Mhz20);
        self.mcs().map_or(self, |mcs| rates[RATES[mcs as usize % RATES.len()]])
    }

    /// Whether it is OFDM.
    #[inline]
    pub fn is_ofdm(self) -> bool {
        self.index() >= DSSS.len()
    }
}

impl std::fmt::Debug for Modulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = self.rate().0 * 1e-6;
        match self.mcs() {
            Some(mcs) => write!(f, "HT MCS {mcs} {rate:.1} Mb/s"),
            None => write!(f, "{} {rate} Mb/s", if self.is_ofdm() { "OFDM" } else { "DSSS" }),
        }
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
        assert_eq!(Modulation::ofdm(Width::Mhz40), Modulation::ofdm(Width::Mhz20));
        assert_eq!(Modulation::ht(15, Width::Mhz40, true).index() + 1, Modulation::COUNT);
    }

    #[test]
    fn mcs_have_the_rates_of_the_standard() {
        // IEEE 802.11-2016 tables 19-27, 19-28, 19-31 and 19-32, in Mb/s.
        let mbps =
            |width, has_short_gi| [0, 3, 7, 8, 15].map(|mcs| Modulation::ht(mcs, width, has_short_gi).rate().0 * 1e-6);
        assert_eq!(mbps(Width::Mhz20, false), [6.5, 26.0, 65.0, 13.0, 130.0]);
        assert_eq!(mbps(Width::Mhz40, false), [13.5, 54.0, 135.0, 27.0, 270.0]);
        let short = mbps(Width::Mhz40, true);
        assert!((short[2] - 150.0).abs() < 1e-9 && (short[4] - 300.0).abs() < 1e-9, "{short:?}");
        let bits = |mcs| Modulation::ht(mcs, Width::Mhz20, false).coding().expect("OFDM").0.bits_per_symbol;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(bits), [26, 52, 78, 104, 156, 208, 234, 260]);
    }

    #[test]
    fn mcs_have_a_reference_without_ht() {
        let mbps = |mcs| Modulation::ht(mcs, Width::Mhz40, true).reference().rate().0 * 1e-6;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(mbps), [6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0, 54.0]);
        assert_eq!(mbps(11), 24.0);
        let mode = Modulation::ht(11, Width::Mhz40, true);
        assert_eq!((mode.mcs(), mode.has_short_gi(), mode.streams()), (Some(11), true, 2));
        assert_eq!(Modulation::CCK5.reference(), Modulation::CCK5);
    }

    #[test]
    fn names_show_kind_and_rate() {
        assert_eq!(format!("{:?}", Modulation::CCK5), "DSSS 5.5 Mb/s");
        assert_eq!(format!("{:?}", Modulation::ofdm(Width::Mhz10)[1]), "OFDM 4.5 Mb/s");
        assert_eq!(format!("{:?}", Modulation::ht(7, Width::Mhz20, true)), "HT MCS 7 72.2 Mb/s");
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
                CodeRate::FiveSixths => (5, 6),
            };
            assert_eq!(coding.bits_per_symbol, 48 * bits(coding.constellation) * num / den);
        }
    }
}
