//! One link as written in a scenario or a file of links.

use crate::kernel::{Channel, Metres, Span, Time, Watts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table of `topology.links`: one direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRow {
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver.
    pub to: String,
    /// Channel that the row is for. Default: each that both nodes have and that no other row of the pair names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 233))]
    pub channel: Option<Channel>,
    /// Received power.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Watts>,
    /// Received power over thermal noise, in dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snr_db: Option<f64>,
    /// Transmitted over received power, antennas included, in dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_loss_db: Option<f64>,
    /// Share of frames that arrive without interference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<f64>,
    /// MAC bytes of the frames that `delivery` was measured with; without it, all lengths are lost alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bytes: Option<u32>,
    /// Propagation delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// Distance, in place of `delay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Metres>,
    /// Whether the receiver senses the sender's frames but decodes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sense_only: Option<bool>,
    /// From when on the pair is as written. Without power and delivery it is gone. Default: the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// Directions. Default: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<LinkWay>,
}

/// Directions that a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkWay {
    /// From sender to receiver.
    One,
    /// Both.
    Both,
}

/// Power of links that are listed without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// The scenario is refused.
    #[default]
    Refuse,
    /// All equal, 10 dB over what the fastest data rate of any node needs.
    Level,
    /// By `radio.propagation` over the distance of `geo`.
    Propagation,
}

/// What a link's power is known from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Strength {
    /// Received power in watts.
    Received(f64),
    /// Over thermal noise, in dB.
    Snr(f64),
    /// Below the transmitted power, in dB.
    PathLoss(f64),
    /// Nothing.
    Unknown,
}

/// One direction of a link between nodes with numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ListedLink {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) channel: Option<Channel>,
    pub(crate) at: Time,
    pub(crate) strength: Strength,
    /// Ratio, and length of the frames that it was measured with, or 0.
    pub(crate) delivery: Option<(f64, u32)>,
    /// Delay in nanoseconds.
    pub(crate) delay: Option<u32>,
    pub(crate) is_sensed_only: bool,
    /// Line of the file, or index in the list.
    pub(crate) place: u32,
}
