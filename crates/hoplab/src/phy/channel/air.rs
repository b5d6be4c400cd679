//! Radios, receivers and frames on the air: the state that the passage of a signal changes.

use super::nav_lists::NavLists;
use super::transmission::Transmissions;
use crate::kernel::{Key, Time};
use crate::phy::neighbors::{Receiver, ReceiverIndex};
use crate::phy::receiver::Radio;
use crate::sim::Ctx;

/// The state of the channel.
#[derive(Debug)]
pub(super) struct Air {
    pub(super) radios: Vec<Radio>,
    pub(super) index: ReceiverIndex,
    pub(super) transmissions: Transmissions,
    pub(super) nav_lists: NavLists,
    /// The transmission whose signal end is being indicated to a MAC, and the index of the receiver.
    pub(super) indicated: Option<(u32, u32)>,
    /// The last passage stopped only because the caller's time limit was reached.
    pub(super) is_paused: bool,
}

impl Air {
    /// The receivers of a transmission, in order of delay.
    #[inline]
    pub(super) fn receivers(&self, id: u32) -> &[Receiver] {
        self.index.receivers(self.transmissions.get(id).receivers)
    }

    /// A passage of a transmission has ended. After the last one the transmission is removed.
    #[inline]
    pub(super) fn end_passage(&mut self, id: u32) {
        let sent = self.transmissions.get_mut(id);
        sent.passages -= 1;
        if sent.passages == 0 {
            self.index.end(sent.receivers);
            self.transmissions.remove(id);
        }
    }

    /// A passage stops before `next`. Records whether only the time limit `until` stops it: its next event then
    /// continues the last one.
    #[inline]
    pub(super) fn note_pause(&mut self, ctx: &Ctx, next: Key, until: Time) {
        self.is_paused = next.time() > until && next < ctx.events.bound(Time::NEVER);
    }
}
