//! How long a station defers for a frame to other stations: its Duration field, or EIFS.
//!
//! In a dense network most frames that a receiver senses are for other stations, and change the NAV alone. A station in
//! profile `ns2` needs their end only ([`NavRule`]); its radio updates the NAV without calling the MAC.
//!
//! # Source
//! IEEE 802.11-1999 sections 9.2.5.4 (NAV) and 9.2.3.4 (EIFS); ns-2.35 `Mac802_11::recv_timer` and `capture`, which set
//! the NAV for EIFS, too.

use crate::kernel::Span;

/// The NAV rule of a station for which frames to other stations change the NAV alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NavRule {
    /// After an undecodable frame: EIFS in microseconds, rounded as NAV values are.
    pub(in crate::phy) eifs_micros: u16,
    /// EIFS minus its rounded value, in nanoseconds.
    rest: i16,
}

impl NavRule {
    /// The rule of stations with this EIFS; none if it exceeds a Duration field, which has 16 bits.
    pub fn new(eifs: Span) -> Option<NavRule> {
        let eifs_micros = u16::try_from(eifs.round_micros()).ok()?;
        Some(NavRule { eifs_micros, rest: (eifs.0 as i64 - 1_000 * i64::from(eifs_micros)) as i16 })
    }

    /// For how long an ignored frame sets the NAV from its signal start on.
    #[inline]
    pub(in crate::phy) fn after_suppressed(self, airtime: Span) -> Span {
        let eifs = (1_000 * i64::from(self.eifs_micros) + i64::from(self.rest)) as u64;
        Span::from_micros((Span(eifs) + airtime).round_micros())
    }
}

/// Why a frame for other stations sets the NAV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NavCause {
    /// Its Duration field.
    Decoded,
    /// It was undecodable, and an ACK may follow it: EIFS.
    Undecodable,
    /// It started while the receiver was locked on a much stronger frame: EIFS after its end, as if undecodable.
    Suppressed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_rule_for_an_eifs_that_does_not_fit() {
        assert!(NavRule::new(Span(65_535_499)).is_some());
        assert!(NavRule::new(Span(65_535_500)).is_none());
    }
}
