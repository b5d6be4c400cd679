//! The constants of DSDV.

use crate::kernel::Span;

/// The constants of DSDV, whichever way they were given.
#[derive(Clone, Debug, PartialEq)]
pub struct DsdvConstants {
    /// See [`RoutingConfig::settling_time`](super::super::RoutingConfig::settling_time).
    pub settling_time: Span,
    /// See [`RoutingConfig::settling_weight`](super::super::RoutingConfig::settling_weight).
    pub settling_weight: f64,
    /// See [`RoutingConfig::update_period`](super::super::RoutingConfig::update_period).
    pub update_period: Span,
    /// See [`RoutingConfig::neighbor_timeout`](super::super::RoutingConfig::neighbor_timeout).
    pub neighbor_timeout: Span,
    /// See [`RoutingConfig::dsdv_use_mac`](super::super::RoutingConfig::dsdv_use_mac).
    pub use_mac: bool,
    /// See [`RoutingConfig::buffer_per_destination`](super::super::RoutingConfig::buffer_per_destination).
    pub buffer_per_destination: u32,
}

impl DsdvConstants {
    /// Constants of ns-2.35 (`dsdv.h`, `dsdv.cc`).
    pub fn ns2() -> DsdvConstants {
        DsdvConstants {
            settling_time: Span::from_millis(6_000),
            settling_weight: 0.875,
            update_period: Span::from_millis(15_000),
            neighbor_timeout: silence(Span::from_millis(15_000)),
            use_mac: false,
            buffer_per_destination: 5,
        }
    }

    /// Those of ns-2, but a frame that the MAC gives up is a broken link, as Perkins and Bhagwat 1994 have it.
    pub fn std() -> DsdvConstants {
        DsdvConstants { use_mac: true, ..DsdvConstants::ns2() }
    }
}

/// How long a neighbor may be silent unless said otherwise: three update periods (ns-2: `min_update_periods_`).
pub(in super::super) fn silence(update_period: Span) -> Span {
    update_period * 3
}
