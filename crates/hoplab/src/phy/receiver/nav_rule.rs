//! Frames for somebody else, at stations that they tell no more than how long the medium is reserved.
//!
//! In a network where many hear each frame most of what a receiver meets is not for its station. Of all that, the
//! receiver itself keeps the account, and the MAC is told only when the medium becomes idle. When it became busy is kept for
//! a MAC that counts slots.

use super::radio::{AccessWait, Radio, Reception};
use crate::kernel::{Span, Time};

/// What a frame for somebody else does to a station that need not act on it: it reserves the medium. If it could be
/// read, for its Duration field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NavRule {
    /// If it could not be read: EIFS in microseconds, as the medium is reserved.
    pub(in crate::phy) unreadable: u16,
    /// What is missing to EIFS, in nanoseconds.
    rest: i16,
}

impl NavRule {
    /// The rule of stations with this EIFS; none if it is longer than a Duration field can say, which has 16 bits.
    pub fn new(eifs: Span) -> Option<NavRule> {
        let unreadable = u16::try_from(eifs.round_micros()).ok()?;
        Some(NavRule { unreadable, rest: (eifs.0 as i64 - 1_000 * i64::from(unreadable)) as i16 })
    }

    /// For how long a frame reserves the medium from its first bit if it was too weak to disturb another one.
    #[inline]
    pub(in crate::phy) fn passing_over(self, airtime: Span) -> Span {
        let eifs = (1_000 * i64::from(self.unreadable) + i64::from(self.rest)) as u64;
        Span::from_micros((Span(eifs) + airtime).round_micros())
    }
}

/// Why a frame for somebody else reserves the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::phy) enum Reservation {
    /// Its Duration field says so.
    Read,
    /// It could not be read, and an acknowledgment may follow it: EIFS.
    Unread,
    /// It was too weak to disturb another one: EIFS after its end, as if it had not been read.
    Ignored,
}

/// What the last bit of a frame means to the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::phy) enum NavUpdate {
    /// Nothing.
    Unnoticed,
    /// It waits for the end of what the frame has reserved, of which those are told who are on a list.
    Awaited(Reservation),
    /// It waits for an idle medium and must be told that this energy is gone, or that it now waits for something else.
    Quiet,
    /// It must be told that the frame is over.
    RxEnd(Reception),
}

impl Radio {
    /// The first bit of a frame has come that is ignored. `listed`: for how long that reserves the medium at stations with
    /// this rule, if there is a list of those who wait for the end. Whether the station is to be on it; `None`: it is to be
    /// told of the frame.
    #[inline]
    pub(in crate::phy) fn ignore(&mut self, now: Time, airtime: Span, listed: Option<(NavRule, Span)>) -> Option<bool> {
        let rule = self.nav_rule?;
        let usual = listed.and_then(|(usual, span)| (usual == rule).then_some(span));
        let until = now.later(usual.unwrap_or_else(|| rule.passing_over(airtime)));
        if until <= self.nav_until {
            return Some(false);
        }
        self.nav_until = until;
        let waits = usual.is_some() && self.awaits != AccessWait::Nothing;
        if waits {
            self.awaits = AccessWait::Reservation;
        }
        Some(waits)
    }

