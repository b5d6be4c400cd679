//! Transports for ad hoc networks that are no TCP: their ends, and what their senders share.

pub(super) mod atp;
mod flight;
mod supply;
pub(crate) mod tpa;
pub(super) mod wcp;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdHocKind {
    /// ATP: a rate from the delays of the nodes on the path.
    Atp,
    /// TPA: blocks of segments, few in flight.
    Tpa,
    /// WCP: a rate by the congestion of neighborhoods.
    Wcp,
}

impl AdHocKind {
    /// Whether the network notifies the sender of routes that fail.
    pub fn wants_route_failures(self) -> bool {
        match self {
            AdHocKind::Atp | AdHocKind::Tpa => true,
            AdHocKind::Wcp => false,
        }
    }
}
