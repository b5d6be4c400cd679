//! One node's receiver: which frame it follows, and what becomes of the others.
//!
//! # Model
//! A receiver follows the first frame that it senses. Each later one is compared with it alone: if the first is
//! `capture_ratio` times stronger, it survives and the later one is ignored; otherwise both are lost, and the one that
//! ends later is followed to its end. There is no sum of interference, and a strong frame never displaces a weak one.
//! A radio that is switched off neither sends nor hears; a frame cut short by its sender's switching off cannot be read,
//! but keeps its receivers busy to its nominal end.
//! # Source
//! ns-2.35 `Mac/802_11` and `Phy/WirelessPhy` (phy.md section 3).
//! # Deviations
//! None known.

use super::nav_rule::NavRule;
use crate::kernel::{Span, Time};

/// State of a receiver, in a cache line of its own: a frame visits the receivers of all its receivers.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Radio {
    followed: u32,
    /// What is to be done when the medium becomes busy.
    pub watch: CcaReporting,
    /// What the MAC waits for, with regard to the end of frames for others.
    pub awaits: AccessWait,
    /// What has happened to the followed frame: [`ERRORED`], [`COLLIDED`], [`NOISY`].
    harm: u8,
    /// There is enough energy on the air to make the medium busy, whatever is followed (`sinr`).
    pub has_carrier: bool,
    power: f64,
    ends: Time,
    sending_until: Time,
    /// Others have reserved the medium until then: the NAV of 802.11, beside the physical carrier.
    pub nav_until: Time,
    /// If it awaits the end of a reservation: when that is looked at next, now or before if by nobody.
    pub nav_check_at: Time,
    /// When the medium became busy, if the MAC has not heard of it yet ([`CcaReporting::Paused`]).
    paused_at: Time,
    /// Switched off: neither sends nor hears.
    is_off: bool,
    /// Frames for others need no more than this rule, as long as the medium does not become idle.
    pub nav_rule: Option<NavRule>,
}

const _: () = assert!(size_of::<Radio>() == 64);

/// What is to be done when the medium becomes busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CcaReporting {
    /// Nothing.
    Nothing,
    /// The MAC has not been told yet of when it became so while slots were counted.
    Paused,
    /// When is to be kept for the MAC, which counts slots and needs no more.
    Counting,
    /// The MAC is to be told at once.
    Immediate,
}

/// What a station waits for while a frame for somebody else is on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AccessWait {
    /// Nothing.
    Nothing,
    /// The end of a reservation, at which it looks at the medium again: not the end of the frame.
    Reservation,
    /// An idle medium, to count its backoff.
    Quiet,
}

/// What the arrival of a frame's first bit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The receiver follows it: the medium has become busy.
    Followed,
    /// Too weak to matter beside the frame already followed.
    Ignored,
    /// It and the frame followed so far have destroyed each other.
    Collided,
}

/// How a followed frame ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// It can be read.
    Clean,
    /// Too weak to be read, or this node was sending during part of it.
    Errored,
    /// Destroyed by another frame.
    Collided,
    /// Strong enough and undisturbed, and yet not readable (see [`super::Errors`]).
    Noise,
    /// This node is sending right now and notices nothing.
    Transmitting,
}

const NOTHING: u32 = u32::MAX;

/// Too weak, or this node was sending.
const ERRORED: u8 = 1;
/// Destroyed by another frame.
const COLLIDED: u8 = 2;
/// Spoilt by noise.
const NOISY: u8 = 4;

impl Default for Radio {
    fn default() -> Self {
        Radio {
            followed: NOTHING,
            watch: CcaReporting::Nothing,
            awaits: AccessWait::Nothing,
            harm: 0,
            has_carrier: false,
            power: 0.0,
            ends: Time::ZERO,
            sending_until: Time::ZERO,
            nav_until: Time::ZERO,
            nav_check_at: Time::ZERO,
            paused_at: Time::ZERO,
            is_off: false,
            nav_rule: None,
        }
    }
}

impl Radio {
    /// Whether a frame is being followed, or there is other energy on the air.
    #[inline]
    pub fn is_receiving(&self) -> bool {
        self.followed != NOTHING || self.has_carrier
    }

