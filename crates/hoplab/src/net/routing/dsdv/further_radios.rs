//! Timeouts of further radios of neighbors. That of a first radio is in the table, with the entry of its node.

use crate::kernel::{RadioId, Time, TimerId};

/// Watched radios, each with the time at which it is lost and its timer.
#[derive(Clone, Debug, Default)]
pub(super) struct FurtherRadios {
    watched: Vec<(RadioId, Time, TimerId)>,
}

impl FurtherRadios {
    fn position(&self, radio: RadioId) -> Option<usize> {
        self.watched.iter().position(|&(watched, ..)| watched == radio)
    }

    /// Extends the timeout of a radio. Returns whether it is watched.
    pub(super) fn extend(&mut self, radio: RadioId, until: Time) -> bool {
        let found = self.position(radio);
        found.map(|index| self.watched[index].1 = until).is_some()
    }

    /// Starts the timeout of a radio, or replaces its timer.
    pub(super) fn set(&mut self, radio: RadioId, until: Time, timer: TimerId) {
        match self.position(radio) {
            Some(index) => self.watched[index] = (radio, until, timer),
            None => self.watched.push((radio, until, timer)),
        }
    }

    /// Time at which a watched radio is lost.
    pub(super) fn silent_from(&self, radio: RadioId) -> Time {
        self.position(radio).map_or(Time::ZERO, |index| self.watched[index].1)
    }

    /// Ends the timeout of a radio. Returns its timer, if it was watched.
    pub(super) fn end(&mut self, radio: RadioId) -> Option<TimerId> {
        self.position(radio).map(|index| self.watched.swap_remove(index).2)
    }
}
