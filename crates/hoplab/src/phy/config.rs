//! Parameters of the radio.

use crate::kernel::{Hertz, Metres, Watts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[radio]` of a scenario. Defaults are those of ns-2.35: a 914 MHz WaveLAN reaching 250 m, sensed at 550 m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RadioConfig {
    /// Loss over distance.
    pub propagation: PropagationKind,
    /// How overlapping frames are received.
    pub rx_model: RxModel,
    /// Power that a node sends with.
    pub tx_power: Watts,
    /// Carrier frequency.
    pub frequency: Hertz,
    /// Height of both antennas above the ground.
    pub antenna_height: Metres,
    /// Gain of the sending antenna, as a factor.
    pub tx_gain: f64,
    /// Gain of the receiving antenna, as a factor.
    pub rx_gain: f64,
    /// Loss of the system, as a factor of at least 1.
    pub system_loss: f64,
    /// Power from which on a frame can be received.
    pub rx_threshold: Watts,
    /// Power from which on a frame is sensed.
    pub cs_threshold: Watts,
    /// How many times stronger than a later frame the first one must be to survive it.
    pub capture_ratio: f64,
    /// Distance up to which frames are received; sets `rx_threshold` from the propagation model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<Metres>,
    /// Distance up to which frames are sensed; sets `cs_threshold` from the propagation model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cs_range: Option<Metres>,
}

/// Models of loss over distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PropagationKind {
    /// Direct path and its reflection on flat ground.
    TwoRay,
    /// Direct path only.
    FreeSpace,
}

/// Models of reception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RxModel {
    /// Thresholds, and comparison of each later frame with the first one only, as in ns-2.
    Ns2,
}

impl PropagationKind {
    /// All models, in the order of documentation.
    pub const ALL: [PropagationKind; 2] = [PropagationKind::TwoRay, PropagationKind::FreeSpace];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            PropagationKind::TwoRay => "two_ray",
            PropagationKind::FreeSpace => "free_space",
        }
    }

    /// What it is, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            PropagationKind::TwoRay => "direct path and its reflection on flat ground",
            PropagationKind::FreeSpace => "direct path only",
        }
    }
}

impl Default for RadioConfig {
    fn default() -> Self {
        RadioConfig {
            propagation: PropagationKind::TwoRay,
            rx_model: RxModel::Ns2,
            tx_power: Watts(0.281_838_15),
            frequency: Hertz(914e6),
            antenna_height: Metres(1.5),
            tx_gain: 1.0,
            rx_gain: 1.0,
            system_loss: 1.0,
            rx_threshold: Watts(3.652e-10),
            cs_threshold: Watts(1.559e-11),
            capture_ratio: 10.0,
            reach: None,
            cs_range: None,
        }
    }
}
