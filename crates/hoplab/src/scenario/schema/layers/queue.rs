//! Table `[queue]`: discipline and limit of the interface queue of all nodes, or of one (`[node.queue]`).

use crate::net::link::QueueConfig;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::OUT_OF_RANGE;

/// Maximum of the queue limit, in packets.
const MAX_QUEUE: u32 = 1_000_000;

impl Table for QueueConfig {
    const KEY: &'static str = "queue";

    fn defaults(_: RuleSet, _: Section<'_>) -> QueueConfig {
        QueueConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let expected = "2 to 1000000 packets; ns-2 uses one less";
        section.rule(reader, "limit", (2..=MAX_QUEUE).contains(&self.limit), OUT_OF_RANGE, expected);
    }
}
