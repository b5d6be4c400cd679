//! Neighbors that hello messages reveal (RFC 3561 section 6.9).

use crate::kernel::{RadioId, Time};

/// Radios of recent neighbors, each with the time at which it is lost.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Neighbors {
    heard: Vec<(RadioId, Time)>,
    /// Last broadcast of this node: it replaces a hello message.
    pub(in super::super) last_broadcast: Time,
}

impl Neighbors {
    /// A hello message has arrived: the neighbor is kept until then. Returns whether it is new.
    pub(in super::super) fn hear(&mut self, neighbor: RadioId, until: Time) -> bool {
        if let Some((_, known_until)) = self.heard.iter_mut().find(|(node, _)| *node == neighbor) {
            *known_until = until;
            return false;
        }
        self.heard.push((neighbor, until));
        true
    }

    /// Removes the neighbors that are lost at `now`.
    pub(in super::super) fn take_lost(&mut self, now: Time) -> Vec<RadioId> {
        self.heard.extract_if(.., |(_, until)| *until <= now).map(|(node, _)| node).collect()
    }
}
