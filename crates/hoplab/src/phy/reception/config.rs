//! Parameters of reception with cumulative interference: table `[radio.sinr]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[radio.sinr]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SinrConfig {
    /// The condition under which a frame is decoded.
    pub reception: Readable,
    /// Least ratio of signal to noise and interference at which a preamble is made out, in dB.
    #[schemars(range(min = -30.0, max = 60.0))]
    pub preamble_db: f64,
    /// Whether the receiver locks on a much stronger later frame.
    pub frame_capture: bool,
    /// Ratio to everything else at which it does, in dB.
    #[schemars(range(min = -30.0, max = 60.0))]
    pub frame_capture_db: f64,
    /// Whether a receiver aborts reception of a frame whose PLCP header it could not decode, for the next one.
    pub abort_on_header_error: bool,
}

/// The condition under which a frame is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Readable {
    /// Chance, by the bit error rates of its modulation.
    BerCurves,
    /// A ratio of at least -3, 2, 4 and 7 dB at 1, 2, 5.5 and 11 Mb/s, all the time.
    Threshold,
    /// OFDM: chance, by the bound of Pei and Henderson.
    Nist,
    /// OFDM: chance, by the bound of Lacage and Henderson.
    Yans,
}

impl Default for SinrConfig {
    fn default() -> Self {
        SinrConfig {
            reception: Readable::BerCurves,
            preamble_db: 4.0,
            frame_capture: false,
            frame_capture_db: 10.0,
            abort_on_header_error: false,
        }
    }
}
