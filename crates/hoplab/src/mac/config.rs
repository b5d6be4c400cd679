//! Parameters of the MAC: table `[mac]`. Defaults are those of ns-2.35, `Mac/802_11` and `PHY_MIB`, at 2 Mb/s.

use super::edca::{AccessKeys, EdcaConfig};
use super::rate::RateControlKind;
use super::rules::DcfRules;
use crate::kernel::{Bytes, Rate, Span};
use crate::packet::Modulation;
use crate::phy::Phy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[mac]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MacConfig {
    /// Rules that apply where ns-2 and the standard differ.
    pub profile: MacProfile,
    /// Rate of unicast data frames.
    pub data_rate: Rate,
    /// OFDM: what chooses the rate of each unicast data frame, in place of `data_rate`. Default: `fixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<RateControlKind>,
    /// OFDM: a rate control in Python in place of `rate_control`: file and class, such as `my_rates.py:MyRates`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_controller: Option<String>,
    /// Rate of control and broadcast frames.
    pub basic_rate: Rate,
    /// OFDM: rates of responses (CTS, ACK). A response has the highest of them not above that of the frame it answers. Default:
    /// 6, 12 and 24 Mb/s in 20 MHz, half of that in 10 MHz, a quarter in 5 MHz; in 802.11g also 1, 2, 5.5 and 11 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_rates: Option<Vec<Rate>>,
    /// 802.11g: slots of 9 us, not 20 us. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_slot: Option<bool>,
    /// 802.11g: what protects OFDM frames from stations of 802.11b. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection: Option<Protection>,
    /// 802.11n: modulation and coding scheme of unicast data, 0 to 7 with one stream, 8 to 15 with two. `data_rate` is then its
    /// rate. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u32>,
    /// 802.11n: guard interval of 400 ns, not 800 ns. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_gi: Option<bool>,
    /// OFDM: channel access and data frames of 802.11e (EDCA). Default: true with 802.11n, else false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos: Option<bool>,
    /// QoS: slots of AIFS behind SIFS. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<u32>,
    /// QoS: time for which a station that has gained the medium keeps it; 0 s: one exchange. Default: 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txop_limit: Option<Span>,
    /// QoS: channel access of the four categories. Default: packets of all flows share one, unless a flow has a `priority`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edca: Option<EdcaConfig>,
    /// 802.11n: longest A-MPDU; 0 B: none. Default: 65535 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ampdu: Option<Bytes>,
    /// 802.11n: longest A-MSDU; 0 B: none. Default: 0 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amsdu: Option<Bytes>,
    /// 802.11n: time for which an MPDU of an A-MPDU is repeated, from its arrival at the MAC. Default: 500 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpdu_life: Option<Span>,
    /// Length of the PLCP preamble.
    pub preamble: Preamble,
    /// RTS and CTS precede unicast data of at least this size (`ns2`: IP bytes + 58; `std`: longer than this with MAC header).
    pub rts_threshold: Bytes,
    /// Short retry limit: transmissions of an RTS, or of data without RTS, before the packet is dropped.
    pub ssrl: u32,
    /// Long retry limit: transmissions of data after a CTS before the packet is dropped.
    pub slrl: u32,
    /// First contention window, in slots.
    pub cw_min: u32,
    /// Last contention window, in slots.
    pub cw_max: u32,
    /// MAC header, FCS and LLC of a data frame.
    pub data_overhead: Bytes,
    /// Whether the NAV that an overheard RTS has set is reset when no frame follows within 2 SIFS, a CTS and 2 slots
    /// (IEEE 802.11-2012 section 9.3.2.4). Default: `false` in profile `ns2`, `true` in `std`.
    pub nav_reset_after_rts: bool,
    /// Coverage class (IEEE 802.11-2016 section 9.4.2.9), for long links: slots, interframe spaces and timeouts allow for 3 us
    /// of propagation per class.
    pub coverage_class: u32,
}

/// Rule sets (`docs/protocols/dcf.md` lists where they differ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MacProfile {
    /// ns-2.35.
    Ns2,
    /// IEEE 802.11-1999 and 2007, clause 9.
    Std,
}

/// Protection of OFDM frames from stations that know 802.11b only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// None.
    None,
    /// A CTS of `basic_rate` to the sender itself before each unicast frame.
    CtsToSelf,
    /// RTS and CTS before each unicast frame.
    RtsCts,
}

/// PLCP preambles of 802.11b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preamble {
    /// 192 us with header.
    Long,
    /// 96 us with header; not for 1 Mb/s.
    Short,
}

