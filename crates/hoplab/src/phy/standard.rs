//! The physical layer that `radio.standard` names: times, modulations, and the frames that it sends.
//!
//! IEEE 802.11-2016 sections 16.3 (HR/DSSS), 17.4.4 (OFDM in 5 GHz, tables 17-21 and 17-5) and 18.4.4 (ERP-OFDM in
//! 2.4 GHz). A coverage class lengthens slots (`mac.coverage_class`).

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
}

/// SIGNAL field: bits, all at the lowest rate.
pub const SIGNAL_BITS: f64 = 24.0;
/// SERVICE field, and tail of the code, in bits.
const SERVICE_AND_TAIL: u64 = 16 + 6;
/// Short and long training sequence in 20 MHz, in microseconds.
const TRAINING: u64 = 16;
/// SIGNAL field in 20 MHz, in microseconds.
const SIGNAL: u64 = 4;
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
        }
    }

    /// Whether it has OFDM.
    pub fn is_ofdm(self) -> bool {
        self != Standard::B
    }

    /// Its band.
    pub fn band(self) -> Band {
        if self == Standard::A { Band::Ghz5 } else { Band::Ghz2 }
    }

    /// Widths of its channels.
    pub fn widths(self) -> &'static [Width] {
        if self == Standard::A { &Width::ALL } else { &[Width::Mhz20] }
    }
}

impl Phy {
    /// 802.11b.
    pub const DSSS: Phy = Phy { standard: Standard::B, width: Width::Mhz20 };

    /// Its modulations, the slowest first.
    pub fn modulations(self) -> Vec<Modulation> {
        let dsss = self.standard.band() == Band::Ghz2;
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
        let mut basic = if self.standard.band() == Band::Ghz2 { Modulation::DSSS.to_vec() } else { Vec::new() };
        if self.standard.is_ofdm() {
            basic.extend([six, twelve, twenty_four]);
        }
        basic
    }

    /// aSlotTime.
    pub fn slot(self, is_short: bool) -> Span {
        Span::from_micros(match (self.standard, self.width) {
            (Standard::A, Width::Mhz20) => 9,
            (Standard::A, Width::Mhz10) => 13,
            (Standard::A, Width::Mhz5) => 21,
            (Standard::G, _) if is_short => 9,
            (Standard::G | Standard::B, _) => 20,
        })
    }

    /// aSIFSTime.
    pub fn sifs(self) -> Span {
        Span::from_micros(if self.standard == Standard::A { 16 * self.width.scale() } else { 10 })
    }

    /// Training sequences in front of an OFDM frame.
    pub fn training(self) -> Span {
        Span::from_micros(TRAINING * self.width.scale())
    }

    /// Training sequences and SIGNAL field of an OFDM frame.
    pub fn header(self) -> Span {
        Span::from_micros((TRAINING + SIGNAL) * self.width.scale())
    }

    /// Time that clear channel assessment takes.
    pub fn cca_time(self) -> Span {
        Span::from_micros(CCA_TIME * self.width.scale())
    }

    /// Time without information behind an OFDM frame, aSignalExtension.
    pub fn extension(self) -> Span {
        Span::from_micros(if self.standard == Standard::G { 6 } else { 0 })
    }

    /// Air time of an OFDM frame with header and FCS, extension included (IEEE 802.11-2016 section 17.4.3).
    pub fn ofdm_airtime(self, mode: Modulation, bytes: u32) -> Span {
        let Some((coding, width)) = mode.coding() else { return Span::ZERO };
        let symbols = (SERVICE_AND_TAIL + 8 * u64::from(bytes)).div_ceil(u64::from(coding.bits_per_symbol));
        self.header() + Span::from_micros(symbols * width.symbol_micros()) + self.extension()
    }

    /// Air time of an ACK at the lowest mandatory rate, part of EIFS.
    pub fn slowest_ack(self) -> Span {
        match self.standard.band() {
            Band::Ghz2 => Span::from_micros(SLOWEST_ACK),
            Band::Ghz5 => self.ofdm_airtime(Modulation::ofdm(self.width)[0], ACK_BYTES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Phy = Phy { standard: Standard::A, width: Width::Mhz20 };
    const G: Phy = Phy { standard: Standard::G, width: Width::Mhz20 };

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
            for (width, scale) in Width::ALL.into_iter().zip([1, 2, 4]) {
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
