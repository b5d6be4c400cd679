//! A standard in a channel: modulations, times, and the frames that it sends.
//!
//! IEEE 802.11-2016 sections 17.4 (OFDM), 18.5 (ERP-OFDM in 2.4 GHz) and 19.4 (HT-mixed format). A coverage class lengthens
//! slots (`mac.coverage_class`).

use super::standards::{AggregationLimits, Band, OfdmHeader, Spaces, Standard};
use crate::kernel::{Rate, Span};
use crate::packet::{Mode, Modulation, Waveform, Width};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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
    pub standard: &'static Standard,
    /// Width of an OFDM channel.
    pub width: Width,
    /// Its band.
    pub band: Band,
    /// Spatial streams of the modes that a rate control chooses from.
    pub streams: u32,
}

/// SIGNAL field: bits, all at the lowest rate.
pub const SIGNAL_BITS: f64 = 24.0;
/// Length of an ACK with FCS, in bytes.
const ACK_BYTES: u32 = 14;

impl Phy {
    /// That of a scenario which names no standard.
    pub const USUAL: Phy = Phy { standard: Standard::USUAL, width: Width::MHZ20, band: Band::Ghz2, streams: 1 };

    /// A standard in its usual band.
    pub fn of(standard: &'static Standard, width: Width) -> Phy {
        Phy { standard, width, band: standard.bands[0], streams: 1 }
    }

    /// Whether stations of 802.11b may take part: OFDM in 2.4 GHz.
    pub fn is_mixed(self) -> bool {
        self.standard.is_ofdm() && self.band == Band::Ghz2
    }

    /// Its modulations, in the order of the standard's tables.
    fn modes(self) -> impl Iterator<Item = Modulation> {
        let has = move |mode: &&Mode| match mode.waveform {
            Waveform::Dsss(_) => self.band == Band::Ghz2,
            Waveform::Ofdm(_) if mode.mcs.is_some() => mode.width == self.width,
            Waveform::Ofdm(_) => mode.width == self.width.without_mcs(),
        };
        self.standard.modes.iter().flat_map(|table| table.iter()).filter(has).map(Modulation::of)
    }

    /// Its modulations with MCS and this guard interval, the slowest first.
    pub fn modes_with_mcs(self, guard_ns: u16) -> Vec<Modulation> {
        let has = |mode: &Modulation| {
            mode.mcs().is_some() && mode.streams() <= self.streams && mode.mode().guard_ns == guard_ns
        };
        by_rate(self.modes().filter(has).collect())
    }

    /// Its modulations without MCS, the slowest first.
    pub fn modulations(self) -> Vec<Modulation> {
        by_rate(self.modes().filter(|mode| mode.mcs().is_none()).collect())
    }

    /// Its modulations of OFDM without MCS, the slowest first; empty without OFDM.
    pub fn ofdm(self) -> Vec<Modulation> {
        self.modes().filter(|mode| mode.is_ofdm() && mode.mcs().is_none()).collect()
    }

    /// The modulations of unicast data with this guard interval, the slowest first: those that have an MCS, or else OFDM.
    pub fn data_modes(self, guard_ns: u16) -> Vec<Modulation> {
        if self.standard.mcs.is_some() { self.modes_with_mcs(guard_ns) } else { self.ofdm() }
    }

    /// Guard intervals of its modulations with MCS, the shortest first.
    pub fn guards(self) -> Vec<u16> {
        let with_mcs = self.modes().filter(|mode| mode.mcs().is_some());
        let guards: BTreeSet<u16> = with_mcs.map(|mode| mode.mode().guard_ns).collect();
        guards.into_iter().collect()
    }

    /// The modulation of this rate.
    pub fn modulation(self, rate: Rate) -> Option<Modulation> {
        self.modulations().into_iter().find(|mode| mode.rate() == rate)
    }

    /// The modulation of this MCS and guard interval.
    pub fn mode_of_mcs(self, mcs: u32, guard_ns: u16) -> Option<Modulation> {
        let rule = self.standard.mcs?;
        let is_it = |mode: &Modulation| {
            mode.mcs() == Some(mcs)
                && mode.mode().guard_ns == guard_ns
                && (rule.implies_streams || mode.streams() == self.streams)
        };
        self.modes().find(is_it)
    }

