//! Rules in which ns-2.35 and RFC 3561 differ beyond constants, as values.

use crate::kernel::Span;
use crate::net::routing::config::RoutingProfile;

/// Spacing of packets that leave the buffer, so that ARP, which holds one packet, does not drop them (ns-2: `ARP_DELAY`).
pub(super) const SPACING: Span = Span::from_millis(10);

/// The rules of one profile.
#[derive(Debug)]
pub(super) struct Rules {
    /// Bytes of the headers below a message: IP (ns-2), IP and UDP (RFC).
    pub(super) headers: u32,
    /// Bytes that a RREQ or RREP has beyond the RFC's layout (ns-2: a time stamp).
    pub(super) padding: u32,
    /// How sequence numbers grow.
    pub(super) numbering: Numbering,
    /// Timers that expire routes, and pace route discovery.
    pub(super) upkeep: Upkeep,
    /// Whether messages and packets create or refresh routes to neighbors (RFC 3561 sections 6.2, 6.5 and 6.7).
    pub(super) learns_neighbors: bool,
    /// Spacing of packets that leave the buffer when a RREQ has brought a route.
    pub(super) reverse_spacing: Span,
    /// Whether an intermediate RREP states its lifetime in whole seconds.
    pub(super) whole_seconds: bool,
    /// Which routes a relay repairs.
    pub(super) repair: Repair,
    /// Contents and receivers of a RERR.
    pub(super) errors: Errors,
    /// Hello messages.
    pub(super) hello: HelloRules,
}

/// How sequence numbers grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// ns-2: own numbers start at 2, stay even, and grow by 2 with each RREQ and each change of neighbors. An unknown number
    /// is 0.
    Even,
    /// RFC 3561 section 6.1: own numbers start at 0 and grow by 1 with each RREQ. Unknown numbers are marked.
    ByOne,
}

/// Timers that expire routes, and pace route discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upkeep {
    /// ns-2's purge timer, every 0.5 s.
    PurgeTimer,
    /// Lifetimes that are checked with each access, and a timer per RREQ (RFC 3561 sections 6.3, 6.4 and 6.11).
    Lifetimes,
}

/// Which routes a relay repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// ns-2: those over which the packet has fewer hops left than it has travelled.
    NearDestination,
    /// RFC 3561 section 6.12: those of at most `MAX_REPAIR_TTL` hops.
    ShortRoutes,
}

/// Contents and receivers of a RERR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errors {
    /// ns-2: all routes through the lost neighbor, to all neighbors.
    Broadcast,
    /// RFC 3561 section 6.11: routes with precursors, to those; at most ten per second.
    Precursors,
}

/// Hello messages.
#[derive(Debug)]
pub(super) struct HelloRules {
    /// Whether only nodes with a route send them, after an interval without a broadcast (RFC 3561 section 6.9).
    pub(super) only_if_silent: bool,
    /// Shares of the interval between which the time to the next one is drawn, if it is.
    pub(super) spread: Option<(f64, f64)>,
    /// A neighbor is lost after `allowed_hello_loss` intervals times this number of halves.
    pub(super) patience_halves: u64,
}

/// The rules of ns-2.35 with its usual compile-time switches.
static NS2: Rules = Rules {
    headers: 20,
    padding: 4,
    numbering: Numbering::Even,
    upkeep: Upkeep::PurgeTimer,
    learns_neighbors: false,
    reverse_spacing: Span::ZERO,
    whole_seconds: true,
    repair: Repair::NearDestination,
    errors: Errors::Broadcast,
    hello: HelloRules { only_if_silent: false, spread: Some((0.75, 1.25)), patience_halves: 3 },
};

/// The rules of RFC 3561.
static RFC: Rules = Rules {
    headers: 28,
    padding: 0,
    numbering: Numbering::ByOne,
    upkeep: Upkeep::Lifetimes,
    learns_neighbors: true,
    reverse_spacing: SPACING,
    whole_seconds: false,
    repair: Repair::ShortRoutes,
    errors: Errors::Precursors,
    hello: HelloRules { only_if_silent: true, spread: None, patience_halves: 2 },
};

impl Rules {
    /// The rules of a profile.
    pub(super) fn of(profile: RoutingProfile) -> &'static Rules {
        match profile {
            RoutingProfile::Ns2 => &NS2,
            RoutingProfile::Rfc => &RFC,
        }
    }
}

impl Numbering {
    /// Own number at the start.
    pub(super) fn first(self) -> u32 {
        match self {
            Numbering::Even => 2,
            Numbering::ByOne => 0,
        }
    }

    /// Whether an unknown number counts as 0.
    pub(super) fn knows_zero(self) -> bool {
        self == Numbering::Even
    }

    /// Number with which a gateway answers for a host that others answer for, too: what a destination that has sent nothing
    /// itself would state in answer to a RREQ with `requested`.
    pub(super) fn shared(self, requested: u32) -> u32 {
        match self {
            Numbering::Even => (requested + 1).next_multiple_of(2),
            Numbering::ByOne => requested,
        }
    }

    /// Own number of the next RREQ.
    pub(super) fn next(self, seq: u32) -> u32 {
        match self {
            Numbering::Even => seq + 2,
            Numbering::ByOne => seq.wrapping_add(1),
        }
    }
}
