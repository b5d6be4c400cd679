//! Overheard frames at one radio: they set the NAV, and most call no MAC (IEEE 802.11-1999 section 9.2.5.4).
//!
//! The radio updates NAV and carrier itself, and calls the MAC only where a station that waits for the medium has to act.
//! Where many receivers of a frame wait for the NAV that it sets, they are on one list with one event
//! (`channel/nav_expiry.rs`).

use super::indication::{Action, PhyIndication};
use super::nav_rule::{NavCause, NavRule};
use super::radio::{AccessWait, Radio};
use crate::kernel::{Span, Time};

/// For how long a frame sets the NAV after its end by [`NavCause::Decoded`] and [`NavCause::Undecodable`].
pub type NavSpans = [Span; 2];

impl Radio {
    /// A frame has started while the radio captures a stronger one. `listed`: for how long it sets the
    /// NAV of stations with this rule, if those that wait for its expiry are listed.
    #[inline]
    pub(in crate::phy) fn ignore(
        &mut self,
        now: Time,
        airtime: Span,
        listed: Option<(NavRule, Span)>,
    ) -> Option<Action> {
        let Some(rule) = self.nav_rule else { return Some(Action::Indicate(PhyIndication::Suppressed)) };
        let usual = listed.and_then(|(usual, span)| (usual == rule).then_some(span));
        let until = now.later(usual.unwrap_or_else(|| rule.after_suppressed(airtime)));
        if until <= self.nav_until {
            return None;
        }
        self.nav_until = until;
        if usual.is_none() || self.awaits == AccessWait::Nothing {
            return None;
        }
        self.awaits = AccessWait::NavExpiry;
        Some(Action::Await(NavCause::Suppressed))
    }

