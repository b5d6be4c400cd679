//! The applications that a flow can name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a flow has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppKind {
    /// A file without end: there is always more.
    Ftp,
    /// Packets at a constant rate.
    Cbr,
    /// Bursts of packets, and silence.
    OnOff,
    /// A voice call, one way.
    Voip,
    /// Pairs of packets that measure the capacity of the path.
    AdhocProbe,
    /// Packets for rt-Winf to measure, where there is no RTS and CTS.
    WinfProbe,
}

impl AppKind {
    /// All of them, in the order of documentation.
    pub const ALL: [AppKind; 6] =
        [AppKind::Ftp, AppKind::Cbr, AppKind::OnOff, AppKind::Voip, AppKind::AdhocProbe, AppKind::WinfProbe];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            AppKind::Ftp => "ftp",
            AppKind::Cbr => "cbr",
            AppKind::OnOff => "on_off",
            AppKind::Voip => "voip",
            AppKind::AdhocProbe => "adhoc_probe",
            AppKind::WinfProbe => "winf_probe",
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            AppKind::Ftp => "a file without end: there is always a segment to send",
            AppKind::Cbr => "packets of one size at a constant rate",
            AppKind::OnOff => "bursts of packets at a constant rate, and silence, both of exponential length",
            AppKind::Voip => "a voice call of G.711, one way: 160 bytes and an RTP header every 20 ms",
            AppKind::AdhocProbe => "pairs of packets whose distance at arrival tells the capacity of the path",
            AppKind::WinfProbe => "a few packets for rt-Winf to measure, where there is no RTS and CTS",
        }
    }
}