/// Guard intervals of 802.11n, in nanoseconds: `short_gi`, and without.
const GUARDS_NS: [u16; 2] = [400, 800];
/// AIFSN of best effort (IEEE 802.11-2016 table 9-137).
pub const AIFSN: u32 = 3;
/// The QoS Control field of data frames (IEEE 802.11-2016 section 9.2.4.5).
pub const QOS_BYTES: u32 = 2;

impl MacProfile {
    /// The rules that the profile names.
    pub const fn rules(self) -> DcfRules {
        match self {
            MacProfile::Ns2 => DcfRules::NS2,
            MacProfile::Std => DcfRules::STD,
        }
    }
}

impl Default for MacConfig {
    fn default() -> Self {
        MacConfig {
            profile: MacProfile::Ns2,
            data_rate: Rate(2e6),
            rate_control: None,
            rate_controller: None,
            basic_rate: Rate(1e6),
            basic_rates: None,
            short_slot: None,
            protection: None,
            mcs: None,
            short_gi: None,
            qos: None,
            aifsn: None,
            txop_limit: None,
            edca: None,
            ampdu: None,
            amsdu: None,
            mpdu_life: None,
            preamble: Preamble::Long,
            rts_threshold: Bytes(0),
            ssrl: 7,
            slrl: 4,
            cw_min: 31,
            cw_max: 1023,
            data_overhead: Bytes(34),
            nav_reset_after_rts: false,
            coverage_class: 0,
        }
    }
}

impl MacConfig {
    /// Time for which an MPDU is repeated (dot11QAPEDCATableMSDULifetime is 500 time units).
    pub const MPDU_LIFE: Span = Span::from_millis(500);

    /// Whether the rates of data frames vary.
    pub fn adapts_rate(&self) -> bool {
        self.rate_controller.is_some() || self.rate_control.is_some_and(|kind| kind != RateControlKind::Fixed)
    }

    /// The same with the defaults of an OFDM standard in place of those of 802.11b.
    #[must_use]
    pub fn of_phy(self, phy: Phy) -> MacConfig {
        let standard = phy.standard;
        if !standard.is_ofdm() {
            return self;
        }
        let (is_mixed, has_qos, limits) = (phy.is_mixed(), standard.qos == Some(true), standard.aggregation);
        // The fastest rate that is mandatory.
        let usual = phy.basic().last().map_or(self.data_rate, |mode| mode.rate());
        MacConfig {
            data_rate: usual,
            basic_rate: phy.slowest().rate(),
            basic_rates: Some(phy.basic().into_iter().map(Modulation::rate).collect()),
            short_slot: is_mixed.then_some(true),
            protection: is_mixed.then_some(Protection::None),
            mcs: standard.mcs.map(|rule| rule.usual),
            short_gi: standard.mcs.map(|_| false),
            qos: has_qos.then_some(true),
            aifsn: has_qos.then_some(AIFSN),
            ampdu: limits.map(|limits| Bytes(limits.ampdu)),
            amsdu: limits.map(|_| Bytes(0)),
            mpdu_life: limits.map(|_| MacConfig::MPDU_LIFE),
            data_overhead: if has_qos { Bytes(self.data_overhead.0 + QOS_BYTES) } else { self.data_overhead },
            cw_min: standard.cw_min,
            ..self
        }
    }

    /// Whether access and data frames are those of 802.11e.
    pub fn has_qos(&self) -> bool {
        self.qos == Some(true)
    }

    /// Access without categories.
    pub fn access(&self) -> AccessKeys {
        AccessKeys {
            aifsn: self.aifsn.unwrap_or(AIFSN),
            cw_min: self.cw_min,
            cw_max: self.cw_max,
            txop_limit: self.txop_limit.unwrap_or(Span::ZERO),
        }
    }

    /// The modulation of unicast data with OFDM, if it is one of `phy`.
    pub fn data_mode(&self, phy: Phy) -> Option<Modulation> {
        match phy.standard.mcs {
            Some(rule) => phy.mode_of_mcs(self.mcs.unwrap_or(rule.usual), self.guard_ns()),
            None => phy.modulation(self.data_rate),
        }
    }

    /// Guard interval of unicast data with MCS, in nanoseconds.
    pub fn guard_ns(&self) -> u16 {
        let [short, long] = GUARDS_NS;
        if self.short_gi == Some(true) { short } else { long }
    }

    /// Defaults of profile `std`: 28 bytes of MAC header and FCS, 8 of LLC and SNAP; an RTS without exchange resets the NAV.
    pub fn std() -> MacConfig {
        MacConfig {
            profile: MacProfile::Std,
            data_overhead: Bytes(36),
            nav_reset_after_rts: true,
            ..MacConfig::default()
        }
    }
}
