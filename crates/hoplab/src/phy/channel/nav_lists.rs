//! Stations that wait for the expiry of the NAV that a frame has set, listed by frame for one event (`nav_expiry.rs`).

use super::transmission::Transmission;
use crate::kernel::{RadioId, Span};
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{NavCause, NavRule, NavSpans, Radio};

/// Number of receivers of a frame from which on stations that wait for its NAV are listed. Chains and grids of ns-2's
/// ranges (mostly 4 to 19 receivers) are a tenth slower with lists; a cell of 20 stations and 50 nodes of one neighborhood
/// (30) are faster.
const MANY: usize = 20;

/// A receiver that waits, and its propagation delay in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) radio: RadioId,
    pub(super) delay: u32,
}

/// The lists of all transmissions.
#[derive(Debug, Default)]
pub struct NavLists {
    /// What frames for other stations need of a station: the last node's rule, if nodes differ. Stations with another rule
    /// check the expiry of a NAV that is theirs alone by themselves.
    rule: Option<NavRule>,
    /// By transmission and [`NavCause`]; each in order of delay.
    lists: Vec<[Vec<Waiting>; 3]>,
}

impl NavLists {
    /// A node's station has this rule.
    pub(super) fn set_rule(&mut self, rule: Option<NavRule>) {
        self.rule = rule.or(self.rule);
    }

    /// Allocates the lists of a transmission.
    #[inline]
    pub(super) fn reserve(&mut self, id: u32) {
        if id as usize == self.lists.len() {
            self.lists.push(Default::default());
        }
    }

    /// Whether stations that wait for the NAV of a frame with so many receivers are listed.
    #[inline]
    pub(super) fn are_listed(receivers: &[Receiver]) -> bool {
        receivers.len() >= MANY
    }

    /// For how long a frame sets the NAV from its start on, at stations with the usual rule, if it is ignored.
    #[inline]
    pub(super) fn after_suppressed(&self, sent: &Transmission) -> Option<(NavRule, Span)> {
        self.rule.map(|rule| (rule, rule.after_suppressed(sent.frame.airtime)))
    }

    /// For how long a frame sets the NAV from its end on, if it is decoded, and if it is not.
    #[inline]
    pub(super) fn spans(&self, sent: &Transmission) -> NavSpans {
        let micros = [sent.frame.duration, self.rule.map_or(0, |rule| rule.eifs_micros)];
        micros.map(|micros| Span::from_micros(u64::from(micros)))
    }

    /// For how long a frame sets the NAV from its end on, for one reason.
    #[inline]
    pub(super) fn span(&self, sent: &Transmission, cause: NavCause) -> Span {
        match cause {
            NavCause::Decoded | NavCause::Undecodable => self.spans(sent)[cause as usize],
            NavCause::Suppressed => {
                self.after_suppressed(sent).map_or(Span::ZERO, |(_, span)| span - sent.frame.airtime)
            }
        }
    }

    /// A receiver waits for the expiry of its NAV, which this frame has set. Whether it is the first on its list.
    #[inline]
    pub(super) fn join(&mut self, id: u32, cause: NavCause, radio: &mut Radio, receiver: &Receiver) -> bool {
        radio.nav_check_at = radio.nav_until;
        let list = &mut self.lists[id as usize][cause as usize];
        list.push(Waiting { radio: receiver.radio, delay: receiver.delay });
        list.len() == 1
    }

    #[inline]
    pub(super) fn get(&self, id: u32, cause: NavCause) -> &[Waiting] {
        &self.lists[id as usize][cause as usize]
    }

    /// The NAV has expired at all stations on a list.
    #[inline]
    pub(super) fn clear(&mut self, id: u32, cause: NavCause) {
        self.lists[id as usize][cause as usize].clear();
    }
}