    /// The frame that the radio was locked on has ended, and was for another station. `listed`: for how long it sets the
    /// NAV, if those that wait for its expiry are listed.
    #[inline]
    pub(in crate::phy) fn overhear(&mut self, now: Time, duration: u16, listed: Option<NavSpans>) -> Option<Action> {
        let Some(rule) = self.nav_rule else {
            return Some(Action::Indicate(PhyIndication::RxEnd(self.outcome(now))));
        };
        let is_transmitting = self.is_transmitting(now);
        let (micros, cause) = if is_transmitting {
            (0, NavCause::Decoded)
        } else if self.is_decodable() {
            (duration, NavCause::Decoded)
        } else {
            (rule.eifs_micros, NavCause::Undecodable)
        };
        let before = self.nav_until;
        let until = before.max(now.later(Span::from_micros(u64::from(micros))));
        self.nav_until = until;
        self.release();
        if self.awaits == AccessWait::Nothing {
            return None;
        }
        if until <= now {
            return Some(Action::Indicate(PhyIndication::Idle));
        }
        let is_listed = listed.is_some_and(|spans| until == now.later(spans[cause as usize]));
        let is_awaited = match self.awaits {
            AccessWait::Idle if is_listed && !is_transmitting => {
                self.awaits = AccessWait::NavExpiry;
                true
            }
            AccessWait::Idle => return Some(Action::Indicate(PhyIndication::Idle)),
            _ => is_listed && until > before,
        };
        is_awaited.then_some(Action::Await(cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::receiver::Reception;

    const IDLE: Option<Action> = Some(Action::Indicate(PhyIndication::Idle));

    /// The radio of a station for which the NAV rule is enough.
    fn nav_rule(eifs: u64, awaits: AccessWait) -> Radio {
        let rule = |mut radio: Radio| {
            (radio.nav_rule, radio.awaits) = (NavRule::new(Span(eifs)), awaits);
            radio
        };
        rule(Radio::default())
    }

    /// Locks the radio on a frame, decodable at 1e-9 W.
    fn lock(radio: &mut Radio, id: u32, power: f64) {
        radio.lock_on(id, power, Time(1000), power >= 3.652e-10);
    }

    #[test]
    fn overheard_frame_sets_nav() {
        let mut radio = nav_rule(364_000, AccessWait::Nothing);
        let listed = Some([Span::from_micros(812), Span::from_micros(364)]);
        lock(&mut radio, 1, 1e-9);
        assert_eq!(radio.overhear(Time(1000), 812, listed), None);
        assert!(!radio.is_receiving());
        assert_eq!(radio.nav_until, Time(813_000));
        lock(&mut radio, 2, 1e-10);
        assert_eq!(radio.overhear(Time(700_000), 812, listed), None);
        assert_eq!(radio.nav_until, Time(1_064_000), "EIFS ends after the earlier NAV");
        lock(&mut radio, 3, 1e-9);
        radio.awaits = AccessWait::NavExpiry;
        assert_eq!(radio.overhear(Time(1_001_000), 812, listed), Some(Action::Await(NavCause::Decoded)));
        assert!(!radio.is_receiving() && radio.nav_until == Time(1_813_000));
        lock(&mut radio, 4, 1e-9);
        assert_eq!(radio.overhear(Time(1_813_000), 0, None), IDLE, "the NAV expires with the frame");
        assert!(!radio.is_receiving());
        radio.nav_rule = None;
        lock(&mut radio, 5, 1e-9);
        assert_eq!(
            radio.overhear(Time(2_001_000), 0, None),
            Some(Action::Indicate(PhyIndication::RxEnd(Reception::Clean))),
            "there is no rule"
        );
        assert!(radio.is_receiving(), "it is for the station to let go of it");
    }

    #[test]
    fn station_waiting_for_idle_cca_awaits_listed_nav_expiry() {
        let quiet = nav_rule(364_000, AccessWait::Idle);
        let spans = [Span::from_micros(812), Span::from_micros(364)];
        let pass = |mut radio: Radio, power: f64, duration, listed| {
            lock(&mut radio, 1, power);
            let passing = radio.overhear(Time(1000), duration, listed);
            (passing, radio.awaits, radio.is_receiving())
        };
        let listed = |cause| (Some(Action::Await(cause)), AccessWait::NavExpiry, false);
        assert_eq!(pass(quiet, 1e-9, 812, Some(spans)), listed(NavCause::Decoded));
        assert_eq!(pass(quiet, 1e-10, 812, Some(spans)), listed(NavCause::Undecodable));
        let indicated = (IDLE, AccessWait::Idle, false);
        assert_eq!(pass(quiet, 1e-9, 812, None), indicated, "no other event reports the end");
        assert_eq!(pass(quiet, 1e-9, 0, Some([Span::ZERO, spans[1]])), indicated, "the medium is idle");
        let mut longer = quiet;
        longer.set_nav(Time::ZERO, 2000);
        assert_eq!(pass(longer, 1e-9, 812, Some(spans)), indicated, "another NAV expires later");
        let mut sending = quiet;
        sending.transmit(Time(1001));
        assert_eq!(pass(sending, 1e-9, 812, Some(spans)), indicated, "it has noticed nothing");
    }

    #[test]
    fn ignored_frame_sets_nav() {
        let mut radio = nav_rule(364_400, AccessWait::Nothing);
        assert_eq!(radio.ignore(Time(1000), Span(300), None), None);
        assert_eq!(radio.nav_until, Time(366_000), "rounded once");
        let indicated = Some(Action::Indicate(PhyIndication::Suppressed));
        assert_eq!(Radio::default().ignore(Time(1000), Span(300), None), indicated, "there is no rule");
    }

    #[test]
    fn ignored_frame_extends_nav_of_waiting_station() {
        let rule = NavRule::new(Span(364_000)).expect("it is short");
        let listed = Some((rule, Span(365_000)));
        for awaits in [AccessWait::Idle, AccessWait::NavExpiry] {
            let mut radio = nav_rule(364_000, awaits);
            assert_eq!(radio.ignore(Time(1000), Span(600), listed), Some(Action::Await(NavCause::Suppressed)));
            assert_eq!((radio.nav_until, radio.awaits), (Time(366_000), AccessWait::NavExpiry));
            radio.awaits = awaits;
            assert_eq!(radio.ignore(Time(900), Span(600), listed), None, "another NAV expires later");
            assert_eq!(radio.awaits, awaits);
        }
        let mut idle = nav_rule(364_000, AccessWait::Nothing);
        assert_eq!(idle.ignore(Time(1000), Span(600), listed), None);
        let mut other = nav_rule(400_000, AccessWait::Idle);
        assert_eq!(other.ignore(Time(1000), Span(600), listed), None, "another rule than that of the list");
        assert_eq!((other.nav_until, other.awaits), (Time(402_000), AccessWait::Idle));
    }
}