    /// Whether this node is sending.
    #[inline]
    pub fn is_sending(&self, now: Time) -> bool {
        now < self.sending_until
    }

    /// When the first bit of the followed frame came, which is this long on the air.
    #[inline]
    pub fn begun(&self, airtime: Span) -> Time {
        Time(self.ends.0.saturating_sub(airtime.0))
    }

    /// Whether the followed frame has met another one that destroyed it.
    #[inline]
    pub fn has_collided(&self) -> bool {
        self.harm & COLLIDED != 0
    }

    /// When what it sends is over, or was.
    pub fn sends_until(&self) -> Time {
        self.sending_until
    }

    /// Whether this radio is switched off.
    #[inline]
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Switches this radio off or on. What it follows is for the caller to end.
    pub(in crate::phy) fn switch(&mut self, is_on: bool) {
        self.is_off = !is_on;
    }

    /// The transmission that is followed, if any.
    pub(in crate::phy) fn followed(&self) -> Option<u32> {
        (self.followed != NOTHING).then_some(self.followed)
    }

    /// The rest of a transmission is missing: who follows it cannot read it.
    pub(in crate::phy) fn spoil(&mut self, transmission: u32) {
        if self.followed == transmission {
            self.harm |= ERRORED;
        }
    }

    /// Whether this receiver follows that transmission.
    #[inline]
    pub fn follows(&self, transmission: u32) -> bool {
        self.followed == transmission
    }

    /// The first bit of a frame is here.
    #[inline]
    pub fn on_arrival(
        &mut self,
        now: Time,
        transmission: u32,
        power: f64,
        airtime: Span,
        rx_threshold: f64,
        capture_ratio: f64,
    ) -> Arrival {
        let ends = now.later(airtime);
        if self.followed == NOTHING {
            self.followed = transmission;
            self.power = power;
            self.ends = ends;
            self.harm = if power < rx_threshold || now < self.sending_until { ERRORED } else { 0 };
            return Arrival::Followed;
        }
        if self.power >= capture_ratio * power {
            return Arrival::Ignored;
        }
        self.harm |= COLLIDED;
        if ends > self.ends {
            self.followed = transmission;
            self.power = power;
            self.ends = ends;
        }
        Arrival::Collided
    }

    /// The medium has become busy. Whether the MAC is to be told.
    #[inline]
    pub fn on_carrier(&mut self, now: Time) -> bool {
        if self.watch == CcaReporting::Counting {
            self.watch = CcaReporting::Paused;
            self.paused_at = now;
            self.await_quiet(now);
        }
        self.watch == CcaReporting::Immediate
    }

    /// A backoff waits for an idle medium, or for the end of the reservation that is looked at next.
    #[inline]
    pub fn await_quiet(&mut self, now: Time) {
        self.awaits = if now < self.nav_check_at { AccessWait::Reservation } else { AccessWait::Quiet };
    }

    /// Since when the medium has been busy, if the MAC has not heard of it yet; it does now.
    #[inline]
    pub fn take_pause(&mut self) -> Option<Time> {
        if self.watch != CcaReporting::Paused {
            return None;
        }
        self.watch = CcaReporting::Nothing;
        Some(self.paused_at)
    }

    /// Follows this frame, whatever it followed before (`sinr`).
    pub fn follow(&mut self, transmission: u32) {
        self.followed = transmission;
        self.harm = 0;
    }

    /// Whether nothing has happened so far that makes the followed frame unreadable.
    #[inline]
    pub fn is_readable(&self) -> bool {
        self.harm == 0
    }

    /// Whether it follows a frame that was strong enough to be told from energy, whatever becomes of it.
    pub fn has_frame(&self) -> bool {
        self.followed != NOTHING && self.harm & ERRORED == 0
    }

    /// Noise makes the followed frame unreadable.
    pub fn add_noise(&mut self) {
        self.harm |= NOISY;
    }

    /// This node starts to send: what it was receiving is lost.
    pub fn on_send(&mut self, until: Time) {
        self.sending_until = until;
        self.harm |= ERRORED;
    }

