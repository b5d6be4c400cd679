//! Rules of release by overhearing, as values. Times are in exchanges of the node: they follow its rate and packet length.

/// Rules at one node.
#[derive(Clone, Debug, PartialEq)]
pub struct HopReleaseRules {
    /// Turns of others from which on a node answers no RTS for a long packet; 0 for no limit.
    pub hold: u32,
    /// Exchanges after that of the next hop, at most; `None`: by whether stations aggregate.
    pub extra: Option<f64>,
    /// Exchanges for each hop that is left beyond two.
    pub extra_per_hop: Option<f64>,
    /// Exchanges until a hop that was not heard is waited for no longer.
    pub timeout: f64,
    /// Such ends in a row after which a hop that was never heard is not waited for.
    pub misses: u32,
    /// Times that a packet is tried again after its retry limit.
    pub requeue: u32,
    /// Whether a parked packet makes way for one to another hop.
    pub swap: bool,
    /// Length in bytes from which on a packet is long; `None`: more than half of the longest.
    pub long_from: Option<u32>,
}

impl HopReleaseRules {
    /// Length from which on a packet is long, where the longest is of so many bytes.
    pub fn long_from(&self, longest: u32) -> u32 {
        self.long_from.unwrap_or(longest / 2 + 1)
    }
}
