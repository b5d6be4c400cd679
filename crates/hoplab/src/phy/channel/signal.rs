//! One bit at one receiver that compares frames in pairs.

use super::airtime_probe::AirtimeProbe;
use super::arrivals::PhyIndication;
use super::medium::{Receiver, Transmission};
use crate::kernel::{NodeId, Span, Time};
use crate::packet::Frame;
use crate::phy::receiver::{Arrival, Radio, Reception};
use crate::phy::receiver::{NavRule, NavUpdate};

/// What receivers need of a frame whose first bit passes them.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) struct SignalStart {
    pub(in crate::phy) transmission: u32,
    pub(in crate::phy) airtime: Span,
    /// Least power of a frame that can be read.
    pub(in crate::phy) threshold: f64,
    pub(in crate::phy) ratio: f64,
    /// For how long it reserves the medium, at stations with this rule, from its first bit if that is ignored; if there is a
    /// list of those who wait for the end.
    pub(in crate::phy) listed: Option<(NavRule, Span)>,
}

/// What is to be done where a first bit has come.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) enum Met {
    /// The MAC is to be told.
    PhyIndication(PhyIndication),
    /// The station has ignored it, and waits for the end of what it reserves: it joins the list.
    Waits,
}

impl SignalStart {
    /// It has come to a receiver.
    #[expect(clippy::inline_always, reason = "three callers, for every bit at every receiver")]
    #[inline(always)]
    pub(in crate::phy) fn pass<L: AirtimeProbe>(
        self,
        radio: &mut Radio,
        now: Time,
        receiver: &Receiver,
        sent: &[Transmission],
        ledger: &mut L,
    ) -> Option<Met> {
        if radio.is_off() {
            return None;
        }
        if L::IS_KEPT
            && let Some(followed) = radio.followed()
        {
            ledger.settle(now, receiver.node, radio, Some(&sent[followed as usize].frame));
        }
        match radio.on_arrival(now, self.transmission, receiver.power, self.airtime, self.threshold, self.ratio) {
            Arrival::Followed => radio.on_carrier(now).then_some(Met::PhyIndication(PhyIndication::Busy)),
            Arrival::Ignored => {
                let before = radio.nav_until;
                let waits = radio.ignore(now, self.airtime, self.listed);
                ledger.on_unreadable(now, receiver.node, radio, before);
                match waits {
                    None => Some(Met::PhyIndication(PhyIndication::Ignored)),
                    Some(waits) => waits.then_some(Met::Waits),
                }
            }
            Arrival::Collided => None,
        }
    }
}

/// What receivers need of a frame whose last bit passes them.
#[derive(Clone, Copy, Debug)]
pub(in crate::phy) struct SignalEnd<'a> {
    transmission: u32,
    to: NodeId,
    duration: u16,
    frame: &'a Frame,
}

impl SignalEnd<'_> {
    #[inline]
    pub(in crate::phy) fn of(transmission: u32, frame: &Frame) -> SignalEnd<'_> {
        SignalEnd { transmission, to: frame.ra, duration: frame.duration, frame }
    }

    /// It has passed a receiver that compares frames in pairs.
    #[expect(clippy::inline_always, reason = "three callers, one of them for every bit at every receiver")]
    #[inline(always)]
    pub(in crate::phy) fn pass<L: AirtimeProbe>(
        self,
        radio: &mut Radio,
        now: Time,
        node: NodeId,
        listed: Option<[Span; 2]>,
        ledger: &mut L,
    ) -> NavUpdate {
        if !radio.follows(self.transmission) {
            return NavUpdate::Unnoticed;
        }
        ledger.settle(now, node, radio, Some(self.frame));
        // A broadcast that cannot be read is no more than a frame for somebody else.
        if self.to == node || self.to.is_broadcast() && radio.outcome(now) == Reception::Clean {
            return NavUpdate::RxEnd(radio.outcome(now));
        }
        if !L::IS_KEPT || radio.is_readable() {
            return radio.pass_by(now, self.duration, listed);
        }
        let before = radio.nav_until;
        let passing = radio.pass_by(now, self.duration, listed);
        ledger.on_unreadable(now, node, radio, before);
        passing
    }
}
