//! Parameters of a wire, as two ports.

use crate::kernel::{Bytes, NodeId, Rate, Span};
use crate::net::link::QueueConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A wire between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct WireSpec {
    /// Its ends.
    pub ends: [NodeId; 2],
    /// The port of each end: what that end sends.
    pub ports: [PortConfig; 2],
}

/// One direction of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// Bits per second of the transmission.
    pub rate: Rate,
    /// Time from the end of the transmission to the arrival.
    pub delay: Span,
    /// Maximum of a uniform random time that is added to the delay.
    pub jitter: Span,
    /// Whether jitter may change the order of packets.
    pub reorder: bool,
    /// Losses after the transmission.
    pub loss: WireLoss,
    /// Bytes that the wire adds to each packet.
    pub overhead: Bytes,
    /// Queue of the port.
    pub queue: QueueConfig,
}

/// Losses of a port.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WireLoss {
    /// Probability that a packet is lost, each for itself.
    Independent(f64),
    /// Bursts of losses.
    Bursts(Bursts),
}

/// A good and a bad state of exponential length, each with a probability of loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bursts {
    /// Mean length of the good state.
    pub good_mean: Span,
    /// Mean length of the bad state.
    pub bad_mean: Span,
    /// Probability that a packet is lost in the good state.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub good_loss: f64,
    /// Probability that a packet is lost in the bad state.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bad_loss: f64,
}

impl Default for Bursts {
    fn default() -> Self {
        Bursts { good_mean: Span::from_millis(1000), bad_mean: Span::from_millis(50), good_loss: 0.0, bad_loss: 0.5 }
    }
}

impl WireSpec {
    /// Both directions: sender, receiver, and the sender's port.
    pub fn directions(&self) -> [(NodeId, NodeId, &PortConfig); 2] {
        let [a, b] = self.ends;
        [(a, b, &self.ports[0]), (b, a, &self.ports[1])]
    }
}
