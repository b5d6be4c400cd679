//! What a standard says of frames and their times: the columns of the table.

use crate::kernel::Span;
use crate::packet::{Mode, Width};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A standard: its row of the table.
pub struct Standard {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its page, below `docs/protocols`.
    pub page: &'static str,
    /// Its bands, the usual one first.
    pub bands: &'static [Band],
    /// Widths of its channels.
    pub widths: &'static [Width],
    /// Its modes in all bands and widths, table by table, each from the slowest on: those of 802.11b, OFDM, those with MCS.
    pub modes: &'static [&'static [Mode]],
    /// Headers of frames of 802.11b, if it has them.
    pub plcp: Option<Plcp>,
    /// Headers of OFDM frames, if it has them.
    pub ofdm: Option<OfdmHeader>,
    /// Slots and SIFS.
    pub spaces: &'static [Spaces],
    /// aCWmin.
    pub cw_min: u32,
    /// Whether stations have EDCA unless the scenario says otherwise; `None`: they cannot have it.
    pub qos: Option<bool>,
    /// How `mac.mcs` chooses a mode, if it does.
    pub mcs: Option<McsRule>,
    /// Limits of aggregation, if it has any.
    pub aggregation: Option<AggregationLimits>,
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

/// Preamble and header of DSSS frames.
#[derive(Clone, Copy, Debug)]
pub struct Plcp {
    /// With the long preamble.
    pub long: Span,
    /// With the short one.
    pub short: Span,
}

/// Preamble and header of OFDM frames, and what goes with them, in 20 MHz.
#[derive(Clone, Copy, Debug)]
pub struct OfdmHeader {
    /// Training sequences.
    pub training: Span,
    /// SIGNAL field.
    pub signal: Span,
    /// aCCATime.
    pub cca_time: Span,
    /// Time without information behind each frame in 2.4 GHz, aSignalExtension.
    pub extension: Span,
}

/// Slots and SIFS of channels in a band, of one width; those of 20 MHz hold for wider channels.
#[derive(Clone, Copy, Debug)]
pub struct Spaces {
    /// The band.
    pub band: Band,
    /// The width.
    pub width: Width,
    /// aSIFSTime.
    pub sifs: Span,
    /// aSlotTime.
    pub slot: Span,
    /// The short slot, if there are two (`mac.short_slot`).
    pub short_slot: Option<Span>,
}

/// How `mac.mcs` chooses a mode.
#[derive(Clone, Copy, Debug)]
pub struct McsRule {
    /// Unless the scenario says otherwise.
    pub usual: u32,
    /// Most spatial streams.
    pub streams: u32,
    /// Whether the number implies the streams; otherwise they are those of `radio.streams`.
    pub implies_streams: bool,
}

/// Limits of aggregation and block acknowledgment.
#[derive(Clone, Copy, Debug)]
pub struct AggregationLimits {
    /// Longest A-MPDU, in bytes.
    pub ampdu: u32,
    /// Longest A-MSDU, in bytes.
    pub amsdu: u32,
    /// The same within A-MPDUs.
    pub amsdu_in_ampdu: u32,
    /// MPDUs of an A-MPDU, and of the window of a block acknowledgment, at most.
    pub window: u16,
    /// Length of a compressed Block Ack of this window, with FCS, in bytes.
    pub block_ack_bytes: u32,
    /// Longest PPDU, aPPDUMaxTime.
    pub ppdu: Span,
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

impl Standard {
    /// That of a scenario which names none.
    pub const USUAL: &'static Standard = Standard::ALL[0];

    /// The standard of this name.
    pub fn named(name: &str) -> Option<&'static Standard> {
        Standard::ALL.iter().copied().find(|standard| standard.name == name)
    }

    /// Whether it has OFDM.
    #[inline]
    pub fn is_ofdm(&self) -> bool {
        self.ofdm.is_some()
    }
}

impl PartialEq for Standard {
    fn eq(&self, other: &Standard) -> bool {
        self.name == other.name
    }
}

impl Eq for Standard {}

impl std::fmt::Debug for Standard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Standard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Standard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Standard::named(&name).ok_or_else(|| D::Error::custom(format!("{name} is not a standard of the list")))
    }
}

impl JsonSchema for Standard {
    fn schema_name() -> Cow<'static, str> {
        "Standard".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let choice = |standard: &&Standard| serde_json::json!({ "type": "string", "const": standard.name, "description": standard.summary });
        let choices: Vec<serde_json::Value> = Standard::ALL.iter().map(choice).collect();
        json_schema!({ "description": "Standards of the radio.", "oneOf": choices })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::aggregate::WINDOW;
    use crate::packet::{Modulation, Waveform};

    #[test]
    fn rows_agree_with_themselves() {
        for standard in Standard::ALL {
            let modes = || standard.modes.iter().flat_map(|table| table.iter());
            let name = standard.name;
            assert_eq!(Standard::named(name), Some(*standard), "names are unique");
            let (dsss, ofdm) =
                (|mode: &Mode| matches!(mode.waveform, Waveform::Dsss(_)), |mode: &Mode| mode.mcs.is_none());
            assert_eq!(modes().any(dsss), standard.plcp.is_some(), "{name}: PLCP");
            assert_eq!(modes().any(|mode| !dsss(mode) && ofdm(mode)), standard.is_ofdm(), "{name}: OFDM");
            assert_eq!(modes().any(|mode| mode.mcs.is_some()), standard.mcs.is_some(), "{name}: MCS");
            for band in standard.bands {
                assert!(standard.spaces.iter().any(|spaces| spaces.band == *band), "{name}: {band:?}");
            }
            if let Some(limits) = &standard.aggregation {
                assert!(limits.window <= WINDOW && limits.amsdu_in_ampdu <= limits.amsdu, "{name}");
                assert!(standard.qos.is_some() && standard.mcs.is_some(), "{name}: aggregation needs QoS");
            }
            for mode in modes() {
                let modulation = Modulation::of(mode);
                let most = standard.mcs.map_or(1, |rule| rule.streams);
                assert!(modulation.rate().0 > 0.0 && modulation.streams() <= most, "{name}: {modulation:?}");
            }
        }
    }

    #[test]
    fn standard_is_read_and_written_by_its_name() {
        for standard in Standard::ALL {
            let json = serde_json::to_value(standard).expect("a name");
            assert_eq!(json, standard.name);
            assert_eq!(serde_json::from_value::<&'static Standard>(json).ok(), Some(*standard));
        }
        assert!(serde_json::from_value::<&'static Standard>("11z".into()).is_err());
    }
}