    /// The medium is reserved for `micros` from now, unless it is for longer already.
    #[inline]
    pub fn reserve(&mut self, now: Time, micros: u64) {
        self.nav_until = self.nav_until.max(now + Span::from_micros(micros));
    }

    /// The medium is no longer reserved, and whoever looks after the end of the reservation need not.
    pub fn forget_reservation(&mut self, now: Time) {
        self.nav_until = now;
        self.nav_check_at = now;
    }

    /// How the followed frame ended.
    #[inline]
    pub fn outcome(&self, now: Time) -> Reception {
        if now < self.sending_until {
            Reception::Transmitting
        } else if self.harm == 0 {
            Reception::Clean
        } else if self.harm & COLLIDED != 0 {
            Reception::Collided
        } else if self.harm & ERRORED != 0 {
            Reception::Errored
        } else {
            Reception::Noise
        }
    }

    /// The followed frame is over.
    #[inline]
    pub fn release(&mut self) {
        self.followed = NOTHING;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RX: f64 = 3.652e-10;

    fn arrive(radio: &mut Radio, at: u64, id: u32, power: f64, airtime: u64) -> Arrival {
        radio.on_arrival(Time(at), id, power, Span(airtime), RX, 10.0)
    }

    #[test]
    fn a_strong_first_frame_survives_a_weak_one() {
        let mut radio = Radio::default();
        assert_eq!(arrive(&mut radio, 0, 1, 1e-9, 100), Arrival::Followed);
        assert_eq!(arrive(&mut radio, 10, 2, 1e-10, 500), Arrival::Ignored);
        assert!(radio.follows(1));
        assert_eq!(radio.outcome(Time(100)), Reception::Clean);
    }

    #[test]
    fn a_weak_first_frame_destroys_a_strong_one() {
        let mut radio = Radio::default();
        arrive(&mut radio, 0, 1, 1.6e-11, 100);
        assert_eq!(arrive(&mut radio, 10, 2, 1e-8, 500), Arrival::Collided);
        assert!(radio.follows(2), "the frame that ends later is followed");
        assert_eq!(radio.outcome(Time(510)), Reception::Collided);
    }

    #[test]
    fn of_two_that_end_together_the_older_is_followed() {
        let mut radio = Radio::default();
        arrive(&mut radio, 0, 1, 1e-9, 100);
        arrive(&mut radio, 50, 2, 1e-9, 50);
        assert!(radio.follows(1));
    }

    #[test]
    fn the_beginning_of_a_pause_is_kept_for_a_station_that_counts() {
        let mut radio = Radio { watch: CcaReporting::Counting, ..Radio::default() };
        assert!(!radio.on_carrier(Time(70)));
        assert!(!radio.on_carrier(Time(90)), "the pause has begun already");
        assert_eq!(radio.awaits, AccessWait::Quiet);
        assert_eq!((radio.take_pause(), radio.take_pause()), (Some(Time(70)), None));
        radio.watch = CcaReporting::Immediate;
        assert!(radio.on_carrier(Time(100)));
        assert_eq!(radio.take_pause(), None);
    }

    #[test]
    fn sending_spoils_what_is_received() {
        let mut radio = Radio::default();
        arrive(&mut radio, 0, 1, 1e-9, 100);
        radio.on_send(Time(50));
        assert_eq!(radio.outcome(Time(49)), Reception::Transmitting);
        assert_eq!(radio.outcome(Time(100)), Reception::Errored);
        radio.release();
        arrive(&mut radio, 40, 2, 1e-9, 100);
        assert_eq!(radio.outcome(Time(140)), Reception::Errored, "it began while this node was sending");
        radio.release();
        arrive(&mut radio, 50, 3, 1e-9, 100);
        assert_eq!(radio.outcome(Time(150)), Reception::Clean);
    }

    #[test]
    fn sensed_only_frames_are_errored() {
        let mut radio = Radio::default();
        arrive(&mut radio, 0, 1, 3.6e-10, 100);
        assert_eq!(radio.outcome(Time(100)), Reception::Errored);
    }
}
