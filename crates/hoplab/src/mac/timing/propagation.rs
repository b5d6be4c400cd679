//! Allowances of the MAC's times for propagation.

use crate::kernel::Span;

/// Allowance for propagation in each direction, in timeouts (ns-2 `DSSS_MaxPropagationDelay`).
pub(super) const MAX_PROPAGATION: Span = Span::from_micros(2);
/// aAirPropagationTime of a coverage class is so many times the class (IEEE 802.11-2016 section 9.4.2.9).
pub(super) const AIR_PROPAGATION: Span = Span::from_micros(3);
/// Largest coverage class.
pub const MAX_COVERAGE_CLASS: u32 = 31;
