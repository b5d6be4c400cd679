//! The state of a station, in parts: each is a type whose states own the timers that end them.
//!
//! | file | states | timers that it sets |
//! | --- | --- | --- |
//! | `access.rs` | contention window, EIFS | `Nav` |
//! | `backoff.rs` | off, frozen, running | `Backoff` |
//! | `exchange.rs` | idle, SIFS, frame sent; response owed or not | `Response`, `Sifs` |
//! | `outgoing.rs` | packet in service, and its next frame | none |
//! | `parking.rs` | nothing parked, parked until a time, due | `Park` |
//! | `functions.rs` | backoffs, windows and packets of the categories that are not selected | `Backoff` |
//! | `nav_reset.rs` | NAV remains set, or is reset unless a frame follows | `NavReset` |
//! | `duplicates.rs` | last sequence number of each sender | none |
//! | `probing.rs` | when data were sent to each neighbor | none |
//! | `txop.rs` | no TXOP, or its end and where it stands | none |
//!
//! No part uses another one, except `access.rs`, which has a backoff, and `functions.rs`, which has some of those before it: the
//! station passes what a part needs.

mod access;
mod backoff;
mod duplicates;
mod exchange;
mod functions;
mod nav_reset;
mod outgoing;
mod parking;
mod probing;
mod txop;

pub(super) use access::{Access, AccessLimits};
pub(super) use duplicates::DuplicateCache;
pub(super) use exchange::{Exchange, Response, SentFrame};
pub(super) use functions::{Functions, data_packets};
pub(super) use nav_reset::NavReset;
pub(super) use outgoing::{NextFrame, Outgoing, Retries, Service};
pub(super) use parking::Parking;
pub use probing::ProbeRules;
pub(super) use probing::Probing;
pub(super) use txop::{Txop, TxopStep};
