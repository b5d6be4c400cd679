//! A signal start or end at one receiver: the only place where a signal changes a radio.

use super::nav_lists::NavLists;
use super::probe::ArrivalProbe;
use super::transmission::{Transmission, Transmissions};
use crate::kernel::{Span, Time};
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{Action, NavRule, NavSpans, PhyIndication, Radio};
use crate::phy::reception::{Arrival, Departure, ReceptionModel, Signal};
use crate::sim::PhyTimer;

/// An edge of a signal.
pub trait Edge {
    /// The timer of its passages.
    const TIMER: PhyTimer;

    /// How stations that wait for the NAV set by the frame are listed, if they are.
    type Listed: Copy;

    /// When it leaves the sender.
    fn base(sent: &Transmission) -> Time;

    /// What a frame with these receivers does to the NAV, if stations that wait for that are listed.
    fn listed(sent: &Transmission, receivers: &[Receiver], lists: &NavLists) -> Self::Listed;

    /// It reaches a radio. What is to be done there, if anything.
    fn reach<M: ReceptionModel, P: ArrivalProbe>(
        radio: &mut Radio,
        at: &Visit<'_, Self::Listed>,
        sent: &Transmissions,
        model: &mut M,
        probe: &mut P,
    ) -> Option<Action>;
}

/// A signal at one receiver.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a, L> {
    pub(super) signal: Signal<'a>,
    pub(super) listed: L,
    pub(super) receiver: &'a Receiver,
    pub(super) now: Time,
}

/// The start of a signal.
#[derive(Clone, Copy, Debug)]
pub struct SignalStart;

/// The end of the window in which receivers detect a preamble (OFDM).
#[derive(Clone, Copy, Debug)]
pub struct Detection;

/// The end of a signal.
#[derive(Clone, Copy, Debug)]
pub struct SignalEnd;

impl Edge for SignalStart {
    const TIMER: PhyTimer = PhyTimer::SignalStart;

    /// For how long an ignored frame sets the NAV of stations with this rule.
    type Listed = Option<(NavRule, Span)>;

    #[inline]
    fn base(sent: &Transmission) -> Time {
        sent.start
    }

    #[inline]
    fn listed(sent: &Transmission, receivers: &[Receiver], lists: &NavLists) -> Option<(NavRule, Span)> {
        if NavLists::are_listed(receivers) { lists.after_suppressed(sent) } else { None }
    }

    #[expect(clippy::inline_always, reason = "for every signal start at every receiver")]
    #[inline(always)]
    fn reach<M: ReceptionModel, P: ArrivalProbe>(
        radio: &mut Radio,
        at: &Visit<'_, Self::Listed>,
        sent: &Transmissions,
        model: &mut M,
        probe: &mut P,
    ) -> Option<Action> {
        if P::RECORDS && (M::ADDS_INTERFERENCE || radio.locked_on().is_some()) {
            at.show(radio, sent, probe);
        }
        let locked = if P::RECORDS && !M::ADDS_INTERFERENCE { Locked::of(radio) } else { None };
        match model.on_start(radio, &at.signal, at.receiver, at.now) {
            Arrival::Busy => radio.on_carrier(at.now).then_some(Action::Indicate(PhyIndication::Busy)),
            Arrival::Ignored => {
                let before = radio.nav_until;
                let action = radio.ignore(at.now, at.signal.airtime, at.listed);
                probe.on_unreadable(at.now, at.receiver.radio, radio, before);
                action
            }
            Arrival::Unnoticed => {
                if let Some(locked) = locked {
                    at.show_first_lost(radio, &locked, sent, probe);
                }
                None
            }
        }
    }
}

impl Edge for Detection {
    const TIMER: PhyTimer = PhyTimer::Detection;

    type Listed = ();

    #[inline]
    fn base(sent: &Transmission) -> Time {
        sent.start + sent.window
    }

    #[inline]
    fn listed(_: &Transmission, _: &[Receiver], _: &NavLists) {}

