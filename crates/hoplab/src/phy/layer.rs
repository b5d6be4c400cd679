//! The physical layer that `radio.standard` names: times, modulations, and the frames that it sends.
//!
//! IEEE 802.11-2016 sections 16.3 (HR/DSSS), 17.4.4 (OFDM in 5 GHz, tables 17-21 and 17-5), 18.4.4 (ERP-OFDM in
//! 2.4 GHz) and 19.4 (HT-mixed format). A coverage class lengthens slots (`mac.coverage_class`).

use crate::kernel::{Rate, Span};
use crate::packet::{Modulation, Width};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Standards of the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// 802.11b: DSSS and CCK, 1 to 11 Mb/s.
    #[serde(rename = "11b")]
    B,
    /// 802.11a: OFDM in 5 GHz, 6 to 54 Mb/s in 20 MHz.
    #[serde(rename = "11a")]
    A,
    /// 802.11g: OFDM and 802.11b in 2.4 GHz.
    #[serde(rename = "11g")]
    G,
    /// 802.11n: HT with one or two streams in 20 or 40 MHz, 6.5 to 300 Mb/s, and the rates of 802.11a or 802.11g.
    #[serde(rename = "11n")]
    N,
}

/// Frequency bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Band {
    /// 2.4 GHz.
    #[serde(rename = "2.4 GHz")]
    Ghz2,
    /// 5 GHz.
    #[serde(rename = "5 GHz")]
    Ghz5,
}

impl Band {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Band::Ghz2 => "2.4 GHz",
            Band::Ghz5 => "5 GHz",
        }
    }
}

/// When the medium counts as busy, with OFDM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CcaRule {
    /// As ns-3.37: the sum of all signals reaches `cs_threshold`.
    Ns3,
    /// As IEEE 802.11-2016 section 17.3.10.6: a frame whose preamble was detected is on the air, or the sum reaches
    /// `ed_threshold`.
    Standard,
}

/// A standard in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phy {
    /// The standard.
    pub standard: Standard,
    /// Width of an OFDM channel.
    pub width: Width,
    /// Its band.
    pub band: Band,
    /// Spatial streams of the modes that a rate control chooses from (HT).
    pub streams: u32,
}

/// SIGNAL field: bits, all at the lowest rate.
pub const SIGNAL_BITS: f64 = 24.0;
/// SERVICE field, and tail of the code, in bits.
const SERVICE_AND_TAIL: u64 = 16 + 6;
/// Short and long training sequence in 20 MHz, in microseconds.
const TRAINING: u64 = 16;
/// SIGNAL field in 20 MHz, in microseconds.
const SIGNAL: u64 = 4;
/// HT-SIG field: bits, all at the lowest rate.
pub const HT_SIGNAL_BITS: f64 = 48.0;
/// HT-SIG field.
pub const HT_SIGNAL: Span = Span::from_micros(8);
/// HT short training field, and HT long training field of each stream.
const HT_TRAINING: Span = Span::from_micros(4);
/// Nanoseconds of an HT symbol with the short guard interval.
const SHORT_SYMBOL: u64 = 3_600;
/// aPPDUMaxTime of HT.
const MAX_PPDU: Span = Span::from_micros(5_484);
/// aCCATime in 20 MHz, in microseconds.
const CCA_TIME: u64 = 4;
/// Length of an ACK with FCS, in bytes.
const ACK_BYTES: u32 = 14;
/// An ACK at 1 Mb/s behind the long preamble, in microseconds.
const SLOWEST_ACK: u64 = 304;

impl Standard {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Standard::B => "11b",
            Standard::A => "11a",
            Standard::G => "11g",
            Standard::N => "11n",
        }
    }

    /// Whether it has OFDM.
    pub fn is_ofdm(self) -> bool {
        self != Standard::B
    }

    /// Its bands, the usual one first.
    pub fn bands(self) -> &'static [Band] {
        match self {
            Standard::A => &[Band::Ghz5],
            Standard::B | Standard::G => &[Band::Ghz2],
            Standard::N => &[Band::Ghz5, Band::Ghz2],
        }
    }

    /// Widths of its channels.
    pub fn widths(self) -> &'static [Width] {
        match self {
            Standard::A => &Width::OFDM,
            Standard::B | Standard::G => &[Width::Mhz20],
            Standard::N => &Width::HT,
        }
    }
}

impl Phy {
    /// 802.11b.
    pub const DSSS: Phy = Phy { standard: Standard::B, width: Width::Mhz20, band: Band::Ghz2, streams: 1 };

    /// A standard in its usual band.
    pub fn usual(standard: Standard, width: Width) -> Phy {
        Phy { standard, width, band: standard.bands()[0], streams: 1 }
    }

    /// Whether stations of 802.11b may take part: OFDM in 2.4 GHz.
    pub fn is_mixed(self) -> bool {
        self.standard.is_ofdm() && self.band == Band::Ghz2
    }

    /// Whether it has HT.
    pub fn has_ht(self) -> bool {
        self.standard == Standard::N
    }

