//! Modulations of IEEE 802.11: how a frame is sent behind its PHY header, and how long that takes.
//!
//! A [`Mode`] is one row of a table, with all that the layers above ask of it; the tables are those of the standards
//! (`phy/standards/`). A [`Modulation`] names a row. Only the modes of 802.11b are here: headers and blank frames have them.

use crate::kernel::{Rate, Span};

/// A row of a table of modes, by reference: two modulations are equal if they are the same row.
#[derive(Clone, Copy)]
pub struct Modulation(&'static Mode);

/// How a frame is sent: modulation, code, channel width, streams and guard interval.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Bit rate behind the header.
    pub rate: Rate,
    /// How its bits are sent.
    pub waveform: Waveform,
    /// Layout of its PPDUs.
    pub format: &'static Format,
    /// Width of its channel. PPDUs without MCS fill a channel wider than 20 MHz several times, with the mode of 20 MHz.
    pub width: Width,
    /// Its number in `mac.mcs`, if the format numbers its modes.
    pub mcs: Option<u8>,
    /// Spatial streams.
    pub streams: u8,
    /// Guard interval, in nanoseconds.
    pub guard_ns: u16,
    /// Whether every station of the standard has it: responses and broadcasts may use it.
    pub is_mandatory: bool,
    /// Which mode without MCS chooses that of a response (IEEE 802.11-2016 table 10-11): its place among those of 802.11b and
    /// OFDM, from the slowest on.
    pub reference: u8,
    /// From the header to the payload.
    pub training: Span,
    /// Spreads modes over tables that are sought by modulation and more; need not be unique.
    pub spread: u8,
}

/// Layout of a PPDU.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// By streams, from one on: what follows the header.
    pub fields: &'static [&'static [Field]],
    /// Symbol without guard interval, in nanoseconds.
    pub symbol_ns: u32,
    /// The payload ends at a multiple of this behind its start, in nanoseconds.
    pub whole_ns: u32,
    /// Bits around those of the PSDU: SERVICE, and tail of the code.
    pub extra_bits: u32,
    /// What captures say of its frames.
    pub radiotap: Radiotap,
}

/// A part of a PPDU between header and payload.
#[derive(Debug)]
pub struct Field {
    /// How long it lasts.
    pub time: Span,
    /// Bits that a receiver must decode, at the lowest rate of OFDM; 0: training.
    pub bits: u32,
}

/// The radiotap field that describes a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radiotap {
    /// Its rate.
    Rate,
    /// MCS, width and guard interval of HT.
    Mcs,
}

/// How bits are sent, and so which errors they have.
#[derive(Clone, Copy, Debug)]
pub enum Waveform {
    /// On one carrier.
    Dsss(Dsss),
    /// On many.
    Ofdm(Coding),
}

/// Modulations of 802.11b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dsss {
    /// DBPSK, 1 Mb/s.
    Dbpsk,
    /// DQPSK, 2 Mb/s.
    Dqpsk,
    /// CCK, 5.5 Mb/s.
    Cck5,
    /// CCK, 11 Mb/s.
    Cck11,
}

/// Width of a channel, in MHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(u16);

/// A constellation of two points or a square, by the bits that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constellation(u8);

/// Rates of the convolutional code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
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
    /// Symbol with guard interval, in nanoseconds.
    pub symbol_ns: u32,
}

/// What a mode of OFDM is made from.
#[derive(Clone, Copy, Debug)]
pub struct OfdmMode {
    /// Constellation of each subcarrier.
    pub constellation: Constellation,
    /// Rate of the code.
    pub rate: CodeRate,
    /// Subcarriers that carry data.
    pub tones: u32,
    /// Spatial streams.
    pub streams: u8,
    /// Width of the channel.
    pub width: Width,
    /// Guard interval in 20 MHz, in nanoseconds; longer in narrower channels.
    pub guard_ns: u16,
    /// Layout of its PPDUs.
    pub format: &'static Format,
    /// [`Mode::mcs`].
    pub mcs: Option<u8>,
    /// [`Mode::reference`].
    pub reference: u8,
    /// [`Mode::is_mandatory`].
    pub is_mandatory: bool,
}

