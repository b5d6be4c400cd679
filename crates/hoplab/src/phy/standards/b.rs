//! 802.11b, HR/DSSS in 2.4 GHz (IEEE 802.11-2016 clause 16): DSSS and CCK.

use super::standard::{Band, Plcp, Spaces, Standard};
use crate::kernel::Span;
use crate::packet::{DSSS, Width};

/// The row.
pub(super) static STANDARD: Standard = Standard {
    name: "11b",
    summary: "802.11b: DSSS and CCK, 1 to 11 Mb/s.",
    page: "dcf",
    bands: &[Band::Ghz2],
    widths: &[Width::MHZ20],
    modes: &[&DSSS],
    plcp: Some(PLCP),
    ofdm: None,
    // Section 16.3.3; ns-2.35 `PHY_MIB` has the same values.
    spaces: &[Spaces {
        band: Band::Ghz2,
        width: Width::MHZ20,
        sifs: Span::from_micros(10),
        slot: Span::from_micros(20),
        short_slot: None,
    }],
    cw_min: 31,
    qos: None,
    mcs: None,
    aggregation: None,
};

/// Preamble of 144 or 72 bits, and 48 bits of header at 1 or 2 Mb/s behind it (section 16.2.2).
pub(super) const PLCP: Plcp = Plcp { long: Span::from_micros(192), short: Span::from_micros(96) };