    /// Modulations of responses and broadcasts that every station has, unless the scenario gives others
    /// (IEEE 802.11-2016 section 17.2.2.3).
    pub fn basic(self) -> Vec<Modulation> {
        self.modes().filter(|mode| mode.mode().is_mandatory).collect()
    }

    /// The slowest modulation of its headers: of OFDM, if it has that.
    pub fn slowest(self) -> Modulation {
        self.modes().find(|mode| mode.is_ofdm() == self.standard.is_ofdm()).unwrap_or(Modulation::DBPSK1)
    }

    /// aSlotTime.
    pub fn slot(self, is_short: bool) -> Span {
        let spaces = self.spaces();
        spaces.short_slot.filter(|_| is_short).unwrap_or(spaces.slot)
    }

    /// aSIFSTime.
    pub fn sifs(self) -> Span {
        self.spaces().sifs
    }

    fn spaces(self) -> &'static Spaces {
        let of_band = || self.standard.spaces.iter().filter(|spaces| spaces.band == self.band);
        let own = of_band().find(|spaces| spaces.width == self.width.without_mcs());
        own.or_else(|| of_band().next()).unwrap_or(&self.standard.spaces[0])
    }

    /// PLCP preamble and header of DSSS frames; none without them.
    pub fn plcp(self, is_short: bool) -> Span {
        self.standard.plcp.map_or(Span::ZERO, |plcp| if is_short { plcp.short } else { plcp.long })
    }

    /// Training sequences in front of an OFDM frame.
    pub fn training(self) -> Span {
        self.ofdm_header().training * self.width.scale()
    }

    /// Training sequences and SIGNAL field of an OFDM frame.
    pub fn header(self) -> Span {
        let header = self.ofdm_header();
        (header.training + header.signal) * self.width.scale()
    }

    /// From the first bit of an OFDM frame to its payload.
    pub fn preamble(self, mode: Modulation) -> Span {
        self.header() + mode.mode().training
    }

    /// Time that clear channel assessment takes.
    pub fn cca_time(self) -> Span {
        self.ofdm_header().cca_time * self.width.scale()
    }

    /// Time without information behind an OFDM frame, aSignalExtension.
    pub fn extension(self) -> Span {
        if self.band == Band::Ghz2 { self.ofdm_header().extension } else { Span::ZERO }
    }

    fn ofdm_header(&self) -> &'static OfdmHeader {
        const NONE: OfdmHeader =
            OfdmHeader { training: Span::ZERO, signal: Span::ZERO, cca_time: Span::ZERO, extension: Span::ZERO };
        self.standard.ofdm.as_ref().unwrap_or(&NONE)
    }

    /// Air time of an OFDM frame with header and FCS, extension included (IEEE 802.11-2016 sections 17.4.3 and 19.4.3).
    pub fn ofdm_airtime(self, mode: Modulation, bytes: u32) -> Span {
        let Some(coding) = mode.coding() else { return Span::ZERO };
        let format = mode.mode().format;
        let bits = u64::from(format.extra_bits) + 8 * u64::from(bytes);
        let nanos = bits.div_ceil(u64::from(coding.bits_per_symbol)) * u64::from(coding.symbol_ns);
        self.preamble(mode) + Span(nanos.next_multiple_of(u64::from(format.whole_ns))) + self.extension()
    }

    /// Longest PSDU of this modulation, in bytes, whose PPDU lasts no longer than the standard allows.
    pub fn longest_psdu(self, mode: Modulation) -> u32 {
        self.limits().map_or(u32::MAX, |limits| self.longest_psdu_within(limits.ppdu, mode))
    }

    /// Limits of aggregation, if the standard has it.
    pub fn limits(self) -> Option<&'static AggregationLimits> {
        self.standard.aggregation.as_ref()
    }

    /// Longest PSDU of this modulation, in bytes, whose PPDU lasts no longer than this; 0 if none does.
    pub fn longest_psdu_within(self, air: Span, mode: Modulation) -> u32 {
        let Some(coding) = mode.coding() else { return 0 };
        let symbols = air.saturating_sub(self.preamble(mode) + self.extension()).0 / u64::from(coding.symbol_ns);
        let bits = symbols * u64::from(coding.bits_per_symbol);
        (bits.saturating_sub(u64::from(mode.mode().format.extra_bits)) / 8) as u32
    }

    /// Air time of an ACK at the lowest mandatory rate, part of EIFS.
    pub fn slowest_ack(self) -> Span {
        match self.basic().first() {
            Some(mode) if mode.is_ofdm() => self.ofdm_airtime(*mode, ACK_BYTES),
            Some(mode) => self.plcp(false) + mode.rate().time_for(8 * u64::from(ACK_BYTES)),
            None => Span::ZERO,
        }
    }
}

