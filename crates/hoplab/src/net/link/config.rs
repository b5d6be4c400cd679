//! Parameters between network layer and MAC.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[link]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Whether ARP resolves the address of each neighbor before the first packet to it.
    pub arp: bool,
    /// Time a packet takes between network layer and queue, and up again.
    pub delay: Span,
}

impl Default for LinkConfig {
    fn default() -> Self {
        LinkConfig { arp: true, delay: Span::from_micros(25) }
    }
}