impl Width {
    /// 5 MHz: a quarter of the rates of 20 MHz, four times the times.
    pub const MHZ5: Width = Width(5);
    /// 10 MHz: half the rates, twice the times.
    pub const MHZ10: Width = Width(10);
    /// 20 MHz.
    pub const MHZ20: Width = Width(20);
    /// 40 MHz.
    pub const MHZ40: Width = Width(40);
    /// 80 MHz.
    pub const MHZ80: Width = Width(80);
    /// 160 MHz.
    pub const MHZ160: Width = Width(160);

    /// In MHz.
    pub fn mhz(self) -> f64 {
        f64::from(self.0)
    }

    /// Times are so many times those of 20 MHz.
    pub const fn scale(self) -> u64 {
        if self.0 < Width::MHZ20.0 { (Width::MHZ20.0 / self.0) as u64 } else { 1 }
    }

    /// That of the modes without MCS in this channel.
    #[must_use]
    pub fn without_mcs(self) -> Width {
        if self.0 > Width::MHZ20.0 { Width::MHZ20 } else { self }
    }
}

impl Constellation {
    /// Two points.
    pub const BPSK: Constellation = Constellation(1);
    /// Four points.
    pub const QPSK: Constellation = Constellation(2);
    /// 16 points.
    pub const QAM16: Constellation = Constellation(4);
    /// 64 points.
    pub const QAM64: Constellation = Constellation(6);
    /// 256 points.
    pub const QAM256: Constellation = Constellation(8);
    /// 1024 points.
    pub const QAM1024: Constellation = Constellation(10);

    /// Bits of a point.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Its points.
    pub fn points(self) -> f64 {
        f64::from(1u32 << self.0)
    }
}

impl CodeRate {
    /// Numerator and denominator.
    pub const fn fraction(self) -> (u32, u32) {
        match self {
            CodeRate::Half => (1, 2),
            CodeRate::TwoThirds => (2, 3),
            CodeRate::ThreeQuarters => (3, 4),
            CodeRate::FiveSixths => (5, 6),
        }
    }
}

impl Mode {
    /// A mode of OFDM.
    pub const fn ofdm(of: OfdmMode) -> Mode {
        let OfdmMode { constellation, rate, tones, streams, width, guard_ns, format, .. } = of;
        let (numerator, denominator) = rate.fraction();
        let coded = tones * constellation.bits() * streams as u32;
        let bits_per_symbol = coded * numerator / denominator;
        let symbol_ns = (format.symbol_ns + guard_ns as u32) * width.scale() as u32;
        let (mut training, mut field) = (0, 0);
        let fields = format.fields[streams as usize - 1];
        while field < fields.len() {
            training += fields[field].time.0;
            field += 1;
        }
        Mode {
            rate: Rate(bits_per_symbol as f64 / (symbol_ns as f64 / 1e3) * 1e6),
            waveform: Waveform::Ofdm(Coding { constellation, rate, bits_per_symbol, symbol_ns }),
            format,
            width,
            mcs: of.mcs,
            streams,
            guard_ns: guard_ns * width.scale() as u16,
            is_mandatory: of.is_mandatory,
            reference: of.reference,
            training: Span(training),
            spread: (bits_per_symbol ^ (bits_per_symbol >> 3) ^ (symbol_ns / 400)) as u8,
        }
    }

    /// What is between header and payload of its frames.
    pub fn fields(&self) -> &'static [Field] {
        self.format.fields[usize::from(self.streams) - 1]
    }

    const fn dsss(place: u8, dsss: Dsss, rate: f64) -> Mode {
        Mode {
            rate: Rate(rate),
            waveform: Waveform::Dsss(dsss),
            format: &DSSS_FORMAT,
            width: Width::MHZ20,
            mcs: None,
            streams: 1,
            guard_ns: 0,
            is_mandatory: true,
            reference: place,
            training: Span::ZERO,
            spread: place,
        }
    }
}

/// Frames of 802.11b, whose bits are not in symbols.
static DSSS_FORMAT: Format =
    Format { name: "DSSS", fields: &[&[]], symbol_ns: 0, whole_ns: 1, extra_bits: 0, radiotap: Radiotap::Rate };

