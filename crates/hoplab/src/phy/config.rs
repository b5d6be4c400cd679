//! Parameters of the radio: table `[radio]`. Defaults are those of ns-2.35's `Phy/WirelessPhy` (914 MHz WaveLAN).

use super::errors::ErrorConfig;
use super::links::LinkTable;
use super::propagation::PropagationKind;
use super::reception::SinrConfig;
use crate::kernel::{Hertz, Metres, Watts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    /// Exponent of the loss over distance, beta (`shadowing`).
    #[schemars(range(min = 0.1, max = 10.0))]
    pub path_loss_exponent: f64,
    /// Deviation of the random part of the loss, sigma, in dB (`shadowing`).
    #[schemars(range(min = 0.0, max = 30.0))]
    pub shadowing_deviation_db: f64,
    /// Distance up to which the loss is that of free space (`shadowing`).
    pub reference_distance: Metres,
    /// Coherence of the random part of a link's loss (`shadowing`).
    pub shadowing_coherence: Coherence,
    /// Power from which on a frame can be received.
    pub rx_threshold: Watts,
    /// Power from which on a frame is sensed.
    pub cs_threshold: Watts,
    /// Noise of the receiver over that of a resistor at 290 K, in dB (`sinr`, `ber_curves`).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub noise_figure_db: f64,
    /// Width of the channel, for its thermal noise.
    pub bandwidth: Hertz,
    /// Reception by signal-to-interference ratio (`sinr`).
    pub sinr: SinrConfig,
    /// What corrupts frames that are strong enough and do not collide.
    pub errors: ErrorConfig,
    /// How many times stronger than a later frame the first one must be to survive it.
    pub capture_ratio: f64,
    /// Reception range; sets `rx_threshold` from the propagation model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rx_range: Option<Metres>,
    /// Distance up to which frames are sensed; sets `cs_threshold` from the propagation model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cs_range: Option<Metres>,
    /// Links in place of positions and `propagation`.
    #[serde(skip)]
    pub links: Option<Arc<LinkTable>>,
    /// By node, its height in meters, which counts in distances; `None` if all are equal.
    #[serde(skip)]
    pub heights: Option<Arc<[f64]>>,
}

/// Coherence of the random part of a link's loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coherence {
    /// Each frame at each receiver has its own, as in ns-2.
    Frame,
    /// One value per link for the whole run, equal in both directions.
    Link,
}

/// Models of reception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RxModel {
    /// Thresholds, and comparison of each later frame with the first one only, as in ns-2.
    Ns2,
    /// The ratio of signal to noise and the sum of all interference.
    Sinr,
}

impl RadioConfig {
    /// Defaults of profile `std`: reception by signal-to-interference ratio.
    pub fn std() -> RadioConfig {
        RadioConfig { rx_model: RxModel::Sinr, ..RadioConfig::default() }
    }

    /// Whether received power has a random part.
    pub fn is_shadowed(&self) -> bool {
        self.propagation == PropagationKind::Shadowing && self.shadowing_deviation_db > 0.0
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
            path_loss_exponent: 2.0,
            shadowing_deviation_db: 4.0,
            reference_distance: Metres(1.0),
            shadowing_coherence: Coherence::Frame,
            rx_threshold: Watts(3.652e-10),
            cs_threshold: Watts(1.559e-11),
            noise_figure_db: 7.0,
            bandwidth: Hertz(22e6),
            sinr: SinrConfig::default(),
            errors: ErrorConfig::default(),
            capture_ratio: 10.0,
            rx_range: None,
            cs_range: None,
            links: None,
            heights: None,
        }
    }
}
