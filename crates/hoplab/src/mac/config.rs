//! Parameters of the MAC: table `[mac]`. Defaults are those of ns-2.35, `Mac/802_11` and `PHY_MIB`, at 2 Mb/s.

use super::rules::DcfRules;
use crate::kernel::{Bytes, Rate};
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
    /// Rate of control and broadcast frames.
    pub basic_rate: Rate,
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

/// PLCP preambles of 802.11b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preamble {
    /// 192 us with header.
    Long,
    /// 96 us with header; not for 1 Mb/s.
    Short,
}

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
            basic_rate: Rate(1e6),
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