/// Modulations in the order of their rates; equal ones keep theirs.
pub(crate) fn by_rate(mut modes: Vec<Modulation>) -> Vec<Modulation> {
    modes.sort_by(|a, b| a.rate().0.total_cmp(&b.rate().0));
    modes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::CodeRate;
    use crate::phy::standards::testing::{ht, ofdm, phy};

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
            for (width, scale) in [Width::MHZ20, Width::MHZ10, Width::MHZ5].into_iter().zip([1, 2, 4]) {
                let channel = Phy { width, ..phy("11a") };
                let mode = ofdm(width)[rate];
                let got = [14, 20, 32, 1536].map(|bytes| channel.ofdm_airtime(mode, bytes).0 / 1000);
                assert_eq!(got, air.map(|micros| micros * scale), "{mode:?}");
            }
            let got = phy("11g").ofdm_airtime(ofdm(Width::MHZ20)[rate], 1536);
            assert_eq!(got, Span::from_micros(air[3] + 6), "signal extension");
        }
    }

    #[test]
    fn ht_air_times_count_symbols() {
        // IEEE 802.11-2016 section 19.4.3, in microseconds: PPDUs of 1 MPDU of 1538 bytes, and of n with steps of 1544.
        let air = |phy: Phy, mcs, guard_ns, bytes| phy.ofdm_airtime(ht(mcs, phy.width, guard_ns), bytes).0 / 1000;
        let bytes = |mpdus: u32| 1544 * (mpdus - 1) + 1542;
        let n = phy("11n");
        let long =
            [(0, 2, 3840), (1, 5, 4788), (2, 8, 5104), (4, 17, 5424), (5, 22, 5264), (7, 28, 5360), (8, 5, 4792)];
        for (mcs, mpdus, micros) in long.into_iter().chain([(12, 34, 5428), (15, 42, 4032)]) {
            assert_eq!(air(n, mcs, 800, bytes(mpdus)), micros, "MCS {mcs}");
        }
        let wide = Phy { width: Width::MHZ40, ..n };
        assert_eq!(air(wide, 7, 800, bytes(42)), 3880);
        // 48 symbols of 3.6 us: 172.8, rounded up to 176.
        assert_eq!(air(n, 7, 800, 1538), 36 + 192);
        assert_eq!(air(n, 7, 400, 1538), 36 + 176);
        assert_eq!(air(Phy { band: Band::Ghz2, ..n }, 7, 800, 1538), 36 + 192 + 6, "signal extension");
        assert_eq!(Phy { streams: 2, ..n }.modes_with_mcs(800).len(), 16);
        assert!(phy("11a").modes_with_mcs(800).is_empty());
        for mcs in 0..8 {
            let longest = n.longest_psdu(ht(mcs, Width::MHZ20, 800));
            let over = [longest, longest + 1].map(|bytes| air(n, mcs, 800, bytes) > 5484);
            assert_eq!(over, [false, true], "MCS {mcs}");
        }
    }

    #[test]
    fn spaces_follow_band_and_width() {
        let micros = |phy: Phy, is_short| {
            [phy.slot(is_short), phy.sifs(), phy.header(), phy.slowest_ack(), phy.cca_time()].map(|span| span.0 / 1000)
        };
        assert_eq!(micros(phy("11a"), true), [9, 16, 20, 44, 4]);
        assert_eq!(micros(Phy { width: Width::MHZ10, ..phy("11a") }, true), [13, 32, 40, 88, 8]);
        assert_eq!(micros(Phy { width: Width::MHZ5, ..phy("11a") }, true), [21, 64, 80, 176, 16]);
        assert_eq!(micros(phy("11g"), true), [9, 10, 20, 304, 4]);
        assert_eq!(micros(phy("11g"), false)[0], 20);
    }

    #[test]
    fn modulations_are_in_order_of_rate() {
        let mbps = |phy: Phy| phy.modulations().iter().map(|mode| mode.rate().0 * 1e-6).collect::<Vec<_>>();
        assert_eq!(mbps(phy("11a")), [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(phy("11g")), [1.0, 2.0, 5.5, 6.0, 9.0, 11.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(Phy::USUAL), [1.0, 2.0, 5.5, 11.0]);
        assert_eq!(phy("11a").modulation(Rate(11e6)), None);
    }

    #[test]
    fn rates_are_those_of_the_standard() {
        let mbps = |width| ofdm(width).iter().map(|mode| mode.rate().0 * 1e-6).collect::<Vec<_>>();
        assert_eq!(mbps(Width::MHZ20), [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0]);
        assert_eq!(mbps(Width::MHZ10), [3.0, 4.5, 6.0, 9.0, 12.0, 18.0, 24.0, 27.0]);
        assert_eq!(mbps(Width::MHZ5), [1.5, 2.25, 3.0, 4.5, 6.0, 9.0, 12.0, 13.5]);
        let wide = Phy { width: Width::MHZ40, ..phy("11n") };
        assert_eq!(wide.ofdm(), phy("11a").ofdm(), "frames without HT fill 40 MHz twice");
        assert_eq!(format!("{:?}", ofdm(Width::MHZ10)[1]), "OFDM 4.5 Mb/s");
    }

    #[test]
    fn mcs_have_the_rates_of_the_standard() {
        // IEEE 802.11-2016 tables 19-27, 19-28, 19-31 and 19-32, in Mb/s.
        let mbps = |width, guard_ns| [0, 3, 7, 8, 15].map(|mcs| ht(mcs, width, guard_ns).rate().0 * 1e-6);
        assert_eq!(mbps(Width::MHZ20, 800), [6.5, 26.0, 65.0, 13.0, 130.0]);
        assert_eq!(mbps(Width::MHZ40, 800), [13.5, 54.0, 135.0, 27.0, 270.0]);
        let short = mbps(Width::MHZ40, 400);
        assert!((short[2] - 150.0).abs() < 1e-9 && (short[4] - 300.0).abs() < 1e-9, "{short:?}");
        let bits = |mcs| ht(mcs, Width::MHZ20, 800).coding().expect("OFDM").bits_per_symbol;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(bits), [26, 52, 78, 104, 156, 208, 234, 260]);
        assert_eq!(format!("{:?}", ht(7, Width::MHZ20, 400)), "HT MCS 7 72.2 Mb/s");
        let mode = ht(11, Width::MHZ40, 400);
        assert_eq!((mode.mcs(), mode.mode().guard_ns, mode.streams()), (Some(11), 400, 2));
        assert_eq!(phy("11n").mode_of_mcs(16, 800), None);
        assert_eq!(phy("11a").mode_of_mcs(0, 800), None);
    }

    #[test]
    fn bits_per_symbol_follow_constellation_and_code() {
        use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
        let bits =
            |code| ofdm(Width::MHZ20).iter().filter_map(|mode| mode.coding()).filter(move |c| c.rate == code).count();
        assert_eq!([Half, TwoThirds, ThreeQuarters, FiveSixths].map(bits), [3, 1, 4, 0]);
        let of = |mode: &Modulation| mode.coding().expect("OFDM").bits_per_symbol;
        assert_eq!(ofdm(Width::MHZ20).iter().map(of).collect::<Vec<_>>(), [24, 36, 48, 72, 96, 144, 192, 216]);
    }
}
