//! Air times and interframe spaces of one set of MAC parameters, computed once.
//!
//! IEEE 802.11-1999 section 9.2.3 (interframe spaces); ns-2.35 `Mac802_11::txtime` and `MAC_MIB`. The rules of the
//! profile say which times are whole microseconds.

use super::ofdm::OfdmTimes;
use super::propagation::{AIR_PROPAGATION, MAX_PROPAGATION};
use crate::kernel::{RandomStream, Span};
use crate::mac::config::{AIFSN, MacConfig, Preamble, Protection};
use crate::mac::rate::RateSetup;
use crate::mac::rules::{DcfRules, TimeoutRule};
use crate::packet::Modulation;
use crate::phy::{AggregationLimits, OfdmErrors, Phy, by_rate};

/// Length of an RTS in bytes, with FCS.
pub const RTS_BYTES: u32 = 20;
/// Length of a CTS in bytes, with FCS.
pub const CTS_BYTES: u32 = 14;
/// Length of an ACK in bytes, with FCS.
pub const ACK_BYTES: u32 = 14;
/// Length of a Block Ack Request in bytes, with FCS.
pub const BLOCK_ACK_REQUEST_BYTES: u32 = 24;

/// Length of a CF-End in bytes, with FCS.
pub const CF_END_BYTES: u32 = 20;

/// Parameters of a MAC and the times that follow from them.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Parameters of the scenario.
    pub config: MacConfig,
    /// Rules of the profile in `config`.
    pub rules: DcfRules,
    /// Slot time.
    pub slot: Span,
    /// Allowance for propagation in the wait for a response, both ways together.
    pub round_trip: Span,
    /// Short interframe space.
    pub sifs: Span,
    /// Interframe space before slots are counted. DCF: DIFS, which is SIFS and two slots. EDCA: AIFS less a slot, as the end of
    /// AIFS counts as a slot (IEEE 802.11-2016 section 10.22.2.4).
    pub difs: Span,
    /// Slots that are counted in addition to those drawn: one with EDCA.
    pub extra_slots: u32,
    /// Extended interframe space: SIFS, an ACK at the lowest rate, and DIFS.
    pub eifs: Span,
    /// Air time of an RTS.
    pub rts: Span,
    /// Length of a CTS in bytes.
    pub cts_bytes: u32,
    /// Air time of a CTS, of one to an own RTS with OFDM.
    pub cts: Span,
    /// Air time of an ACK, of one to own data with OFDM.
    pub ack: Span,
    /// Length of a compressed Block Ack in bytes, with FCS; 0 without aggregation.
    pub block_ack_bytes: u32,
    /// Modulation of control and broadcast frames.
    pub basic: Modulation,
    /// Bytes that an ACK, or a Block Ack, has beyond the standard's.
    pub ack_extra: u32,
    /// Modulation of unicast data.
    pub unicast: Modulation,
    /// PLCP preamble and header of DSSS frames.
    dsss_header: Span,
    /// Times by modulation, with OFDM.
    pub(super) ofdm: Option<Box<OfdmTimes>>,
}

impl Timing {
    /// Times for `config` with 802.11b.
    pub fn new(config: &MacConfig) -> Timing {
        Timing::with_ack(config, Phy::USUAL, 0)
    }

    /// Times for `config` on a physical layer.
    pub fn on(config: &MacConfig, phy: Phy) -> Timing {
        Timing::with_ack(config, phy, 0)
    }

    /// Times for `config` on a physical layer with ACKs that are `extra` bytes longer than the standard's. EIFS is the standard's.
    pub fn with_ack(config: &MacConfig, phy: Phy, extra: u32) -> Timing {
        let dsss = Timing::dsss(config, extra);
        match OfdmTimes::new(config, phy) {
            None => dsss,
            Some(ofdm) => dsss.with_ofdm(ofdm),
        }
    }