    #[inline]
    fn reach<M: ReceptionModel, P: ArrivalProbe>(
        radio: &mut Radio,
        at: &Visit<'_, ()>,
        sent: &Transmissions,
        model: &mut M,
        probe: &mut P,
    ) -> Option<Action> {
        if P::RECORDS {
            at.show(radio, sent, probe);
        }
        match model.on_detect(radio, &at.signal, at.receiver.radio, at.now) {
            Arrival::Busy => radio.on_carrier(at.now).then_some(Action::Indicate(PhyIndication::Busy)),
            Arrival::Ignored | Arrival::Unnoticed => None,
        }
    }
}

impl Edge for SignalEnd {
    const TIMER: PhyTimer = PhyTimer::SignalEnd;

    /// For how long the frame sets the NAV.
    type Listed = Option<NavSpans>;

    #[inline]
    fn base(sent: &Transmission) -> Time {
        sent.end()
    }

    #[inline]
    fn listed(sent: &Transmission, receivers: &[Receiver], lists: &NavLists) -> Option<NavSpans> {
        NavLists::are_listed(receivers).then(|| lists.spans(sent))
    }

    #[expect(clippy::inline_always, reason = "for every signal end at every receiver")]
    #[inline(always)]
    fn reach<M: ReceptionModel, P: ArrivalProbe>(
        radio: &mut Radio,
        at: &Visit<'_, Self::Listed>,
        sent: &Transmissions,
        model: &mut M,
        probe: &mut P,
    ) -> Option<Action> {
        if P::RECORDS && (M::ADDS_INTERFERENCE || radio.is_locked_on(at.signal.transmission)) {
            at.show(radio, sent, probe);
        }
        if P::RECORDS && !M::ADDS_INTERFERENCE && radio.is_locked_on(at.signal.transmission) && radio.has_collided() {
            let start = radio.rx_start(at.signal.airtime);
            probe.on_collision(at.now, at.receiver.radio, radio, at.signal.frame, radio.lock().0, start);
        }
        match model.on_end(radio, &at.signal, at.receiver.radio, at.now) {
            Departure::Indicate(indication) => Some(Action::Indicate(indication)),
            Departure::Overheard => {
                let (before, is_decodable) = (radio.nav_until, radio.is_decodable());
                let action = radio.overhear(at.now, at.signal.duration, at.listed);
                if P::RECORDS && !is_decodable {
                    probe.on_unreadable(at.now, at.receiver.radio, radio, before);
                }
                action
            }
            Departure::Unnoticed => None,
        }
    }
}

/// The frame that a radio is locked on.
struct Locked {
    transmission: u32,
    power: f64,
    end: Time,
}

impl Locked {
    fn of(radio: &Radio) -> Option<Locked> {
        let (power, end) = radio.lock();
        radio.locked_on().map(|transmission| Locked { transmission, power, end })
    }
}

impl<L> Visit<'_, L> {
    /// Shows the frame that ends first of two that have collided; the radio is locked on the other one. (That one is shown
    /// at its end.)
    fn show_first_lost<P: ArrivalProbe>(&self, radio: &Radio, locked: &Locked, sent: &Transmissions, probe: &mut P) {
        let at = self.receiver.radio;
        if radio.is_locked_on(self.signal.transmission) {
            let frame = &sent.get(locked.transmission).frame;
            let start = Time(locked.end.0.saturating_sub(frame.airtime.0));
            probe.on_collision(self.now, at, radio, frame, locked.power, start);
        } else {
            probe.on_collision(self.now, at, radio, self.signal.frame, self.receiver.power, self.now);
        }
    }

    /// Shows a radio to the probe before it changes.
    fn show<P: ArrivalProbe>(&self, radio: &Radio, sent: &Transmissions, probe: &mut P) {
        let locked_on = radio.locked_on().map(|id| &sent.get(id).frame);
        probe.before_change(self.now, self.receiver.radio, radio, locked_on);
    }
}
