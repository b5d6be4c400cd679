//! Parameters of CUBIC: table `[tcp.congestion.cubic]`. Names are those of RFC 9438.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.cubic]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CubicConfig {
    /// Version of CUBIC. Default: `linux_2_6_22` in `ns2_linux`, else `rfc9438`.
    pub form: CubicForm,
    /// Scale of the cubic, in segments per cubic second.
    #[schemars(range(min = 0.001, max = 1000))]
    pub c: f64,
    /// Share of the window that a loss leaves. Default: 0.7 in `rfc9438`, 0.8 otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.1, max = 0.99))]
    pub retained: Option<f64>,
    /// Whether a loss below the window of the last one lowers the plateau (fast convergence).
    pub fast_convergence: bool,
    /// Whether the window is at least an estimate of Reno's.
    pub friendly: bool,
}

/// Versions of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CubicForm {
    /// RFC 9438.
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// The module of Linux 2.6.22, CUBIC 2.1, as ns-2.35 has it.
    #[serde(rename = "linux_2_6_22")]
    Linux2622,
    /// Ha, Rhee, Xu 2008.
    #[serde(rename = "paper")]
    Paper,
}

impl Default for CubicConfig {
    fn default() -> Self {
        CubicConfig { form: CubicForm::Rfc9438, c: 0.4, retained: None, fast_convergence: true, friendly: true }
    }
}

impl CubicConfig {
    /// Share of the window that a loss leaves.
    pub fn retained(&self) -> f64 {
        self.retained.unwrap_or(match self.form {
            CubicForm::Rfc9438 => 0.7,
            CubicForm::Linux2622 => 819.0 / 1024.0,
            CubicForm::Paper => 0.8,
        })
    }
}