/// Modes of 802.11b, the slowest first (IEEE 802.11b-1999).
pub static DSSS: [Mode; 4] = [
    Mode::dsss(0, Dsss::Dbpsk, 1e6),
    Mode::dsss(1, Dsss::Dqpsk, 2e6),
    Mode::dsss(2, Dsss::Cck5, 5.5e6),
    Mode::dsss(3, Dsss::Cck11, 11e6),
];

impl Modulation {
    /// 1 Mb/s, DBPSK.
    pub const DBPSK1: Modulation = Modulation(&DSSS[0]);
    /// 2 Mb/s, DQPSK.
    pub const DQPSK2: Modulation = Modulation(&DSSS[1]);
    /// 5.5 Mb/s, CCK.
    pub const CCK5: Modulation = Modulation(&DSSS[2]);
    /// 11 Mb/s, CCK.
    pub const CCK11: Modulation = Modulation(&DSSS[3]);

    /// Those of 802.11b, the slowest first.
    pub const DSSS: [Modulation; 4] = [Modulation::DBPSK1, Modulation::DQPSK2, Modulation::CCK5, Modulation::CCK11];

    /// That of a row.
    pub const fn of(mode: &'static Mode) -> Modulation {
        Modulation(mode)
    }

    /// The slowest modulation of 802.11b of at least this rate.
    pub fn at_least(rate: Rate) -> Modulation {
        Modulation::DSSS.into_iter().find(|modulation| modulation.rate().0 >= rate.0).unwrap_or(Modulation::CCK11)
    }

    /// The row.
    #[inline]
    pub fn mode(self) -> &'static Mode {
        self.0
    }

    /// Its bit rate.
    #[inline]
    pub fn rate(self) -> Rate {
        self.0.rate
    }

    /// How its bits are coded, if it is OFDM.
    #[inline]
    pub fn coding(self) -> Option<&'static Coding> {
        match &self.0.waveform {
            Waveform::Ofdm(coding) => Some(coding),
            Waveform::Dsss(_) => None,
        }
    }

    /// Whether it is OFDM.
    #[inline]
    pub fn is_ofdm(self) -> bool {
        self.coding().is_some()
    }

    /// Its MCS, if it has one.
    pub fn mcs(self) -> Option<u32> {
        self.0.mcs.map(u32::from)
    }

    /// Spatial streams.
    #[inline]
    pub fn streams(self) -> u32 {
        u32::from(self.0.streams)
    }
}

impl PartialEq for Modulation {
    #[inline]
    fn eq(&self, other: &Modulation) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Modulation {}

impl std::fmt::Debug for Modulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, rate) = (self.0.format.name, self.rate().0 * 1e-6);
        match self.mcs() {
            Some(mcs) => write!(f, "{name} MCS {mcs} {rate:.1} Mb/s"),
            None => write!(f, "{name} {rate} Mb/s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_802_11b_are_those_of_the_standard() {
        assert_eq!(Modulation::DSSS.map(|mode| mode.rate().0), [1e6, 2e6, 5.5e6, 11e6]);
        let at_least = [0.5e6, 2e6, 3e6, 24e6].map(|rate| Modulation::at_least(Rate(rate)));
        assert_eq!(at_least, [Modulation::DBPSK1, Modulation::DQPSK2, Modulation::CCK5, Modulation::CCK11]);
        assert_eq!(format!("{:?}", Modulation::CCK5), "DSSS 5.5 Mb/s");
    }

    #[test]
    fn times_are_longer_in_narrow_channels_only() {
        let scales = [Width::MHZ5, Width::MHZ10, Width::MHZ20, Width::MHZ40, Width::MHZ160].map(Width::scale);
        assert_eq!(scales, [4, 2, 1, 1, 1]);
        assert_eq!([Width::MHZ10, Width::MHZ80].map(Width::without_mcs), [Width::MHZ10, Width::MHZ20]);
    }

    #[test]
    fn rows_with_equal_values_are_different_modulations() {
        static TWIN: Mode = Mode::dsss(0, Dsss::Dbpsk, 1e6);
        assert_ne!(Modulation::of(&TWIN), Modulation::DBPSK1);
        assert_eq!(Modulation::of(&DSSS[0]), Modulation::DBPSK1);
    }
}
