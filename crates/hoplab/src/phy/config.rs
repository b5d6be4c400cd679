//! Parameters of the radio: table `[radio]`. Defaults are those of ns-2.35's `Phy/WirelessPhy` (914 MHz WaveLAN).

use super::errors::{ErrorConfig, OfdmErrors};
use super::layer::{CcaRule, Phy};
use super::links::LinkTable;
use super::propagation::{FadingKind, PropagationKind};
use super::reception::{Readable, SinrConfig};
use super::standards::{Band, Standard};
use crate::kernel::{Channel, Hertz, Metres, Span, Watts};
use crate::packet::Width;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Table `[radio]` of a scenario. Defaults are those of ns-2.35: a 914 MHz WaveLAN reaching 250 m, sensed at 550 m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RadioConfig {
    /// Standard of the radio. Default: `11b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<&'static Standard>,
    /// Number of the channel of nodes without `radios`. Nodes on different channels do not sense each other. The number changes
    /// neither `frequency` nor `bandwidth`. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 233))]
    pub channel: Option<Channel>,
    /// Band of the channel. Default: that of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// 802.11n: spatial streams of the modes that a rate control chooses from, 1 or 2. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2))]
    pub streams: Option<u32>,
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
    /// Power from which on a pair of nodes counts as a link, for static routes and warnings. Default: `rx_threshold`; with OFDM at
    /// least the power at which half of the frames of 1536 bytes survive noise at `mac.data_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_threshold: Option<Watts>,
    /// OFDM: when the medium counts as busy. Default: `ns3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cca: Option<CcaRule>,
    /// OFDM: time from a signal start to the verdict of clear channel assessment. Default: 4 us in 20 MHz, 8 us in 10 MHz,
    /// 16 us in 5 MHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cca_time: Option<Span>,
    /// OFDM with `cca = "standard"`: power of energy that makes the medium busy. Default: -62 dBm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ed_threshold: Option<Watts>,
    /// Noise of the receiver over that of a resistor at 290 K, in dB (`sinr`, `ber_curves`).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub noise_figure_db: f64,
    /// Width of the channel, for its thermal noise.
    pub bandwidth: Hertz,
    /// Multipath fading. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<FadingKind>,
    /// Shape m of `nakagami`. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.5, max = 1000.0))]
    pub fading_m: Option<f64>,
    /// Ratio K of the dominant path's power to that of all others (`rician`). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub fading_k: Option<f64>,
    /// Time for which the factor of a link lasts. Default: each frame at each receiver has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading_coherence: Option<Span>,
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
    /// By node, or in a run by radio, its height in meters, which counts in distances; `None` if all are equal.
    #[serde(skip)]
    pub heights: Option<Arc<[f64]>>,
    /// In a run, by radio, its channel; `None` if all are on one.
    #[serde(skip)]
    pub channels: Option<Arc<[Channel]>>,
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

/// Channel of nodes without another.
const CHANNEL: Channel = 1;
/// Power from which on a receiver detects the preamble of OFDM in 20 MHz (IEEE 802.11-2016 section 17.3.10.6).
const PREAMBLE_DBM: f64 = -82.0;
/// Power of any signal from which on the medium is busy (same section).
const ED_THRESHOLD_DBM: f64 = -62.0;

impl RadioConfig {
    /// Defaults of profile `std`: reception by signal-to-interference ratio.
    pub fn std() -> RadioConfig {
        RadioConfig { rx_model: RxModel::Sinr, ..RadioConfig::default() }
    }

    /// The same with the defaults of an OFDM standard in place of those of 802.11b.
    #[must_use]
    pub fn of_standard(self, standard: &'static Standard, band: Band) -> RadioConfig {
        let frequency = match band {
            Band::Ghz5 => Hertz(5.18e9),
            Band::Ghz2 => Hertz(2.412e9),
        };
        RadioConfig {
            standard: Some(standard),
            band: Some(band),
            streams: standard.mcs.map(|_| 1),
            cca: Some(CcaRule::Ns3),
            ed_threshold: Some(Watts::from_dbm(ED_THRESHOLD_DBM)),
            rx_threshold: Watts::from_dbm(PREAMBLE_DBM),
            cs_threshold: Watts::from_dbm(PREAMBLE_DBM),
            frequency,
            bandwidth: Hertz(20e6),
            sinr: SinrConfig { reception: Readable::Nist, ..self.sinr },
            ..self
        }
    }

    /// The channel of nodes without `radios`.
    pub fn usual_channels(&self) -> &[Channel] {
        self.channel.as_ref().map_or(&[CHANNEL], std::slice::from_ref)
    }

    /// Its physical layer.
    pub fn phy(&self) -> Phy {
        let (mhz, standard) = (self.bandwidth.0 * 1e-6, self.standard.unwrap_or(Standard::USUAL));
        let width = standard.widths.iter().copied().find(|width| width.mhz() == mhz).unwrap_or(Width::MHZ20);
        let band = self.band.unwrap_or(standard.bands[0]);
        Phy { standard, width, band, streams: self.streams.unwrap_or(1) }
    }

    /// Power from which on a pair of nodes counts as a link, in watts.
    pub fn link_threshold(&self) -> f64 {
        self.link_threshold.unwrap_or(self.rx_threshold).0
    }

    /// The error model of OFDM frames.
    pub fn ofdm_errors(&self) -> OfdmErrors {
        if self.sinr.reception == Readable::Yans { OfdmErrors::Yans } else { OfdmErrors::Nist }
    }

    /// Whether received power differs between the frames of a link.
    pub fn is_random(&self) -> bool {
        self.fading.is_some_and(|kind| kind != FadingKind::None)
            || self.is_shadowed() && self.shadowing_coherence == Coherence::Frame
    }

    /// Whether received power has a random part.
    pub fn is_shadowed(&self) -> bool {
        self.propagation == PropagationKind::Shadowing && self.shadowing_deviation_db > 0.0
    }
}

impl Default for RadioConfig {
    fn default() -> Self {
        RadioConfig {
            standard: None,
            channel: None,
            band: None,
            streams: None,
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
            link_threshold: None,
            cca: None,
            cca_time: None,
            ed_threshold: None,
            noise_figure_db: 7.0,
            bandwidth: Hertz(22e6),
            fading: None,
            fading_m: None,
            fading_k: None,
            fading_coherence: None,
            sinr: SinrConfig::default(),
            errors: ErrorConfig::default(),
            capture_ratio: 10.0,
            rx_range: None,
            cs_range: None,
            links: None,
            heights: None,
            channels: None,
        }
    }
}
