//! Rows and modes for tests of the layers above.

use super::{Band, Standard};
use crate::packet::{Modulation, Width};
use crate::phy::Phy;

/// A standard in 20 MHz of its usual band.
pub(crate) fn phy(name: &str) -> Phy {
    Phy::of(Standard::named(name).expect("a standard"), Width::MHZ20)
}

/// The modes of OFDM without MCS, the slowest first.
pub(crate) fn ofdm(width: Width) -> Vec<Modulation> {
    Phy { width, ..phy("11a") }.ofdm()
}

/// A mode of 802.11n.
pub(crate) fn ht(mcs: u32, width: Width, guard_ns: u16) -> Modulation {
    Phy { width, band: Band::Ghz5, ..phy("11n") }.mode_of_mcs(mcs, guard_ns).expect("a mode")
}
