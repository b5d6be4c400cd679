//! Frames for somebody else, at stations that they tell no more than how long the medium is reserved.
//!
//! In a network where many hear each frame most of what a receiver meets is not for its station. Of all that, the
//! receiver itself keeps the account, and the MAC is told only when the medium becomes idle.

use super::radio::{Awaits, Radio, Reception};
use crate::kernel::{Span, Time};

/// What a frame for somebody else does to a station that need not act on it: it reserves the medium. If it could be
/// read, for its Duration field.
#[derive(Clone, Copy, Debug)]
pub struct Bystander {
    /// If it could not be read: EIFS, in nanoseconds.
    eifs: u32,
    /// The same in microseconds, as the medium is reserved.
    pub(super) unreadable: u16,
}

impl Bystander {
    /// The rule of stations with this EIFS.
    pub fn new(eifs: Span) -> Bystander {
        Bystander { eifs: eifs.0 as u32, unreadable: eifs.round_micros() as u16 }
    }

    /// For how long a frame reserves the medium from its first bit if it was too weak to disturb another one.
    #[inline]
    fn passing_over(self, airtime: Span) -> u64 {
        (Span(u64::from(self.eifs)) + airtime).round_micros()
    }
}

/// Why a frame for somebody else reserves the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reservation {
    /// Its Duration field says so.
    Read,
    /// It could not be read, and an acknowledgment may follow it: EIFS.
    Unread,
}

/// What the last bit of a frame means to the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// Nothing.
    Unnoticed,
    /// It waits for the end of what the frame has reserved, of which those are told who are on a list.
    Awaited(Reservation),
    /// It must be told that the frame is over.
    Told(Reception),
}

impl Radio {
    /// The first bit of a frame has come that is ignored. Whether the station need not be told.
    #[inline]
    pub(super) fn ignore(&mut self, now: Time, airtime: Span) -> bool {
        if let Some(rule) = self.bystander {
            self.reserve(now, rule.passing_over(airtime));
        }
        self.bystander.is_some()
    }

    /// The followed frame, which was for somebody else, is over. `listed`: for how long it reserves the medium by each
    /// [`Reservation`], if there are lists of those who wait for the ends.
    #[inline]
    pub(super) fn pass_by(&mut self, now: Time, duration: u16, listed: Option<[Span; 2]>) -> Passing {
        let outcome = self.outcome(now);
        let Some(rule) = self.bystander else {
            return Passing::Told(outcome);
        };
        let (micros, reservation) = match outcome {
            Reception::Clean => (duration, Reservation::Read),
            Reception::Deaf => (0, Reservation::Read),
            _ => (rule.unreadable, Reservation::Unread),
        };
        let before = self.reserved_until;
        self.reserve(now, u64::from(micros));
        if self.awaits == Awaits::Nothing {
            self.release();
            return Passing::Unnoticed;
        }
        let until = self.reserved_until;
        if until <= now {
            return Passing::Told(outcome);
        }
        let is_listed = listed.is_some_and(|spans| until == now + spans[reservation as usize]);
        let is_awaited = match self.awaits {
            Awaits::Quiet if is_listed && outcome != Reception::Deaf => {
                self.awaits = Awaits::Reservation;
                true
            }
            Awaits::Quiet => return Passing::Told(outcome),
            _ => is_listed && until > before,
        };
        self.release();
        if is_awaited { Passing::Awaited(reservation) } else { Passing::Unnoticed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The receiver of a station for which this rule is enough.
    fn bystander(eifs: u64, awaits: Awaits) -> Radio {
        let rule = |mut radio: Radio| {
            (radio.bystander, radio.awaits) = (Some(Bystander::new(Span(eifs))), awaits);
            radio
        };
        rule(Radio::default())
    }

    fn arrive(radio: &mut Radio, at: u64, id: u32, power: f64, airtime: u64) {
        radio.on_arrival(Time(at), id, power, Span(airtime), 3.652e-10, 10.0);
    }

    #[test]
    fn the_reservation_is_kept() {
        let mut radio = bystander(364_000, Awaits::Nothing);
        let listed = Some([Span::from_micros(812), Span::from_micros(364)]);
        arrive(&mut radio, 0, 1, 1e-9, 1000);
        assert_eq!(radio.pass_by(Time(1000), 812, listed), Passing::Unnoticed);
        assert!(!radio.is_receiving());
        assert_eq!(radio.reserved_until, Time(813_000));
        arrive(&mut radio, 2000, 2, 1e-10, 1000);
        assert_eq!(radio.pass_by(Time(700_000), 812, listed), Passing::Unnoticed);
        assert_eq!(radio.reserved_until, Time(1_064_000), "EIFS beyond the earlier reservation");
        arrive(&mut radio, 1_000_000, 3, 1e-9, 1000);
        radio.awaits = Awaits::Reservation;
        assert_eq!(radio.pass_by(Time(1_001_000), 812, listed), Passing::Awaited(Reservation::Read));
        assert!(!radio.is_receiving() && radio.reserved_until == Time(1_813_000));
        arrive(&mut radio, 1_900_000, 4, 1e-9, 1000);
        let over = Passing::Told(Reception::Clean);
        assert_eq!(radio.pass_by(Time(1_813_000), 0, None), over, "the reservation ends with the frame");
        assert!(radio.is_receiving());
    }

    #[test]
    fn who_waits_for_a_quiet_medium_waits_for_the_end_of_a_listed_reservation_instead() {
        let quiet = bystander(364_000, Awaits::Quiet);
        let spans = [Span::from_micros(812), Span::from_micros(364)];
        let pass = |mut radio: Radio, power: f64, duration, listed| {
            arrive(&mut radio, 0, 1, power, 1000);
            let passing = radio.pass_by(Time(1000), duration, listed);
            (passing, radio.awaits, radio.is_receiving())
        };
        let listed = |reservation| (Passing::Awaited(reservation), Awaits::Reservation, false);
        assert_eq!(pass(quiet, 1e-9, 812, Some(spans)), listed(Reservation::Read));
        assert_eq!(pass(quiet, 1e-10, 812, Some(spans)), listed(Reservation::Unread));
        let told = |reception| (Passing::Told(reception), Awaits::Quiet, true);
        assert_eq!(pass(quiet, 1e-9, 812, None), told(Reception::Clean), "nobody would tell it of the end");
        assert_eq!(pass(quiet, 1e-9, 0, Some([Span::ZERO, spans[1]])), told(Reception::Clean), "the medium is idle");
        let mut longer = quiet;
        longer.reserve(Time::ZERO, 2000);
        assert_eq!(pass(longer, 1e-9, 812, Some(spans)), told(Reception::Clean), "another reservation ends later");
        let mut sending = quiet;
        sending.on_send(Time(1001));
        assert_eq!(pass(sending, 1e-9, 812, Some(spans)), told(Reception::Deaf));
    }

    #[test]
    fn a_frame_that_is_ignored_reserves_the_medium() {
        let mut radio = bystander(364_400, Awaits::Nothing);
        assert!(radio.ignore(Time(1000), Span(300)));
        assert_eq!(radio.reserved_until, Time(366_000), "rounded once");
        assert!(!Radio::default().ignore(Time(1000), Span(300)));
    }
}
