//! The state of one radio: the frame it is locked on, carrier, transmission, and NAV.
//!
//! A radio is locked on one frame at a time; which one, and whether it can be decoded, is the reception model's decision
//! (`reception/`). A radio that is switched off neither transmits nor receives.
//!
//! # Source
//! ns-2.35 `Mac802_11` (`pktRx_`, `rx_state_`, `tx_active_`, `nav_`) and `WirelessPhy`; IEEE 802.11-1999 section 9.2.1 (physical and virtual
//! carrier sense).

use super::nav_rule::NavRule;
use crate::kernel::{Span, Time};

/// One radio, in a cache line of its own: a frame changes those of all its receivers.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Radio {
    /// The transmission that it is locked on, or [`NONE`].
    locked_on: u32,
    /// Report to the MAC when the medium becomes busy.
    pub cca_reporting: CcaReporting,
    /// What the MAC waits for, which decides whether the end of a frame for another station is indicated.
    pub awaits: AccessWait,
    /// What prevents decoding: [`UNDECODABLE`], [`COLLIDED`], [`CORRUPTED`].
    rx_error: u8,
    /// The sum of powers makes the medium busy, whatever the radio is locked on (cumulative interference).
    pub has_carrier: bool,
    /// Power of the frame that it is locked on, in watts.
    power: f64,
    /// When that frame ends.
    rx_end: Time,
    /// When this node's last transmission ends.
    tx_end: Time,
    /// When the NAV expires: virtual carrier sense, in addition to the physical one.
    pub nav_until: Time,
    /// When the expiry of the NAV is checked next for a station that waits for it; past if no check is pending.
    pub nav_check_at: Time,
    /// When the medium became busy, if not yet reported to the MAC ([`CcaReporting::Frozen`]).
    frozen_at: Time,
    /// Switched off.
    is_off: bool,
    /// What frames for other stations do to this one, if the MAC needs not be called for them.
    pub nav_rule: Option<NavRule>,
}

const _: () = assert!(size_of::<Radio>() == 64);

/// Report to a MAC when the medium becomes busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CcaReporting {
    /// Nothing.
    Nothing,
    /// It became busy while slots were counted down; the time is not yet reported to the MAC.
    Frozen,
    /// The time, which the radio stores: the MAC counts slots down.
    Counting,
    /// Every change, at once.
    Immediate,
}

/// What a station waits for while a frame for another one is on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AccessWait {
    /// Nothing.
    Nothing,
    /// The expiry of the NAV, at which it checks the medium again; not the end of the frame.
    NavExpiry,
    /// An idle medium, to resume its backoff.
    Idle,
}

/// How the reception of a frame has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// Decoded.
    Clean,
    /// Too weak to be decoded, cut short, or this node transmitted during part of it.
    Errored,
    /// Destroyed by another frame.
    Collided,
    /// Corrupted by the error model ([`crate::phy::Errors`]) or by thermal noise.
    Noise,
    /// This node is transmitting: half-duplex, it receives nothing.
    Transmitting,
}

/// Locked on no transmission.
const NONE: u32 = u32::MAX;

/// Too weak, cut short, or received while this node was transmitting.
const UNDECODABLE: u8 = 1;
/// Destroyed by another frame.
const COLLIDED: u8 = 2;
/// Corrupted by the error model.
const CORRUPTED: u8 = 4;

impl Default for Radio {
    fn default() -> Self {
        Radio {
            locked_on: NONE,
            cca_reporting: CcaReporting::Nothing,
            awaits: AccessWait::Nothing,
            rx_error: 0,
            has_carrier: false,
            power: 0.0,
            rx_end: Time::ZERO,
            tx_end: Time::ZERO,
            nav_until: Time::ZERO,
            nav_check_at: Time::ZERO,
            frozen_at: Time::ZERO,
            is_off: false,
            nav_rule: None,
        }
    }
}

impl Radio {
    /// Whether the medium is busy: the radio is locked on a frame, or there is enough other energy on the air.
    #[inline]
    pub fn is_receiving(&self) -> bool {
        self.locked_on != NONE || self.has_carrier
    }

    /// Whether this node is transmitting.
    #[inline]
    pub fn is_transmitting(&self, now: Time) -> bool {
        now < self.tx_end
    }

    /// When this node's last transmission ends, or has ended.
    pub fn tx_end(&self) -> Time {
        self.tx_end
    }

    /// When the signal of the frame started that the radio is locked on, which has this airtime.
    #[inline]
    pub fn rx_start(&self, airtime: Span) -> Time {
        Time(self.rx_end.0.saturating_sub(airtime.0))
    }

    /// Whether the radio is switched off.
    #[inline]
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Switches the radio off or on. The caller ends the reception of the frame that it is locked on.
    pub(in crate::phy) fn switch(&mut self, is_on: bool) {
        self.is_off = !is_on;
    }

    /// The transmission that the radio is locked on, if any.
    #[inline]
    pub(in crate::phy) fn locked_on(&self) -> Option<u32> {
        (self.locked_on != NONE).then_some(self.locked_on)
    }

    /// Whether the radio is locked on this transmission.
    #[inline]
    pub(in crate::phy) fn is_locked_on(&self, transmission: u32) -> bool {
        self.locked_on == transmission
    }

    /// Locks on a frame that arrives with `power` watts until `end`.
    #[inline]
    pub(in crate::phy) fn lock_on(&mut self, transmission: u32, power: f64, end: Time, is_decodable: bool) {
        self.replace_lock(transmission, power, end);
        self.rx_error = if is_decodable { 0 } else { UNDECODABLE };
    }

