//! Aggregation and block acknowledgment of 802.11n (IEEE 802.11-2016 sections 10.12, 10.13 and 10.24).
//!
//! `originator.rs` is the window of MPDUs that a station sends to one neighbor, `recipient.rs` what it has received from each.
//! `dcf/aggregate.rs` sends and answers with them. An agreement exists between all stations from the start; with access
//! categories one for each, with an originator for each function of the station.

mod originator;
mod recipient;
mod rules;

pub use originator::{Originator, Released, Room};
pub use recipient::{Agreement, Recipients, Verdict};
pub use rules::AggregationRules;

/// The aggregation of one station.
#[derive(Debug)]
pub struct Aggregation {
    /// What it sends; with access categories, in the selected one.
    pub originator: Originator,
    /// What it receives.
    pub recipients: Recipients,
}

impl Aggregation {
    /// That of an idle station.
    pub fn new(rules: AggregationRules) -> Aggregation {
        Aggregation { originator: Originator::new(rules), recipients: Recipients::default() }
    }
}
