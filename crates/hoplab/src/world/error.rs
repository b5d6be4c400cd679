//! Errors that end a run: a fault found by an audit, or a limit that is exceeded.

use crate::kernel::Time;
use crate::measure::AuditError;
use crate::sim::Event;
use thiserror::Error;

/// A run that could not be built, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// Events at one time without end.
    #[error("no progress: {events} events at {at}, the last for {last:?}")]
    Livelock {
        /// The time.
        at: Time,
        /// Number of events at that time.
        events: u64,
        /// The last of them.
        last: Event,
    },
    /// More events than allowed.
    #[error("the limit of {limit} events was reached at {at}")]
    TooManyEvents {
        /// The limit.
        limit: u64,
        /// When it was reached.
        at: Time,
    },
    /// An external part cannot be built.
    #[error("{what}")]
    External {
        /// Why.
        what: String,
    },
    /// A random topology has no valid placement with this seed.
    #[error("{what}")]
    Placement {
        /// Why.
        what: String,
    },
    /// An audit has found a fault of the engine.
    #[error(transparent)]
    Audit(#[from] AuditError),
}