    fn dsss(config: &MacConfig, extra: u32) -> Timing {
        let rules = config.profile.rules();
        let phy = Phy::USUAL;
        let (plcp, sifs) = (phy.plcp(config.preamble == Preamble::Short), phy.sifs());
        let control = |bytes: u32| plcp + rules.air_time(config.basic_rate, bytes);
        let air = AIR_PROPAGATION * u64::from(config.coverage_class);
        let slot = phy.slot(false) + air;
        let difs = sifs + slot * 2;
        let round_trip = match rules.timeout {
            TimeoutRule::ResponseEnd => (MAX_PROPAGATION + air) * 2,
            TimeoutRule::ResponseStart => slot,
        };
        let eifs_plcp = if rules.eifs_has_long_preamble { phy.plcp(false) } else { plcp };
        Timing {
            rules,
            slot,
            round_trip,
            sifs,
            difs,
            extra_slots: 0,
            eifs: sifs + difs + eifs_plcp + phy.slowest().rate().time_for(u64::from(ACK_BYTES) * 8),
            rts: control(RTS_BYTES),
            cts_bytes: CTS_BYTES,
            cts: control(CTS_BYTES),
            ack: control(ACK_BYTES + extra),
            ack_extra: extra,
            block_ack_bytes: 0,
            basic: Modulation::at_least(config.basic_rate),
            unicast: Modulation::at_least(config.data_rate),
            dsss_header: plcp,
            ofdm: None,
            config: config.clone(),
        }
    }

    /// These times on an OFDM layer.
    fn with_ofdm(self, ofdm: OfdmTimes) -> Timing {
        let phy = ofdm.phy;
        let air = AIR_PROPAGATION * u64::from(self.config.coverage_class);
        let slot = phy.slot(self.config.short_slot.unwrap_or(true)) + air;
        let extra_slots = u32::from(self.config.has_qos());
        let aifsn = if self.config.has_qos() { self.config.aifsn.unwrap_or(AIFSN) } else { 2 };
        let (sifs, difs) = (phy.sifs(), phy.sifs() + slot * u64::from(aifsn.saturating_sub(extra_slots)));
        let basic = ofdm.modulation(self.config.basic_rate);
        let unicast = self.config.data_mode(phy).unwrap_or(basic);
        Timing {
            slot,
            round_trip: slot,
            sifs,
            difs,
            extra_slots,
            eifs: sifs + difs + phy.slowest_ack(),
            rts: ofdm.airtime(basic, RTS_BYTES),
            cts: ofdm.airtime(ofdm.response(basic), self.cts_bytes),
            ack: ofdm.airtime(ofdm.response(unicast), ACK_BYTES + self.ack_extra),
            block_ack_bytes: phy.limits().map_or(0, |limits| limits.block_ack_bytes + self.ack_extra),
            basic,
            unicast,
            ofdm: Some(Box::new(ofdm)),
            ..self
        }
    }

    /// Idle time after which a station without backoff sends at once: DIFS, or AIFS.
    pub fn aifs(&self) -> Span {
        self.difs + self.slot * u64::from(self.extra_slots)
    }

    /// These times with a TA field in CTSs, six bytes.
    #[must_use]
    pub fn with_sender_in_cts(&self) -> Timing {
        let cts = match &self.ofdm {
            None => self.rts,
            Some(ofdm) => ofdm.airtime(ofdm.response(self.basic), RTS_BYTES),
        };
        Timing { cts_bytes: RTS_BYTES, cts, ..self.clone() }
    }

    /// Air time of a whole exchange for a packet, from the RTS to the ACK, interframe spaces included.
    pub fn exchange(&self, packet_bytes: u32) -> Span {
        self.rts + self.cts + self.data(packet_bytes, false) + self.ack + self.sifs * 3
    }

    /// Air time of preamble and PHY header of unicast data.
    pub fn plcp(&self) -> Span {
        self.header(self.unicast)
    }

