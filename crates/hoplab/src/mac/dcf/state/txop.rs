//! A transmission opportunity (TXOP): the time for which a station that has gained the medium keeps it.
//!
//! Within it, exchanges follow each other at SIFS (IEEE 802.11-2016 section 10.22.2.7). A failure of the first exchange ends
//! it; after a later one the station may go on behind PIFS (section 10.22.2.2). It sets no timer: the exchange does.

use crate::kernel::Time;

/// The TXOP of a station, or of one of its categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::mac::dcf) enum Txop {
    /// None.
    #[default]
    Off,
    /// The station holds the medium until then.
    Held {
        /// Its end.
        until: Time,
        /// Where it stands.
        step: TxopStep,
    },
}

/// Where a TXOP stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mac::dcf) enum TxopStep {
    /// In its first exchange.
    First,
    /// An exchange has succeeded: the next frame follows after SIFS.
    Next,
    /// An exchange but the first has failed: the next frame follows after PIFS, on an idle medium.
    Recovery,
    /// In an exchange but the first.
    Later,
}

impl Txop {
    /// Its end, if there is one.
    #[inline]
    pub(in crate::mac::dcf) fn until(self) -> Option<Time> {
        if let Txop::Held { until, .. } = self { Some(until) } else { None }
    }

    /// Whether the next frame of the station follows without contention.
    #[inline]
    pub(in crate::mac::dcf) fn goes_on(self) -> bool {
        matches!(self, Txop::Held { step: TxopStep::Next | TxopStep::Recovery, .. })
    }

    /// Whether the next frame needs an idle medium.
    pub(in crate::mac::dcf) fn recovers(self) -> bool {
        matches!(self, Txop::Held { step: TxopStep::Recovery, .. })
    }

    /// Whether no exchange has succeeded yet.
    pub(in crate::mac::dcf) fn is_in_first(self) -> bool {
        matches!(self, Txop::Held { step: TxopStep::First, .. })
    }

    /// Begins `step`, if there is a TXOP.
    pub(in crate::mac::dcf) fn enter(&mut self, next: TxopStep) {
        if let Txop::Held { step, .. } = self {
            *step = next;
        }
    }
}