    /// Its modulations of HT, the slowest first.
    pub fn ht_modes(self, has_short_gi: bool) -> Vec<Modulation> {
        let all = if self.has_ht() { 0..Modulation::MCS_OF_STREAM * self.streams } else { 0..0 };
        let mut modes: Vec<Modulation> = all.map(|mcs| Modulation::ht(mcs, self.width, has_short_gi)).collect();
        modes.sort_by(|a, b| a.rate().0.total_cmp(&b.rate().0));
        modes
    }

    /// Its modulations without HT, the slowest first.
    pub fn modulations(self) -> Vec<Modulation> {
        let dsss = self.band == Band::Ghz2;
        let mut modes: Vec<Modulation> = if dsss { Modulation::DSSS.to_vec() } else { Vec::new() };
        if self.standard.is_ofdm() {
            modes.extend(Modulation::ofdm(self.width));
        }
        modes.sort_by(|a, b| a.rate().0.total_cmp(&b.rate().0));
        modes
    }

    /// The modulation of this rate.
    pub fn modulation(self, rate: Rate) -> Option<Modulation> {
        self.modulations().into_iter().find(|mode| mode.rate() == rate)
    }

    /// Modulations of responses and broadcasts that every station has, unless the scenario gives others
    /// (IEEE 802.11-2016 sections 17.2.2.3 and 18.2.2.3).
    pub fn basic(self) -> Vec<Modulation> {
        let [six, _, twelve, _, twenty_four, ..] = Modulation::ofdm(self.width);
        let mut basic = if self.band == Band::Ghz2 { Modulation::DSSS.to_vec() } else { Vec::new() };
        if self.standard.is_ofdm() {
            basic.extend([six, twelve, twenty_four]);
        }
        basic
    }

    /// aSlotTime.
    pub fn slot(self, is_short: bool) -> Span {
        Span::from_micros(match (self.band, self.width) {
            (Band::Ghz5, Width::Mhz20 | Width::Mhz40) => 9,
            (Band::Ghz5, Width::Mhz10) => 13,
            (Band::Ghz5, Width::Mhz5) => 21,
            (Band::Ghz2, _) if is_short && self.standard.is_ofdm() => 9,
            (Band::Ghz2, _) => 20,
        })
    }

    /// aSIFSTime.
    pub fn sifs(self) -> Span {
        Span::from_micros(if self.band == Band::Ghz5 { 16 * self.width.scale() } else { 10 })
    }

    /// Training sequences in front of an OFDM frame.
    pub fn training(self) -> Span {
        Span::from_micros(TRAINING * self.width.scale())
    }

    /// Training sequences and SIGNAL field of an OFDM frame.
    pub fn header(self) -> Span {
        Span::from_micros((TRAINING + SIGNAL) * self.width.scale())
    }

    /// From the first bit of an OFDM frame to its payload.
    pub fn preamble(self, mode: Modulation) -> Span {
        let ht = if mode.is_ht() { HT_SIGNAL + HT_TRAINING * u64::from(1 + mode.streams()) } else { Span::ZERO };
        self.header() + ht
    }

    /// Time that clear channel assessment takes.
    pub fn cca_time(self) -> Span {
        Span::from_micros(CCA_TIME * self.width.scale())
    }

    /// Time without information behind an OFDM frame, aSignalExtension.
    pub fn extension(self) -> Span {
        Span::from_micros(if self.is_mixed() { 6 } else { 0 })
    }

    /// Air time of an OFDM frame with header and FCS, extension included (IEEE 802.11-2016 sections 17.4.3 and 19.4.3): with
    /// the short guard interval rounded up to whole symbols of 4 us.
    pub fn ofdm_airtime(self, mode: Modulation, bytes: u32) -> Span {
        let Some((coding, width)) = mode.coding() else { return Span::ZERO };
        let symbols = (SERVICE_AND_TAIL + 8 * u64::from(bytes)).div_ceil(u64::from(coding.bits_per_symbol));
        let whole = width.symbol_micros();
        let micros =
            if mode.has_short_gi() { (symbols * SHORT_SYMBOL).div_ceil(1000 * whole) * whole } else { symbols * whole };
        self.preamble(mode) + Span::from_micros(micros) + self.extension()
    }

    /// Longest PSDU of this modulation, in bytes, whose PPDU lasts no longer than aPPDUMaxTime.
    pub fn longest_psdu(self, mode: Modulation) -> u32 {
        self.longest_psdu_within(MAX_PPDU, mode)
    }

    /// Longest PSDU of this modulation, in bytes, whose PPDU lasts no longer than this; 0 if none does.
    pub fn longest_psdu_within(self, air: Span, mode: Modulation) -> u32 {
        let Some((coding, width)) = mode.coding() else { return 0 };
        let symbol = if mode.has_short_gi() { SHORT_SYMBOL } else { 1000 * width.symbol_micros() };
        let symbols = air.saturating_sub(self.preamble(mode) + self.extension()).0 / symbol;
        ((symbols * u64::from(coding.bits_per_symbol)).saturating_sub(SERVICE_AND_TAIL) / 8) as u32
    }

