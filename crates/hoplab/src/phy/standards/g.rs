//! 802.11g, ERP-OFDM in 2.4 GHz (IEEE 802.11-2016 clause 18): the modes of 802.11a and 802.11b.

use super::standard::{Band, Spaces, Standard};
use super::{a, b};
use crate::kernel::Span;
use crate::packet::{DSSS, Width};

/// The row.
pub(super) static STANDARD: Standard = Standard {
    name: "11g",
    summary: "802.11g: OFDM and 802.11b in 2.4 GHz.",
    page: "wifi",
    bands: &[Band::Ghz2],
    widths: &[Width::MHZ20],
    modes: &[&DSSS, &a::OFDM[0]],
    plcp: Some(b::PLCP),
    ofdm: Some(a::HEADER),
    spaces: &[SPACES],
    cw_min: 15,
    qos: Some(false),
    mcs: None,
    aggregation: None,
};

/// Table 18-5.
pub(super) const SPACES: Spaces = Spaces {
    band: Band::Ghz2,
    width: Width::MHZ20,
    sifs: Span::from_micros(10),
    slot: Span::from_micros(20),
    short_slot: Some(Span::from_micros(9)),
};