    /// Air time of preamble and PHY header of a frame.
    pub fn header(&self, mode: Modulation) -> Span {
        match &self.ofdm {
            None => self.dsss_header,
            Some(ofdm) => ofdm.header(mode),
        }
    }

    /// Air time of a frame of this modulation.
    pub fn airtime(&self, mode: Modulation, bytes: u32) -> Span {
        match &self.ofdm {
            None => self.dsss_header + self.rules.air_time(mode.rate(), bytes),
            Some(ofdm) => ofdm.airtime(mode, bytes),
        }
    }

    /// No data frame is shorter, whatever its modulation and packet. `None`: receivers may hold packets back after the end of
    /// their frame, as those of A-MPDUs.
    pub fn shortest_data(&self) -> Option<Span> {
        if self.aggregation_limits().is_some() {
            return None;
        }
        let modes = self.modulations().into_iter().map(|mode| self.airtime(mode, self.data_bytes(0)));
        [self.data(0, true), self.data(0, false)].into_iter().chain(modes).min()
    }

    /// Modulations of unicast data that a rate control can choose, the slowest first.
    pub fn modulations(&self) -> Vec<Modulation> {
        match &self.ofdm {
            None => Modulation::DSSS.to_vec(),
            Some(ofdm) => ofdm.phy.data_modes(self.config.guard_ns()),
        }
    }

