//! Characteristics of the DSSS and HR/DSSS physical layers (802.11b) that the MAC's times follow from.
//!
//! IEEE 802.11-1999 section 15.3.3 (DSSS) and IEEE 802.11b-1999 section 18.3.3 (HR/DSSS). ns-2.35 has the same values
//! in `PHY_MIB`.

use crate::kernel::Span;
use crate::mac::config::Preamble;

/// aSlotTime.
pub(super) const SLOT: Span = Span::from_micros(20);
/// aSIFSTime.
pub(super) const SIFS: Span = Span::from_micros(10);
/// Allowance for propagation in each direction, in timeouts (ns-2 `DSSS_MaxPropagationDelay`).
pub(super) const MAX_PROPAGATION: Span = Span::from_micros(2);
/// aAirPropagationTime of a coverage class is so many times the class (IEEE 802.11-2016 section 9.4.2.9).
pub(super) const AIR_PROPAGATION: Span = Span::from_micros(3);
/// Largest coverage class.
pub const MAX_COVERAGE_CLASS: u32 = 31;
/// Lowest rate, in bits per second: that of the ACK in EIFS.
pub(super) const LOWEST_RATE: f64 = 1e6;

/// PLCP preamble (144 bits) and header (48 bits) at 1 Mb/s.
const LONG_PLCP: Span = Span::from_micros(192);
/// Short preamble (72 bits at 1 Mb/s) and header (48 bits at 2 Mb/s).
const SHORT_PLCP: Span = Span::from_micros(96);

/// Air time of PLCP preamble and header.
pub(super) fn plcp(preamble: Preamble) -> Span {
    match preamble {
        Preamble::Long => LONG_PLCP,
        Preamble::Short => SHORT_PLCP,
    }
}