    /// The followed frame, which was for somebody else, is over. `listed`: for how long it reserves the medium by each
    /// [`Reservation`], if there are lists of those who wait for the ends.
    #[inline]
    pub(in crate::phy) fn pass_by(&mut self, now: Time, duration: u16, listed: Option<[Span; 2]>) -> NavUpdate {
        let Some(rule) = self.nav_rule else {
            return NavUpdate::RxEnd(self.outcome(now));
        };
        let is_deaf = self.is_sending(now);
        let (micros, reservation) = if is_deaf {
            (0, Reservation::Read)
        } else if self.is_readable() {
            (duration, Reservation::Read)
        } else {
            (rule.unreadable, Reservation::Unread)
        };
        let before = self.nav_until;
        let until = before.max(now.later(Span::from_micros(u64::from(micros))));
        self.nav_until = until;
        self.release();
        if self.awaits == AccessWait::Nothing {
            return NavUpdate::Unnoticed;
        }
        if until <= now {
            return NavUpdate::Quiet;
        }
        let is_listed = listed.is_some_and(|spans| until == now.later(spans[reservation as usize]));
        let is_awaited = match self.awaits {
            AccessWait::Quiet if is_listed && !is_deaf => {
                self.awaits = AccessWait::Reservation;
                true
            }
            AccessWait::Quiet => return NavUpdate::Quiet,
            _ => is_listed && until > before,
        };
        if is_awaited { NavUpdate::Awaited(reservation) } else { NavUpdate::Unnoticed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The receiver of a station for which this rule is enough.
    fn nav_rule(eifs: u64, awaits: AccessWait) -> Radio {
        let rule = |mut radio: Radio| {
            (radio.nav_rule, radio.awaits) = (NavRule::new(Span(eifs)), awaits);
            radio
        };
        rule(Radio::default())
    }

    fn arrive(radio: &mut Radio, at: u64, id: u32, power: f64, airtime: u64) {
        radio.on_arrival(Time(at), id, power, Span(airtime), 3.652e-10, 10.0);
    }

    #[test]
    fn the_reservation_is_kept() {
        let mut radio = nav_rule(364_000, AccessWait::Nothing);
        let listed = Some([Span::from_micros(812), Span::from_micros(364)]);
        arrive(&mut radio, 0, 1, 1e-9, 1000);
        assert_eq!(radio.pass_by(Time(1000), 812, listed), NavUpdate::Unnoticed);
        assert!(!radio.is_receiving());
        assert_eq!(radio.nav_until, Time(813_000));
        arrive(&mut radio, 2000, 2, 1e-10, 1000);
        assert_eq!(radio.pass_by(Time(700_000), 812, listed), NavUpdate::Unnoticed);
        assert_eq!(radio.nav_until, Time(1_064_000), "EIFS beyond the earlier reservation");
        arrive(&mut radio, 1_000_000, 3, 1e-9, 1000);
        radio.awaits = AccessWait::Reservation;
        assert_eq!(radio.pass_by(Time(1_001_000), 812, listed), NavUpdate::Awaited(Reservation::Read));
        assert!(!radio.is_receiving() && radio.nav_until == Time(1_813_000));
        arrive(&mut radio, 1_900_000, 4, 1e-9, 1000);
        assert_eq!(radio.pass_by(Time(1_813_000), 0, None), NavUpdate::Quiet, "the reservation ends with the frame");
        assert!(!radio.is_receiving());
        radio.nav_rule = None;
        arrive(&mut radio, 2_000_000, 5, 1e-9, 1000);
        assert_eq!(radio.pass_by(Time(2_001_000), 0, None), NavUpdate::RxEnd(Reception::Clean), "there is no rule");
        assert!(radio.is_receiving(), "it is for the station to let go of it");
    }

    #[test]
    fn who_waits_for_a_quiet_medium_waits_for_the_end_of_a_listed_reservation_instead() {
        let quiet = nav_rule(364_000, AccessWait::Quiet);
        let spans = [Span::from_micros(812), Span::from_micros(364)];
        let pass = |mut radio: Radio, power: f64, duration, listed| {
            arrive(&mut radio, 0, 1, power, 1000);
            let passing = radio.pass_by(Time(1000), duration, listed);
            (passing, radio.awaits, radio.is_receiving())
        };
        let listed = |reservation| (NavUpdate::Awaited(reservation), AccessWait::Reservation, false);
        assert_eq!(pass(quiet, 1e-9, 812, Some(spans)), listed(Reservation::Read));
        assert_eq!(pass(quiet, 1e-10, 812, Some(spans)), listed(Reservation::Unread));
        let told = (NavUpdate::Quiet, AccessWait::Quiet, false);
        assert_eq!(pass(quiet, 1e-9, 812, None), told, "nobody would tell it of the end");
        assert_eq!(pass(quiet, 1e-9, 0, Some([Span::ZERO, spans[1]])), told, "the medium is idle");
        let mut longer = quiet;
        longer.reserve(Time::ZERO, 2000);
        assert_eq!(pass(longer, 1e-9, 812, Some(spans)), told, "another reservation ends later");
        let mut sending = quiet;
        sending.on_send(Time(1001));
        assert_eq!(pass(sending, 1e-9, 812, Some(spans)), told, "it has noticed nothing");
    }

    #[test]
    fn there_is_no_rule_for_an_eifs_that_does_not_fit() {
        assert!(NavRule::new(Span(65_535_499)).is_some());
        assert!(NavRule::new(Span(65_535_500)).is_none());
    }

    #[test]
    fn a_frame_that_is_ignored_reserves_the_medium() {
        let mut radio = nav_rule(364_400, AccessWait::Nothing);
        assert_eq!(radio.ignore(Time(1000), Span(300), None), Some(false));
        assert_eq!(radio.nav_until, Time(366_000), "rounded once");
        assert_eq!(Radio::default().ignore(Time(1000), Span(300), None), None, "there is no rule");
    }

    #[test]
    fn who_waits_when_a_frame_is_ignored_waits_for_the_end_of_what_that_reserves() {
        let rule = NavRule::new(Span(364_000)).expect("it is short");
        let listed = Some((rule, Span(365_000)));
        for awaits in [AccessWait::Quiet, AccessWait::Reservation] {
            let mut radio = nav_rule(364_000, awaits);
            assert_eq!(radio.ignore(Time(1000), Span(600), listed), Some(true));
            assert_eq!((radio.nav_until, radio.awaits), (Time(366_000), AccessWait::Reservation));
            radio.awaits = awaits;
            assert_eq!(radio.ignore(Time(900), Span(600), listed), Some(false), "another reservation ends later");
            assert_eq!(radio.awaits, awaits);
        }
        let mut idle = nav_rule(364_000, AccessWait::Nothing);
        assert_eq!(idle.ignore(Time(1000), Span(600), listed), Some(false));
        let mut other = nav_rule(400_000, AccessWait::Quiet);
        assert_eq!(other.ignore(Time(1000), Span(600), listed), Some(false), "another rule than that of the list");
        assert_eq!((other.nav_until, other.awaits), (Time(402_000), AccessWait::Quiet));
    }
}
