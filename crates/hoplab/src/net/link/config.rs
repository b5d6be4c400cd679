//! Parameters between network layer and MAC: table `[link]`. Defaults are those of ns-2.35's `LL`.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[link]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Whether ARP resolves the address of each neighbor before the first packet to it.
    pub arp: bool,
    /// Delay of a packet from network layer to queue, and from MAC to network layer.
    pub delay: Span,
}

impl Default for LinkConfig {
    fn default() -> Self {
        LinkConfig { arp: true, delay: Span::from_micros(25) }
    }
}