    /// Locks on another frame, the one of several that have collided that ends last.
    #[inline]
    pub(in crate::phy) fn replace_lock(&mut self, transmission: u32, power: f64, end: Time) {
        self.locked_on = transmission;
        self.power = power;
        self.rx_end = end;
    }

    /// Power of the frame that the radio is locked on, in watts, and its end.
    #[inline]
    pub(in crate::phy) fn lock(&self) -> (f64, Time) {
        (self.power, self.rx_end)
    }

    /// Ends the reception of the frame that the radio is locked on.
    #[inline]
    pub fn release(&mut self) {
        self.locked_on = NONE;
    }

    /// Another frame has destroyed the one that the radio is locked on.
    #[inline]
    pub(in crate::phy) fn collide(&mut self) {
        self.rx_error |= COLLIDED;
    }

    /// Whether the radio, locked on nothing, receives signals none of which it could lock on, as they began in one slot.
    pub(in crate::phy) fn set_collided(&mut self, has_collided: bool) {
        self.rx_error = if has_collided { self.rx_error | COLLIDED } else { self.rx_error & !COLLIDED };
    }

    /// The error model corrupts the frame that the radio is locked on.
    pub(in crate::phy) fn corrupt(&mut self) {
        self.rx_error |= CORRUPTED;
    }

    /// The rest of a transmission is missing: a radio that is locked on it cannot decode it.
    pub(in crate::phy) fn cut(&mut self, transmission: u32) {
        if self.locked_on == transmission {
            self.rx_error |= UNDECODABLE;
        }
    }

    /// Whether the frame that the radio is locked on can be decoded, so far.
    #[inline]
    pub(in crate::phy) fn is_decodable(&self) -> bool {
        self.rx_error == 0
    }

    /// Whether the frame that the radio is locked on has collided with another one.
    #[inline]
    pub fn has_collided(&self) -> bool {
        self.rx_error & COLLIDED != 0
    }

    /// Whether the radio is locked on a frame strong enough to be decoded, even if something else prevents that.
    pub fn has_frame(&self) -> bool {
        self.locked_on != NONE && self.rx_error & UNDECODABLE == 0
    }

    /// How the reception of the frame ends that the radio is locked on.
    #[inline]
    pub(in crate::phy) fn outcome(&self, now: Time) -> Reception {
        if now < self.tx_end {
            Reception::Transmitting
        } else if self.rx_error == 0 {
            Reception::Clean
        } else if self.rx_error & COLLIDED != 0 {
            Reception::Collided
        } else if self.rx_error & UNDECODABLE != 0 {
            Reception::Errored
        } else {
            Reception::Noise
        }
    }

    /// This node transmits until `end`: what its radio is locked on is lost.
    pub(in crate::phy) fn transmit(&mut self, end: Time) {
        self.tx_end = end;
        self.rx_error |= UNDECODABLE;
    }

    /// The medium has become busy. Whether the MAC is to be called.
    #[inline]
    pub fn on_carrier(&mut self, now: Time) -> bool {
        if self.cca_reporting <= CcaReporting::Frozen {
            return false;
        }
        if self.cca_reporting == CcaReporting::Counting {
            self.cca_reporting = CcaReporting::Frozen;
            self.frozen_at = now;
            self.await_idle(now);
        }
        self.cca_reporting == CcaReporting::Immediate
    }

    /// A backoff waits for an idle medium, or for the expiry of the NAV that is checked next.
    #[inline]
    pub fn await_idle(&mut self, now: Time) {
        self.awaits = if now < self.nav_check_at { AccessWait::NavExpiry } else { AccessWait::Idle };
    }

    /// Since when the medium has been busy, if not yet reported to the MAC; it counts as reported from now on.
    #[inline]
    pub fn take_freeze(&mut self) -> Option<Time> {
        if self.cca_reporting != CcaReporting::Frozen {
            return None;
        }
        self.cca_reporting = CcaReporting::Nothing;
        Some(self.frozen_at)
    }

    /// Sets the NAV to `micros` from now, unless it is later already.
    #[inline]
    pub fn set_nav(&mut self, now: Time, micros: u64) {
        self.nav_until = self.nav_until.max(now + Span::from_micros(micros));
    }

    /// Resets the NAV; its expiry need not be checked any longer.
    pub fn reset_nav(&mut self, now: Time) {
        self.nav_until = now;
        self.nav_check_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radio_keeps_time_of_busy_cca_for_counting_station() {
        let mut radio = Radio { cca_reporting: CcaReporting::Counting, ..Radio::default() };
        assert!(!radio.on_carrier(Time(70)));
        assert!(!radio.on_carrier(Time(90)), "the pause has begun already");
        assert_eq!(radio.awaits, AccessWait::Idle);
        assert_eq!((radio.take_freeze(), radio.take_freeze()), (Some(Time(70)), None));
        radio.cca_reporting = CcaReporting::Immediate;
        assert!(radio.on_carrier(Time(100)));
        assert_eq!(radio.take_freeze(), None);
    }

    #[test]
    fn own_transmission_makes_received_frame_undecodable() {
        let mut radio = Radio::default();
        radio.lock_on(1, 1e-9, Time(100), true);
        radio.transmit(Time(50));
        assert_eq!(radio.outcome(Time(49)), Reception::Transmitting);
        assert_eq!(radio.outcome(Time(100)), Reception::Errored);
    }
}