    /// Limits of aggregation, if the standard has it.
    pub fn aggregation_limits(&self) -> Option<&'static AggregationLimits> {
        self.ofdm.as_ref().and_then(|ofdm| ofdm.phy.limits())
    }

    /// What a rate control with these times is built from; if it has several guard intervals, with all that are no shorter than
    /// the station's.
    pub fn rate_setup(&self, errors: OfdmErrors, stream: RandomStream, has_several_intervals: bool) -> RateSetup {
        let mut modulations = self.modulations();
        if let Some(ofdm) = self.ofdm.as_ref().filter(|_| has_several_intervals) {
            for guard_ns in ofdm.phy.guards().into_iter().filter(|guard_ns| *guard_ns > self.config.guard_ns()) {
                modulations.extend(ofdm.phy.modes_with_mcs(guard_ns));
            }
            modulations = by_rate(modulations);
        }
        let frame = |mode: &Modulation| self.airtime(*mode, RateSetup::BYTES);
        RateSetup {
            ratios: RateSetup::ratios(&modulations, errors),
            attempt_s: modulations.iter().map(|mode| (frame(mode) + self.sifs + self.ack_to(*mode)).secs()).collect(),
            frame_s: modulations.iter().map(|mode| frame(mode).secs()).collect(),
            slot_s: self.slot.secs(),
            modulations,
            stream,
        }
    }

    /// Modulation of the response to a frame: the basic rate with 802.11b.
    pub fn response_mode(&self, answered: Modulation) -> Modulation {
        self.ofdm.as_ref().map_or(self.basic, |ofdm| ofdm.response(answered))
    }

    /// Air time of the ACK of data.
    pub fn ack_to(&self, data: Modulation) -> Span {
        match &self.ofdm {
            None => self.ack,
            Some(ofdm) => ofdm.airtime(ofdm.response(data), ACK_BYTES + self.ack_extra),
        }
    }

    /// Longest PSDU of this modulation, in bytes, by the standard.
    pub fn longest_psdu(&self, mode: Modulation) -> u32 {
        self.ofdm.as_ref().map_or(u32::MAX, |ofdm| ofdm.phy.longest_psdu(mode))
    }

    /// Longest PSDU of several MPDUs, in bytes, that ends with its Block Ack within this time, after RTS and CTS or without.
    pub fn longest_psdu_within(&self, time: Span, mode: Modulation, uses_rts: bool) -> u32 {
        let before = if uses_rts { self.rts + self.cts + self.sifs * 2 } else { Span::ZERO };
        let answer = self.sifs + self.airtime(self.response_mode(mode), self.block_ack_bytes);
        let air = time.saturating_sub(before + answer);
        self.ofdm.as_ref().map_or(u32::MAX, |ofdm| ofdm.phy.longest_psdu_within(air, mode))
    }

    /// Modulation and air time of a CF-End: the response to the slowest OFDM frame (ns-3.37 sends it at its lowest rate).
    pub fn cf_end(&self) -> (Modulation, Span) {
        let slowest = self.ofdm.as_ref().map_or(self.basic, |ofdm| ofdm.slowest);
        let mode = self.response_mode(slowest);
        (mode, self.airtime(mode, CF_END_BYTES))
    }

    /// Interframe space after which a station goes on with its own burst that has failed.
    pub fn pifs(&self) -> Span {
        self.sifs + self.slot
    }

    /// Whether RTS and CTS precede a PSDU of so many bytes.
    pub fn uses_rts_for(&self, psdu: u32) -> bool {
        let threshold = self.config.rts_threshold.0;
        self.config.protection == Some(Protection::RtsCts) || self.rules.rts_threshold.uses_rts(psdu, psdu, threshold)
    }

    /// Air time of the CTS to an RTS.
    pub fn cts_to(&self, rts: Modulation) -> Span {
        match &self.ofdm {
            None => self.cts,
            Some(ofdm) => ofdm.airtime(ofdm.response(rts), self.cts_bytes),
        }
    }

    /// Air time of a CTS to the station itself, at the basic rate.
    pub fn self_cts(&self) -> Span {
        self.ofdm.as_ref().map_or(self.cts, |ofdm| ofdm.airtime(self.basic, CTS_BYTES))
    }

    /// Whether a CTS to the station itself precedes unicast data.
    pub fn uses_self_cts(&self) -> bool {
        self.config.protection == Some(Protection::CtsToSelf) && self.unicast.is_ofdm()
    }

    /// Length of the data frame for a packet, in bytes.
    pub fn data_bytes(&self, packet_bytes: u32) -> u32 {
        packet_bytes + self.config.data_overhead.0
    }

    /// Air time of the data frame for a packet; broadcasts use the basic rate.
    pub fn data(&self, packet_bytes: u32, is_broadcast: bool) -> Span {
        if let Some(ofdm) = &self.ofdm {
            return ofdm.airtime(self.modulation(is_broadcast), self.data_bytes(packet_bytes));
        }
        let rate = if is_broadcast { self.config.basic_rate } else { self.config.data_rate };
        self.dsss_header + self.rules.air_time(rate, self.data_bytes(packet_bytes))
    }

    /// Air time of the unicast data frame for a packet, of this modulation.
    pub fn data_of(&self, mode: Modulation, packet_bytes: u32) -> Span {
        if mode == self.unicast {
            return self.data(packet_bytes, false);
        }
        self.airtime(mode, self.data_bytes(packet_bytes))
    }

    /// Modulation of the data frame for a packet.
    pub fn modulation(&self, is_broadcast: bool) -> Modulation {
        if is_broadcast { self.basic } else { self.unicast }
    }

    /// Whether RTS and CTS precede a packet.
    pub fn uses_rts(&self, packet_bytes: u32) -> bool {
        if self.config.protection == Some(Protection::RtsCts) {
            return true;
        }
        let mpdu = self.data_bytes(packet_bytes);
        self.rules.rts_threshold.uses_rts(packet_bytes, mpdu, self.config.rts_threshold.0)
    }

    /// Whether failures of a packet's data frame count as short retries.
    pub fn is_short(&self, packet_bytes: u32) -> bool {
        let mpdu = self.data_bytes(packet_bytes);
        self.rules.rts_threshold.is_short(packet_bytes, mpdu, self.config.rts_threshold.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kernel::Rate;
    use crate::mac::config::MacProfile;

    /// Times of 802.11b in ns-2 at two rates.
    pub(in crate::mac::timing) fn timing(data: f64, basic: f64) -> Timing {
        Timing::new(&MacConfig { data_rate: Rate(data), basic_rate: Rate(basic), ..MacConfig::default() })
    }

    #[test]
    fn air_times_follow_length_and_rate() {
        // docs/specs/phy.md section 6: microseconds at 1, 2, 5.5 and 11 Mb/s.
        for (rate, rts, cts, ack40, ip1500) in [
            (1e6, 352.0, 304.0, 784.0, 12464.0),
            (2e6, 272.0, 248.0, 488.0, 6328.0),
            (5.5e6, 221.091, 212.364, 299.636, 2423.273),
            (11e6, 206.545, 202.182, 245.818, 1307.636),
        ] {
            let timing = timing(rate, rate);
            for (got, want) in [
                (timing.rts, rts),
                (timing.cts, cts),
                (timing.data(40, false), ack40),
                (timing.data(1500, false), ip1500),
            ] {
                assert!((got.secs() * 1e6 - want).abs() < 6e-4, "{rate}: {got} against {want} us");
            }
        }
        assert_eq!(timing(2e6, 1e6).data(48, true), Span::from_micros(848));
        assert_eq!(timing(2e6, 1e6).eifs, Span::from_micros(364));
    }

    #[test]
    fn std_times_are_whole_microseconds() {
        let std = |rate| {
            let (data_rate, basic_rate) = (Rate(rate), Rate(rate));
            Timing::new(&MacConfig { data_rate, basic_rate, ..MacConfig::std() })
        };
        // RTS, CTS, and the data frame of 1476, 1477 and 1478 bytes of IP, in microseconds behind the PLCP header.
        for (rate, rts, cts, data) in [
            (1e6, 160, 112, [12_096, 12_104, 12_112]),
            (2e6, 80, 56, [6_048, 6_052, 6_056]),
            (5.5e6, 30, 21, [2_200, 2_201, 2_203]),
            (11e6, 15, 11, [1_100, 1_101, 1_102]),
        ] {
            let timing = std(rate);
            let behind = |air: Span| (air - timing.plcp()).0;
            assert_eq!((behind(timing.rts), behind(timing.cts)), (rts * 1_000, cts * 1_000), "{rate}");
            let got = [1476, 1477, 1478].map(|bytes| behind(timing.data(bytes, false)));
            assert_eq!(got, data.map(|micros| micros * 1_000), "{rate}");
            let exact = timing.sifs * 3 + timing.cts + timing.data(1477, false) + timing.ack;
            assert_eq!(
                Span::from_micros(u64::from(timing.rts_duration(timing.data(1477, false), timing.unicast))),
                exact,
                "{rate}"
            );
        }
    }

    #[test]
    fn short_preamble_shortens_eifs_in_ns2_only() {
        let short = |profile| {
            let config =
                MacConfig { profile, preamble: Preamble::Short, basic_rate: Rate(2e6), ..MacConfig::default() };
            Timing::new(&config).eifs
        };
        assert_eq!(short(MacProfile::Ns2), Span::from_micros(268));
        assert_eq!(short(MacProfile::Std), Span::from_micros(364));
    }

    #[test]
    fn coverage_class_lengthens_slots_spaces_and_timeouts() {
        for (base, allowance) in [(MacConfig::default(), 2 * 3), (MacConfig::std(), 3)] {
            let near = Timing::new(&base);
            let far = Timing::new(&MacConfig { coverage_class: 5, ..base });
            let more = |span: Span, than: Span| (span - than).0 / 1_000;
            assert_eq!(more(far.slot, near.slot), 15);
            assert_eq!((more(far.difs, near.difs), more(far.eifs, near.eifs)), (30, 30));
            assert_eq!(more(far.rts_timeout(far.cts), near.rts_timeout(near.cts)), 5 * allowance);
            assert_eq!(more(far.nav_reset(), near.nav_reset()), 30);
            assert_eq!((far.sifs, far.cts), (near.sifs, near.cts));
        }
    }
}
