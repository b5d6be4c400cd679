//! Aggregation and block acknowledgment of 802.11n (IEEE 802.11-2016 sections 10.12, 10.13 and 10.24).
//!
//! `originator.rs` is the window of MPDUs that a station sends to one neighbor, `recipient.rs` what it has received from each.
//! `dcf/aggregate.rs` sends and answers with them. An agreement exists between all stations from the start.

use crate::packet::Modulation;

mod originator;
mod recipient;
mod rules;

pub use originator::{Originator, Released, Room};
pub use recipient::{Recipients, Verdict};
pub use rules::AggregationRules;

/// The aggregation of one station.
#[derive(Debug)]
pub struct Aggregation {
    /// What it sends.
    pub originator: Originator,
    /// What it receives.
    pub recipients: Recipients,
    /// Modulation of its last PPDU; none before the first.
    pub last: Option<Modulation>,
}

impl Aggregation {
    /// That of an idle station.
    pub fn new(rules: AggregationRules) -> Aggregation {
        Aggregation { originator: Originator::new(rules), recipients: Recipients::default(), last: None }
    }
}