    /// Air time of an ACK at the lowest mandatory rate, part of EIFS.
    pub fn slowest_ack(self) -> Span {
        match self.band {
            Band::Ghz2 => Span::from_micros(SLOWEST_ACK),
            Band::Ghz5 => self.ofdm_airtime(Modulation::ofdm(self.width)[0], ACK_BYTES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Phy = Phy { standard: Standard::A, width: Width::Mhz20, band: Band::Ghz5, streams: 1 };
    const G: Phy = Phy { standard: Standard::G, band: Band::Ghz2, ..A };
    const N: Phy = Phy { standard: Standard::N, ..A };

    #[test]
    fn air_times_count_symbols() {
        // IEEE 802.11-2016 section 17.4.3: ACK, RTS, Block Ack, 1536 bytes, in microseconds.
        for (rate, air) in [
            [44, 52, 68, 2072],
            [36, 44, 52, 1388],
            [32, 36, 44, 1048],
            [28, 32, 36, 704],
            [28, 28, 32, 536],
            [24, 28, 28, 364],
            [24, 24, 28, 280],
            [24, 24, 28, 248],
        ]
        .into_iter()
        .enumerate()
        {
            for (width, scale) in Width::OFDM.into_iter().zip([1, 2, 4]) {
                let phy = Phy { width, ..A };
                let mode = Modulation::ofdm(width)[rate];
                let got = [14, 20, 32, 1536].map(|bytes| phy.ofdm_airtime(mode, bytes).0 / 1000);
                assert_eq!(got, air.map(|micros| micros * scale), "{mode:?}");
            }
            let got = G.ofdm_airtime(Modulation::ofdm(Width::Mhz20)[rate], 1536);
            assert_eq!(got, Span::from_micros(air[3] + 6), "signal extension");
        }
    }

    #[test]
    fn ht_air_times_count_symbols() {
        // IEEE 802.11-2016 section 19.4.3, in microseconds: PPDUs of 1 MPDU of 1538 bytes, and of n with steps of 1544.
        let air = |phy: Phy, mcs, has_short_gi, bytes| {
            phy.ofdm_airtime(Modulation::ht(mcs, phy.width, has_short_gi), bytes).0 / 1000
        };
        let bytes = |n: u32| 1544 * (n - 1) + 1542;
        let long =
            [(0, 2, 3840), (1, 5, 4788), (2, 8, 5104), (4, 17, 5424), (5, 22, 5264), (7, 28, 5360), (8, 5, 4792)];
        for (mcs, n, micros) in long.into_iter().chain([(12, 34, 5428), (15, 42, 4032)]) {
            assert_eq!(air(N, mcs, false, bytes(n)), micros, "MCS {mcs}");
        }
        let wide = Phy { width: Width::Mhz40, ..N };
        assert_eq!(air(wide, 7, false, bytes(42)), 3880);
        // 48 symbols of 3.6 us: 172.8, rounded up to 176.
        assert_eq!(air(N, 7, false, 1538), 36 + 192);
        assert_eq!(air(N, 7, true, 1538), 36 + 176);
        assert_eq!(air(Phy { band: Band::Ghz2, ..N }, 7, false, 1538), 36 + 192 + 6, "signal extension");
        assert_eq!(Phy { streams: 2, ..N }.ht_modes(false).len(), 16);
        assert!(A.ht_modes(false).is_empty());
        for mcs in 0..8 {
            let longest = N.longest_psdu(Modulation::ht(mcs, Width::Mhz20, false));
            let over = [longest, longest + 1].map(|bytes| air(N, mcs, false, bytes) > 5484);
            assert_eq!(over, [false, true], "MCS {mcs}");
        }
    }

    #[test]
    fn spaces_follow_band_and_width() {
        let micros = |phy: Phy, is_short| {
            [phy.slot(is_short), phy.sifs(), phy.header(), phy.slowest_ack(), phy.cca_time()].map(|span| span.0 / 1000)
        };
        assert_eq!(micros(A, true), [9, 16, 20, 44, 4]);
        assert_eq!(micros(Phy { width: Width::Mhz10, ..A }, true), [13, 32, 40, 88, 8]);
        assert_eq!(micros(Phy { width: Width::Mhz5, ..A }, true), [21, 64, 80, 176, 16]);
        assert_eq!(micros(G, true), [9, 10, 20, 304, 4]);
        assert_eq!(micros(G, false)[0], 20);
    }

    #[test]
    fn modulations_are_in_order_of_rate() {
        let mbps = |phy: Phy| phy.modulations().iter().map(|mode| mode.rate().0 * 1e-6).collect::<Vec<_>>();
        assert_eq!(mbps(A), [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(G), [1.0, 2.0, 5.5, 6.0, 9.0, 11.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(Phy::DSSS), [1.0, 2.0, 5.5, 11.0]);
        assert_eq!(A.modulation(Rate(11e6)), None);
    }
}
